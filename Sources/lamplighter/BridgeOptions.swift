import ArgumentParser
import BridgeControl
import CommandKit
import LineRPC
import TerminalKit

/// What every command takes, before or behind its name.
struct BridgeOptions: GlobalOptions {
    @Option(help: ArgumentHelp("The daemon's control socket.", valueName: "socket"))
    var control: String?

    @Flag(help: "Print JSON with stable keys.")
    var json = false

    func ask<Result: Sendable>(
        _ body: @Sendable (BridgeControlClient) async throws -> Result
    ) async throws -> Result {
        try await BridgeControlClient.connect(to: location, body)
    }

    /// Requests a change that the bridge stores; the command `check` shows whether it was made.
    ///
    /// - Throws: ``BridgeControlError``; it names `check` if the daemon ended before it answered.
    func change<Result: Sendable>(
        check: String, _ body: @Sendable (BridgeControlClient) async throws -> Result
    ) async throws -> Result {
        do {
            return try await ask(body)
        } catch let error as BridgeControlError where error.isUnanswered {
            throw BridgeControlError.unavailable(
                "lamplighterd did not answer, so the change may be stored or not",
                remedy: "\(check) shows it once lamplighterd runs")
        }
    }

    /// Asks before a change that can't be undone.
    ///
    /// - Throws: `TerminalError` with 64 if no person can answer; ``BridgeControlError`` with 75 for any answer but yes.
    func confirm(_ warning: String, yes: Bool) async throws {
        guard !yes else { return }
        guard !json else { throw TerminalError.usage("can't ask for confirmation with --json; add --yes") }
        guard try await Terminal.current.answer(to: "\(warning.sanitized) Type yes to continue: ") == "yes" else {
            throw BridgeControlError(code: 75, message: "nothing has been changed")
        }
    }

    var location: SocketLocation {
        SocketLocation(of: .bridge, given: control, environment: Terminal.current.environment)
    }

    var socket: String { location.path }

    /// Waits for a bridge that restarts after a change that is stored already.
    ///
    /// - Throws: ``BridgeControlError`` if it does not come back in time.
    func untilBack(after former: BridgeStatus, _ change: String) async throws -> BridgeStatus {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            if let status = try? await ask({ try await $0.status() }), status.since != former.since { return status }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw BridgeControlError.unavailable(
            "\(change), but lamplighterd has not come back within 20 s", remedy: "see its log and start it")
    }

    static let order = OptionOrder(flags: ["--json"], options: ["--control"])
}
