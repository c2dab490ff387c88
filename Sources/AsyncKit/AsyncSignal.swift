internal import Synchronization

/// Wakes one task that waits; what is sent while none waits is kept for the next wait.
///
/// Any number of sends before a wait wake it once: a signal says that something may have changed, not what. Whoever waits
/// looks, waits, and looks again. Several tasks that wait for the same thing have a signal each.
///
/// The timer of a deadline outlives its wait and serves the next ones: a sleep that is cancelled keeps its memory until its
/// time would have come, and a loop that is often woken before a deadline far away would fill the memory with them.
package final class AsyncSignal: Sendable {
    private struct State {
        var isSent = false
        var waiting: AsyncStream<Void>.Continuation?
        /// When those timers end that have been started, each before the ones that had been started then.
        var timers: Set<ContinuousClock.Instant> = []
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

    /// Waits for a send, for the deadline if there is one, or for the caller's cancellation, whichever is first.
    ///
    /// - Returns: whether it was sent.
    @discardableResult
    package func wait(until deadline: ContinuousClock.Instant? = nil) async -> Bool {
        while true {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            let isSent = state.withLock { state in
                state.waiting = continuation
                return state.isSent
            }
            if !isSent {
                if let deadline { startTimer(until: deadline) }
                for await _ in stream {}
            }
            let wasSent = state.withLock { state in
                defer { (state.isSent, state.waiting) = (false, nil) }
                return state.isSent
            }
            // Neither, and it was the timer of an earlier wait.
            if wasSent || Task.isCancelled || deadline.map({ $0 <= .now }) ?? false { return wasSent }
        }
    }

    /// Sees to it that whoever waits then is woken at that time or before.
    private func startTimer(until time: ContinuousClock.Instant) {
        let isNew = state.withLock { state in
            guard state.timers.allSatisfy({ $0 > time }) else { return false }
            return state.timers.insert(time).inserted
        }
        guard isNew else { return }
        Task { [weak self] in
            try? await Task.sleep(until: time, clock: .continuous)
            self?.timerEnded(time)
        }
    }

    private func timerEnded(_ time: ContinuousClock.Instant) {
        let waiting = state.withLock { state in
            state.timers.remove(time)
            return state.waiting
        }
        waiting?.finish()
    }
}
