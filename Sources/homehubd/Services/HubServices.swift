import Discovery
import HomeHub
import HubControl
import LineRPC
import Logging
import ServiceLifecycle
import Synchronization

/// Runs the hub: its links, timers and searches.
struct HubService: ServiceLifecycle.Service {
    let hub: HomeHub

    func run() async throws { await cancelWhenGracefulShutdown { await hub.run() } }
}

/// Serves the apps' socket.
struct SocketService: ServiceLifecycle.Service {
    let server: LineRPCServer
    let onListening: @Sendable () -> Void

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await server.run(onListening: onListening) }
    }
}

/// Serves the control socket for the operator's commands.
struct HubControlService: ServiceLifecycle.Service {
    let server: HubControlServer

    func run() async throws { try await cancelWhenGracefulShutdown { try await server.run() } }
}

/// Logs when discovery of accessories fails and when it recovers.
struct DiscoveryErrorService: ServiceLifecycle.Service {
    let browser: any ServiceBrowser
    let discoveryError: CurrentDiscoveryError
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // The last logged state; `nil` until the first state is known.
            var reported: String??
            for await snapshot in browser.snapshots()
            where reported.map({ $0 != snapshot.discoveryError })
                ?? (snapshot.discoveryError != nil || snapshot.isComplete)
            {
                if let reason = snapshot.discoveryError {
                    logger.warning(
                        "discovery failed", metadata: ["reason": "\(reason)"])
                } else {
                    logger.notice(reported == nil ? "discovery started" : "discovery recovered")
                }
                reported = .some(snapshot.discoveryError)
                discoveryError.reason = snapshot.discoveryError
            }
        }
        try? await gracefulShutdown()
    }
}

/// The current reason why discovery fails; `nil` while it works.
final class CurrentDiscoveryError: Sendable {
    private let stored = Mutex<String?>(nil)

    var reason: String? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
