import AccessoryRole
public import ArgumentParser
import DaemonKit
import HAPAccessory
import HAPModel
public import Logging
import SystemKit
import TerminalKit
import YAMLKit

/// Runs `hapsim` on the main thread, before other threads exist.
@MainActor package func runHapsim() async {
    Allocator.setUp()
    await Hapsim.main(nil)
}

/// Serves any accessory that a file describes, to test apps without hardware.
struct Hapsim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hapsim",
        abstract: "Simulate a HomeKit accessory that a file describes.",
        discussion:
            "Prints the values that controllers write. Type NAME=VALUE to change a value, or help for the commands.",
        version: "hapsim \(Version.current)")

    @Argument(
        help: ArgumentHelp(
            "A YAML file that describes an accessory, or a bridge with its accessories.", valueName: "FILE"))
    var file: String

    @Option(
        help: ArgumentHelp(
            "The directory for the identity and the pairings (default: FILE.state).", valueName: "DIR"))
    var stateDirectory: String?

    @Option(
        help: ArgumentHelp("The log level: trace, debug, info, notice, warning, error or critical.", valueName: "LEVEL")
    )
    var logLevel = Logger.Level.warning

    @Flag(help: "Check the file and exit.")
    var check = false

    func run() async throws {
        let log = LogSetup.bootstrap(level: logLevel)
        defer { log.flush() }
        do {
            let described = try StrictYAML.decode(SimulationFile.self, fromFile: file)
            var none = InstanceIDs()
            let made = try described.accessories(&none)
            for accessory in made.accessories { try accessory.checkCompliance() }
            if check { return StandardStreams.printLine("\(file): the file is valid".sanitized) }
            try await serve(described, made)
        } catch {
            StandardStreams.printError(Self.message(for: error).sanitized)
            throw ArgumentParser.ExitCode(SystemKit.ExitCode(error).rawValue)
        }
    }

    private static func message(for error: any Error) -> String {
        switch error {
        case let error as ConfigurationError: "\(error)"
        case ConfigurationFileError.missing(let file): "hapsim: the file \(file) doesn't exist"
        default: "hapsim: \(error)"
        }
    }

    private func serve(_ described: SimulationFile, _ made: SimulatedAccessories) async throws {
        let simulation = Simulation(travel: made.travel) { StandardStreams.printLine($0) }
        let storage = AccessoryStorage.directory(stateDirectory ?? file + ".state")
        let host = try await AccessoryHost(
            AccessoryProfile(category: described.category, information: described.server.information),
            source: simulation, storage: storage, setupCode: described.code, logger: Logger(label: "hapsim")
        ) { ids in
            // The links were checked together with the file.
            (try? described.accessories(&ids).accessories) ?? []
        }
        await simulation.use(host)
        StandardStreams.printLine("\(described.server.information.name) is running".sanitized)
        await host.printSetupCode()
        try await host.runService {
            var reader = LineReader()
            while let line = await reader.next() {
                guard await simulation.obey(line) else { throw CancellationError() }
            }
        }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
