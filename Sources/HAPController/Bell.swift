internal import Synchronization

/// Wakes one who waits; a ring while nobody waits is kept for the next wait.
package final class Bell: Sendable {
    private struct State {
        var hasRung = false
        var waiting: AsyncStream<Void>.Continuation?
    }

    private let state = Mutex(State())

    package init() {}

    package func ring() {
        let waiting = state.withLock { state in
            state.hasRung = true
            return state.waiting
        }
        waiting?.finish()
    }

    /// Waits for a ring, for a time, or for the caller's cancellation, whichever is first.
    package func wait(until time: ContinuousClock.Instant? = nil) async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let hasRung = state.withLock { state in
            state.waiting = continuation
            return state.hasRung
        }
        if !hasRung {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in stream {} }
                if let time { group.addTask { try? await Task.sleep(until: time, clock: .continuous) } }
                await group.next()
                group.cancelAll()
            }
        }
        state.withLock { state in
            state.hasRung = false
            state.waiting = nil
        }
    }
}
