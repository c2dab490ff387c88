import ArgumentParser
import BoundedJSON
import TerminalKit

extension Lamplighter {
    /// Names the command that was probably meant, which the parser does not.
    ///
    /// - Throws: `TerminalError` with 64 if a word, or one after `help`, isn't a command.
    static func checkCommand(_ words: [String]) throws(TerminalError) {
        var command = configuration
        var path: [String] = []
        for word in words where !(path.isEmpty && word == "help") {
            let subcommands = command.subcommands.map { ($0.configuration.commandName ?? "", $0.configuration) }
            // A command with a default also takes that one's words.
            guard !subcommands.isEmpty, !word.hasPrefix("-"), command.defaultSubcommand == nil || words.first == "help"
            else { return }
            guard let found = subcommands.first(where: { $0.0 == word || $0.1.aliases.contains(word) }) else {
                let before = (["lamplighter"] + path).joined(separator: " ")
                let meant =
                    word.nearest(in: subcommands.map(\.0)).map { "did you mean \"\(before) \($0)\"?" }
                    ?? "see \(before) --help"
                throw .usage(
                    "there is no command \"\((path + [String(word.prefix(40))]).joined(separator: " "))\"; \(meant)")
            }
            command = found.1
            path.append(word)
        }
    }
}

/// A failed command's exit code and error.
struct CommandFailure {
    /// After sysexits(3).
    let code: Int32
    let message: String
    /// What to do, if that is known.
    let remedy: String?

    /// The line on standard error: for people, or `{"error": …}`.
    func text(isJSON: Bool) -> String {
        guard isJSON else {
            return "lamplighter: \([message, remedy].compactMap(\.self).joined(separator: "; "))".sanitized + "\n"
        }
        let suggestions = remedy.map { [JSONValue.string($0)] } ?? []
        let error: JSONValue = [
            "code": .integer(Int64(code)), "name": .string(Self.names[code] ?? "failed"), "message": .string(message),
            "suggestions": .array(suggestions),
        ]
        return JSONValue.object(["error": error]).text + "\n"
    }

    private static let names: [Int32: String] = [
        64: "usage", 65: "badData", 66: "noInput", 69: "unavailable", 70: "internal", 73: "cannotCreate",
        74: "inputOutput", 75: "temporaryFailure", 76: "protocolViolation", 77: "noPermission", 78: "configuration",
    ]
}
