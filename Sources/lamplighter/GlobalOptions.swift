import ArgumentParser
import BridgeControl
import TerminalKit

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
        try await BridgeControlClient.connect(to: socket, body)
    }

    /// Where the daemon is asked.
    var socket: String {
        let terminal = Terminal.current
        return control ?? Self.defaultControl(environment: terminal.environment, exists: terminal.exists)
    }

    /// Waits for a bridge that begins anew.
    ///
    /// - Parameter former: how it was before.
    /// - Returns: how it is now.
    /// - Throws: ``BridgeControlError`` if it does not come back in time.
    func untilBack(after former: BridgeStatus) async throws -> BridgeStatus {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            if let status = try? await ask({ try await $0.status() }), status.since != former.since { return status }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw BridgeControlError.unavailable("lamplighterd has not come back within 20 s", remedy: "see its log")
    }

    static func defaultControl(environment: (String) -> String?, exists: (String) -> Bool) -> String {
        if let path = environment("LAMPLIGHTER_CONTROL"), !path.isEmpty { return path }
        let local = "./.lamplighter/run/control.sock"
        return exists(local) ? local : "/run/lamplighter/control.sock"
    }

    static let order = OptionOrder(flags: ["--json"], options: ["--control"])
}
