import DatabaseKit
import FoundationEssentials
import GRDB
import Glibc
import HAPModel
import HomeHub
import HomeModel
import HomeTesting
import HubControl
import SystemKit
import TestTimeouts
import Testing

@testable import homehubd

@Suite("HomeBackup", .timeout)
struct HomeBackupTests {
    static func places(_ folder: String) -> HubDaemon.Places {
        HubDaemon.Places(
            configuration: nil, stateDirectory: folder, runtimeDirectory: folder, installedApps: folder + "/apps")
    }

    private static func newID() -> Characteristic.ID {
        var random = SystemRandomNumberGenerator()
        return Characteristic.ID(using: &random)
    }

    private let sample = HistorySample(
        Self.newID(), HistoryEntry(time: Timestamp(millisecondsSince1970: 5), value: .integer(3)))

    /// Creates databases in a folder, and returns the homes and a backup of them.
    private func fill(_ folder: String, withHistory: Bool = true) async throws -> (graph: HomeGraph, backup: [UInt8]) {
        let places = Self.places(folder)
        let file = try openDatabase(in: folder)
        let history = try HistoryDatabase.file(at: places.history, logger: silent)
        var homes = RandomHomes(seed: 1)
        for _ in 0..<100 {
            let transaction = try homes.next()
            try await HomeDatabase(file.queue).commit(transaction, in: homes.graph)
        }
        try await HistoryDatabase(.success(history.queue), maximumSize: 1 << 20).append([sample])
        let hasHistory = try await HomeBackup.take(of: file, history: withHistory ? history : nil, in: places)
        #expect(hasHistory == withHistory)
        let backup = Array(try Data(contentsOf: URL(filePath: places.exportedDatabase)))
        HomeBackup.discardRemains(places)
        try file.close()
        try history.close()
        return (homes.graph.asStored, backup)
    }

