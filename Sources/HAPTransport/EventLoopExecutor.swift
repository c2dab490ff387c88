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
