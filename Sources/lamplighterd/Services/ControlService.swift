import BridgeControl
import Logging
import ServiceLifecycle

/// The control socket, and the socket for the web page.
struct ControlService: Service {
    let places: BridgeDaemon.Places
    let operations: BridgeOperations
    let onListening: @Sendable () -> Void
    let logger: Logger

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await BridgeControlServer(path: places.controlSocket, handler: operations, logger: logger)
                        .run(onListening: onListening)
                }
                group.addTask {
                    try await BridgeControlServer(
                        pageAt: places.pageSocket, handler: operations, logger: logger
                    ).run()
                }
                try await group.waitForAll()
            }
        }
    }
}
