import ArgumentParser
import BridgeControl
import CommandKit
import LineRPC
import TerminalKit

/// The options that all commands accept, before or after the command's name.
struct BridgeOptions: GlobalOptions {
    @Option(help: ArgumentHelp("The bridge's control socket.", valueName: "socket"))
    var control: String?

    @Flag(help: "Print JSON with stable keys.")
    var json = false

    func ask<Result: Sendable>(
        _ body: @Sendable (BridgeControlClient) async throws -> Result
    ) async throws -> Result {
        try await BridgeControlClient.connect(to: location, body)
    }

    /// Sends a request that changes stored state.
    ///
    /// - Throws: ``BridgeControlError``. If the daemon doesn't answer, the error names `check`, a command that shows
    ///   whether the change was made.
    func change<Result: Sendable>(
        check: String, _ body: @Sendable (BridgeControlClient) async throws -> Result
    ) async throws -> Result {
        do {
            return try await ask(body)
        } catch let error as BridgeControlError where error.isUnanswered {
            throw BridgeControlError.unavailable(
                "lamplighterd didn't answer, so the change may or may not be stored",
                remedy: "to check, run \(check) when lamplighterd is running again")
        }
    }

    /// Asks for confirmation before a change that can't be undone.
    ///
    /// - Throws: `TerminalError` with code 64 if there is no terminal to ask on, or ``BridgeControlError`` with code 75
    ///   for any answer other than yes.
    func confirm(_ warning: String, yes: Bool) async throws {
        guard !yes else { return }
        guard !json else { throw TerminalError.usage("can't ask for confirmation with --json; use --yes") }
        guard try await Terminal.current.answer(to: "\(warning.sanitized) Type yes to continue: ") == "yes" else {
            throw BridgeControlError(code: 75, message: "canceled; nothing was changed")
        }
    }

    var location: SocketLocation {
        SocketLocation(of: .bridge, given: control, environment: Terminal.current.environment)
    }

    var socket: String { location.path }

    /// Waits until the bridge has restarted after a stored change, such as a reset.
    ///
    /// - Parameters:
    ///   - former: The status before the change.
    ///   - change: A sentence about the change, for the error.
    /// - Returns: The status of the restarted bridge.
    /// - Throws: ``BridgeControlError`` if the bridge doesn't restart in time.
    func untilBack(after former: BridgeStatus, _ change: String) async throws -> BridgeStatus {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            if let status = try? await ask({ try await $0.status() }), status.since != former.since { return status }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw BridgeControlError.unavailable(
            "\(change), but lamplighterd didn't restart within 20 s", remedy: "check its log, and start lamplighterd")
    }

    static let order = OptionOrder(flags: ["--json"], options: ["--control"])
}
