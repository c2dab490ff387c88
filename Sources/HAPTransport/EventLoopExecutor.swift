internal import HAPProtocol
package import NIOCore

/// An executor that runs an actor's jobs on an event loop.
///
/// It runs a job immediately if the caller is already on the loop. SwiftNIO's own executor would queue the job after
/// the loop's other work, so work that a channel handler starts couldn't begin within the call.
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

/// The clock of an event loop.
package struct EventLoopScheduler: HAPProtocol.Scheduler {
    private let loop: any EventLoop

    package init(_ loop: any EventLoop) { self.loop = loop }

    package var now: ContinuousClock.Instant { .now }

    package func schedule(at time: ContinuousClock.Instant, _ body: @escaping @Sendable () -> Void) {
        let delay = ContinuousClock.now.duration(to: time)
        // Round up, because a timer that fires too early would only be scheduled again.
        let nanoseconds = delay.components.seconds * 1_000_000_000 + delay.components.attoseconds / 1_000_000_000 + 1
        loop.scheduleTask(in: .nanoseconds(max(0, nanoseconds)), body)
    }
}
