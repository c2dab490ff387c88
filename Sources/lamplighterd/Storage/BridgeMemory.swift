import BridgeControl
import DaemonKit
import Synchronization

/// What the operator does to the memory of a running bridge as a whole: one thing at a time, and nothing more once the
/// bridge is to begin anew.
final class BridgeMemory: Sendable {
    /// Why the bridge ends, to begin anew.
    enum Ending: Sendable {
        /// With another identity.
        case reset
        /// With the backup that has been admitted.
        case restored
    }

    private struct State {
        var isBusy = false
        var ending: Ending?
    }

    private let state = Mutex(State())
    private let file: DatabaseFile
    private let places: BridgeDaemon.Places
    /// Ends when the bridge is to begin anew, or ``finish()`` is called.
    let ends: AsyncStream<Never>
    private let end: AsyncStream<Never>.Continuation

    init(file: DatabaseFile, places: BridgeDaemon.Places) {
        self.file = file
        self.places = places
        (ends, end) = AsyncStream.makeStream()
    }

    /// Why the bridge is to begin anew, if it is.
    var ending: Ending? { state.withLock(\.ending) }

    /// Everything the bridge has learnt, consistent.
    func backup() throws -> [UInt8] {
        try begin()
        defer { state.withLock { $0.isBusy = false } }
        return try BridgeBackup.take(of: file, in: places)
    }

    /// Takes a backup in and lets the bridge begin anew with it.
    ///
    /// - Parameter receive: fetches the backup.
    /// - Returns: what has been found in it.
    /// - Throws: `DatabaseFileError` if it is no good, `BridgeControlError` if something else is under way; nothing has
    ///   changed then.
    func restore(_ receive: () async throws -> [UInt8]) async throws -> RestoreListing {
        try begin()
        defer { state.withLock { $0.isBusy = false } }
        let listing = try await BridgeBackup.admit(try await receive(), into: places)
        beginAnew(.restored)
        return listing
    }

    /// Lets the bridge begin anew with another identity.
    func reset() throws {
        try begin()
        defer { state.withLock { $0.isBusy = false } }
        beginAnew(.reset)
    }

    /// The bridge has ended.
    func finish() { end.finish() }

    private func begin() throws(BridgeControlError) {
        let isFree = state.withLock { state in
            guard !state.isBusy, state.ending == nil else { return false }
            state.isBusy = true
            return true
        }
        guard isFree else {
            throw BridgeControlError(
                code: 75, message: "a backup, a restore or a reset is under way already",
                remedy: "try again when it is done")
        }
    }

    private func beginAnew(_ ending: Ending) {
        state.withLock { $0.ending = ending }
        end.finish()
    }
}
