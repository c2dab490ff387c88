internal import AsyncKit

/// A browser for tests, which finds the services that the test provides.
package final class InMemoryBrowser: ServiceBrowser {
    private let shown: Broadcast<ServiceSnapshot>

    package init(_ snapshot: ServiceSnapshot = ServiceSnapshot()) {
        shown = Broadcast(snapshot, depth: 1)
    }

    package func show(_ snapshot: ServiceSnapshot) { _ = shown.send(snapshot) }

    package func start() throws(DiscoveryError) {}

    package func stop() async { shown.finish() }

    package func refresh() {}

    package var snapshot: ServiceSnapshot { shown.value }

    package func snapshots() -> AsyncStream<ServiceSnapshot> { shown.values() }
}
