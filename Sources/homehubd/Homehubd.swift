public import ArgumentParser
import DaemonKit
import DatabaseKit
public import Logging
import OperatorControl
import SystemKit
import TerminalKit

/// Runs `homehubd` on the main thread, before other threads exist.
@MainActor package func runHomehubd() async {
    Allocator.setUp()
    await Homehubd.main(nil)
}

/// The home hub: stores the homes, and communicates with their accessories for the apps.
struct Homehubd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "homehubd",
        abstract: "Stores homes and connects apps to their accessories. Runs in the foreground.",
        version: "homehubd \(Version.current)")

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The configuration file (default: \(HubConfiguration.defaultPath), if it exists).", valueName: "FILE"))
    var config: String?

    @Option(help: ArgumentHelp("The directory for the hub's database.", valueName: "DIR"))
    var stateDirectory = ServiceDirectory.first(in: "STATE_DIRECTORY") ?? "/var/lib/homehub"

    @Option(help: ArgumentHelp("The directory for the apps' socket.", valueName: "DIR"))
    var runtimeDirectory = ServiceDirectory.first(in: "RUNTIME_DIRECTORY") ?? "/run/homehub"

    /// Packages install their files in the prefix of this program.
    @Option(
        help: ArgumentHelp(
            "The directory of the files of apps that were installed with access to the homes.", valueName: "DIR",
            visibility: .hidden))
    var installedApps = HubDaemon.programDirectory + "/../share/homehub/apps"

    @Option(
        help: ArgumentHelp("The log level: trace, debug, info, notice, warning, error or critical.", valueName: "LEVEL")
    )
    var logLevel = Logger.Level.info

    @Flag(help: "Check the configuration and exit.")
    var checkConfig = false

    @Flag(help: "Back up a hub that isn't running: write its state to standard output, and exit.")
    var backup = false

    @Flag(help: "Restore a hub that isn't running: read a backup from standard input, and exit.")
    var restore = false

    @Flag(help: .hidden)
    var json = false

    @Flag(help: "Check whether the daemon can start, and exit.")
    var checkStart = false

    func run() async throws {
        if checkConfig {
            let (code, line, warnings) = HubConfiguration.check(config)
            for warning in warnings { StandardStreams.printError("\(warning)") }
            if code == .success { StandardStreams.printLine(line) } else { StandardStreams.printError(line) }
            throw ArgumentParser.ExitCode(code.rawValue)
        }
        let log = LogSetup.bootstrap(level: logLevel)
        defer { log.flush() }
        let logger = Logger(label: "homehubd")
        do {
            let places = HubDaemon.Places(
                configuration: config, stateDirectory: stateDirectory, runtimeDirectory: runtimeDirectory,
                installedApps: installedApps)
            if checkStart { return try HubStartCheck(places: places).run { [json] in $0.print(isJSON: json) } }
            do {
                if backup { return try await OfflineHomeStorage.backup(places, logger: logger) }
                if restore { return try await OfflineHomeStorage.restore(places, json: json) }
            } catch let error as DatabaseFileError {
                throw HomeDatabaseError(error, in: places)
            }
            try await HubDaemon(
                configuration: try HubConfiguration.load(from: config), places: places, notifier: ServiceNotifier(),
                logger: logger
            ).run()
        } catch {
            log.report(error, of: "homehubd", to: logger)
            throw ArgumentParser.ExitCode(SystemKit.ExitCode(error).rawValue)
        }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
