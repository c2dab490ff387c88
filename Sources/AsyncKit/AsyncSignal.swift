internal import Synchronization

/// Wakes one task that waits; what is sent while none waits is kept for the next wait.
///
/// Any number of sends before a wait wake it once: a signal says that something may have changed, not what. Whoever waits
/// looks, waits, and looks again. Several tasks that wait for the same thing have a signal each.
package final class AsyncSignal: Sendable {
    private struct State {
        var isSent = false
        var waiting: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    package init() {}

    /// Wakes the task that waits, or else the next one.
    package func send() {
        let waiting = state.withLock { state in
            state.isSent = true
            return state.waiting
        }
        waiting?.finish()
    }

    /// Waits for a send, for a time, or for the caller's cancellation, whichever is first.
    ///
    /// - Parameter deadline: when to wait no longer; `nil` to wait however long it takes.
    /// - Returns: whether it was sent.
    @discardableResult
    package func wait(until deadline: ContinuousClock.Instant? = nil) async -> Bool {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let isSent = state.withLock { state in
            state.waiting = continuation
            return state.isSent
        }
        if !isSent {
            if let deadline {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { for await _ in stream {} }
                    group.addTask { try? await Task.sleep(until: deadline, clock: .continuous) }
                    await group.next()
                    group.cancelAll()
                }
            } else {
                for await _ in stream {}
            }
        }
        return state.withLock { state in
            defer { state = State() }
            return state.isSent
        }
    }
}
