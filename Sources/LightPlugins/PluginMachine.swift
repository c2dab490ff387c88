import AsyncKit
import BoundedJSON
import DeviceKit
import LineRPC

/// The state machine of a plugin's host, without a process or a clock.
///
/// It decides when to start, query and stop the program. Each run of the plugin begins with a greeting (`hello`) and a
/// query (`ping`). The answer to the query shows that the plugin has added all lights that it knows at its start. From
/// then on, it is running. When a run ends, its lights become unreachable, and the next run starts after a pause. After
/// too many failures within a time window, the machine stops permanently.
struct PluginMachine {
    enum Action: Equatable {
        case start
        case send(RPCMessage)
        /// Kill the process, if it still exists, and ignore its output.
        case end
        /// A command or an identification has been answered.
        case answer(ticket: Int, LightError?)
        case added(LightDescription)
        case removed(LightID)
        case report(LightID, LightReport)
        case event(LightID, PropertyValues)
        case state(DriverState)
        case warn(String?, about: String)
        /// A run has ended for the given reason. `retry` is the pause before the next run, or `nil` if the plugin isn't
        /// started again.
        case failed(String, retry: Duration?)
    }

    private enum Phase: Equatable {
        /// The plugin isn't running. It starts at the given time, or never if the time is `nil`.
        case pausing(until: Duration?)
        case greeting
        /// The plugin has answered `hello`, but not the first `ping`. It may add lights.
        case listing
        case running
    }

    fileprivate enum Question: Equatable {
        case hello, ping, refresh
        case set(LightID, tickets: [Int])
        case identify(ticket: Int)
    }

    private struct Open {
        let question: Question
        let deadline: Duration
    }

    private struct Queued {
        let light: LightID
        var command: LightCommand
        var tickets: [Int]
    }

    private let name: String
    private let hello: JSONValue
    private let timing: PluginTiming
    private var phase = Phase.pausing(until: .zero)
    private var restarts: PluginRestarts
    private var startedAt = Duration.zero
    private var pingAt: Duration?
    private var lastID: Int64 = 0
    private var open: [Int64: Open] = [:]
    private var queue: [Queued] = []
    /// The lights of `set` requests that timed out but may still be answered, by request ID.
    private var late: [Int64: LightID] = [:]
    /// The descriptions that were passed to the host in this run or an earlier run.
    private var told: [LightID: LightDescription] = [:]
    /// The lights that were added in this run, and whether their state is known.
    private var present: [LightID: Bool] = [:]
    private var version = PluginProtocol.version1
    private var knowsCauses = false
    private var warned: Set<String> = []

    init(name: String, hello: JSONValue, timing: PluginTiming) {
        self.name = name
        self.hello = hello
        self.timing = timing
        restarts = PluginRestarts(timing)
    }

    /// The time at which to call ``timePassed(now:)``, or `nil` for never.
    var deadline: Duration? {
        if case .pausing(let until) = phase { return until }
        return (open.values.map(\.deadline) + (pingAt.map { [$0] } ?? [])).min()
    }

    // MARK: Lifecycle

    mutating func timePassed(now: Duration) -> [Action] {
        if case .pausing(let until) = phase {
            guard let until, until <= now else { return [] }
            phase = .greeting
            startedAt = now
            return [.start, ask(.hello, "hello", hello, within: timing.hello, now)]
        }
        var actions: [Action] = []
        for (id, one) in open.sorted(by: { $0.key < $1.key }) where one.deadline <= now {
            switch one.question {
            case .hello: return failed("it didn't answer hello within \(timing.hello.seconds)", now: now)
            case .ping: return failed("it didn't answer ping within \(timing.answer.seconds)", now: now)
            case .refresh: open[id] = nil
            case .identify(let ticket):
                open[id] = nil
                actions.append(.answer(ticket: ticket, .unreachable))
            case .set(let light, let tickets):
                open[id] = nil
                if late.count >= PluginLimits.lights { late = [:] }
                late[id] = light
                actions += tickets.map { .answer(ticket: $0, .unreachable) }
                guard present[light] != nil else { continue }
                // Query the light's state, because the plugin may have executed the command.
                actions.append(.report(light, LightReport(reachable: false)))
                actions.append(refresh([light], now))
            }
        }
        if let at = pingAt, at <= now {
            pingAt = nil
            actions.append(ask(.ping, "ping", [:], within: timing.answer, now))
        }
        return actions + sendQueued(now: now)
    }

    mutating func ended(_ how: String, now: Duration) -> [Action] { failed(how, now: now) }

