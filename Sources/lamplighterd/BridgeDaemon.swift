import AccessoryRole
import BridgeControl
import DaemonKit
import DatabaseKit
import DeviceBridge
import DeviceKit
import Discovery
import HAPAccessory
import HAPModel
import HAPProtocol
package import HAPTransport
import LightDrivers
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
package import SystemKit
import TerminalKit
import UnixSignals

/// The composition root, which starts all components in order and stops them in reverse order.
///
/// The order is: database, bridges, stored lights, drivers, control socket, and mDNS. mDNS is last, so that controllers
/// find a bridge only when it accepts connections and knows its accessories.
struct BridgeDaemon {
    /// The locations of the daemon's files.
    struct Places {
        let configuration: String
        let stateDirectory: String
        let runtimeDirectory: String

        var database: String { stateDirectory + "/bridge.sqlite" }
        /// The path of the temporary copy of the database during a backup.
        var exportedDatabase: String { database + ".export" }
        /// The path of the prepared database that will replace the current database.
        var restoredDatabase: String { database + ".restored" }
        var controlSocket: String { runtimeDirectory + "/control.sock" }
        /// The directory of the socket for the web page, which the service manager creates for that page's group.
        var pageDirectory: String { runtimeDirectory + "/page" }
        var pageSocket: String { pageDirectory + "/bridge.sock" }
    }

    /// The application ID of the database: "LAMP" in ASCII.
    static let applicationID: Int32 = 0x4C41_4D50

    /// The time limit for drivers to report the configured lights when the daemon starts for the very first time.
    private static let firstStartTimeout = Duration.seconds(1)
    /// The time limit for the shutdown of all components.
    private static let timeout = Duration.seconds(4)

    let configuration: BridgeConfiguration
    /// The reason why the current configuration file was rejected, or `nil` if the file is in use.
    let fault: String?
    let places: Places
    let notifier: ServiceNotifier?
    let log: LogStage
    let logger: Logger

