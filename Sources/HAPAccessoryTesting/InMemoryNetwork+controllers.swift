internal import AsyncKit
internal import Discovery
public import HAPController
package import HAPProtocol
internal import HAPTransport
public import Logging
internal import Synchronization

extension InMemoryNetwork: AccessoryDialer {
    package func dial(
        _ endpoint: AccessoryEndpoint, within limit: Duration
    ) async throws(Unreachable) -> any ByteConnection {
        let connection = state.withLock { state -> InMemoryByteConnection? in
            state.connections.removeAll(where: \.isClosed)
            guard state.isAvailable, endpoint.address == Self.address, let listener = state.listeners[endpoint.port]
            else { return nil }
            state.lastConnection += 1
            let connection = InMemoryByteConnection.connect(
                to: listener.server, as: ConnectionID(state.lastConnection), on: listener.loop,
                executor: EventLoopExecutor(listener.loop)
            ) { [self] in
                let latency = latency
                if latency > .zero { manualClock?.elapse(latency) }
            }
            state.connections.append(connection)
            return connection
        }
        guard let connection else { throw Unreachable() }
        return connection
    }

    /// Returns a browser for one controller.
    fileprivate func browser() -> any ServiceBrowser {
        state.withLock { state in
            let browser = InMemoryBrowser(state.snapshot)
            state.browsers.append(browser)
            return browser
        }
    }
}

extension InMemoryNetwork.State {
    /// The published services, in the form that a browser reports.
    var snapshot: ServiceSnapshot {
        let addresses = [ServiceAddress(bytes: InMemoryNetwork.address, interface: 1, interfaceName: "lo")]
        let services = records.values.map {
            DiscoveredService(
                id: .init(name: $0.name, host: "in-memory.local"), port: $0.port, txt: $0.txt,
                addresses: addresses.compactMap(\.self))
        }
        return ServiceSnapshot(services: services.sorted { $0.id < $1.id }, isComplete: true)
    }
}

extension Controller {
    /// Creates a controller that finds and reaches the hosts on an in-memory network.
    ///
    /// - Parameters:
    ///   - store: The storage of the controller's key and pairings, usually an `InMemoryPairingStore`.
    ///   - network: The network.
    ///   - logger: The logger; the default logger drops all messages.
    public convenience init(
        store: any PairingStore, network: InMemoryNetwork,
        logger: Logger = Logger(label: "controller") { _ in SwiftLogNoOpLogHandler() }
    ) {
        let clock: any MonotonicClock = if let clock = network.manualClock { clock } else { ContinuousClock() }
        self.init(store: store, dialer: network, clock: clock, logger: logger) { _ in network.browser() }
    }
}
