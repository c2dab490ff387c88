import AsyncKit
import Synchronization

/// The requests and results that a browser and Avahi's thread exchange without blocking each other.
final class SharedBrowsing: Sendable {
    private struct Contents {
        var isStarted = false
        var isClosed = false
        var isToRefresh = false
        var released: AsyncSignal?
    }

    private let contents = Mutex(Contents())
    private let findings = Broadcast(ServiceSnapshot(), depth: 1)

    /// Detects whether Avahi's thread is inside a call that doesn't return.
    let calls = CallWatch()

    /// Marks the browser as started.
    ///
    /// - Returns: Whether browsing must start now, which is `true` only for the first call, unless the browser was
    ///   closed.
    func start() -> Bool {
        contents.withLock { contents in
            defer { contents.isStarted = true }
            return !contents.isStarted && !contents.isClosed
        }
    }

    /// Stops browsing.
    ///
    /// - Returns: A signal that Avahi's thread sends when it has released everything, or `nil` if there is nothing to
    ///   release.
    func close(wake: () -> Void) -> AsyncSignal? {
        contents.withLock { contents in
            defer { contents.isClosed = true }
            guard contents.isStarted, !contents.isClosed else { return nil }
            let released = AsyncSignal()
            contents.released = released
            wake()
            return released
        }
    }

    /// Requests a repetition of all queries, if browsing has started.
    func refresh(wake: () -> Void) {
        contents.withLock { contents in
            guard contents.isStarted, !contents.isClosed else { return }
            contents.isToRefresh = true
            wake()
        }
    }

    /// Returns whether a repetition of all queries was requested, and clears the request.
    func takeRefresh() -> Bool {
        contents.withLock { contents in
            defer { contents.isToRefresh = false }
            return contents.isToRefresh
        }
    }

    /// Returns the signal to send once everything is released, or `nil` if the browser continues.
    func takeRelease() -> AsyncSignal? {
        contents.withLock { contents in
            defer { contents.released = nil }
            return contents.released
        }
    }

    func report(_ snapshot: ServiceSnapshot) { _ = findings.send(snapshot) }

    func finishListeners() { findings.finish() }

    var snapshot: ServiceSnapshot {
        var snapshot = findings.value
        if calls.isStuck { snapshot.discoveryError = CallWatch.complaint }
        return snapshot
    }

    func snapshots() -> AsyncStream<ServiceSnapshot> { findings.values() }
}
