internal import HAPProtocol
package import NIOCore
internal import Synchronization

/// A clock on an event loop whose time advances only when a test advances it.
package final class ManualScheduler: HAPProtocol.Scheduler {
    private struct Timer {
        let at: ContinuousClock.Instant
        let body: @Sendable () -> Void
    }

    private struct State {
        var now: ContinuousClock.Instant
        /// The timers, sorted by time and then by order of creation.
        var timers: [Timer] = []
    }

    private let loop: any EventLoop
    private let state: Mutex<State>

    /// Creates a clock whose callbacks run on the loop.
    package init(_ loop: any EventLoop) {
        self.loop = loop
        state = Mutex(State(now: .now))
    }

    package var now: ContinuousClock.Instant { state.withLock(\.now) }

    /// The number of pending callbacks.
    package var timerCount: Int { state.withLock { $0.timers.count } }

    package func schedule(at time: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
        let isDue = state.withLock { state in
            guard time > state.now else { return true }
            let index = state.timers.firstIndex { $0.at > time } ?? state.timers.endIndex
            state.timers.insert(Timer(at: time, body: body), at: index)
            return false
        }
        if isDue { loop.execute(body) }
    }

    /// Advances the time.
    ///
    /// Each callback that becomes due runs at its scheduled time.
    package func advance(by duration: Duration) async {
        let end = now + duration
        while let body = next(until: end) {
            loop.execute(body)
            await drain()
        }
        state.withLock { $0.now = end }
        await drain()
    }

    private func next(until end: ContinuousClock.Instant) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard let first = state.timers.first, first.at <= end else { return nil }
            state.timers.removeFirst()
            state.now = max(state.now, first.at)
            return first.body
        }
    }

    /// Runs all pending work of the loop, and the work on the loop that results from it.
    package func drain() async {
        for _ in 0..<8 { try? await loop.submit {}.get() }
    }

    /// An error for a condition that isn't met within 20 s of real time.
    package struct ConditionTimeout: Error {}

    /// Runs pending work until a condition is met.
    ///
    /// The condition may also depend on work outside the loop.
    ///
    /// - Throws: ``ConditionTimeout``, or `CancellationError` if the test is canceled.
    package func drain(until isMet: () async -> Bool) async throws {
        let limit = ContinuousClock.now + .seconds(20)
        while await !isMet() {
            guard ContinuousClock.now < limit else { throw ConditionTimeout() }
            try Task.checkCancellation()
            await drain()
        }
    }
}
