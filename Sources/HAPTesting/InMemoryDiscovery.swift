package import Discovery
internal import Synchronization

/// A publisher that doesn't use a network.
///
/// Services are published immediately, and tests can inspect them.
package final class InMemoryDiscovery: ServicePublisher {
    private struct State {
        var records: [ServiceRecord?] = []
        var isStopped = false

        var record: ServiceRecord? { records.last ?? nil }
    }

    private let content = Mutex(State())

    package init() {}

    /// The currently published record; `nil` if there is none.
    package var record: ServiceRecord? { content.withLock(\.record) }

    /// All published records, in order; `nil` stands for a withdrawal.
    package var records: [ServiceRecord?] { content.withLock(\.records) }

    package var state: PublicationState { record.map { .published(name: $0.name) } ?? .notAdvertised }

    package func start() throws(DiscoveryError) {}

    package func publish(_ record: ServiceRecord?) { change { $0 = record } }

    package func update(txt: TXTRecord) { change { $0?.txt = txt } }

    @discardableResult
    package func withdraw() async -> Bool {
        publish(nil)
        return true
    }

    package func stop() async {
        publish(nil)
        content.withLock { $0.isStopped = true }
    }

    private func change(_ change: (inout ServiceRecord?) -> Void) {
        content.withLock { content in
            var record = content.record
            change(&record)
            if record != content.record, !content.isStopped { content.records.append(record) }
        }
    }
}
