internal import DatabaseKit
internal import GRDB
internal import Logging
internal import Synchronization

/// The storage of an ``AccessoryHost``, which contains its identity, its pairings and the ids of its accessories.
///
/// Each storage belongs to one accessory server, and only one host at a time can use it.
public struct AccessoryStorage: Sendable {
    private enum Place {
        case directory(String)
        case memory(Memory)
    }

    private let place: Place

    /// Returns storage in a directory, which contains the accessory's secret key.
    ///
    /// A missing directory is created so that only your user can access it.
    public static func directory(_ path: String) -> AccessoryStorage { AccessoryStorage(place: .directory(path)) }

    /// Returns new storage in memory, for tests.
    ///
    /// The storage lasts as long as the returned value. A later host with the same value is the same accessory.
    public static func inMemory() -> AccessoryStorage { AccessoryStorage(place: .memory(Memory())) }

    fileprivate final class Memory: Sendable {
        struct State {
            var queue: DatabaseQueue?
            var isInUse = false
        }

        let state = Mutex(State())
    }

    /// Open storage, which no other host can open until the lease is closed or released.
    final class Lease: Sendable {
        let queue: DatabaseQueue
        private let file: Mutex<DatabaseFile?>
        private let memory: Memory?

        fileprivate init(_ file: DatabaseFile) {
            queue = file.queue
            self.file = Mutex(file)
            memory = nil
        }

        fileprivate init(_ memory: Memory, _ queue: DatabaseQueue) {
            self.queue = queue
            file = Mutex(nil)
            self.memory = memory
        }

        /// Closes the storage, so that another host can open it.
        ///
        /// - Throws: `DatabaseFileError` if the database is still in use.
        func close() throws {
            release()
            try file.withLock { $0.take() }?.close()
        }

        private func release() { memory?.state.withLock { $0.isInUse = false } }

        deinit { release() }
    }

    /// Opens the storage.
    ///
    /// - Throws: `DatabaseFileError`, or ``AccessoryHostError`` with `storageInUse`.
    func open(logger: Logger) throws -> Lease {
        switch place {
        case .directory(let path):
            return Lease(
                try DatabaseFile(
                    path: path + "/accessory.sqlite", migrator: Self.migrator, applicationID: Self.applicationID,
                    logger: logger))
        case .memory(let memory):
            return try memory.state.withLock { state in
                guard !state.isInUse else {
                    throw AccessoryHostError(.storageInUse, "another host is using this storage")
                }
                let queue = try state.queue ?? DatabaseQueue()
                try Self.migrator.migrate(queue)
                (state.queue, state.isInUse) = (queue, true)
                return Lease(memory, queue)
            }
        }
    }

    /// The application id of an accessory's database: "HAPA" in ASCII.
    private static let applicationID: Int32 = 0x4841_5041

    private static var migrator: DatabaseMigrator {
        var migrator = ServerDatabase.migrator
        migrator.registerMigration("3", migrate: BridgedAccessoryIDs.createTable)
        return migrator
    }
}
