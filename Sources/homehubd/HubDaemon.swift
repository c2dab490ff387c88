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
import HubControl
import LineRPC
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import SystemKit
import UnixSignals
import YAMLKit

/// The daemon's composition root.
///
/// It starts the database, the hub and the socket, and stops them in reverse order. The socket stops first, so that
/// the apps' connections end before the hub's links to accessories do.
struct HubDaemon {
    /// The locations of the daemon's files.
    struct Places {
        /// The path of the configuration file; `nil` for the default file, which may be missing.
        let configuration: String?
        let stateDirectory: String
        let runtimeDirectory: String
        /// The directory of the files with which packages give their apps access to the homes.
        let installedApps: String

        var database: String { stateDirectory + "/home.sqlite" }
        var history: String { stateDirectory + "/history.sqlite" }
        /// The paths of the temporary copies during a backup.
        var exportedDatabase: String { database + ".export" }
        var exportedHistory: String { history + ".export" }
        /// The paths of the prepared databases that will replace the current ones.
        var restoredDatabase: String { database + ".restored" }
        var restoredHistory: String { history + ".restored" }
        var socket: String { runtimeDirectory + "/home.sock" }
        var controlSocket: String { HubControlServer.path(nextTo: socket) }
    }

    /// The longest time that the whole shutdown may take.
    private static let timeout = Duration.seconds(4)

    let configuration: HubConfiguration
    let places: Places
    let notifier: ServiceNotifier?
    let logger: Logger

    /// Runs the daemon until a signal stops it.
    ///
    /// - Throws: The error that prevents the hub from running, with its exit code.
    func run() async throws {
        let file = try openDatabase()
        let historyFile = openHistory()
        HomeBackup.discardRemains(places)
        let vault = PairingDatabase(file.queue)
        // The first event loop is for the hub, and the second loop serves connections. Neither loop waits for the disk.
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        let (hubLoop, dialingLoop) = (loops.next(), loops.next())
        let browser = try AvahiServiceBrowser(type: Advertisement.serviceType, logger: logger)
        let receivers = messageReceivers(dialingLoop)
        let installedApps = InstalledApps(directory: places.installedApps, logger: logger)
        var hubConfiguration = hubConfiguration
        hubConfiguration.installedApps = installedApps.read()
        let hub: HomeHub
        do {
            try vault.check()
            hub = try HomeHub(
                executor: EventLoopExecutor(hubLoop), store: HomeDatabase(file.queue),
                history: HistoryDatabase(historyFile.map(\.queue), maximumSize: configuration.historySize << 20),
                vault: vault,
                browser: AccessoryServerBrowser(browser, interfaces: interfaces), dialer: TCPDialer(dialingLoop),
                configuration: hubConfiguration, timeZones: ZoneFiles.rules, systemTimeZone: ZoneFiles.systemName,
                messageReceiver: MessageReceivers(all: receivers),
                logger: logger)
        } catch let damage as DamagedDatabase {
            throw HomeDatabaseError(.damaged(path: places.database, reason: damage.description), in: places)
        }
        try ServiceDirectory.makeRuntimeDirectory(places.runtimeDirectory)
        let connections = AppConnections(hub: hub, logger: logger)
        let server = LineRPCServer(
            path: places.socket, mode: 0o666, limits: connections.limits.lines, sessions: connections, logger: logger)
        let discoveryError = CurrentDiscoveryError()
        let reloader = HubReloader(
            path: places.configuration, running: configuration, notifier: notifier, logger: logger
        ) { restrictions in
            await hub.use(restrictions)
            await hub.use(installedApps.read())
        }
        // The trap must precede the notification that the daemon is ready, because SIGHUP can arrive from then on.
        let hangups = await UnixSignalsSequence(trapping: .sighup)
        // Services stop in reverse order: the service manager is notified first, then the socket closes, and the hub
        // stops last.
        try await serve(
            [
                HubService(hub: hub),
                ClockService(hub: hub, logger: logger),
                DailyCopyService(
                    file: file, isWorthKeeping: { await hub.status.homes > 0 }, logger: logger),
                SpareMemoryService(),
                DiscoveryErrorService(browser: browser, discoveryError: discoveryError, logger: logger),
                HubControlService(
                    server: HubControlServer(
                        path: places.controlSocket,
                        handler: HubOperations(
                            hub: hub, file: file, history: historyFile, places: places,
                            interfaces: interfaces, discoveryError: discoveryError),
                        logger: logger)),
                SocketService(server: server) {
                    logger.notice("hub started", metadata: ["socket": "\(places.socket)"])
                    notifier?.ready()
                },
                SIGHUPService(hangups) { await reloader.reload() },
                ServiceManagerService(
                    notifier: notifier, pulse: { _ = await hub.status },
                    status: {
                        await hub.status.sentence(discoveryError: discoveryError.reason, storage: file.storageError)
                    }
                ),
            ] + receivers)
        try await loops.shutdownGracefully()
        if case .success(let file) = historyFile { try file.close() }
        try file.close()
        logger.notice("hub stopped")
    }

    private func messageReceivers(_ loop: any EventLoop) -> [any MessageReceiver & ServiceLifecycle.Service] {
        var receivers: [any MessageReceiver & ServiceLifecycle.Service] = []
        if let command = configuration.notifyCommand { receivers.append(MessageCommand(command, logger: logger)) }
        if let webhook = configuration.notifyWebhook {
            receivers.append(MessageWebhook(WebhookClient(section: webhook, loop: loop), logger: logger))
        }
        return receivers
    }

    private func serve(_ services: [any ServiceLifecycle.Service]) async throws {
        var lifecycle = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        lifecycle.maximumGracefulShutdownDuration = Self.timeout
        try await ServiceGroup(configuration: lifecycle).run()
    }

    private func openDatabase() throws(HomeDatabaseError) -> DatabaseFile {
        do {
            return try HomeDatabase.file(at: places.database, logger: logger)
        } catch {
            throw HomeDatabaseError(error, in: places)
        }
    }

    /// Opens the history.
    ///
    /// If this fails, the hub runs without a history.
    private func openHistory() -> Result<DatabaseFile, DatabaseFileError> {
        do throws(DatabaseFileError) {
            return .success(try HistoryDatabase.file(at: places.history, logger: logger))
        } catch {
            logger.error("history unavailable", metadata: ["error": "\(error)"])
            return .failure(error)
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

    /// The directory of this program.
    static var programDirectory: String {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return own.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    }

    /// The configured `homehub` executable or, by default, the executable in the directory of this program or
    /// `/usr/bin/homehub`.
    private var systemApp: SystemApp {
        let neighbour = Self.programDirectory + "/homehub"
        let installed = FileManager.default.isExecutableFile(atPath: neighbour) ? neighbour : "/usr/bin/homehub"
        let path = configuration.systemApp ?? installed
        return SystemApp(
            app: SessionOpening.systemApp, executable: URL(filePath: path).resolvingSymlinksInPath().path,
            isTakenUnseen: geteuid() != 0)
    }
}

/// An unusable home database, with its remedy.
struct HomeDatabaseError: ErrorWithExitCode {
    let cause: DatabaseFileError
    private let copy: String

    init(_ cause: DatabaseFileError, in places: HubDaemon.Places) {
        self.cause = cause
        copy = places.database + ".backup"
    }

    var exitCode: ExitCode { cause.exitCode }

    var description: String {
        cause.description(
            restoringBy: "restore the daily copy with \(ShellCommand.homehubAsRoot) restore \(copy), or another backup")
    }
}
