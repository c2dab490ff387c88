internal import AsyncKit
internal import Synchronization

/// A browser that does not look itself: what it is told to show is found.
package final class InMemoryBrowser: ServiceBrowser {
    private let shown: Broadcast<ServiceSnapshot>
    private let refreshCount = Atomic(0)

    package init(_ snapshot: ServiceSnapshot = ServiceSnapshot()) {
        shown = Broadcast(snapshot, depth: 1)
    }

    /// Makes this what is found from now on.
    package func show(_ snapshot: ServiceSnapshot) { _ = shown.send(snapshot) }

    package func start() throws(DiscoveryError) {}

    package func stop() async { shown.finish() }

    package func refresh() { refreshCount.add(1, ordering: .relaxed) }

    /// How often it was to look anew.
    package var refreshes: Int { refreshCount.load(ordering: .relaxed) }

    package var snapshot: ServiceSnapshot { shown.value }

    package func snapshots() -> AsyncStream<ServiceSnapshot> { shown.values() }
}
