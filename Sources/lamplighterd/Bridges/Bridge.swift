import AccessoryRole
import Discovery
import HAPModel
import HAPProtocol
import HAPTransport
import ServiceLifecycle

/// One bridge as controllers meet it: its server, the port that leads to it, and its mDNS record.
struct Bridge: Sendable {
    /// From 1; the first is the one of the configuration.
    let number: Int
    let name: String
    let deviceID: DeviceID
    let port: Int
    let server: AccessoryServer
    /// `nil` if it is not to be advertised.
    let publisher: UniquePublisher?
    let interfaces: InterfaceSelection
    /// `nil` in tests without a network.
    let listener: AccessoryListener?

    /// The mDNS instance name, unless that is taken.
    var wantedName: String { ServiceRecord.instanceName(name, suffix: deviceID.suffix) }

    /// Says that its accessories are complete, and what to advertise.
    func start() async {
        await server.reconcileStructure()
        await server.start()
    }

    /// Keeps mDNS saying what the server wants said, and says goodbye at the end.
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

    /// Takes no more connections, and answers what is in flight.
    func stop() async {
        await listener?.close()
        await server.stop()
    }
}
