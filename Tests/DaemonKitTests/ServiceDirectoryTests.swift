import Glibc
import SystemKit
import TestTimeouts
import Testing

@testable import DaemonKit

@Suite("ServiceDirectory", .timeout)
struct ServiceDirectoryTests {
    @Test(
        "the error of a directory that can't be created names the remedy",
        arguments: [
            (
                EACCES, ExitCode.noPermission,
                "no permission to use /a/b; use chown to change its owner to the user of this program"
            ),
            (ENOSPC, .inputOutput, "the disk is full; make room for /a/b"),
            (
                ENOTDIR, .cannotCreate,
                "/a/b can't be created: Not a directory; make its directory writable, or use another directory"
            ),
        ])
    func error(code: CInt, exitCode: ExitCode, text: String) {
        let error = ServiceDirectoryError(path: "/a/b", cause: SystemError(code: code))
        #expect(error.exitCode == exitCode)
        #expect(error.description == text)
    }

    @Test("creates missing parents, and fails below a file")
    func make() throws {
        let folder = "/tmp/lamplighter-directory-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        defer { for path in ["\(folder)/a/b", "\(folder)/a", folder] { rmdir(path) } }
        try ServiceDirectory.makeStateDirectory("\(folder)/a/b")
        try ServiceDirectory.makeStateDirectory("\(folder)/a/b")
        var status = stat()
        #expect(stat("\(folder)/a/b", &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(throws: ServiceDirectoryError(path: "/dev/null/a", cause: SystemError(code: ENOTDIR))) {
            try ServiceDirectory.makeStateDirectory("/dev/null/a")
        }
    }
}
