import AsyncKit
import LineRPC

extension HomeManager {
    /// The maximum number of unanswered calls of the app.
    ///
    /// The other requests that the connection allows are reserved for the manager itself.
    static var callsOfApp: Int { limits.outstandingRequests - 8 }

    /// Waits until a closure returns a value, for at most `limit` if there is one.
    ///
    /// The closure is called again after each ``notifyWaiters()``.
    ///
    /// - Returns: The value; `nil` after the limit, or if the task is canceled.
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

    /// Resumes tasks that wait for a change of this manager's state.
    func notifyWaiters() { for waiter in waiters.values { waiter.send() } }

    /// Records a change that is visible in snapshots.
    func changed() {
        snapshotNumber += 1
        notifyWaiters()
    }

    /// Waits for a connection that accepts another call.
    ///
    /// - Throws: `daemonUnavailable` if there is no connection in time, the daemon's refusal, `genericError` if too
    ///   many calls are waiting for answers, `operationCancelled` if the task is canceled.
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
        throw failure ?? (peer == nil ? .unavailable("can't connect to homehubd at \(socket)") : .unresponsive)
    }
}
