import Discovery
import HomeHub
import LineRPC
import Logging
import ServiceLifecycle
import Synchronization

/// The hub's own work: its links, its clock, its searches.
struct HubService: ServiceLifecycle.Service {
    let hub: HomeHub

    func run() async throws { await cancelWhenGracefulShutdown { await hub.run() } }
}

/// The socket of the apps.
struct SocketService: ServiceLifecycle.Service {
    let server: LineRPCServer
    let onListening: @Sendable () -> Void

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await server.run(onListening: onListening) }
    }
}

/// Says when no accessory can be found, and when they can be again.
struct ObstacleService: ServiceLifecycle.Service {
    let browser: any ServiceBrowser
    let obstacle: CurrentObstacle
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // Nothing is told before it is known.
            var told: String??
            for await snapshot in browser.snapshots()
            where told.map({ $0 != snapshot.obstacle }) ?? (snapshot.obstacle != nil || snapshot.isComplete) {
                if let reason = snapshot.obstacle {
                    logger.warning(
                        "discovery failed", metadata: ["reason": "\(reason)"])
                } else {
                    logger.notice("discovery recovered")
                }
                told = .some(snapshot.obstacle)
                obstacle.reason = snapshot.obstacle
            }
        }
        try? await gracefulShutdown()
    }
}

/// Why no accessory can be found now, if so.
final class CurrentObstacle: Sendable {
    private let stored = Mutex<String?>(nil)

    var reason: String? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
