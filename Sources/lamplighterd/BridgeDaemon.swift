import AccessoryHost
import BridgeControl
package import DaemonKit
import Discovery
import HAPAccessory
import HAPModel
import HAPProtocol
package import HAPTransport
import LightBridge
import LightDrivers
import LightKit
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import TerminalKit
import UnixSignals

/// The composition root: brings the parts up in order and takes them down in the reverse.
///
/// Up: database, accessories, lights of the last run, listener, drivers, control socket, and mDNS last, so that no controller finds
/// a bridge that does not answer yet or does not know its accessories.
struct BridgeDaemon {
    /// Where the daemon's files are.
    struct Places {
        let configuration: String
        let stateDirectory: String
        let runtimeDirectory: String

        var database: String { stateDirectory + "/bridge.sqlite" }
        /// A copy on its way to the operator.
        var exportedDatabase: String { database + ".export" }
        /// A backup that waits to take the database's place.
        var restoredDatabase: String { database + ".restored" }
        var controlSocket: String { runtimeDirectory + "/control.sock" }
    }

    /// Marks the database as this program's: "LAMP" in ASCII.
    static let applicationID: Int32 = 0x4C41_4D50

    /// How long drivers may take at the very first start to tell of the lights that the configuration declares.
    private static let firstStartTimeout = Duration.seconds(1)
    /// How long everything together may take to end.
    private static let timeout = Duration.seconds(4)

    let configuration: BridgeConfiguration
    /// Why the configuration is not the one that the file holds now, if it is not.
    let fault: String?
    let places: Places
    let notifier: ServiceNotifier?
    let log: LogStage
    let logger: Logger

    /// Runs until it is asked to end, or to begin anew.
    ///
    /// - Returns: the configuration that was in use, if the bridge is to begin anew.
    /// - Throws: what keeps the bridge from running, with its exit code.
    func run() async throws -> BridgeConfiguration? {
        let ownership = try configuration.bridge.ownership?.requirement()
        let file = try DatabaseFile(
            path: places.database, migrator: BridgeDatabase.migrator, applicationID: Self.applicationID, logger: logger)
        BridgeBackup.discardRemains(places)
        let database = BridgeDatabase(file.queue)
        let stored = try await load(database)
        let profile = AccessoryProfile.lightBridge(
            name: configuration.bridge.name.valid, serialNumber: stored.server.identity.deviceID.description,
            firmware: Version.current)

        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = loops.next()
        let executor = EventLoopExecutor(loop)
        let scheduler = EventLoopScheduler(loop)
        let server = AccessoryServer(
            executor: executor, scheduler: scheduler, store: database, stored: stored.server,
            profile: profile, ownership: ownership, eventWindow: configuration.bridge.eventWindow, logger: logger)
        let lights = LightBridge(
            executor: executor, scheduler: scheduler, server: server, store: database,
            overrides: configuration.overrides, logger: logger)

        try await showBridge(profile, stored.server, server, database)
        await lights.restore(stored)
        let listener = try await listen(loop, server, database)
        let supervisor = DriverSupervisor(lights: lights, logger: logger)
        await supervisor.use(configuration.drivers)
        if stored.server.configuration.databaseHash.isEmpty {
            // No controller has seen the accessories yet: what the configuration declares belongs to the first of them, c# 1.
            await lights.waitForDrivers(atMost: Self.firstStartTimeout)
        }
        await server.reconcileStructure()
        await server.start()
        let publisher = try makePublisher(stored.server.identity.deviceID, port: listener.port, on: loop)
        let metrics = try await serveMetrics(
            MetricsSource(
                server: server, lights: lights, publisher: publisher, database: database, log: log),
            on: loop)

        let reloader = ConfigurationReloader(
            path: places.configuration, instance: places.stateDirectory, configuration: configuration, server: server,
            fault: fault, lights: lights, supervisor: supervisor, notifier: notifier, logger: logger)
        let memory = BridgeMemory(file: file, places: places)
        let operations = BridgeOperations(
            name: configuration.bridge.name.valid, deviceID: stored.server.identity.deviceID, port: listener.port,
            server: server, lights: lights, supervisor: supervisor, reloader: reloader,
            publisher: publisher,
            hostFacts: HostFacts(interfaces: interfaces, file: file, writes: database.server.writes),
            memory: memory)

        let shown = await lights.snapshots().count
        logger.notice(
            "bridge started",
            metadata: [
                "port": "\(listener.port)", "device": "\(stored.server.identity.deviceID)",
                "lights": "\(shown)",
            ])

        if let vendor = server.vendor {
            logger.notice("ownership token required", metadata: ["vendor": "\(vendor)"])
        }

        try ServiceDirectory.makeRuntimeDirectory(places.runtimeDirectory)
        // Before clients are notified that the daemon is ready: from then on SIGHUP may come.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        // Ends in the reverse order: the service manager is notified first, then mDNS, the drivers are last.
        let services: [any ServiceLifecycle.Service] =
            [supervisor] + (metrics.map { [$0] } ?? []) + [
                DailyCopyService(file: file, isWorthKeeping: { await server.isPaired }, logger: logger),
                ControlService(
                    path: places.controlSocket, operations: operations, onListening: { notifier?.ready() },
                    logger: logger),
                ServerService(server: server, listener: listener),
                PublicationService(
                    publisher: publisher, server: server, registration: registration(stored.server, listener.port)),
                // What is wrong with the file is in the log and in the status.
                SIGHUPService(hangups) { _ = try? await reloader.reload() },
                SetupCodePrinter(
                    server: server, name: configuration.bridge.name.valid,
                    discoveryError: { publisher?.discoveryError }),
                SpareMemoryService(),
                ServiceManagerService(
                    notifier: notifier, pulse: { try? await loop.submit {}.get() },
                    status: { try await operations.status().sentence }, isLast: { memory.ending == nil }),
            ]
        try await serve(services, until: memory)

        await lights.saveStates()
        try await loops.shutdownGracefully()
        if memory.ending == .reset { try await database.server.reset() }
        try file.close()
        if memory.ending == .restored { try BridgeBackup.install(places) }
        logger.notice(memory.ending == nil ? "bridge stopped" : "bridge restarted")
        return memory.ending == nil ? nil : await reloader.configuration
    }

