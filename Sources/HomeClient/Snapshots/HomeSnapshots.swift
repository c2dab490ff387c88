/// The current state of the homes, and then the state after each change, including the app's own changes.
///
/// A slow reader may miss intermediate states but always receives the latest one. After a lost connection, a restart of
/// the daemon or renewed permission, the sequence continues with the current state. Values that aren't observed, for
/// instance by ``HomeManager/observe(_:)``, don't cause a snapshot; the next one contains them. The sequence ends when
/// the manager's ``HomeManager/run()`` ends, and when the task is canceled.
public struct HomeSnapshots: AsyncSequence, Sendable {
    /// The sequence doesn't throw.
    public typealias Failure = Never

    let manager: HomeManager
    let scope: ObservationScope?

    /// Creates an iterator, which starts the observation when the second snapshot is requested.
    public func makeAsyncIterator() -> Iterator { Iterator(manager: manager, scope: scope) }

    /// An iterator over the snapshots.
    public struct Iterator: AsyncIteratorProtocol {
        let manager: HomeManager
        let scope: ObservationScope?
        private var observation: Observation?
        private var seen: UInt64?

        init(manager: HomeManager, scope: ObservationScope?) {
            self.manager = manager
            self.scope = scope
        }

        /// Returns the next snapshot; `nil` at the end, or if the task is canceled.
        public mutating func next() async -> HomeSnapshot? {
            if let scope, observation == nil, seen != nil { observation = await manager.observe(scope) }
            guard let (snapshot, number) = await manager.snapshot(after: seen) else {
                observation = nil
                return nil
            }
            seen = number
            return snapshot
        }

        /// Returns the next snapshot; `nil` at the end, or if the task is canceled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> HomeSnapshot? { await next() }
    }
}

extension HomeManager {
    /// Returns the current state of the homes and the state after each change.
    ///
    /// ```swift
    /// for await snapshot in manager.snapshots(observing: .room(kitchen.id)) {
    ///     show(snapshot.home(home.id)?.accessories(in: kitchen.id) ?? [])
    /// }
    /// ```
    ///
    /// - Parameter scope: The scope to observe during the iteration, so that its values are up to date. By default, the
    ///   iteration doesn't add an observation.
    /// - Returns: The snapshots, beginning with the current one.
    public nonisolated func snapshots(observing scope: ObservationScope? = nil) -> HomeSnapshots {
        HomeSnapshots(manager: self, scope: scope)
    }

    /// Returns the current snapshot once it differs from the last snapshot that the reader has received.
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