    /// Ends a run whose process has ended or must be killed.
    mutating func failed(_ reason: String, now: Duration) -> [Action] {
        if case .pausing = phase { return [] }
        let tickets = open.values.flatMap { $0.question.tickets } + queue.flatMap(\.tickets)
        var actions: [Action] = [.end]
        actions += tickets.sorted().map { .answer(ticket: $0, .unreachable) }
        actions += present.keys.sorted { $0.rawValue < $1.rawValue }.map { .report($0, LightReport(reachable: false)) }
        actions += warned.sorted().map { .warn(nil, about: $0) }
        open = [:]
        queue = []
        late = [:]
        present = [:]
        warned = []
        pingAt = nil
        knowsCauses = false
        let pause = restarts.failed(after: now - startedAt, now: now)
        phase = .pausing(until: pause.map { now + $0 })
        actions.append(.failed(reason, retry: pause))
        if let pause {
            actions.append(.state(.degraded("plugin \(name): \(reason); it restarts in \(pause.seconds)")))
        }
        return actions
    }

    // MARK: Notifications

    mutating func received(_ message: PluginMessage, now: Duration) -> [Action] {
        switch message {
        case .answer(let id, let result): return answered(id, result, now: now)
        case .request(let id, let method): return [.send(.failure(id: id, .methodNotFound(method)))]
        case .added, .removed, .state, .event, .unknown, .refused: break
        }
        switch phase {
        case .pausing: return []
        case .greeting: return failed("it sent messages before it answered hello", now: now)
        case .listing, .running: break
        }
        switch message {
        case .added(let light): return added(light)
        case .removed(let light):
            present[light] = nil
            return told.removeValue(forKey: light) == nil ? [] : [.removed(light)]
        case .state(let light, let report, let cause): return reported(report, from: light, cause: cause)
        case .event(let light, let events): return occurred(events, on: light)
        case .unknown(let method): return warn("it sent \(method), which this version doesn't support", about: method)
        case .refused(let text, let subject): return warn(text, about: subject)
        case .answer, .request: return []
        }
    }

    private mutating func added(_ light: LightDescription) -> [Action] {
        guard present[light.id] != nil || present.count < PluginLimits.lights else {
            return warn(
                "it has more than \(PluginLimits.lights) lights; the others are ignored", about: "lights/added")
        }
        if present[light.id] == nil { present[light.id] = false }
        guard told.updateValue(light, forKey: light.id) != light else { return [] }
        return [.added(light)]
    }

    private mutating func reported(_ report: LightReport, from light: LightID, cause: Int64?) -> [Action] {
        guard present[light] != nil, let description = told[light] else {
            return warn("it sent the state of a light that it hasn't added", about: light.rawValue)
        }
        present[light] = true
        let (values, others) = description.possible(report.values)
        var report = report
        report.values = values
        report.isSpontaneous = knowsCauses && cause == nil
        return warn(ofImpossible: others, light) + [.report(light, report)]
    }

    private mutating func occurred(_ events: PropertyValues, on light: LightID) -> [Action] {
        guard present[light] != nil, let description = told[light] else {
            return warn("it sent an event of a device that it hasn't added", about: light.rawValue)
        }
        let (events, others) = description.possible(events)
        return warn(ofImpossible: others, light) + (events.isEmpty ? [] : [.event(light, events)])
    }

    private mutating func warn(ofImpossible names: [String], _ light: LightID) -> [Action] {
        names.isEmpty ? [] : warn(LightDescription.impossible(names), about: light.rawValue)
    }

    private mutating func warn(_ text: String, about subject: String) -> [Action] {
        guard warned.contains(subject) || warned.count < PluginLimits.warnings else { return [] }
        return warned.insert(subject).inserted ? [.warn("plugin \(name): \(text)", about: subject)] : []
    }

    // MARK: Answers

    private mutating func answered(_ id: Int64, _ result: Result<JSONValue, RPCFailure>, now: Duration) -> [Action] {
        guard let question = open.removeValue(forKey: id)?.question else {
            guard let light = late.removeValue(forKey: id), case .success = result, present[light] != nil else {
                return []
            }
            return [.report(light, LightReport(reachable: true))]
        }
        let failure: LightError? = if case .failure(let failure) = result { LightError(failure) } else { nil }
        switch question {
        case .hello: return greeted(result, now: now)
        case .ping:
            // An error is an answer, too: it shows that the plugin reads its input.
            pingAt = now + timing.pingInterval
            guard phase == .listing else { return [] }
            phase = .running
            let silent = present.filter { !$0.value }.keys.sorted { $0.rawValue < $1.rawValue }
            return (silent.isEmpty ? [] : [refresh(silent, now)]) + [.state(.running)]
        case .refresh: return []
        case .identify(let ticket): return [.answer(ticket: ticket, failure)]
        case .set(_, let tickets): return tickets.map { .answer(ticket: $0, failure) } + sendQueued(now: now)
        }
    }

    private mutating func greeted(_ result: Result<JSONValue, RPCFailure>, now: Duration) -> [Action] {
        switch result {
        case .failure(let failure): return failed("it refused hello: \(failure.message.prefix(200))", now: now)
        case .success(let answer):
            guard let version = PluginProtocol(answer: answer) else {
                return failed("it doesn't support protocol \(PluginProtocol.supported)", now: now)
            }
            self.version = version
            knowsCauses = answer["capabilities"]?.array?.contains("cause") == true
            phase = .listing
            return [ask(.ping, "ping", [:], within: timing.answer, now)]
        }
    }

