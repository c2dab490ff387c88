/// What an app knows of the homes: as it is now, and then after each change, the app's own included.
///
/// A reader gets the newest: one that does not keep up misses steps and never the last one. After a lost connection, a
/// restart of the daemon or a withdrawn permission that was given again, the sequence goes on with what is then. Values
/// that are not observed, by ``HomeManager/observe(_:)`` or the like, wake no reader; they are in the next snapshot. It
/// ends with the manager's ``HomeManager/run()``, and when the task is cancelled.
public struct HomeSnapshots: AsyncSequence, Sendable {
    /// The sequence does not fail.
    public typealias Failure = Never

    let manager: HomeManager
    let scope: ObservationScope?

    /// Begins an iteration; the step behind the first snapshot begins what is observed with it.
    public func makeAsyncIterator() -> Iterator { Iterator(manager: manager, scope: scope) }

    /// Takes the snapshots one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let manager: HomeManager
        let scope: ObservationScope?
        private var observation: Observation?
        private var seen: UInt64?

        init(manager: HomeManager, scope: ObservationScope?) {
            self.manager = manager
            self.scope = scope
        }

        /// The next snapshot; `nil` at the end, and when the task is cancelled.
        public mutating func next() async -> HomeSnapshot? {
            if let scope, observation == nil, seen != nil { observation = await manager.observe(scope) }
            guard let (snapshot, number) = await manager.snapshot(after: seen) else {
                observation = nil
                return nil
            }
            seen = number
            return snapshot
        }

        /// The next snapshot; `nil` at the end, and when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> HomeSnapshot? { await next() }
    }
}

extension HomeManager {
    /// What the app knows of the homes, now and after each change.
    ///
    /// ```swift
    /// for await snapshot in manager.snapshots(observing: .room(kitchen.id)) {
    ///     show(snapshot.home(home.id)?.accessories(in: kitchen.id) ?? [])
    /// }
    /// ```
    ///
    /// - Parameter scope: what is observed meanwhile, so that its values are up to date; by default nothing beyond what
    ///   the app observes anyway.
    /// - Returns: the snapshots, the present one first.
    public nonisolated func snapshots(observing scope: ObservationScope? = nil) -> HomeSnapshots {
        HomeSnapshots(manager: self, scope: scope)
    }

    /// Returns the current snapshot once it differs from the last one that the reader has seen.
    func snapshot(after seen: UInt64?) async -> (snapshot: HomeSnapshot, number: UInt64)? {
        await wait(atMost: nil) {
            if isOver && seen == snapshotNumber { return .some(nil) }
            guard seen != snapshotNumber else { return nil }
            let snapshot = HomeSnapshot(
                homes: replica.graph.homes, authorizationStatus: authorizationStatus,
                isCurrent: replica.isCurrent && isOpen)
            return (snapshot, snapshotNumber)
        } ?? nil
    }
}
