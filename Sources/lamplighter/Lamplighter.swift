import ArgumentParser
import BridgeControl
import CommandKit
import SystemKit
import TerminalKit

/// Runs `lamplighter`, and exits with its code.
package func runLamplighter() async -> Never {
    Lamplighter.exit(withError: ExitCode(await Lamplighter.run(Array(CommandLine.arguments.dropFirst()))))
}

/// The operator's command for managing the bridge.
struct Lamplighter: CommandProgram {
    static let configuration = CommandConfiguration(
        commandName: "lamplighter",
        abstract: "Manage the lamplighterd bridge.",
        version: "lamplighter \(Version.current)",
        subcommands: [
            StatusCommand.self, SetupCommand.self, DevicesCommand.self, LightsCommand.self, SimulateCommand.self,
            DriversCommand.self, PairingsCommand.self,
            WatchLightsCommand.self, VersionCommand<Lamplighter>.self, ResetCommand.self, BackupCommand.self,
            RestoreCommand.self, BridgeImportCommand.self,
            ReloadCommand.self, DoctorCommand.self, PluginCommand.self,
        ])

    static let passesWordsToDefaults = true

    @OptionGroup var options: BridgeOptions

    static func failure(for error: any Error) -> CommandFailure? {
        switch error {
        case let error as BridgeControlError:
            return CommandFailure(exitCode: error.code, message: error.message, remedy: error.remedy)
        case let error as TerminalError:
            return CommandFailure(exitCode: error.code, message: error.message, remedy: nil)
        default:
            let code = exitCode(for: error).rawValue
            guard code != 0 else { return nil }
            let message = message(for: error).split(separator: "\n").joined(separator: " ")
            return CommandFailure(exitCode: code, message: message, remedy: "see \(ShellCommand.lamplighter) --help")
        }
    }
}
