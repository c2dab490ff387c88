import DaemonKit
import DatabaseKit
import Discovery
import FoundationEssentials
import Glibc
import HAPController
import HAPProtocol
import HAPTransport
import HomeHub
import HomeModel
import LineRPC
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import SystemKit
import UnixSignals

/// The composition root: brings the parts up in order and takes them down in the reverse.
///
/// Up: database, hub, socket. Down: the socket first, so that apps are notified of the end; then the links.
struct HubDaemon {
    /// Where the daemon's files are.
    struct Places {
        /// `nil` for the usual place, where it may be missing.
        let configuration: String?
        let stateDirectory: String
        let runtimeDirectory: String

        var database: String { stateDirectory + "/home.sqlite" }
        var socket: String { runtimeDirectory + "/home.sock" }
    }

    /// How long everything together may take to end.
    private static let timeout = Duration.seconds(4)

    let configuration: HubConfiguration
    let places: Places
    let notifier: ServiceNotifier?
    let logger: Logger

    /// Runs until it is asked to end.
    ///
    /// - Throws: what keeps the hub from running, with its exit code.
    func run() async throws {
        let file = try openDatabase()
        let vault = PairingDatabase(file.queue)
        // The hub's loop carries nothing else; the other carries the connections. Nothing in either waits for the disk.
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let (hubLoop, dialingLoop) = (loops.next(), loops.next())
        let browser = try AvahiServiceBrowser(type: Advertisement.serviceType, logger: logger)
        let hub: HomeHub
        do {
            try vault.check()
            hub = try HomeHub(
                executor: EventLoopExecutor(hubLoop), store: HomeDatabase(file.queue), vault: vault,
                browser: AccessoryServerBrowser(browser, interfaces: interfaces), dialer: TCPDialer(dialingLoop),
                configuration: hubConfiguration, logger: logger)
        } catch let damage as DamagedDatabase {
            throw HomeDatabaseError(.damaged(path: places.database, reason: damage.description))
        }
        try ServiceDirectory.makeRuntimeDirectory(places.runtimeDirectory)
        let connections = AppConnections(hub: hub, logger: logger)
        let server = LineRPCServer(
            path: places.socket, mode: 0o666, limits: connections.limits.lines, sessions: connections, logger: logger)
        let discoveryError = CurrentDiscoveryError()
        let reloader = HubReloader(
            path: places.configuration, running: configuration, notifier: notifier, logger: logger
        ) { await hub.use($0) }
        // Before clients are notified that the daemon is ready: from then on SIGHUP may come.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        // Ends in the reverse order: the service manager is notified first, then the socket, the hub is last.
        try await serve([
            HubService(hub: hub),
            DailyCopyService(
                file: file, isWorthKeeping: { await hub.status.homes > 0 }, logger: logger),
            SpareMemoryService(),
            DiscoveryErrorService(browser: browser, discoveryError: discoveryError, logger: logger),
            SocketService(server: server) {
                logger.notice("hub started", metadata: ["socket": "\(places.socket)"])
                notifier?.ready()
            },
            SIGHUPService(hangups) { await reloader.reload() },
            ServiceManagerService(
                notifier: notifier, pulse: { _ = await hub.status },
                status: { await hub.status.sentence(discoveryError: discoveryError.reason, storage: file.storageError) }
            ),
        ])
        try await loops.shutdownGracefully()
        try file.close()
        logger.notice("hub stopped")
    }

    private func serve(_ services: [any ServiceLifecycle.Service]) async throws {
        var lifecycle = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        lifecycle.maximumGracefulShutdownDuration = Self.timeout
        try await ServiceGroup(configuration: lifecycle).run()
    }

    private func openDatabase() throws(HomeDatabaseError) -> DatabaseFile {
        do {
            return try DatabaseFile(
                path: places.database, migrator: HomeSchema.migrator, applicationID: HomeSchema.applicationID,
                logger: logger)
        } catch {
            throw HomeDatabaseError(error)
        }
    }

    private var hubConfiguration: HomeHub.Configuration {
        var hub = HomeHub.Configuration(systemApp: systemApp)
        hub.restrictions = configuration.restrict.restrictions
        hub.vendorTimeout = configuration.vendorTimeout
        return hub
    }

    private var interfaces: [String]? {
        switch configuration.interfaces {
        case .automatic: nil
        case .named(let names): names
        }
    }

    /// `homehub`: the configured one, the one beside this very program, or the installed one.
    private var systemApp: SystemApp {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        let neighbour = beside + "/homehub"
        let installed = FileManager.default.isExecutableFile(atPath: neighbour) ? neighbour : "/usr/bin/homehub"
        let path = configuration.systemApp ?? installed
        return SystemApp(
            app: SessionOpening.systemApp, executable: URL(filePath: path).resolvingSymlinksInPath().path,
            isTakenUnseen: geteuid() != 0)
    }
}

/// A home database that cannot be used, and how to go on from there.
struct HomeDatabaseError: ErrorWithExitCode {
    let cause: DatabaseFileError

    init(_ cause: DatabaseFileError) { self.cause = cause }

    var exitCode: ExitCode { cause.exitCode }

    var description: String {
        cause.description(
            restoringBy: "bring back a copy in its place, such as home.sqlite.backup beside it, at most a day old")
    }
}