    private func restore(_ backup: [UInt8], into folder: String) async throws -> HubRestoreListing {
        let path = folder + "/backup"
        try Data(backup).write(to: URL(filePath: path))
        let input = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(input) }
        let listing = try await HomeBackup.admit(from: input, into: Self.places(folder))
        try HomeBackup.install(listing, Self.places(folder))
        return listing
    }

    @Test("restores the homes and the history in another directory")
    func roundTrip() async throws {
        try await withFolder { first in
            let (graph, backup) = try await fill(first)
            try await withFolder { second in
                let listing = try await restore(backup, into: second)
                #expect(listing.homes == graph.homes.count && listing.hasHistory && listing.replaced.isEmpty)
                let file = try openDatabase(in: second)
                #expect(try HomeDatabase(file.queue).load().graph == graph)
                #expect(try await file.queue.read { try !$0.tableExists("historyPart") })
                let history = try HistoryDatabase.file(at: Self.places(second).history, logger: silent)
                let entries = try await HistoryDatabase(.success(history.queue), maximumSize: 1 << 20).entries(
                    HistoryRequest(
                        characteristic: sample.characteristic, since: Timestamp(millisecondsSince1970: 0),
                        until: Timestamp(millisecondsSince1970: 9), interval: nil))
                #expect(entries == [sample.entry])
                try history.close()
                try file.close()
            }
        }
    }

    @Test("keeps the replaced databases, and the history if the backup has none", arguments: [true, false])
    func replacing(withHistory: Bool) async throws {
        try await withFolder { folder in
            let (_, backup) = try await fill(folder, withHistory: withHistory)
            let listing = try await restore(backup, into: folder)
            let places = Self.places(folder)
            let former = withHistory ? [places.database, places.history] : [places.database]
            #expect(listing.replaced == former.map { $0 + ".replaced" })
            #expect(listing.replaced.allSatisfy { access($0, F_OK) == 0 })
            #expect(access(places.history, F_OK) == 0)
        }
    }

    @Test("keeps a backup consistent while the homes change")
    func concurrentChanges() async throws {
        try await withFolder { folder in
            let file = try openDatabase(in: folder)
            let history = try HistoryDatabase.file(at: Self.places(folder).history, logger: silent)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var homes = RandomHomes(seed: 2)
                    while !Task.isCancelled {
                        let transaction = try homes.next()
                        try await HomeDatabase(file.queue).commit(transaction, in: homes.graph)
                    }
                }
                for _ in 0..<5 {
                    _ = try await HomeBackup.take(of: file, history: history, in: Self.places(folder))
                    let copy = try DatabaseQueue(path: Self.places(folder).exportedDatabase)
                    _ = try HomeDatabase(copy).load()
                    #expect(try await copy.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
                    try copy.close()
                }
                group.cancelAll()
            }
            try history.close()
            try file.close()
        }
    }

    /// A file that must be refused.
    struct WrongFile: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let refusal: @Sendable (HomeBackupRefusal) -> Bool
        let change: @Sendable (inout [UInt8]) -> Void

        init(
            _ name: String, _ refusal: @escaping @Sendable (HomeBackupRefusal) -> Bool,
            _ change: @escaping @Sendable (inout [UInt8]) -> Void
        ) {
            testDescription = name
            self.refusal = refusal
            self.change = change
        }
    }

    /// Sets the application ID in the header of a database.
    private static func owned(by id: [UInt8]) -> @Sendable (inout [UInt8]) -> Void {
        { $0.replaceSubrange(68..<72, with: id) }
    }

    static let wrongFiles: [WrongFile] = [
        WrongFile("an empty file", { $0 == .notABackup }, { $0 = [] }),
        WrongFile("text", { $0 == .notABackup }, { $0 = Array("homes: []\n".utf8) }),
        WrongFile("the backup of a bridge", { $0 == .ofBridge }, owned(by: Array("LAMP".utf8))),
        WrongFile("a history", { $0 == .historyOnly }, owned(by: Array("HIST".utf8))),
        WrongFile(
            "the database of another program", { $0 == .foreign("is a database of another program") },
            owned(by: [0, 0, 0, 0])),
        WrongFile(
            "the first half of a backup", { if case .truncated = $0 { true } else { false } },
            { $0.removeLast($0.count / 2) }),
        WrongFile(
            "a backup with an overwritten page", { $0 == .damaged },
            { $0.replaceSubrange(4096..<8192, with: [UInt8](repeating: 0xA5, count: 4096)) }),
    ]

    @Test("refuses a wrong file and changes nothing", arguments: wrongFiles)
    func refusal(of wrong: WrongFile) async throws {
        try await withFolder { folder in
            let (before, good) = try await fill(folder)
            var backup = good
            wrong.change(&backup)
            var error: HomeBackupRefusal?
            do { _ = try await restore(backup, into: folder) } catch let caught as HomeBackupRefusal { error = caught }
            let refusal = try #require(error)
            #expect(wrong.refusal(refusal), "\(refusal)")
            #expect(refusal.exitCode == .badData)
            #expect(access(Self.places(folder).restoredDatabase, F_OK) != 0)
            let file = try openDatabase(in: folder)
            let graph = try HomeDatabase(file.queue).load().graph
            #expect(graph.homes.count == before.homes.count)
            try file.close()
        }
    }

    @Test("refuses a backup of a newer version, and one with inconsistent keys")
    func unusableContents() async throws {
        let changes: [(String, HomeBackupRefusal)] = [
            ("INSERT INTO grdb_migrations VALUES ('99')", .foreign("was written by a newer version")),
            ("INSERT INTO pairing VALUES ('AA:BB:CC:DD:EE:FF', zeroblob(32))", .damaged),
        ]
        for (sql, refusal) in changes {
            try await withFolder { folder in
                let (_, backup) = try await fill(folder)
                let path = folder + "/changed"
                try Data(backup).write(to: URL(filePath: path))
                let queue = try DatabaseQueue(path: path)
                try await queue.write { try $0.execute(sql: sql) }
                try queue.close()
                let changed = Array(try Data(contentsOf: URL(filePath: path)))
                await #expect(throws: refusal) { _ = try await restore(changed, into: folder) }
            }
        }
    }
}
