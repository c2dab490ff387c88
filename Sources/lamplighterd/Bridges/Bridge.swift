import AccessoryRole
import Discovery
import HAPModel
import HAPProtocol
import HAPTransport
import ServiceLifecycle

/// A bridge: its server, its TCP port, and its mDNS record.
struct Bridge: Sendable {
    /// The number of the bridge, from 1.
    ///
    /// The configuration describes bridge 1.
    let number: Int
    let name: String
    let deviceID: DeviceID
    let port: Int
    let server: AccessoryServer
    /// The publisher, or `nil` if the bridge isn't advertised.
    let publisher: UniquePublisher?
    let interfaces: InterfaceSelection
    /// The listener, or `nil` in tests without a network.
    let listener: AccessoryListener?

    /// The preferred mDNS instance name, which is used unless another host uses it.
    var wantedName: String { ServiceRecord.instanceName(name, suffix: deviceID.suffix) }

    /// Starts the server, whose accessories must be complete.
    ///
    /// From then on, the server provides advertisements.
    func start() async {
        await server.reconcileStructure()
        await server.start()
    }

    /// Publishes the server's advertisements until the shutdown, and then sends a goodbye.
    func advertise() async throws {
        guard let publisher else {
            try? await gracefulShutdown()
            return
        }
        try publisher.start()
        await cancelWhenGracefulShutdown {
            async let watching: Void = publisher.run()
            for await advertisement in server.advertisements { publisher.publish(record(advertisement)) }
            await watching
        }
        await publisher.stop()
    }

    private func record(_ advertisement: Advertisement) -> ServiceRecord {
        ServiceRecord(
            name: wantedName, type: Advertisement.serviceType, port: UInt16(port),
            txt: TXTRecord(advertisement.txt.map { ($0.key, $0.value) }), interfaces: interfaces)
    }

    /// Stops accepting connections, and answers pending requests.
    func stop() async {
        await listener?.close()
        await server.stop()
    }
}
