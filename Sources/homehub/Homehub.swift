import ArgumentParser
import BoundedJSON
import HomeClient
import TerminalKit

/// The home's command: an app like any other, for people at a terminal and for scripts.
@main
struct Homehub: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "homehub",
        abstract: "Look after the home: its rooms, its accessories, and who may see it.",
        version: "homehub \(Version.current)",
        subcommands: [
            HomesCommand.self, RoomsCommand.self, ZonesCommand.self, DiscoverCommand.self, AddCommand.self,
            RepairCommand.self, AccessoriesCommand.self, ShowCommand.self, AssignCommand.self, RenameCommand.self,
            RemoveCommand.self,
            IdentifyCommand.self, UnblockCommand.self, ReadCommand.self, WriteCommand.self, WatchCommand.self,
            ScenesCommand.self, GroupsCommand.self, FavouriteCommand.self, ServiceTypeCommand.self, NamesCommand.self,
            PrivacyCommand.self, WebCommand.self,
            VersionCommand.self,
        ])

    @OptionGroup var options: GlobalOptions

    static func main() async {
        let code = await run(Array(CommandLine.arguments.dropFirst()))
        exit(withError: ExitCode(code))
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
            guard let failure = CommandFailure(error) else {
                Terminal.current.write(fullMessage(for: error) + "\n")
                return 0
            }
            // What was typed before `--json` went wrong may not have been parsed.
            Terminal.current.writeError(failure.text(isJSON: arguments.contains("--json")))
            return failure.exitCode
        }
    }
}

extension Homehub {
    /// Names the command that was probably meant, which the parser does not.
    private static func checkCommand(_ words: [String]) throws(TerminalError) {
        var command = configuration
        var path: [String] = []
        for word in words {
            // None of the commands that have commands takes words before their names.
            guard !command.subcommands.isEmpty, !word.hasPrefix("-") else { return }
            if word == "help", path.isEmpty { continue }
            let named = command.subcommands.map { ($0.configuration.commandName ?? "", $0.configuration) }
            let found = named.first { $0.0 == word || $0.1.aliases.contains(word) }
            guard let found else {
                let before = (["homehub"] + path).joined(separator: " ")
                let meant =
                    word.nearest(in: named.map(\.0)).map { "did you mean \"\(before) \($0)\"?" }
                    ?? "see \(before) --help"
                throw .usage("there is no command \"\((path + [word.shown]).joined(separator: " "))\"; \(meant)")
            }
            command = found.1
            path.append(word)
        }
    }
}

// The home's own words, where HAP's model of an accessory on the wire uses the same ones.

typealias Accessory = HomeModel.Accessory
typealias Service = HomeModel.Service
typealias Characteristic = HomeModel.Characteristic
