public import ArgumentParser
import BoundedJSON
import BridgeControl
import DaemonKit
import Glibc
import LightDrivers
public import Logging
import SystemKit
import TerminalKit

/// Runs `lamplighterd` on the main thread, before other threads exist.
@MainActor package func runLamplighterd() async {
    Allocator.setUp()
    await Lamplighterd.main(nil)
}

/// The bridge daemon, which provides lights to HomeKit controllers.
struct Lamplighterd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lamplighterd",
        abstract: "Shows lights to HomeKit controllers. Runs in the foreground.",
        version: "lamplighterd \(Version.current)")

    @Option(name: .shortAndLong, help: ArgumentHelp("The configuration file.", valueName: "FILE"))
    var config = "/etc/lamplighter/lamplighter.yaml"

    @Option(help: ArgumentHelp("The directory of the bridge's database.", valueName: "DIR"))
    var stateDirectory = ServiceDirectory.first(in: "STATE_DIRECTORY") ?? "/var/lib/lamplighter"

    @Option(help: ArgumentHelp("The directory of the control socket.", valueName: "DIR"))
    var runtimeDirectory = ServiceDirectory.first(in: "RUNTIME_DIRECTORY") ?? "/run/lamplighter"

    @Option(
        help: ArgumentHelp("The log level: trace, debug, info, notice, warning, error or critical.", valueName: "LEVEL")
    )
    var logLevel = Logger.Level.info

    @Flag(help: "Check the configuration and exit.")
    var checkConfig = false

    @Flag(help: "Back up a bridge that isn't running: write its state to standard output, and exit.")
    var backup = false

    @Flag(help: "Restore a bridge that isn't running: read a backup from standard input, and exit.")
    var restore = false

    // The input is private to `lamplighter import`.
    @Flag(help: .hidden)
    var importIdentity = false

    @Flag(help: .hidden)
    var json = false

    @Flag(help: "Check whether the daemon can start, and exit.")
    var checkStart = false

    func run() async throws {
        if checkConfig {
            let (code, line, warnings) = BridgeConfiguration.check(config, drivers: DriverCatalog.drivers)
            for warning in warnings { StandardStreams.printError("\(warning)") }
            if code == .success { StandardStreams.printLine(line) } else { StandardStreams.printError(line) }
            throw ArgumentParser.ExitCode(code.rawValue)
        }
        let log = LogSetup.bootstrap(level: logLevel)
        defer { log.flush() }
        let logger = Logger(label: "lamplighterd")
        do {
            let places = BridgeDaemon.Places(
                configuration: config, stateDirectory: stateDirectory, runtimeDirectory: runtimeDirectory)
            if checkStart {
                return try StartCheck(configuration: config, places: places, drivers: DriverCatalog.drivers).run {
                    [json] in $0.print(isJSON: json)
                }
            }
            if backup { return try OfflineStorage.backup(places, logger: logger) }
            if restore { return try await OfflineStorage.restore(places, json: json) }
            if importIdentity { return try await OfflineStorage.importIdentity(places, json: json, logger: logger) }
            let notifier = ServiceNotifier()
            func bridge(_ configuration: BridgeConfiguration, fault: String? = nil) -> BridgeDaemon {
                BridgeDaemon(
                    configuration: configuration, fault: fault, places: places, notifier: notifier, log: log,
                    logger: logger)
            }
            var next = bridge(try loadConfiguration())
            while let inUse = try await next.run() {
                do {
                    next = bridge(try loadConfiguration())
                } catch {
                    // The file has become invalid since the bridge started. The bridge continues with the configuration
                    // in use.
                    logger.error("configuration rejected", metadata: ["error": "\(error)"])
                    next = bridge(inUse, fault: "\(error)")
                }
            }
        } catch {
            log.report(error, of: "lamplighterd", to: logger)
            throw ArgumentParser.ExitCode(SystemKit.ExitCode(error).rawValue)
        }
    }

    private func loadConfiguration() throws -> BridgeConfiguration {
        try BridgeConfiguration.load(from: config, drivers: DriverCatalog.drivers, instance: stateDirectory)
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
