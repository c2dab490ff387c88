import DatabaseKit
import FoundationEssentials
import GRDB
import Glibc
import HAPModel
import HAPTesting
import HomeHub
import HomeModel
import TestTimeouts
import Testing

@testable import homehubd

@Suite("The database of the activity", .timeout)
struct ActivityTablesTests {
    private let homes: [Home.ID]
    private let accessories: [Accessory.ID]
    private let characteristic: Characteristic.ID
    private let trigger: Trigger.ID

    init() {
        var random = SeededNumbers(seed: 3)
        homes = (0..<2).map { _ in Home.ID(using: &random) }
        accessories = (0..<3).map { _ in Accessory.ID(using: &random) }
        characteristic = Characteristic.ID(using: &random)
        trigger = Trigger.ID(using: &random)
    }

    private func database(_ maximumSize: Int = 1 << 20) throws -> HistoryDatabase {
        HistoryDatabase(.success(try makeHistoryQueue()), maximumSize: maximumSize)
    }

    private func entry(_ time: Int64, of accessories: [Int] = [0], in home: Int = 0) -> ActivityEntry {
        let time = Timestamp(millisecondsSince1970: time)
        return ActivityEntry(
            id: .first(at: time), home: homes[home], time: time, cause: ActivityCause(),
            changes: accessories.map {
                .value(
                    accessory: self.accessories[$0], characteristic: characteristic, old: .bool(false), new: .bool(true)
                )
            })
    }

    private func query(
        _ accessories: Set<Accessory.ID>? = nil, from: Int64 = 0, to: Int64 = .max, count: Int = 100, home: Int = 0
    ) -> ActivityQuery {
        ActivityQuery(
            home: homes[home], accessories: accessories,
            ids: ActivityEntry.ID(number: from)..<ActivityEntry.ID(number: to), count: count)
    }

    @Test("returns entries as they were stored, newest first")
    func roundTrip() async throws {
        let database = try database()
        let cause = ActivityCause(app: "a", person: "Anna", trigger: trigger, name: "Evening")
        let changes: [ActivityChange] = [
            .value(accessory: accessories[0], characteristic: characteristic, old: nil, new: .integer(2)),
            .value(accessory: accessories[1], characteristic: characteristic, old: .float(2.5), new: .float(3)),
            .failure(
                accessory: accessories[2], characteristic: characteristic, value: .bool(true),
                code: .accessoryNotReachable),
            .added(object: .room, name: "Attic", accessory: nil), .notRun(result: .missed(first: .now, count: 2)),
        ]
        // The clock was set back, so the time differs from the time in the ID.
        let late = ActivityEntry(
            id: ActivityEntry.ID(number: 1 << 50), home: homes[0], time: Timestamp(millisecondsSince1970: 77),
            cause: cause, changes: changes)
        try await database.append([], [entry(1000), late, entry(2000, in: 1)])
        #expect(try await database.activity(query()) == [late, entry(1000)])
        #expect(try await database.activity(query(home: 1)) == [entry(2000, in: 1)])
    }

