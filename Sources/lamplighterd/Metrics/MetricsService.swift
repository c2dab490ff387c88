import AccessoryRole
import BridgeControl
import DaemonKit
import DeviceBridge
import Discovery
import HAPAccessory
import HAPTransport
import Logging
import NIOCore
import ServiceLifecycle
import SystemKit
import TerminalKit

/// Collects the metrics from all components.
struct MetricsSource: Sendable {
    let bridges: @Sendable () async -> [Bridge]
    let lights: DeviceBridge
    let database: BridgeDatabase
    let log: LogStage

    /// Collects the current metrics.
    ///
    /// It queries the actors one by one, so that the event loop can process other work in between.
    ///
    /// Counts are added up over all bridges. The pairing state, the advertisement state and `c#` are those of the first
    /// bridge.
    @concurrent
    func metrics() async -> BridgeMetrics {
        let bridges = await bridges()
        var (pairings, wrongCodes, connections, sessions) = (0, 0, 0, 0)
        var statistics = ServerStatistics()
        for server in bridges.map(\.server) {
            pairings += await server.pairingReports().count
            wrongCodes += await server.failedAttempts
            connections += await server.connectionCount
            sessions += await server.controllerCount
            statistics.add(await server.statistics)
        }
        let first = bridges.first
        return BridgeMetrics(
            version: Version.current, isPaired: await first?.server.isPaired ?? false, pairings: pairings,
            wrongSetupCodesInARow: wrongCodes, connections: connections, sessions: sessions,
            configurationNumber: await first?.server.configurationNumber ?? 1, server: statistics,
            drivers: await lights.driverStatistics(), warnings: await lights.warnings().count,
            advertisement: first?.publisher.map { .init($0.state) } ?? .off,
            databaseWrites: database.server.writes.successes,
            failedDatabaseWrites: database.server.writes.failures, suppressedEvents: log.suppressedEvents,
            process: .current)
    }
}

/// The HTTP service for Prometheus.
struct MetricsService: ServiceLifecycle.Service {
    private let server: MetricsServer
    private let listener: AccessoryListener

    /// Starts listening on the event loop of the controllers' sessions.
    ///
    /// - Throws: ``MetricsListenerError``.
    init(
        _ section: MetricsSection, _ source: MetricsSource, on loop: any EventLoop, logger: Logger
    ) async throws(MetricsListenerError) {
        let names = Set((section.names ?? []).map { $0.lowercased() })
        server = MetricsServer(executor: EventLoopExecutor(loop), names: names) { await source.metrics().text }
        do throws(ListenerError) {
            listener = try await AccessoryListener(
                address: section.listen.address, port: Int(section.listen.port), on: loop, for: server, logger: logger)
        } catch {
            throw MetricsListenerError(address: section.listen, cause: error)
        }
        logger.info("metrics endpoint started", metadata: ["address": "\(section.listen)"])
    }

    func run() async throws {
        try? await gracefulShutdown()
        await listener.close()
        await server.stop()
    }
}

/// An error that prevents serving metrics.
struct MetricsListenerError: ErrorWithExitCode {
    let address: ListenAddress
    let cause: ListenerError

    var description: String {
        switch cause {
        case .portTaken(let port):
            "metrics: port \(port) is taken by \(PortHolder.description(of: port)); stop that process, "
                + "or choose another metrics.listen"
        case .notPermitted:
            "metrics: this user isn't allowed to listen on \(address); choose a port above 1023 in metrics.listen"
        case .failed(let reason):
            "metrics: can't listen on \(address): \(reason); set metrics.listen to one of this machine's addresses"
        }
    }

    var exitCode: ExitCode { cause.exitCode }
}
