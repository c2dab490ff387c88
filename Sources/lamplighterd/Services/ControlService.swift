import BridgeControl
import Logging
import ServiceLifecycle

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
