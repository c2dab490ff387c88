import Synchronization

/// Where a browser's orders and findings lie, so that neither side waits for the other.
final class BrowseDesk: Sendable {
    private struct Contents {
        var isStarted = false
        var isClosed = false
        var ending: AsyncStream<Void>.Continuation?
    }

    private let contents = Mutex(Contents())
    private let findings = Broadcast(ServiceSnapshot(), depth: 1)

    /// Whether Avahi's thread is inside a call that does not return.
    let calls = CallWatch()

    /// True for the first who starts.
    func start() -> Bool {
        contents.withLock { contents in
            defer { contents.isStarted = true }
            return !contents.isStarted && !contents.isClosed
        }
    }

    /// A stream that ends when Avahi's thread has let go of everything; nil when there is nothing to end.
    func close(wake: () -> Void) -> AsyncStream<Void>? {
        contents.withLock { contents in
            defer { contents.isClosed = true }
            guard contents.isStarted, !contents.isClosed else { return nil }
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            contents.ending = continuation
            wake()
            return stream
        }
    }

    /// To be finished once everything is let go of; nil when the browser is to go on.
    func takeEnding() -> AsyncStream<Void>.Continuation? {
        contents.withLock { contents in
            defer { contents.ending = nil }
            return contents.ending
        }
    }

    func report(_ snapshot: ServiceSnapshot) { _ = findings.send(snapshot) }

    func finishListeners() { findings.finish() }

    var snapshot: ServiceSnapshot {
        var snapshot = findings.value
        if calls.isStuck { snapshot.obstacle = CallWatch.complaint }
        return snapshot
    }

    func snapshots() -> AsyncStream<ServiceSnapshot> { findings.values() }
}
