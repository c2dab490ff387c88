import BridgeControl
import Discovery
import HAPAccessory
import HAPProtocol
import HAPTransport
import Logging
import ServiceLifecycle
import UnixSignals

/// The operator's socket.
struct ControlService: Service {
    let path: String
    let operations: BridgeOperations
    let onListening: @Sendable () -> Void
    let logger: Logger

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await BridgeControlServer(path: path, handler: operations, logger: logger)
                .run(onListening: onListening)
        }
    }
}

/// The accessory server and the port that leads to it.
struct ServerService: Service {
    let server: AccessoryServer
    let listener: AccessoryListener

    func run() async throws {
        try? await gracefulShutdown()
        await listener.close()
        await server.stop()
    }
}

/// Keeps mDNS saying what the server wants said, and says goodbye at the end.
struct PublicationService: Service {
    /// What never changes of the record while the daemon runs.
    struct Registration {
        let name: String
        let port: UInt16
        let interfaces: InterfaceSelection
    }

    let publisher: (any ServicePublisher)?
    let server: AccessoryServer
    let registration: Registration

    func run() async throws {
        guard let publisher else {
            try? await gracefulShutdown()
            return
        }
        try publisher.start()
        await cancelWhenGracefulShutdown {
            for await advertisement in server.advertisements { publisher.publish(record(advertisement)) }
        }
        await publisher.withdraw()
        await publisher.stop()
    }

    private func record(_ advertisement: Advertisement) -> ServiceRecord {
        ServiceRecord(
            name: registration.name, type: Advertisement.serviceType, port: registration.port,
            txt: TXTRecord(advertisement.txt.map { ($0.key, $0.value) }), interfaces: registration.interfaces)
    }
}

/// Reads the configuration again when SIGHUP asks for it.
struct HangupService: Service {
    let hangups: UnixSignalsSequence
    let reloader: ConfigurationReloader

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // What is wrong with the file is in the log and in the status.
            for await _ in hangups { _ = try? await reloader.reload() }
        }
    }
}
