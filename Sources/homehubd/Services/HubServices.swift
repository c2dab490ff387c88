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
struct DiscoveryErrorService: ServiceLifecycle.Service {
    let browser: any ServiceBrowser
    let discoveryError: CurrentDiscoveryError
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // The state is reported once it is known.
            var reported: String??
            for await snapshot in browser.snapshots()
            where reported.map({ $0 != snapshot.discoveryError })
                ?? (snapshot.discoveryError != nil || snapshot.isComplete)
            {
                if let reason = snapshot.discoveryError {
                    logger.warning(
                        "discovery failed", metadata: ["reason": "\(reason)"])
                } else {
                    logger.notice("discovery recovered")
                }
                reported = .some(snapshot.discoveryError)
                discoveryError.reason = snapshot.discoveryError
            }
        }
        try? await gracefulShutdown()
    }
}

/// Why no accessory can be found now, if so.
final class CurrentDiscoveryError: Sendable {
    private let stored = Mutex<String?>(nil)

    var reason: String? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