    // MARK: Commands

    mutating func set(_ command: LightCommand, _ light: LightID, ticket: Int, now: Duration) -> [Action] {
        if let refusal = refusal(light) { return [.answer(ticket: ticket, refusal)] }
        if let index = queue.firstIndex(where: { $0.light == light }) {
            queue[index].command.merge(command)
            queue[index].tickets.append(ticket)
            return []
        }
        queue.append(Queued(light: light, command: command, tickets: [ticket]))
        return sendQueued(now: now)
    }

    mutating func identify(_ light: LightID, ticket: Int, now: Duration) -> [Action] {
        if let refusal = refusal(light) { return [.answer(ticket: ticket, refusal)] }
        let isBusy =
            open.values.count { if case .identify = $0.question { true } else { false } } >= PluginLimits.setsInFlight
        guard !isBusy else { return [.answer(ticket: ticket, .busy)] }
        let params: JSONValue = ["id": .string(light.rawValue)]
        return [ask(.identify(ticket: ticket), version.method("identify"), params, within: timing.answer, now)]
    }

    /// Cancels a command.
    ///
    /// If it hasn't been sent yet, it is dropped.
    mutating func cancelled(ticket: Int) {
        for index in queue.indices { queue[index].tickets.removeAll { $0 == ticket } }
        queue.removeAll { $0.tickets.isEmpty }
    }

    private func refusal(_ light: LightID) -> LightError? {
        if present[light] != nil { return nil }
        return phase == .running && told[light] == nil ? .unknownLight : .unreachable
    }

    /// Sends queued commands, up to the maximum number of concurrent commands, and at most one per light.
    private mutating func sendQueued(now: Duration) -> [Action] {
        var actions: [Action] = []
        while true {
            let busy = open.values.compactMap(\.question.light)
            guard busy.count < PluginLimits.setsInFlight,
                let index = queue.firstIndex(where: { !busy.contains($0.light) })
            else { return actions }
            let next = queue.remove(at: index)
            guard let light = told[next.light] else {
                actions += next.tickets.map { .answer(ticket: $0, .unknownLight) }
                continue
            }
            var command = next.command
            if !light.fades { command.transition = nil }
            actions.append(
                ask(
                    .set(next.light, tickets: next.tickets), version.method("set"),
                    version.params(of: command, to: light, cause: lastID + 1), within: timing.set, now))
        }
    }

    private mutating func refresh(_ lights: [LightID], _ now: Duration) -> Action {
        let ids = lights.map { JSONValue.string($0.rawValue) }
        return ask(.refresh, version.method("refresh"), ["ids": .array(ids)], within: timing.answer, now)
    }

    private mutating func ask(
        _ question: Question, _ method: String, _ params: JSONValue, within limit: Duration, _ now: Duration
    ) -> Action {
        lastID += 1
        open[lastID] = Open(question: question, deadline: now + limit)
        return .send(.request(id: .integer(lastID), method: method, params: params))
    }
}

extension PluginMachine.Question {
    fileprivate var tickets: [Int] {
        switch self {
        case .set(_, let tickets): tickets
        case .identify(let ticket): [ticket]
        case .hello, .ping, .refresh: []
        }
    }

    /// The light that a `set` request is for, or `nil` for other requests.
    fileprivate var light: LightID? { if case .set(let light, _) = self { light } else { nil } }
}

/// A simulated run of a plugin with given events, without a process.
package enum PluginTrial {
    /// Passes the events to a machine, one second apart, and returns the number of the machine's actions.
    package static func actions(for events: [PluginInbox.Event]) -> Int {
        var machine = PluginMachine(name: "trial", hello: [:], timing: PluginTiming())
        var count = machine.timePassed(now: .zero).count
        for (second, event) in events.enumerated() {
            let now = Duration.seconds(second)
            switch event {
            case .message(let message): count += machine.received(message, now: now).count
            case .violation(let reason), .ended(let reason): count += machine.failed(reason, now: now).count
            }
            count += machine.timePassed(now: now).count
        }
        return count
    }
}

/// The schedule of restarts of a failing plugin.
struct PluginRestarts {
    private let timing: PluginTiming
    private var recent: [Duration] = []
    private var backoff: Backoff

    init(_ timing: PluginTiming) {
        self.timing = timing
        backoff = Backoff(first: timing.firstPause, longest: timing.longestPause)
    }

    /// Records the end of a run, and returns the pause before the next run, or `nil` if the plugin must not be started
    /// again.
    ///
    /// A run that lasted at least as long as the window resets the backoff.
    mutating func failed(after life: Duration, now: Duration) -> Duration? {
        if life >= timing.window { backoff.succeeded() }
        recent = recent.filter { now - $0 < timing.window } + [now]
        return recent.count < timing.failures ? backoff.failed() : nil
    }
}

extension Duration {
    /// The duration as text, in whole seconds rounded up, such as `5 s`.
    var seconds: String { "\(Int((self / .seconds(1)).rounded(.up))) s" }
}
