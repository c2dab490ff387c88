import AsyncKit
package import Discovery
import Synchronization

/// Searches for Yeelight devices, which don't use mDNS, at once and then periodically.
///
/// The devices are published as services.
///
/// Devices are never removed. Connections to them show whether they are still reachable.
package final class YeelightBrowser: ServiceBrowser {
    static let longestPause = Duration.seconds(30)

    private let shown = InMemoryBrowser()
    private let task = Mutex<Task<Void, Never>?>(nil)

    package init() {}

    package func start() throws(DiscoveryError) {
        let signal = AsyncSignal()
        let socket: DatagramSocket
        do throws(DatagramSocket.Failure) {
            socket = try DatagramSocket(port: 0) { signal.send() }
        } catch {
            var snapshot = ServiceSnapshot()
            snapshot.discoveryError = "can't open a socket (\(error.text))"
            return shown.show(snapshot)
        }
        let work = Task { [shown] in
            await withDiscardingTaskGroup { tasks in
                tasks.addTask { await Self.search(socket) }
                var found = YeelightNeighbours()
                while await signal.wait(), !Task.isCancelled {
                    for datagram in socket.takeDatagrams() { found.received(datagram.bytes, from: datagram.source) }
                    shown.show(ServiceSnapshot(services: found.services, isComplete: true))
                }
            }
        }
        task.withLock { $0 = work }
    }

    private static func search(_ socket: DatagramSocket) async {
        var backoff = Backoff(longest: longestPause)
        while !Task.isCancelled {
            for network in IPv4Network.current() {
                // Ignore a failure, because the search is repeated later.
                try? socket.send(YeelightIdentity.search, to: YeelightIdentity.searchGroup, over: network.address)
            }
            try? await Task.sleep(for: backoff.failed())
        }
    }

    package func stop() async {
        task.withLock { $0?.cancel() }
        await shown.stop()
    }

    package var snapshot: ServiceSnapshot { shown.snapshot }
    package func snapshots() -> AsyncStream<ServiceSnapshot> { shown.snapshots() }
}

/// The Yeelight devices that have answered a search, with their latest addresses.
package struct YeelightNeighbours: Sendable {
    private var found: [String: DiscoveredService] = [:]

    package init() {}

    /// The services of the devices, sorted by id.
    package var services: [DiscoveredService] { found.values.sorted { $0.id < $1.id } }

    package mutating func received(_ bytes: [UInt8], from source: IPv4Endpoint) {
        guard let identity = YeelightIdentity(bytes, from: source),
            found[identity.id] != nil || found.count < YeelightSession.traits.maximumDevices,
            let address = ServiceAddress(
                bytes: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: source.address >> $0) }, interface: 0,
                interfaceName: "")
        else { return }
        found[identity.id] = DiscoveredService(
            id: DiscoveredService.ID(name: identity.title, host: identity.id), port: identity.port, txt: TXTRecord(),
            addresses: [address])
    }
}
