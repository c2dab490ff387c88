import FoundationEssentials
import GRDB
import Glibc
import Logging
import TestTimeouts
import Testing

@testable import DatabaseKit

@Suite("DailyCopyService", .timeout)
struct DailyCopyTests {
    /// The state of the copy and of the database.
    ///
    /// Times are in hours before now.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var isWorthKeeping = true
        var copied: Double? = 21
        /// When the database was last written to.
        var changed: Double = 30
        /// When the database's log was last written to.
        var logged: Double = 1
        let isCopied: Bool
    }

    @Test(
        "copies if the copy is missing, or if it is a day old and lacks changes worth keeping",
        arguments: [
            Case(testDescription: "no copy exists", copied: nil, isCopied: true),
            Case(
                testDescription: "no copy exists, and the database is worthless", isWorthKeeping: false, copied: nil,
                isCopied: true),
            Case(testDescription: "the copy is old, and the log has changed", isCopied: true),
            Case(testDescription: "the copy is old, and the file has changed", changed: 1, logged: 30, isCopied: true),
            Case(testDescription: "the copy is less than 20 hours old", copied: 19, isCopied: false),
            Case(testDescription: "the database hasn't changed since the copy", logged: 25, isCopied: false),
            Case(testDescription: "the database has nothing worth keeping", isWorthKeeping: false, isCopied: false),
            Case(testDescription: "the copy is dated in the future", copied: -1000, logged: -1001, isCopied: true),
        ])
    func due(given: Case) async throws {
        try await withFile { file in
            let copy = file.path + ".backup"
            let mark = Array("the former".utf8)
            if let copied = given.copied {
                try Data(mark).write(to: URL(filePath: copy))
                try date(copy, hoursAgo: copied)
            }
            try date(file.path, hoursAgo: given.changed)
            try date(file.path + "-wal", hoursAgo: given.logged)
            await service(file, isWorthKeeping: given.isWorthKeeping).copyIfDue()
            let found = try [UInt8](Data(contentsOf: URL(filePath: copy)))
            #expect((found != mark) == given.isCopied)
        }
    }

    @Test("copies the first pairing immediately, even after a restart")
    func firstPairing() async throws {
        try await withFile { file in
            await service(file, isWorthKeeping: false).copyIfDue()
            try await file.queue.write { try $0.execute(sql: "INSERT INTO pairing VALUES (1)") }
            await service(file, isWorthKeeping: true).copyIfDue()
            let copy = try DatabaseQueue(path: file.path + ".backup")
            #expect(try await copy.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM pairing") } == 1)
            try copy.close()
        }
    }

    private func service(_ file: DatabaseFile, isWorthKeeping: Bool) -> DailyCopyService {
        DailyCopyService(
            file: file, isWorthKeeping: { isWorthKeeping },
            logger: silent)
    }

    private func withFile(_ body: (DatabaseFile) async throws -> Void) async throws {
        let folder = "/tmp/daily-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = try DatabaseFile(
            path: folder + "/b.sqlite", migrator: DatabaseMigrator(), applicationID: 7,
            logger: silent)
        try await file.queue.write { try $0.execute(sql: "CREATE TABLE pairing (id)") }
        try await body(file)
        try file.close()
    }

    private func date(_ path: String, hoursAgo: Double) throws {
        let time = timespec(tv_sec: Int(Date.now.timeIntervalSince1970 - hoursAgo * 3600), tv_nsec: 0)
        try #require(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
    }
}
