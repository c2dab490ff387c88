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
            var command = try parseAsRoot(GlobalOptions.order.movedBehindCommand(arguments))
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return 0
        } catch let error as BridgeControlError {
            // The daemon's program has already said why.
            if !error.message.isEmpty { Terminal.current.writeError("lamplighter: \(error.description.sanitized)\n") }
            return error.code
        } catch let error as TerminalError {
            Terminal.current.writeError("lamplighter: \(error.message.sanitized)\n")
            return error.code
        } catch is CancellationError {
            return 0
        } catch {
            let code = exitCode(for: error).rawValue
            guard code != 0 else {
                Terminal.current.write(fullMessage(for: error) + "\n")
                return 0
            }
            let message = message(for: error).split(separator: "\n").joined(separator: " ").sanitized
            Terminal.current.writeError("lamplighter: \(message); see lamplighter --help\n")
            return code
        }
    }

    private static func exit(withCode code: Int32) -> Never { exit(withError: ExitCode(code)) }
}
