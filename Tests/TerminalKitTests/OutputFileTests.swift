import FoundationEssentials
import Glibc
import TerminalKit
import TestTimeouts
import Testing

@Suite("OutputFile", .timeout)
struct OutputFileTests {
    struct Failure: Error {}

    /// Runs a body with a temporary folder that contains a file `old`.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = "/tmp/lamplighter-output-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("old".utf8).write(to: URL(filePath: folder + "/old"))
        try body(folder)
    }

    private func content(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    @Test("writes a file that only its owner can read, even over one that others can read", arguments: ["new", "old"])
    func rights(name: String) throws {
        try withFolder { folder in
            let path = "\(folder)/\(name)"
            chmod(folder + "/old", 0o644)
            try OutputFile.write(Array("secret".utf8), to: path)
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
            #expect(try content(path) == "secret")
        }
    }

    @Test("keeps the existing file when writing fails")
    func failure() throws {
        try withFolder { folder in
            let path = folder + "/old"
            #expect(throws: Failure.self) {
                try OutputFile.make(path) { file in
                    try #require(write(file, "half", 4) == 4)
                    #expect(try content(path) == "old")
                    throw Failure()
                }
            }
            let left = try content(path)
            #expect(left == "old")
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names == ["old"])
        }
    }

    @Test("reports a full disk")
    func fullDisk() throws {
        let error = try #require(throws: TerminalError.self) {
            try OutputFile.write(Array(repeating: 0, count: 100), to: "/dev/full")
        }
        #expect(error.code == 74 && error.message.hasPrefix("can't write /dev/full: "))
    }

    @Test("writes to a device")
    func device() throws {
        try OutputFile.write(Array("x".utf8), to: "/dev/null")
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test("replaces a link and keeps its target")
    func link() throws {
        try withFolder { folder in
            try #require(symlink(folder + "/old", folder + "/link") == 0)
            try OutputFile.write(Array("new".utf8), to: folder + "/link")
            #expect(try content(folder + "/old") == "old")
            #expect(try content(folder + "/link") == "new")
        }
    }
}
