import Foundation
import TestTimeouts
import Testing

@testable import SystemKit

@Suite("FileAccess", .timeout)
struct FileAccessTests {
    @Test("names mode, owner and group of the file and the user of the program")
    func refused() throws {
        let file = NSTemporaryDirectory() + "secret-\(UUID())"
        try #require(
            FileManager.default.createFile(atPath: file, contents: nil, attributes: [.posixPermissions: 0o600]))
        defer { unlink(file) }
        let reason = FileAccess.reason(file, SystemError(code: EACCES))
        let owner = try #require(getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) })
        #expect(reason.hasPrefix("Permission denied: its mode is 0600, it belongs to \(owner):"))
        #expect(reason.hasSuffix("and chmod 0640 on the file"))
    }

    @Test("explains that a service can't see home directories", arguments: [EACCES, ENOENT])
    func home(code: CInt) {
        #expect(
            FileAccess.reason("/home/anna/p", SystemError(code: code)).contains("a service can't see home directories"))
    }

    @Test("returns only the system's reason in other cases")
    func others() {
        #expect(FileAccess.reason("/nowhere", SystemError(code: ENOENT)) == "No such file or directory")
    }
}
