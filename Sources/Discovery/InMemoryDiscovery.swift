import Synchronization

/// A publisher without a network, for tests: what is wanted is published at once and can be looked at.
package final class InMemoryDiscovery: ServicePublisher {
    private let shared = SharedPublication()
    private let history = Mutex<[ServiceRecord?]>([])

    package init() {}

    /// The record that is visible now.
    package var record: ServiceRecord? { history.withLock { $0.last ?? nil } }

    /// Every record that was visible, in order; nil where the service was withdrawn.
    package var records: [ServiceRecord?] { history.withLock { $0 } }

    package func start() throws(DiscoveryError) {}

    package func publish(_ record: ServiceRecord?) {
        shared.order({ $0 = record }, wake: {})
        show()
    }

    package func update(txt: TXTRecord) {
        shared.order({ $0?.txt = txt }, wake: {})
        show()
    }

    @discardableResult
    package func withdraw() async -> Bool {
        shared.order({ $0 = nil }, wake: {})
        show()
        return true
    }

    package func stop() async {
        await withdraw()
        _ = shared.close()
        shared.finishListeners()
    }

    package var state: PublicationState { shared.state }

    package func states() -> AsyncStream<PublicationState> { shared.states() }

    private func show() {
        let wanted = shared.takeOrders().wanted
        history.withLock { history in
            guard (history.last ?? nil) != wanted else { return }
            history.append(wanted)
            _ = shared.report(wanted.map { .published(name: $0.name) } ?? .notAdvertised)
        }
    }
}

/// A browser without a network, for tests: what it is told to show is found.
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
