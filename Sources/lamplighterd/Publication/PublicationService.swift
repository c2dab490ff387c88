import Discovery
import HAPAccessory
import HAPProtocol
import ServiceLifecycle

/// Keeps mDNS saying what the server wants said, and says goodbye at the end.
struct PublicationService: Service {
    /// What never changes of the record while the daemon runs.
    struct Registration {
        let name: String
        let port: UInt16
        let interfaces: InterfaceSelection
    }

    let publisher: UniquePublisher?
    let server: AccessoryServer
    let registration: Registration

    func run() async throws {
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
            name: registration.name, type: Advertisement.serviceType, port: registration.port,
            txt: TXTRecord(advertisement.txt.map { ($0.key, $0.value) }), interfaces: registration.interfaces)
    }
}
