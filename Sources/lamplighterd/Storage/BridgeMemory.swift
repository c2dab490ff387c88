import BridgeControl
import DaemonKit
import DatabaseKit
import Synchronization

/// Backs up, restores and resets a running bridge.
///
/// Only one operation can run at a time. When the bridge must restart, no further operation can begin.
final class BridgeMemory: Sendable {
    private struct State {
        var isBusy = false
        var isReplaced = false
    }

    private let state = Mutex(State())
    private let file: DatabaseFile
    private let places: BridgeDaemon.Places
    /// Finishes when the bridge must restart, or when ``finish()`` is called.
    let ends: AsyncStream<Never>
    private let end: AsyncStream<Never>.Continuation

    init(file: DatabaseFile, places: BridgeDaemon.Places) {
        self.file = file
        self.places = places
        (ends, end) = AsyncStream.makeStream()
    }

    /// A Boolean value that indicates whether the bridge must restart with another database.
    var isReplaced: Bool { state.withLock(\.isReplaced) }

    /// Returns a consistent backup of the bridge's entire state.
    func backup() throws -> [UInt8] {
        try begin()
        defer { state.withLock { $0.isBusy = false } }
        return try BridgeBackup.take(of: file, in: places)
    }

    /// Restores a backup.
    ///
    /// The bridge then restarts with the new state, even if the daemon is killed before that.
    ///
    /// - Throws: `DatabaseFileError` if the backup is unusable, or `BridgeControlError` during another operation. In
    ///   both cases, the bridge is unchanged.
    func restore(_ receive: () async throws -> [UInt8]) async throws -> RestoreListing {
        try begin()
        defer { state.withLock { $0.isBusy = false } }
        let listing = try await BridgeBackup.admit(try await receive(), into: places)
        try startOver()
        return listing
    }

    /// Resets the bridge: creates a new identity, and removes all pairings.
    ///
    /// The bridge then restarts with the new state, even if the daemon is killed before that.
    ///
    /// - Throws: `DatabaseFileError` if the identity can't be stored, or `BridgeControlError` during another operation.
    ///   In both cases, the bridge is unchanged.
    func reset() async throws {
        try begin()
        defer { state.withLock { $0.isBusy = false } }
        try await BridgeBackup.prepareReset(of: file, in: places)
        try startOver()
    }

    func finish() { end.finish() }

    private func begin() throws(BridgeControlError) {
        let isFree = state.withLock { state in
            guard !state.isBusy, !state.isReplaced else { return false }
            state.isBusy = true
            return true
        }
        guard isFree else {
            throw BridgeControlError(
                code: 75, message: "a backup, restore or reset is already in progress",
                remedy: "try again when it is done")
        }
    }

    private func startOver() throws {
        try BridgeBackup.useAtNextStart(places)
        state.withLock { $0.isReplaced = true }
        end.finish()
    }
}
