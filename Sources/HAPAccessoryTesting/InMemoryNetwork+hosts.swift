package import Discovery
public import HAPAccessory
package import HAPProtocol
package import HAPTransport
package import Logging
package import NIOCore
internal import Synchronization

extension InMemoryNetwork: HostNetwork {
    /// A running host.
    struct Listener {
        let server: any AccessoryConnectionHandler
        let loop: any EventLoop
    }

    /// The ports of hosts (RFC 6335).
    private static let ports: ClosedRange<UInt16> = 49152...65535

    package func scheduler(on loop: any EventLoop) -> any HAPProtocol.Scheduler {
        if let manualClock { ManualScheduler(loop, clock: manualClock) } else { EventLoopScheduler(loop) }
    }

    package func listen(
        on port: Int, for server: any AccessoryConnectionHandler, loop: any EventLoop, logger: Logger
    ) async throws(ListenerError) -> any HostListener {
        let number = state.withLock { state in
            let free = Self.ports.first { state.listeners[$0] == nil }
            let number = port == 0 ? free : UInt16(exactly: port)
            guard let number, state.listeners[number] == nil else { return nil as UInt16? }
            state.listeners[number] = Listener(server: server, loop: loop)
            return number
        }
        guard let number else { throw .portTaken(port) }
        return InMemoryListener(network: self, number: number)
    }

    package func publisher(logger: Logger) -> any ServicePublisher {
        InMemoryPublisher(
            self,
            number: state.withLock { state in
                state.lastPublisher += 1
                return state.lastPublisher
            })
    }

    /// Publishes a service, or withdraws it if `record` is `nil`.
    fileprivate func publish(_ record: ServiceRecord?, as publisher: Int) {
        state.withLock { state in
            state.records[publisher] = record
            // The lock keeps snapshots in order.
            for browser in state.browsers { browser.show(state.snapshot) }
        }
    }
}

private struct InMemoryListener: HostListener {
    let network: InMemoryNetwork
    let number: UInt16

    var port: Int { Int(number) }

    func close() { network.state.withLock { $0.listeners[number] = nil } }
}

/// A publisher that publishes a host's record on the network.
private final class InMemoryPublisher: ServicePublisher {
    private let network: InMemoryNetwork
    private let number: Int
    private let record = Mutex<ServiceRecord?>(nil)

    init(_ network: InMemoryNetwork, number: Int) {
        self.network = network
        self.number = number
    }

    var state: PublicationState { record.withLock { $0.map { .published(name: $0.name) } ?? .notAdvertised } }

    func start() throws(DiscoveryError) {}

    func publish(_ record: ServiceRecord?) {
        self.record.withLock { $0 = record }
        network.publish(record, as: number)
    }

    func update(txt: TXTRecord) {
        guard var record = record.withLock({ $0 }) else { return }
        record.txt = txt
        publish(record)
    }

    func withdraw() async -> Bool {
        publish(nil)
        return true
    }

    func stop() async { publish(nil) }
}

extension AccessoryHost {
    /// Serves the controllers on an in-memory network, until the task is canceled.
    ///
    /// As with `run()`, a host can run only once, and controllers find it unless it was created with
    /// `advertises: false`.
    ///
    /// - Parameter network: The network.
    /// - Throws: The same errors as `run()`.
    public func run(on network: InMemoryNetwork) async throws { try await run(on: network as any HostNetwork) }
}