    /// Keeps the services up until a signal or the operator ends them.
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
            var stored = try await database.load()
            if let text = configuration.bridge.setupCode?.text, let code = SetupCode(text) {
                stored.server.setupCode = code
            }
            return stored
        } catch let damage as DamagedDatabase {
            throw DatabaseFileError.damaged(path: places.database, reason: damage.description)
        }
    }

    private func showBridge(
        _ profile: AccessoryProfile, _ stored: StoredServer, _ server: AccessoryServer,
        _ database: BridgeDatabase
    ) async throws {
        let bridge = PrimaryAccessory(profile.information, ids: stored.instanceIDs)
        if bridge.ids != stored.instanceIDs { try await database.save(instanceIDs: bridge.ids) }
        try await server.set(bridge.accessory, source: nil, isReachable: true)
    }

    // MARK: Port

    private func listen(
        _ loop: any EventLoop, _ server: AccessoryServer, _ database: BridgeDatabase
    ) async throws -> AccessoryListener {
        let filter = InterfaceFilter(configuration.bridge.interfaces)
        func listen(_ port: Int) async throws(ListenerError) -> AccessoryListener {
            try await AccessoryListener(
                port: port, on: loop, for: server, isAllowed: filter.allows, logger: logger)
        }
        switch configuration.bridge.port {
        case .fixed(let port): return try await listen(Int(port))
        case .automatic:
            if let port = try await database.server.port() {
                do {
                    return try await listen(port)
                } catch ListenerError.portTaken {
                    logger.warning(
                        "port taken",
                        metadata: ["port": "\(port)", "holder": "\(PortHolder.description(of: port))"])
                }
            }
            let listener = try await listen(0)
            try await database.server.save(port: listener.port)
            return listener
        }
    }

    private func serveMetrics(
        _ source: MetricsSource, on loop: any EventLoop
    ) async throws(MetricsListenerError) -> MetricsService? {
        guard let section = configuration.metrics else { return nil }
        return try await MetricsService(section, source, on: loop, logger: logger)
    }

    // MARK: mDNS

    private func makePublisher(
        _ deviceID: DeviceID, port: Int, on loop: any EventLoop
    ) throws -> UniquePublisher? {
        guard configuration.bridge.advertise == .avahi else { return nil }
        let probe = CloneProbe(loop: loop, ownPort: port)
        return UniquePublisher(
            publisher: try AvahiServicePublisher(logger: logger),
            // Every instance name of this identity has its suffix, whatever the bridge is called there, unless a long one
            // was cut to make room for a number.
            browser: try AvahiServiceBrowser(type: Advertisement.serviceType, logger: logger) { name in
                name.contains(deviceID.suffix) || name.contains(" #")
            },
            watch: CloneWatch(deviceID: deviceID, port: UInt16(port)), scheduler: EventLoopScheduler(loop),
            logger: logger
        ) { probe($0, $1) }
    }

    private var interfaces: InterfaceSelection {
        switch configuration.bridge.interfaces {
        case .automatic: .automatic
        case .named(let names): .named(names)
        }
    }

    private func registration(_ stored: StoredServer, _ port: Int) -> PublicationService.Registration {
        PublicationService.Registration(
            name: ServiceRecord.instanceName(
                configuration.bridge.name.valid, suffix: stored.identity.deviceID.suffix),
            port: UInt16(port), interfaces: interfaces)
    }
}

extension ListenerError: ErrorWithExitCode {
    package var description: String {
        switch self {
        case .portTaken(let port):
            "port \(port) is taken by \(PortHolder.description(of: port)); stop that, or choose another bridge.port"
        case .notPermitted(let port):
            "the system does not let this user listen on port \(port); choose a bridge.port above 1023"
        case .failed(let reason): "cannot listen: \(reason)"
        }
    }

    package var exitCode: DaemonKit.ExitCode {
        switch self {
        case .portTaken, .failed: .unavailable
        case .notPermitted: .noPermission
        }
    }
}
