internal import HAPProtocol
package import NIOCore

/// An event loop's clock.
package struct EventLoopScheduler: HAPProtocol.Scheduler {
    private let loop: any EventLoop

    package init(_ loop: any EventLoop) { self.loop = loop }

    package var now: ContinuousClock.Instant { .now }

    package func schedule(at time: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
        let delay = ContinuousClock.now.duration(to: time)
        // Rounded up: whoever wakes early would only ask again.
        let nanoseconds = delay.components.seconds * 1_000_000_000 + delay.components.attoseconds / 1_000_000_000 + 1
        loop.scheduleTask(in: .nanoseconds(max(0, nanoseconds)), body)
    }
}