    /// Runs the bridge until it must stop or restart.
    ///
    /// - Returns: The configuration in use if the bridge must restart, or `nil` if the daemon must stop.
    /// - Throws: The error that prevents the bridge from running, with its exit code.
    func run() async throws -> BridgeConfiguration? {
        let ownership = try configuration.bridge.ownership?.requirement()
        let file = try DatabaseFile(
            path: places.database, migrator: BridgeDatabase.migrator, applicationID: Self.applicationID, logger: logger)
        BridgeBackup.discardRemains(places)
        let database = BridgeDatabase(file.queue)
        let stored = try await load(database)

        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = loops.next()
        let bridges = try await Bridges(
            configuration.bridge, ownership, stored: stored, database: database, loop: loop, logger: logger)
        let lights = DeviceBridge(
            executor: bridges.executor, scheduler: EventLoopScheduler(loop), servers: await bridges.servers,
            open: { try await bridges.open($0) }, store: database, overrides: configuration.overrides,
            kinds: configuration.include.kinds,
            // HAP time starts in 2001.
            wallClock: { .milliseconds(WallClock.now) - .seconds(978_307_200) }, logger: logger)
        await lights.restore(stored)
        let first = try await bridges.listen()
        let supervisor = DriverSupervisor(lights: lights, logger: logger)
        await supervisor.use(configuration.drivers)
        if stored.server.configuration.databaseHash.isEmpty {
            // No controller has seen the accessories yet. Wait for the configured lights, so that they are part of the
            // first structure, which has c# 1.
            await lights.waitForDrivers(atMost: Self.firstStartTimeout)
        }
        await bridges.start()
        let metrics = try await serveMetrics(
            MetricsSource(bridges: { await bridges.all }, lights: lights, database: database, log: log), on: loop)

        let reloader = ConfigurationReloader(
            path: places.configuration, instance: places.stateDirectory, configuration: configuration,
            useEventWindow: { await bridges.use(eventWindow: $0) }, fault: fault, lights: lights,
            supervisor: supervisor, notifier: notifier,
            logger: logger)
        let editor = ConfigurationEditor(path: places.configuration, instance: places.stateDirectory) {
            try await reloader.reload()
        }
        let memory = BridgeMemory(file: file, places: places)
        let operations = BridgeOperations(
            bridges: { await bridges.all }, lights: lights, supervisor: supervisor, reloader: reloader, editor: editor,
            hostFacts: HostFacts(
                interfaces: configuration.bridge.interfaces.selection, file: file, writes: database.server.writes),
            memory: memory,
            search: LightSearch(logger: logger) { [logger] type throws(DiscoveryError) in
                try AvahiServiceBrowser(type: type, logger: logger)
            })

        let shown = await lights.lightCounts
        for bridge in await bridges.all {
            logger.notice(
                "bridge started",
                metadata: [
                    "bridge": "\(bridge.number)", "port": "\(bridge.port)", "device": "\(bridge.deviceID)",
                    "lights": "\(shown[bridge.number, default: 0])",
                ])
        }

        if let vendor = ownership?.vendor {
            logger.notice("ownership token required", metadata: ["vendor": "\(vendor)"])
        }

        try ServiceDirectory.makeRuntimeDirectory(places.runtimeDirectory)
        try ServiceDirectory.makeStateDirectory(places.pageDirectory)
        // Trap SIGHUP before the service manager is notified that the daemon is ready, because the signal may arrive
        // from then on.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        // Services stop in reverse order: the notification of the service manager is first, then mDNS, and the drivers
        // are last.
        let services: [any ServiceLifecycle.Service] =
            [supervisor] + (metrics.map { [$0] } ?? []) + [
                DailyCopyService(file: file, isWorthKeeping: { await bridges.isPaired }, logger: logger),
                ControlService(
                    places: places, operations: operations, onListening: { notifier?.ready() },
                    logger: logger),
                WarningWatch(operations: operations), bridges,
                // Ignore the error of an invalid file, because it is in the log and in the status.
                SIGHUPService(hangups) { _ = try? await reloader.reload() },
                SetupCodePrinter(
                    server: first.server, name: first.name, discoveryError: { first.publisher?.discoveryError }),
                SpareMemoryService(),
                ServiceManagerService(
                    notifier: notifier, pulse: { try? await loop.submit {}.get() },
                    status: { try await operations.status().sentence }, isLast: { !memory.isReplaced }),
            ]
        try await serve(services, until: memory)

        await lights.saveStates()
        try await loops.shutdownGracefully()
        try file.close()
        logger.notice(memory.isReplaced ? "bridge restarted" : "bridge stopped")
        return memory.isReplaced ? await reloader.configuration : nil
    }

    /// Runs the services until a signal or the operator stops them.
    private func serve(_ services: [any ServiceLifecycle.Service], until memory: BridgeMemory) async throws {
        var lifecycle = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        lifecycle.maximumGracefulShutdownDuration = Self.timeout
        let group = ServiceGroup(configuration: lifecycle)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { memory.finish() }
                try await group.run()
            }
            tasks.addTask {
                for await _ in memory.ends {}
                await group.triggerGracefulShutdown()
            }
            try await tasks.waitForAll()
        }
    }

    private func load(_ database: BridgeDatabase) async throws -> StoredBridge {
        do {
            try await database.dropUnusedBridges()
            var stored = try await database.load()
            if let text = configuration.bridge.setupCode?.text, let code = SetupCode(text) {
                stored.server.setupCode = code
            }
            return stored
        } catch let damage as DamagedDatabase {
            throw DatabaseFileError.damaged(path: places.database, reason: damage.description)
        }
    }

    private func serveMetrics(
        _ source: MetricsSource, on loop: any EventLoop
    ) async throws(MetricsListenerError) -> MetricsService? {
        guard let section = configuration.metrics else { return nil }
        return try await MetricsService(section, source, on: loop, logger: logger)
    }
}

extension ListenerError: ErrorWithExitCode {
    package var description: String {
        switch self {
        case .portTaken(let port):
            "port \(port) is taken by \(PortHolder.description(of: port)); stop that process, or "
                + "choose another bridge.port"
        case .notPermitted(let port):
            "this user isn't allowed to listen on port \(port); choose a bridge.port above 1023"
        case .failed(let reason): "can't listen: \(reason)"
        }
    }

    package var exitCode: SystemKit.ExitCode {
        switch self {
        case .portTaken, .failed: .unavailable
        case .notPermitted: .noPermission
        }
    }
}
