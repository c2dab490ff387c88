internal import HAPProtocol
package import NIOCore

/// An event loop as the executor of actors, which knows when it is on its loop already.
///
/// SwiftNIO's own does not say so: work that a channel handler begins would be queued behind the loop's other work, and not
/// begin within the call.
package final class EventLoopExecutor: SerialExecutor {
    private let loop: any EventLoop

    package init(_ loop: any EventLoop) { self.loop = loop }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func checkIsolated() { loop.preconditionInEventLoop() }

    package func isIsolatingCurrentContext() -> Bool? { loop.inEventLoop }
}

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
