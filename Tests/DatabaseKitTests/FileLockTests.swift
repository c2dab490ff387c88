import Foundation
import Glibc
import TestTimeouts
import Testing

@testable import DatabaseKit

@Suite("FileLock", .timeout)
struct FileLockTests {
    @Test("closes only its own file if another process holds the lock")
    func closesOnce() async throws {
        let path = "/tmp/lock-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(path) }
        let owner = try FileLock(path: path)
        async let refusals = Self.refusals(path, 20_000)
        var broken = 0
        for _ in 0..<20_000 {
            let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
            if close(file) != 0 { broken += 1 }
        }
        let count = await refusals
        #expect(count == 20_000)
        #expect(broken == 0)
        withExtendedLifetime(owner) {}
    }

    @Test("can be acquired once released, even while a new process still shares its file")
    func release() throws {
        let path = "/tmp/lock-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { unlink(path) }
        var owner: FileLock? = try FileLock(path: path)
        let file = try Self.openFile(path)
        let shared = dup(try #require(file))
        defer { close(shared) }
        withExtendedLifetime(owner) {}
        owner = nil
        try FileLock.whileFree(path) {}
        _ = try FileLock(path: path)
    }

    /// Returns the descriptor of an open file of this process.
    private static func openFile(_ path: String) throws -> Int32? {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").first {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }.flatMap { Int32($0) }
    }

    @concurrent private static func refusals(_ path: String, _ count: Int) async -> Int {
        (0..<count).count { _ in (try? FileLock(path: path)) == nil }
    }
}
