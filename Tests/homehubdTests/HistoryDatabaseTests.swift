import DatabaseKit
import FoundationEssentials
import GRDB
import HAPModel
import HomeHub
import HomeModel
import TestTimeouts
import Testing

@testable import homehubd

@Suite("The database of past values", .timeout)
struct HistoryDatabaseTests {
    private static let minute: Int64 = 60_000
    private let id = newID()
    private let other = newID()

    private static func newID() -> Characteristic.ID {
        var random = SystemRandomNumberGenerator()
        return Characteristic.ID(using: &random)
    }

    private func sample(
        _ time: Int64, _ value: CharacteristicValue, of id: Characteristic.ID? = nil
    ) -> HistorySample {
        HistorySample(id ?? self.id, HistoryEntry(time: Timestamp(millisecondsSince1970: time), value: value))
    }

    private func entries(
        _ database: HistoryDatabase, from start: Int64 = 0, to end: Int64 = .max, every interval: Int64? = nil,
        of id: Characteristic.ID? = nil
    ) async throws -> [HistoryEntry] {
        try await database.entries(
            HistoryRequest(
                characteristic: id ?? self.id, since: Timestamp(millisecondsSince1970: start),
                until: Timestamp(millisecondsSince1970: end), interval: interval))
    }

    @Test(
        "returns values of all kinds as they were stored",
        arguments: [
            CharacteristicValue.bool(true), .bool(false), .integer(-3), .unsigned(.max), .float(21.5), .float(21),
        ])
    func values(value: CharacteristicValue) async throws {
        let database = try HistoryDatabase(.success(makeHistoryQueue()), maximumSize: 1 << 20)
        try await database.append([sample(5, value)])
        #expect(try await entries(database).map(\.value) == [value])
    }

    @Test("returns the value at the start of the period and all later values until its end")
    func period() async throws {
        let database = try HistoryDatabase(.success(makeHistoryQueue()), maximumSize: 1 << 20)
        try await database.append((1...6).map { sample($0 * 10, .integer($0)) } + [sample(35, .bool(true), of: other)])
        func numbers(_ start: Int64, _ end: Int64) async throws -> [CharacteristicValue] {
            try await entries(database, from: start, to: end).map(\.value)
        }
        #expect(try await numbers(25, 40) == [.integer(2), .integer(3), .integer(4)])
        #expect(try await numbers(30, 30) == [.integer(3)])
        #expect(try await numbers(1, 15) == [.integer(1)])
        #expect(try await numbers(1, 5) == [])
        #expect(try await entries(database, every: 30).map(\.value) == [.integer(2), .integer(5), .integer(6)])
    }

    @Test("returns at most one page of values")
    func pages() async throws {
        let database = try HistoryDatabase(.success(makeHistoryQueue()), maximumSize: 1 << 20)
        let count = HistoryRequest.maximumCount
        try await database.append((0..<Int64(count + 10)).map { sample($0, .integer($0)) })
        let first = try await entries(database)
        #expect(first.count == count)
        let last = try #require(first.last?.time.millisecondsSince1970)
        #expect(try await entries(database, from: last).map(\.time.millisecondsSince1970) == Array(last...last + 10))
    }

    @Test("removes values after 30 days, and the values of unlisted characteristics on request")
    func age() async throws {
        let database = try HistoryDatabase(.success(makeHistoryQueue()), maximumSize: 1 << 20)
        let day = 24 * 60 * Self.minute
        try await database.append([
            sample(0, .integer(0)), sample(day, .integer(1)), sample(day, .integer(1), of: other),
        ])
        try await database.append([sample(31 * day, .integer(31))])
        #expect(try await entries(database).map(\.value) == [.integer(1), .integer(31)])
        var objects = HistoryObjects()
        objects.characteristics = [other]
        try await database.removeAll(except: objects)
        #expect(try await entries(database).isEmpty)
        #expect(try await entries(database, of: other).count == 1)
    }

    @Test("removes the oldest values when it exceeds its maximum size")
    func size() async throws {
        let queue = try makeHistoryQueue()
        let limit = 200_000
        let database = HistoryDatabase(.success(queue), maximumSize: limit)
        for batch in 0..<40 as Range<Int64> {
            try await database.append((0..<1000).map { sample(batch * 1000 + $0, .integer($0)) })
        }
        let (first, last) = try await queue.read { db in
            (
                try Int64.fetchOne(db, sql: "SELECT min(time) FROM entry"),
                try Int64.fetchOne(db, sql: "SELECT max(time) FROM entry")
            )
        }
        #expect(try #require(first) > 20_000 && last == 39_999)
        let pages = try await queue.read { db in try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0 }
        // The file may exceed the limit by at most one batch.
        #expect(pages * 4096 < limit + 100_000)
        let none = HistoryDatabase(.success(queue), maximumSize: 0)
        try await none.append([sample(50_000, .integer(1))])
        #expect(try await entries(none).isEmpty)
    }

    @Test("renames a damaged file and creates a new file")
    func damage() async throws {
        try await withFolder { folder in
            let path = folder + "/history.sqlite"
            let garbage = Array(repeating: UInt8(7), count: 5000)
            try Data(garbage).write(to: URL(filePath: path))
            let file = try HistoryDatabase.file(at: path, logger: silent)
            let database = HistoryDatabase(.success(file.queue), maximumSize: 1 << 20)
            try await database.append([sample(5, .bool(true))])
            #expect(try await entries(database).count == 1)
            #expect(try Array(Data(contentsOf: URL(filePath: path + ".damaged"))) == garbage)
            try file.close()
        }
    }

    @Test("fails each call with the reason if the file can't be opened")
    func unavailable() async throws {
        try await withFolder { folder in
            try Data().write(to: URL(filePath: folder + "/file"))
            let opened = Result { () throws(DatabaseFileError) in
                try HistoryDatabase.file(at: folder + "/file/history.sqlite", logger: silent)
            }
            let database = HistoryDatabase(opened.map(\.queue), maximumSize: 1 << 20)
            await #expect(throws: DatabaseFileError.self) { try await database.append([sample(5, .bool(true))]) }
            await #expect(throws: DatabaseFileError.self) { try await entries(database) }
        }
    }
}
