import ArgumentParser
import BridgeControl
import TerminalKit

/// The bridge operator's command.
@main
struct Lamplighter: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lamplighter",
        abstract: "Look after the lamplighterd bridge.",
        version: "lamplighter \(Version.current)",
        subcommands: [
            StatusCommand.self, SetupCommand.self, LightsCommand.self, SimulateCommand.self, PairingsCommand.self,
            WatchCommand.self, VersionCommand.self, ResetCommand.self, BackupCommand.self, RestoreCommand.self,
            ReloadCommand.self, DoctorCommand.self, PluginCommand.self,
        ])

    @OptionGroup var options: GlobalOptions

    static func main() async {
        let code = await run(Array(CommandLine.arguments.dropFirst()))
        exit(withCode: code)
    }

    /// Does what the words ask for.
    ///
    /// - Parameter arguments: the words behind the command's name.
    /// - Returns: the exit code.
    static func run(_ arguments: [String]) async -> Int32 {
        do {
            let words = GlobalOptions.order.movedBehindCommand(arguments)
            try checkCommand(words)
            var command = try await asyncParseAsRoot(words)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return 0
        } catch is CancellationError {
            return 0
        } catch {
            guard let failure = failure(error) else {
                Terminal.current.write(fullMessage(for: error) + "\n")
                return 0
            }
            // A mistake before `--json` may have kept it from being parsed.
            Terminal.current.writeError(failure.text(isJSON: arguments.contains("--json")))
            return failure.code
        }
    }

    /// The reason of a command's failure; `nil` for help and the version.
    private static func failure(_ error: any Error) -> CommandFailure? {
        switch error {
        case let error as BridgeControlError:
            return CommandFailure(code: error.code, message: error.message, remedy: error.remedy)
        case let error as TerminalError:
            return CommandFailure(code: error.code, message: error.message, remedy: nil)
        default:
            let code = exitCode(for: error).rawValue
            guard code != 0 else { return nil }
            let message = message(for: error).split(separator: "\n").joined(separator: " ")
            return CommandFailure(code: code, message: message, remedy: "see lamplighter --help")
        }
    }

    private static func exit(withCode code: Int32) -> Never { exit(withError: ExitCode(code)) }
}
