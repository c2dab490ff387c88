import DaemonKit
import DatabaseKit
import Discovery
import FoundationEssentials
import Glibc
import HAPModel
import HomeHub
import HomeModel
import HubControl
import OperatorControl
import Synchronization
import SystemKit
import TerminalKit

/// Performs the operator's commands, which arrive over the control socket.
final class HubOperations: HubControlHandler {
    /// The app ID of the web page.
    private static let page = "org.lamplighter.homeweb"

    private let hub: HomeHub
    private let file: DatabaseFile
    private let history: Result<DatabaseFile, DatabaseFileError>
    private let places: HubDaemon.Places
    /// The configured interfaces; `nil` for all.
    private let interfaces: [String]?
    private let discoveryError: CurrentDiscoveryError
    private let since = WallClock.now
    private let clock = ClockStep()
    private let isBackingUp = Mutex(false)

    init(
        hub: HomeHub, file: DatabaseFile, history: Result<DatabaseFile, DatabaseFileError>, places: HubDaemon.Places,
        interfaces: [String]?, discoveryError: CurrentDiscoveryError
    ) {
        self.hub = hub
        self.file = file
        self.history = history
        self.places = places
        self.interfaces = interfaces
        self.discoveryError = discoveryError
    }

    func status() async throws -> HubStatusReport {
        let status = await hub.status
        return HubStatusReport(
            version: Version.current, since: WallClock.text(of: since, showsMilliseconds: true), homes: status.homes,
            connected: status.reachable,
            notConnected: await hub.unreachableAccessories.map { accessory in
                HubStatusReport.Accessory(
                    name: accessory.name, home: accessory.home,
                    since: accessory.since.map { WallClock.text(of: $0.millisecondsSince1970) },
                    problem: accessory.problem)
            },
            apps: status.sessions, databaseBytes: Self.size(places.database),
            historyBytes: (try? history.get()).map { Self.size($0.path) },
            lastCopy: Self.time(ofCopy: places.database + ".backup"), warnings: warnings)
    }

    private var warnings: [String] {
        let discovery = discoveryError.reason.map { "accessories can't be found: \($0)" }
        let storage = file.storageError.map { "\($0); changes of the homes can't be stored" }
        let past = historyError.map { "the hub runs without a history: \($0)" }
        return [discovery, storage, past, configurationError].compactMap(\.self)
    }

    private var historyError: String? {
        if case .failure(let error) = history { "\(error)" } else { nil }
    }

    private var configurationError: String? {
        let (code, line, _) = HubConfiguration.check(places.configuration)
        return code == .success ? nil : line
    }

    func diagnostics() async throws -> HubDiagnostics {
        let zones = await hub.timeZoneReport
        return HubDiagnostics(
            version: Version.current, process: Int(getpid()),
            configuration: places.configuration ?? HubConfiguration.defaultPath,
            configurationError: configurationError, interfaces: interfaceNames,
            discoveryError: discoveryError.reason, clockStep: clock.seconds,
            storage: StorageReport(
                directory: file.directory, problem: file.problem, freeBytes: Int(clamping: file.freeBytes)),
            historyError: historyError, timeZone: zones.system, missingTimeZones: zones.missing,
            page: Self.access(await hub.authorization(ofApp: Self.page)),
            servers: await hub.serverReports.map { server in
                HubDiagnostics.Server(
                    deviceID: server.device.description, name: server.name, home: server.home,
                    isConnected: server.isConnected, isFound: server.isFound, fault: server.problem,
                    unreachable: server.unreachable)
            })
    }

    /// The interfaces on which the hub discovers accessories.
    private var interfaceNames: [String] {
        // Loopback is always included.
        interfaces.map { $0 + ["lo"] } ?? InterfaceFacts.current().map(\.name)
    }

    private static func access(_ status: AuthorizationStatus?) -> HubDiagnostics.Access {
        guard let status else { return .unknown }
        guard status.contains(.determined) else { return .undecided }
        return status.contains(.authorized) ? .allowed : .denied
    }

    func backup(_ send: @Sendable (Int32) async throws -> Int) async throws -> HubBackupListing {
        let isFree = isBackingUp.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFree else {
            throw OperatorError(
                code: 75, message: "a backup is already in progress", remedy: "try again when it is done")
        }
        defer { isBackingUp.withLock { $0 = false } }
        await hub.saveAll()
        defer { DatabaseFile.discard([places.exportedDatabase]) }
        let hasHistory: Bool
        do {
            hasHistory = try await HomeBackup.take(of: file, history: try? history.get(), in: places)
        } catch let error as DatabaseFileError {
            let shown = HomeDatabaseError(error, in: places)
            throw OperatorError(code: shown.exitCode.rawValue, message: "no backup was made: \(shown)")
        } catch {
            throw OperatorError(code: ExitCode(error).rawValue, message: "no backup was made: \(error)")
        }
        let copy = open(places.exportedDatabase, O_RDONLY | O_CLOEXEC)
        guard copy >= 0 else {
            throw OperatorError(code: 74, message: "can't read the backup: \(SystemError.last.reason)")
        }
        defer { close(copy) }
        return HubBackupListing(size: try await send(copy), hasHistory: hasHistory)
    }

    // MARK: Files

    private static func size(_ path: String) -> Int {
        [path, path + "-wal"].map { path in
            var status = stat()
            return stat(path, &status) == 0 ? Int(status.st_size) : 0
        }.reduce(0, +)
    }

    /// Returns the time of a daily copy; `nil` if there is none.
    private static func time(ofCopy path: String) -> String? {
        // A copy without homes is dated 1970.
        guard let time = WallClock.lastChange(of: path), time > 0 else { return nil }
        return WallClock.text(of: time)
    }
}
