import ArgumentParser
import BoundedJSON
import BridgeControl
import Glibc
import LightPlugins
import Logging
import TerminalKit

struct PluginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugin", abstract: "Tools for plugin authors.", subcommands: [Test.self])

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test", abstract: "Start a plugin and check that it meets the requirements.",
            discussion: """
                Doesn't require a daemon. Exits with 0 if all checks passed, otherwise with 1. Prints the plugin's standard \
                error. Switches a light of the plugin and then restores its state.
                """)

        @Option(help: ArgumentHelp("The plugin's config, as a JSON object.", valueName: "json"))
        var config = "{}"

        @Argument(parsing: .captureForPassthrough, help: "The plugin and its arguments.")
        var command: [String]

        @OptionGroup var options: BridgeOptions

        func run() async throws {
            // All arguments are passed to the plugin, so recognize the help option only as the first argument.
            if let word = command.first, ["--help", "-h"].contains(word) { throw CleanExit.helpRequest(self) }
            guard let config = try? JSONValue(parsing: Array(config.utf8)), config.object != nil else {
                throw BridgeControlError.usage(
                    "--config isn't a JSON object", remedy: "use an object such as '{\"key\": \"value\"}'")
            }
            let command = command.first == "--" ? Array(command.dropFirst()) : command
            guard !command.isEmpty else {
                throw BridgeControlError.usage("the command is missing", remedy: "specify the plugin to test")
            }
            var directory = Array("/tmp/lamplighter-plugin-XXXXXX".utf8CString)
            guard mkdtemp(&directory) != nil else {
                throw BridgeControlError.unavailable("can't create a directory in /tmp")
            }
            let path = String(decoding: directory.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let logger = Logger(label: "plugin") { _ in StandardErrorLog() }
            let contract = PluginContract(
                PluginProcess.Program(command: command), config: config, stateDirectory: path, logger: logger)
            let isJSON = options.json
            let checks = await contract.run { if !isJSON { Terminal.current.write(Self.text(of: $0)) } }
            if isJSON { Terminal.current.write(JSONValue.array(checks.map(\.json)).text + "\n") }
            let failed = checks.count { $0.outcome == .failed }
            guard failed == 0 else {
                throw BridgeControlError(code: 1, message: "\(failed) of \(checks.count) checks failed")
            }
        }

        static func text(of check: PluginContract.Check) -> String {
            let line = "\(check.outcome.rawValue)  \(check.name)"
            return (check.remedy.map { "\(line): \($0)" } ?? line).sanitized + "\n"
        }
    }
}

extension PluginContract.Check {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["name": .string(name), "outcome": .string(outcome.rawValue)]
        object["remedy"] = remedy.map(JSONValue.string)
        return .object(object)
    }
}

/// A log handler that prints the plugin's standard error.
private struct StandardErrorLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let text = event.metadata?["text"].map { "\($0)" } ?? "\(event.message)"
        Terminal.current.writeError("plugin: \(text.sanitized)\n")
    }
}
