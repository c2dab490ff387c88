import BridgeControl
import HAPAccessory
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
