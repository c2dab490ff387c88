internal import Synchronization

/// Wakes one waiting task.
///
/// A signal that is sent while no task is waiting is stored for the next wait.
///
/// Several signals before a wait wake the task only once. A signal means that something may have changed, so the task
/// checks the state, waits, and checks again. If several tasks wait for the same event, each needs a separate signal.
///
/// The timer of a deadline keeps running after its wait, and later waits use it, too. A canceled sleep keeps its memory
/// until its deadline, so a loop that is often woken before a distant deadline would otherwise accumulate timers.
package final class AsyncSignal: Sendable {
    private struct State {
        var isSent = false
        var waiting: AsyncStream<Void>.Continuation?
        /// The deadlines of the running timers.
        ///
        /// Each timer ends before the timers that were running when it started.
        var timers: Set<ContinuousClock.Instant> = []
    }

    private let clock: any MonotonicClock
    private let state = Mutex(State())

    /// Creates an unsent signal.
    ///
    /// - Parameter clock: The clock for the deadlines.
    package init(clock: any MonotonicClock = ContinuousClock()) { self.clock = clock }

    /// Wakes the waiting task, or the next task that waits.
    package func send() {
        let waiting = state.withLock { state in
            state.isSent = true
            return state.waiting
        }
        waiting?.finish()
    }

    /// Waits for a signal, the deadline, or the caller's cancellation.
    ///
    /// - Returns: Whether a signal was sent.
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
            // This was the timer of an earlier wait, so continue to wait.
            if wasSent || Task.isCancelled || deadline.map({ $0 <= clock.now }) ?? false { return wasSent }
        }
    }

    /// Ensures that the waiting task is woken no later than at the given time.
    private func startTimer(until time: ContinuousClock.Instant) {
        let isNew = state.withLock { state in
            guard state.timers.allSatisfy({ $0 > time }) else { return false }
            return state.timers.insert(time).inserted
        }
        guard isNew else { return }
        Task { [weak self, clock] in
            try? await clock.sleep(until: time, tolerance: nil)
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
