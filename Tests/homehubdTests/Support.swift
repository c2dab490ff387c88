import DaemonKit
import DatabaseKit
import FoundationEssentials
import GRDB
import Glibc
import HAPModel
import HAPTesting
import HomeHub
import HomeModel
import Logging

@testable import homehubd

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

struct Failure: Error { var message: String }

/// Creates a folder for a test and removes it afterwards.
@discardableResult
func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.path + "/homehubd-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    guard mkdir(folder, 0o700) == 0 else { throw Failure(message: "mkdir \(folder): \(errno)") }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try await body(folder)
}

/// Opens the home database of a folder, as the daemon does.
func openDatabase(in folder: String) throws -> DatabaseFile {
    try DatabaseFile(
        path: folder + "/home.sqlite", migrator: HomeSchema.migrator, applicationID: HomeSchema.applicationID,
        logger: silent)
}

/// A home database without a file.
func makeQueue() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = true
    let queue = try DatabaseQueue(configuration: configuration)
    try HomeSchema.migrator.migrate(queue)
    return queue
}

/// A history database without a file.
func makeHistoryQueue() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.foreignKeysEnabled = true
    let queue = try DatabaseQueue(configuration: configuration)
    try HistoryDatabase.migrator.migrate(queue)
    return queue
}

extension HistoryDatabase {
    /// Adds past values.
    func append(_ samples: [HistorySample]) async throws { try await append(samples, []) }
}

/// A graph that is stored with each change.
struct StoredGraph {
    var graph = HomeGraph()
    var random = SeededNumbers(seed: 3)
    let queue: DatabaseQueue
    let device: DeviceID

    init(_ queue: DatabaseQueue) throws {
        self.queue = queue
        guard let device = DeviceID("1A:2B:3C:4D:5E:6F") else { throw Failure(message: "no device id") }
        self.device = device
    }

    var database: HomeDatabase { HomeDatabase(queue) }

    mutating func write(_ write: HomeWrite) async throws {
        try await store(try graph.perform(write, using: &random).transaction)
    }

    mutating func add(
        _ accessories: [AccessoryObject], category: AccessoryCategory = .lightbulb,
        descriptions: [CharacteristicID: String] = [:]
    ) async throws {
        let addition = AccessoryAddition(
            home: graph.homes[0].id, deviceID: device, category: category, accessories: accessories,
            descriptions: descriptions)
        try await store(try graph.add(addition, using: &random).transaction)
    }

    func store(_ transaction: HomeTransaction?) async throws {
        guard let transaction else { throw Failure(message: "no transaction") }
        try await database.commit(transaction, in: graph)
    }
}

extension HomeGraph {
    /// The graph after a restart.
    var asStored: HomeGraph {
        var graph = self
        for accessory in homes.flatMap(\.accessories) { graph.apply(.reachabilityUpdated(accessory.id, false)) }
        return graph
    }
}
