import LineRPC

extension HomeManager {
    /// How many calls of the app may wait for answers at once; the others belong to the session itself.
    static var callsOfApp: Int { limits.outstandingRequests - 8 }

    /// Waits until there is something; looks again whenever ``ring()`` is called.
    ///
    /// - Parameters:
    ///   - limit: how long to wait; `nil` for ever.
    ///   - value: what is waited for.
    /// - Returns: `nil` if it did not come in time, or the task is cancelled.
    func wait<Value: Sendable>(atMost limit: Duration?, for value: () -> Value?) async -> Value? {
        if let value = value() { return value }
        let (rings, ringer) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        lastBell += 1
        let number = lastBell
        bells[number] = ringer
        defer { bells[number] = nil }
        // In a closure that does not use `self`, as a task group's may be, `value` would be called on any thread.
        async let _: Void = Self.end(ringer, after: limit)
        for await _ in rings { if let value = value() { return value } }
        return nil
    }

    private static func end(_ ringer: AsyncStream<Void>.Continuation, after limit: Duration?) async {
        guard let limit else { return }
        try? await Task.sleep(for: limit)
        ringer.finish()
    }

    /// Something changed that somebody may wait for.
    func ring() { for bell in bells.values { bell.yield() } }

    /// The connection, once there is one that takes another call.
    ///
    /// - Throws: `daemonUnavailable` after some time, what the daemon refuses us for, 23 if the task is cancelled.
    func connected() async throws(HomeError) -> LineRPCPeer {
        let endOfAbsence = ContinuousClock.now + patience.absence
        let result: Result<LineRPCPeer, HomeError>? = await wait(atMost: patience.connection) {
            if isOpen, let peer, calls.count < Self.callsOfApp { return .success(peer) }
            if let failure, failure.isFinal || endOfAbsence <= .now { return .failure(failure) }
            return nil
        }
        if let result { return try result.get() }
        if Task.isCancelled { throw HomeError(.operationCancelled) }
        if isOpen { throw .tooManyCalls }
        throw failure ?? .unavailable("nobody answers at \(socket)")
    }
}
