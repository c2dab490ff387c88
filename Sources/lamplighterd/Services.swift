import BridgeControl
import Discovery
import HAPAccessory
import HAPProtocol
import HAPTransport
import LightKit
import Logging
import ServiceLifecycle
import UnixSignals

/// A driver at work; if it ends, its lights are out of reach and the bridge goes on.
struct RunningDriver: Service {
    let id: String
    /// The driver's name.
    let kind: String
    let driver: any LightDriver
    let lights: LightBridge
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            do {
                try await driver.run(host: lights.host(for: id))
                if !Task.isCancelled { await lights.driverEnded(id, "it has ended by itself") }
            } catch is CancellationError {
            } catch {
                logger.error("the driver has ended", metadata: ["error": "\(error)"])
                await lights.driverEnded(id, "\(error)")
            }
            try? await gracefulShutdown()
        }
    }
}

/// The operator's socket.
struct ControlService: Service {
    let path: String
    let operations: BridgeOperations
    let logger: Logger

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await BridgeControlServer(path: path, handler: operations, logger: logger).run()
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

/// Answers SIGHUP, which would end the process otherwise.
struct HangupService: Service {
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in await UnixSignalsSequence(trapping: .sighup) {
                logger.warning("reloading the configuration is not available in this version; restart the daemon")
            }
        }
    }
}
