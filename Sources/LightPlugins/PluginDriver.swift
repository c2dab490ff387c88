package import AsyncKit
import BoundedJSON
package import DeviceKit
import Glibc
import LineRPC
package import Logging
import SystemKit
import TerminalKit

/// The `plugin` driver, which connects a plugin's process and the machine that supervises it with the host.
///
/// It is an actor, so that the caller's executor, which runs all HAP sessions, and the process's thread never wait for
/// each other. Actions for the host are queued in order, and ``run(host:)`` delivers them, with reports in batches.
package actor PluginDriver: LightDriver, PendingCallOwner {
    /// The error for a plugin that failed too often and isn't started again.
    package struct Stopped: Error, CustomStringConvertible {
        let name: String
        let reason: String

        package var description: String {
            "plugin \(name) failed too often, most recently because \(reason); fix the plugin, then run "
                + "lamplighter reload"
        }
    }

    /// The number of events after which queued actions are delivered to the host.
    private static let eventsInTurn = 64

    private let configuration: PluginDriverConfiguration
    private let timing: PluginTiming
    private let logger: Logger
    private let start = ContinuousClock.now
    private let signal = AsyncSignal()

    private var machine: PluginMachine
    private var process: PluginProcess?
    package var pendingCalls = PendingCalls<LightError>()
    private var lastTicket = 0
    private var forHost: [PluginMachine.Action] = []
    private var stopped: Stopped?

    /// Creates a driver, which does nothing before ``run(host:)`` is called.
    package init(configuration: PluginDriverConfiguration, timing: PluginTiming = PluginTiming(), logger: Logger) {
        self.configuration = configuration
        self.timing = timing
        self.logger = logger
        let hello = PluginProtocol.hello(config: configuration.config, stateDirectory: configuration.stateDirectory)
        machine = PluginMachine(name: configuration.id, hello: hello, timing: timing)
    }

    private var now: Duration { start.duration(to: .now) }

    /// The process id of the plugin, or `nil` while it isn't running.
    package var pid: Int32? { process?.pid }

    // MARK: Lifecycle

    package func run(host: any LightHost) async throws {
        await host.report(.starting)
        if let problem = makeStateDirectory() {
            logger.warning("plugin directory failed", metadata: ["error": "\(problem)"])
        }
        while !Task.isCancelled {
            perform(machine.timePassed(now: now))
            for (index, event) in (process?.takeEvents() ?? []).enumerated() {
                switch event {
                case .message(let message): perform(machine.received(message, now: now))
                case .violation(let reason), .ended(let reason): perform(machine.failed(reason, now: now))
                }
                if index % Self.eventsInTurn == Self.eventsInTurn - 1 { await tell(host) }
            }
            await tell(host)
            if let stopped { throw stopped }
            guard forHost.isEmpty else { continue }
            await signal.wait(until: machine.deadline.map { start + $0 })
        }
        // This runs in a new task, because the current task has already been canceled.
        await Task { await shutDown() }.value
    }

    /// Performs actions that don't need the host, and queues the other actions for the host, in order.
    private func perform(_ actions: [PluginMachine.Action]) {
        for action in actions {
            switch action {
            case .start:
                let program = PluginProcess.Program(
                    command: configuration.command, environment: configuration.environment,
                    workingDirectory: configuration.workingDirectory ?? "/")
                let process = PluginProcess(program, logger: logger) { [signal] in signal.send() }
                self.process = process
                process.start()
            case .send(let message): process?.send(message.line)
            case .end:
                process?.end()
                process = nil
            case .answer(let ticket, let error): pendingCalls.finish(ticket, error)
            case .failed(let reason, let retry):
                let pause = retry.map(\.seconds) ?? "never"
                logger.warning("plugin failed", metadata: ["error": "\(reason)", "retry": "\(pause)"])
                if retry == nil { stopped = Stopped(name: configuration.id, reason: reason) }
            case .added, .removed, .report, .event, .state, .warn: forHost.append(action)
            }
        }
    }

    /// Delivers the queued actions to the host.
    private func tell(_ host: any LightHost) async {
        let actions = forHost
        forHost = []
        var reports: [(light: LightID, report: LightReport)] = []
        for action in actions {
            if case .report(let light, let report) = action {
                reports.append((light, report))
                continue
            }
            if !reports.isEmpty { await host.report(reports) }
            reports = []
            switch action {
            case .added(let light): await host.added(light)
            case .removed(let light): await host.removed(light)
            case .event(let light, let events): await host.occurred(events, on: light)
            case .state(let state): await host.report(state)
            case .warn(let text, let subject): await host.warn(text, about: subject)
            case .start, .send, .end, .answer, .report, .failed: break
            }
        }
        if !reports.isEmpty { await host.report(reports) }
    }

    private func shutDown() async {
        pendingCalls.failAll(.unreachable)
        guard let process else { return }
        self.process = nil
        process.send(RPCMessage.request(id: .integer(0), method: "shutdown", params: [:]).line)
        process.end(within: timing.shutdown)
        // If the process can't be killed, stop waiting. The process's thread keeps waiting for the process to end.
        let deadline = ContinuousClock.now + timing.shutdown + .milliseconds(300)
        while ContinuousClock.now < deadline {
            let hasEnded = process.takeEvents().contains { if case .ended = $0 { true } else { false } }
            if hasEnded { return }
            await signal.wait(until: deadline)
        }
    }

    /// Creates the plugin's state directory.
    ///
    /// - Returns: The error message, or `nil` on success.
    private func makeStateDirectory() -> String? {
        guard let path = configuration.stateDirectory else { return nil }
        let parent = path.dropLast(configuration.id.utf8.count + 1)
        for directory in [String(parent), path] where mkdir(directory, 0o700) != 0 && errno != EEXIST {
            return "\(directory): \(SystemError.last.reason)"
        }
        return nil
    }

    // MARK: Commands

    package func apply(_ command: LightCommand, to light: LightID) async throws(LightError) {
        try await answer { $0.set(command, light, ticket: $1, now: $2) }
    }

    package func identify(_ light: LightID) async throws(LightError) {
        try await answer { $0.identify(light, ticket: $1, now: $2) }
    }

    private func answer(
        _ ask: @Sendable (inout PluginMachine, Int, Duration) -> [PluginMachine.Action]
    ) async throws(LightError) {
        lastTicket += 1
        let ticket = lastTicket
        try await finish(ticket) {
            perform(ask(&machine, ticket, now))
            // The request's deadline may be earlier than the deadline that `run(host:)` is waiting for.
            signal.send()
        }
    }

    package func cancelled(call ticket: Int) -> LightError {
        machine.cancelled(ticket: ticket)
        return .unreachable
    }
}
