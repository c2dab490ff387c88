import ArgumentParser
import BridgeControl

/// What every command takes, before or behind its name.
struct GlobalOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The daemon's control socket.", valueName: "socket"))
    var control: String?

    @Flag(help: "Print JSON with stable keys.")
    var json = false

    /// Asks the bridge.
    func ask<Result: Sendable>(
        _ body: @Sendable (BridgeControlClient) async throws -> Result
    ) async throws -> Result {
        let terminal = Terminal.current
        let path = control ?? Self.defaultControl(environment: terminal.environment, exists: terminal.exists)
        return try await BridgeControlClient.connect(to: path, body)
    }

    static func defaultControl(environment: (String) -> String?, exists: (String) -> Bool) -> String {
        if let path = environment("LAMPLIGHTER_CONTROL"), !path.isEmpty { return path }
        let local = "./.lamplighter/run/control.sock"
        return exists(local) ? local : "/run/lamplighter/control.sock"
    }

    /// Moves these options from before the command to behind it, where they are parsed.
    static func movedBehindCommand(_ arguments: [String]) -> [String] {
        var moved: [String] = []
        var rest = arguments[...]
        while let word = rest.first {
            if word == "--json" || word.hasPrefix("--control=") {
                moved.append(word)
                rest = rest.dropFirst()
            } else if word == "--control", rest.count > 1 {
                moved += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else {
                break
            }
        }
        guard let command = rest.first, !command.hasPrefix("-") else { return arguments }
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return Array(rest[..<end]) + moved + Array(rest[end...])
    }
}