    @Test("filters by accessory and period, and limits the number of entries")
    func filters() async throws {
        let database = try database()
        try await database.append([], (0..<10).map { entry(1000 + $0, of: $0 % 2 == 0 ? [0, 1] : [1]) })
        let ofFirst = try await database.activity(query([accessories[0]], count: 3))
        #expect(ofFirst.map(\.time.millisecondsSince1970) == [1008, 1006, 1004])
        #expect(ofFirst.allSatisfy { $0.changes.map(\.accessory) == [accessories[0]] })
        let last = try #require(ofFirst.last).id.number
        #expect(
            try await database.activity(query([accessories[0]], to: last)).map(\.time.millisecondsSince1970) == [
                1002, 1000,
            ])
        #expect(try await database.activity(query([accessories[2]])).isEmpty)
        #expect(try await database.activity(query([])).isEmpty)
        let first = ActivityEntry.ID.first(at: Timestamp(millisecondsSince1970: 1008)).number
        #expect(try await database.activity(query(from: first)).count == 2)
    }

    @Test("removes the changes of an accessory, a home, and of objects that no longer exist")
    func removal() async throws {
        let database = try database()
        let run = ActivityEntry(
            id: ActivityEntry.ID(number: 1), home: homes[0], time: Timestamp(millisecondsSince1970: 0),
            cause: ActivityCause(trigger: trigger))
        try await database.append(
            [], [run, entry(1000, of: [0, 1]), entry(1001, of: [0]), entry(1002, of: [2], in: 1)])
        try await database.remove(accessories[0], characteristics: [])
        #expect(try await database.activity(query()).map(\.changes.count) == [1, 0])
        var objects = HistoryObjects()
        objects.homes = Set(homes)
        objects.accessories = [accessories[2]]
        objects.characteristics = [characteristic]
        try await database.removeAll(except: objects)
        #expect(try await database.activity(query()) == [run])
        try await database.remove(homes[0], characteristics: [])
        #expect(try await database.activity(query()).isEmpty)
        #expect(try await database.activity(query(home: 1)).count == 1)
        try await database.removeAll(except: HistoryObjects())
        #expect(try await database.activity(query(home: 1)).isEmpty)
        let rows = try await database.queue.read { db in
            try ["object", "activity", "activityChange"].map { try Table($0).fetchCount(db) }
        }
        #expect(rows == [0, 0, 0])
    }

    @Test("stores nothing while the disk is full, and remains readable")
    func fullDisk() async throws {
        let queue = try makeHistoryQueue()
        let database = HistoryDatabase(.success(queue), maximumSize: 1 << 20)
        try await database.append([], [entry(1000)])
        let many = (0..<2000).map { entry(2000 + $0, of: [0, 1, 2]) }
        try await queue.write { db in
            try db.execute(sql: "PRAGMA max_page_count = \(try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0)")
        }
        await #expect(throws: (any Error).self) { try await database.append([], many) }
        #expect(try await database.activity(query()) == [entry(1000)])
        try await queue.write { db in try db.execute(sql: "PRAGMA max_page_count = 100000") }
        try await database.append([], many)
        #expect(try await database.activity(query()).first == many.last)
    }

    @Test("keeps all complete writes after a power failure in the middle of the last", arguments: [1, 100, 4000])
    func tornWrite(missing: Int) async throws {
        try await withFolder { folder in
            let path = folder + "/history.sqlite"
            let file = try HistoryDatabase.file(at: path, logger: silent)
            let database = HistoryDatabase(.success(file.queue), maximumSize: 1 << 20)
            for time in 1...5 as ClosedRange<Int64> { try await database.append([], [entry(time * 1000)]) }
            // The files as the disk has them when the power fails.
            let after = folder + "/after.sqlite"
            try Data(contentsOf: URL(filePath: path)).write(to: URL(filePath: after))
            let log = try Data(contentsOf: URL(filePath: path + "-wal"))
            try log.dropLast(missing).write(to: URL(filePath: after + "-wal"))
            for file in [after, after + "-wal"] { chmod(file, 0o600) }
            try file.close()
            let reopened = try HistoryDatabase.file(at: after, logger: silent)
            let recovered = HistoryDatabase(.success(reopened.queue), maximumSize: 1 << 20)
            #expect(try await recovered.activity(query()) == (1...4).reversed().map { entry($0 * 1000) })
            try await recovered.append([], [entry(6000)])
            #expect(try await recovered.activity(query()).count == 5)
            try reopened.close()
        }
    }

    @Test("removes entries after 30 days, and the oldest entries when the file exceeds its maximum size")
    func limits() async throws {
        let day: Int64 = 24 * 3_600_000
        let database = try database()
        try await database.append([], [entry(0), entry(day)])
        try await database.append([], [entry(31 * day)])
        #expect(try await database.activity(query()).map(\.time.millisecondsSince1970) == [31 * day, day])
        let small = try self.database(100_000)
        for batch in 0..<20 as Range<Int64> {
            try await small.append([], (0..<500).map { entry(1000 * batch + $0) })
        }
        let kept = try await small.activity(query(count: 10_000))
        #expect((200..<5000).contains(kept.count))
        #expect(kept.first?.time.millisecondsSince1970 == 19_499)
    }

    @Test("adds the activity to a database with past values")
    func migration() async throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = true
        let queue = try DatabaseQueue(configuration: configuration)
        try HistoryDatabase.migrator.migrate(queue, upTo: "1")
        try await queue.write { db in
            try db.execute(
                sql: "INSERT INTO series (characteristic) VALUES (?); INSERT INTO entry VALUES (1, 5, 1)",
                arguments: [characteristic.description])
        }
        try HistoryDatabase.migrator.migrate(queue)
        let database = HistoryDatabase(.success(queue), maximumSize: 1 << 20)
        try await database.append([], [entry(1000)])
        #expect(try await database.activity(query()).count == 1)
        let past = HistoryRequest(
            characteristic: characteristic, since: Timestamp(millisecondsSince1970: 0),
            until: Timestamp(millisecondsSince1970: 10))
        #expect(try await database.entries(past).map(\.value) == [.integer(1)])
    }
}
