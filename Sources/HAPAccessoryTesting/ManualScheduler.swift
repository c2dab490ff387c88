internal import HAPProtocol
package import NIOCore

/// A ``ManualClock`` whose callbacks run on an event loop.
package final class ManualScheduler: HAPProtocol.Scheduler {
    private let clock: ManualClock
    private let loop: any EventLoop

    package init(_ loop: any EventLoop, clock: ManualClock = ManualClock()) {
        self.loop = loop
        self.clock = clock
        clock.use(loop)
    }

    package var now: ContinuousClock.Instant { clock.now }

    /// The number of pending callbacks.
    package var timerCount: Int { clock.timerCount }

    package func schedule(at time: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
        clock.schedule(at: time) { [loop] in loop.execute(body) }
    }

    /// Advances the time; when a callback runs, ``now`` is its deadline.
    package func advance(by duration: Duration) async { await clock.advance(by: duration) }

    /// Runs all pending work of the loop, including the work that it causes on the loop.
    package func drain() async {
        for _ in 0..<8 { try? await loop.submit {}.get() }
    }

    /// An error for a condition that isn't met within 20 s of real time.
    package struct ConditionTimeout: Error {}

    /// Runs pending work, on the loop and elsewhere, until a condition is met.
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
