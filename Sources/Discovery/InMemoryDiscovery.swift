import Synchronization

/// A publisher without a network, for tests: what is wanted is published at once and can be looked at.
package final class InMemoryDiscovery: ServicePublisher {
    private let desk = PublicationDesk()
    private let history = Mutex<[ServiceRecord?]>([])

    package init() {}

    /// The record that is visible now.
    package var record: ServiceRecord? { history.withLock { $0.last ?? nil } }

    /// Every record that was visible, in order; nil where the service was withdrawn.
    package var records: [ServiceRecord?] { history.withLock { $0 } }

    package func start() throws(DiscoveryError) {}

    package func publish(_ record: ServiceRecord?) {
        desk.order({ $0 = record }, wake: {})
        show()
    }

    package func update(txt: TXTRecord) {
        desk.order({ $0?.txt = txt }, wake: {})
        show()
    }

    @discardableResult
    package func withdraw() async -> Bool {
        desk.order({ $0 = nil }, wake: {})
        show()
        return true
    }

    package func stop() async {
        await withdraw()
        _ = desk.close()
        desk.finishListeners()
    }

    package var state: PublicationState { desk.state }

    package func states() -> AsyncStream<PublicationState> { desk.states() }

    private func show() {
        let wanted = desk.takeOrders().wanted
        history.withLock { history in
            guard (history.last ?? nil) != wanted else { return }
            history.append(wanted)
            _ = desk.report(wanted.map { .published(name: $0.name) } ?? .notAdvertised)
        }
    }
}
