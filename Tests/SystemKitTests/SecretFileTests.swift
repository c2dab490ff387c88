import FoundationEssentials
import Glibc
import SystemKit
import Testing

@Suite("A secret file")
struct SecretFileTests {
    /// Writes a file, reads the secret in it, and removes the file.
    private func read(_ content: [UInt8], mode: mode_t = 0o600) throws -> String {
        let path = "/tmp/lamplighter-secret-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(path) }
        try Data(content).write(to: URL(filePath: path))
        try #require(chmod(path, mode) == 0)
        return try SecretFile(path, key: "password-file", of: "password").read()
    }

    @Test(
        "reads the first line with any line ending", arguments: ["s3cret", "s3cret\n", "s3cret\r\n", "s3cret\nother\n"])
    func firstLine(content: String) throws {
        #expect(try read(Array(content.utf8)) == "s3cret")
    }

    @Test("accepts files that the owner and the group may read", arguments: [0o400, 0o600, 0o640, 0o660] as [mode_t])
    func modes(mode: mode_t) throws {
        #expect(try read(Array("s3cret".utf8), mode: mode) == "s3cret")
    }

    @Test("rejects files that every user may access", arguments: [0o604, 0o602, 0o601] as [mode_t])
    func open(mode: mode_t) throws {
        let problem = try #require(throws: SecretFile.Problem.self) { try read(Array("s3cret".utf8), mode: mode) }
        #expect(problem.text.contains("run chmod o="))
    }

    @Test(
        "rejects files without a secret, with a remedy",
        arguments: [
            ([], "is empty"), (Array("\ns3cret".utf8), "is empty"), (Array("s3cret\u{0}".utf8), "isn't text"),
            (Array("s3cret".utf8) + [0xFF], "isn't text"), ([UInt8](repeating: 0x61, count: 4097), "is too long"),
        ] as [([UInt8], String)])
    func refused(content: [UInt8], text: String) throws {
        let problem = try #require(throws: SecretFile.Problem.self) { try read(content) }
        #expect(problem.text.contains(text) && problem.text.hasPrefix("password-file /tmp/"))
        #expect(!problem.text.contains("s3cret\u{0}") && !problem.text.contains("aaa"))
    }

    @Test("reads the longest secret")
    func longest() throws {
        #expect(try read([UInt8](repeating: 0x61, count: 4096)).utf8.count == 4096)
    }

    @Test("rejects paths that aren't files", arguments: ["/dev/null", "/tmp", "/nowhere/file"])
    func noFile(path: String) {
        #expect(throws: SecretFile.Problem.self) { try SecretFile(path, key: "k", of: "password").read() }
    }
}
