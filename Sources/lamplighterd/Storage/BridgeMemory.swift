import BridgeControl
import DaemonKit
import DatabaseKit
import Synchronization

/// Backup, restore and reset of a running bridge: one operation at a time, and none once the bridge must start over.
final class BridgeMemory: Sendable {
    private struct State {
        var isBusy = false
        var isReplaced = false
    }

    private let state = Mutex(State())
    private let file: DatabaseFile
    private let places: BridgeDaemon.Places
    /// Ends when the bridge must start over, or ``finish()`` is called.
    let ends: AsyncStream<Never>
    private let end: AsyncStream<Never>.Continuation

    init(file: DatabaseFile, places: BridgeDaemon.Places) {
        self.file = file
        self.places = places
        (ends, end) = AsyncStream.makeStream()
    }

    /// A Boolean value that indicates whether the bridge starts over with another database.
    var isReplaced: Bool { state.withLock(\.isReplaced) }

    /// Everything the bridge has learnt, consistent.
    func backup() throws -> [UInt8] {
        try begin()
        defer { state.withLock { $0.isBusy = false } }
        return try BridgeBackup.take(of: file, in: places)
    }

    /// Takes a backup in and lets the bridge start over with it, even if the daemon is killed from now on.
    ///
    /// - Throws: `DatabaseFileError` if it is no good, `BridgeControlError` if something else is under way; nothing has
    ///   changed then.
    func restore(_ receive: () async throws -> [UInt8]) async throws -> RestoreListing {
        try begin()
        defer { state.withLock { $0.isBusy = false } }
        let listing = try await BridgeBackup.admit(try await receive(), into: places)
        try startOver()
        return listing
    }

    /// Lets the bridge start over with another identity, even if the daemon is killed from now on.
    ///
    /// - Throws: `DatabaseFileError` if that can't be stored, `BridgeControlError` if something else is under way;
    ///   nothing has changed then.
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
                code: 75, message: "a backup, a restore or a reset is under way already",
                remedy: "try again when it is done")
        }
    }

    private func startOver() throws {
        try BridgeBackup.useAtNextStart(places)
        state.withLock { $0.isReplaced = true }
        end.finish()
    }
}
