import AsyncKit
import LineRPC

extension HomeManager {
    /// How many calls of the app may wait for answers at once; the others belong to the session itself.
    static var callsOfApp: Int { limits.outstandingRequests - 8 }

    /// Waits for a value, at most for the limit if there is one; looks again after each ``notifyWaiters()``.
    ///
    /// - Returns: `nil` if it did not come in time, or the task is cancelled.
    func wait<Value: Sendable>(atMost limit: Duration?, for value: () -> Value?) async -> Value? {
        let changed = AsyncSignal()
        lastWaiter += 1
        let number = lastWaiter
        waiters[number] = changed
        defer { waiters[number] = nil }
        let deadline = limit.map { ContinuousClock.now + $0 }
        while true {
            if let value = value() { return value }
            guard !Task.isCancelled, deadline.map({ $0 > .now }) ?? true else { return nil }
            await changed.wait(until: deadline)
        }
    }

    /// Something changed that a task may wait for.
    func notifyWaiters() { for waiter in waiters.values { waiter.send() } }

    /// Something changed that a reader of snapshots sees.
    func changed() {
        snapshotNumber += 1
        notifyWaiters()
    }

    /// The connection, once there is one that takes another call.
    ///
    /// - Throws: `daemonUnavailable` after some time, what the daemon refuses us for, `operationCancelled` if the task
    ///   is cancelled.
    func connected() async throws(HomeError) -> LineRPCPeer {
        let endOfAbsence = ContinuousClock.now + timeouts.absence
        let result: Result<LineRPCPeer, HomeError>? = await wait(atMost: timeouts.connection) {
            if isOpen, let peer, calls.count < Self.callsOfApp { return .success(peer) }
            if let failure, failure.isFinal || endOfAbsence <= .now { return .failure(failure) }
            return nil
        }
        if let result { return try result.get() }
        if Task.isCancelled { throw HomeError(.operationCancelled) }
        if isOpen { throw .tooManyCalls }
        throw failure ?? .unavailable("no daemon answers at \(socket)")
    }
}
