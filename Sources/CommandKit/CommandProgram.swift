package import ArgumentParser
import SystemKit
package import TerminalKit

/// The options that all commands of a program accept before or after the command's name.
package protocol GlobalOptions: ParsableArguments {
    static var order: OptionOrder { get }

    var json: Bool { get }
}

/// The root command of a program for interactive use and for scripts.
package protocol CommandProgram: AsyncParsableCommand {
    associatedtype Options: GlobalOptions

    /// The options, for the program's help.
    var options: Options { get }

    /// A Boolean value that indicates whether commands pass unknown words to their default subcommand.
    static var passesWordsToDefaults: Bool { get }

    /// Returns the failure to report for an error, or `nil` if the error only requests help or the version.
    static func failure(for error: any Error) -> CommandFailure?
}

extension CommandProgram {
    package static var name: String { configuration.commandName ?? _commandName }

    /// Runs the command in the arguments, prints its failure, and returns the exit code.
    package static func run(_ arguments: [String]) async -> Int32 {
        do {
            let words = Options.order.movedBehindCommand(arguments)
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
            guard let failure = failure(for: error) else {
                Terminal.current.write(fullMessage(for: error) + "\n")
                return 0
            }
            // If an error precedes `--json`, the parser may not have read the option.
            Terminal.current.writeError(failure.text(of: name, isJSON: arguments.contains("--json")))
            return failure.exitCode
        }
    }

    /// Checks that the words name existing commands.
    ///
    /// For an unknown command, the error suggests the nearest command, unlike the parser's error.
    ///
    /// - Throws: `TerminalError` with code 64 if one of the words, also after `help`, isn't a command.
    private static func checkCommand(_ words: [String]) throws(TerminalError) {
        var command = configuration
        var path: [String] = []
        for word in words where !(path.isEmpty && word == "help") {
            let isPassedOn = passesWordsToDefaults && command.defaultSubcommand != nil && words.first != "help"
            guard !command.subcommands.isEmpty, !word.hasPrefix("-"), !isPassedOn else { return }
            let subcommands = command.subcommands.map { ($0.configuration.commandName ?? "", $0.configuration) }
            guard let found = subcommands.first(where: { $0.0 == word || $0.1.aliases.contains(word) }) else {
                let before = ([ShellCommand.named(name)] + path).joined(separator: " ")
                let meant =
                    word.nearest(in: subcommands.map(\.0)).map { "did you mean \"\(before) \($0)\"?" }
                    ?? "see \(before) --help"
                let typed = (path + [word.prefix(64).description.sanitized]).joined(separator: " ")
                throw .usage("unknown command \"\(typed)\"; \(meant)")
            }
            command = found.1
            path.append(word)
        }
    }
}
