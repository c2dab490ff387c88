import AsyncKit
import Synchronization

/// What a browser and Avahi's thread share, so that neither waits for the other: what is wanted, and what is found.
final class SharedBrowsing: Sendable {
    private struct Contents {
        var isStarted = false
        var isClosed = false
        var isToRefresh = false
        var released: AsyncSignal?
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

    /// Ends the browsing.
    ///
    /// - Returns: what is sent when Avahi's thread has released everything; nil when there is nothing to release.
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

    /// Has everything asked anew, if there is a search.
    func refresh(wake: () -> Void) {
        contents.withLock { contents in
            guard contents.isStarted, !contents.isClosed else { return }
            contents.isToRefresh = true
            wake()
        }
    }

    /// Whether everything is to be asked anew.
    func takeRefresh() -> Bool {
        contents.withLock { contents in
            defer { contents.isToRefresh = false }
            return contents.isToRefresh
        }
    }

    /// To be sent once everything is released; nil when the browser is to go on.
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
