import DaemonKit
import DatabaseKit
import LineRPC
import SystemKit
import Testing
import YAMLKit

@testable import lamplighterd

@Suite("ExitCode")
struct ExitCodeTests {
    @Test("depends on the error")
    func codes() {
        struct Unknown: Error {}
        #expect(ExitCode(LineRPCError.inUse(path: "s")).rawValue == 69)
        #expect(ExitCode(LineRPCError.noPermission(path: "s")).rawValue == 77)
        #expect(ExitCode(LineRPCError.cannotListen(path: "s", reason: "r")).rawValue == 73)
        #expect(ExitCode(LineRPCError.pathTooLong(path: "s")).rawValue == 64)
        #expect(ExitCode(DatabaseFileError.inUse(lock: "l", pid: nil)).rawValue == 69)
        #expect(ExitCode(DatabaseFileError.damaged(path: "d", reason: "r")).rawValue == 65)
        #expect(ExitCode(DatabaseFileError.inputOutput(path: "d", reason: "r")).rawValue == 74)
        #expect(ExitCode(ConfigurationFileError.missing(file: "f")).rawValue == 66)
        #expect(ExitCode(Unknown()).rawValue == 70)
    }
}
