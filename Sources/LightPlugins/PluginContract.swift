package import BoundedJSON
import DeviceKit
import HAPModel
import LineRPC
package import Logging
import TerminalKit

/// The checks of `lamplighter plugin test`, which cover the requirements that every plugin must meet.
package struct PluginContract: Sendable {
    /// The result of a check.
    package struct Check: Equatable, Sendable {
        package enum Outcome: String, Sendable {
            case passed, failed
            /// The check couldn't be performed. `remedy` contains the reason.
            case skipped
        }

        package let name: String
        package let outcome: Outcome
        /// For a failed check, the fault and its remedy.
        ///
        /// For a skipped check, the reason.
        package let remedy: String?
    }

    private let program: PluginProcess.Program
    private let hello: JSONValue
    private let timing: PluginTiming
    private let logger: Logger

    /// Creates the checks of a program, whose standard error is written to the logger.
    package init(
        _ program: PluginProcess.Program, config: JSONValue = [:], stateDirectory: String? = nil,
        timing: PluginTiming = PluginTiming(), logger: Logger
    ) {
        self.program = program
        self.timing = timing
        self.logger = logger
        hello = PluginProtocol.hello(config: config, stateDirectory: stateDirectory)
    }

    /// Runs all checks that are possible with the plugin.
    ///
    /// Reports each result as soon as its check is complete, and returns all results.
    @discardableResult
    package func run(_ report: @Sendable (Check) -> Void = { _ in }) async -> [Check] {
        var checks: [Check] = []
        func note(_ name: String, _ remedy: String?, isSkipped: Bool = false) {
            let check = Check(
                name: name, outcome: isSkipped ? .skipped : remedy == nil ? .passed : .failed, remedy: remedy)
            checks.append(check)
            report(check)
        }

        let first = PluginPeer(program, logger: logger)
        let version: PluginProtocol
        switch await greet(first) {
        case .success(let chosen): version = chosen
        case .failure(let problem):
            note("starts and answers hello", problem.text)
            await first.kill()
            return checks
        }
        note("starts and answers hello", nil)
        let (set, refresh, identify) = (version.method("set"), version.method("refresh"), version.method("identify"))
        let lights = await lights(first)
        note("reports its lights, and each light before its state", await order(first))
        note(
            "reports each light's state",
            await silent(first).map {
                "no state of \($0) within \(timing.answer.seconds) of hello; send one after \(version.method("added"))"
            })
        note("answers ping", await refusal(first, "ping"))
        let ids = lights.map(\.id)
        if !lights.isEmpty {
            note("answers \(refresh), then reports the states", await self.refresh(first, ids, refresh))
        }
        if let light = lights.first(where: { !$0.writable.isEmpty }) {
            note("answers \(set) and reports the new state", await self.set(first, light, version))
            note("answers \(identify)", await self.identify(first, light.id, identify))
        } else {
            let reason =
                lights.isEmpty
                ? "the plugin has no lights; use a --config with at least one" : "the plugin has only sensors"
            for name in (lights.isEmpty ? [refresh] : []) + [set, identify] {
                note("answers \(name)", reason, isSkipped: true)
            }
        }
        let on: JSONObject = version == .version1 ? ["on": true] : ["values": ["On": true]]
        note("refuses \(set) for an unknown light", await unknown(first, set, on))
        note("refuses \(identify) for an unknown light", await unknown(first, identify, [:]))
        note("refuses an unknown method", await expect(first, -32601, "lamplighter/nothing", [:]))
        note("survives invalid lines", await garbage(first))
        note("ends after shutdown", await shutDown(first))
        await first.kill()

        let second = PluginPeer(program, logger: logger)
        if case .failure(let problem) = await greet(second) {
            note("starts again", problem.text)
        } else {
            let again = Set(await self.lights(second).map(\.id))
            let missing = Set(ids).subtracting(again).map(\.rawValue).sorted()
            note(
                "has the same ids after a restart",
                missing.isEmpty
                    ? nil : "\(missing.joined(separator: ", ")) are missing; use ids that stay the same")
            await second.closeInput()
            let hasEnded = await second.wait(timing.answer) { $1 != nil }
            note(
                "ends when its standard input ends",
                hasEnded ? nil : "it was still running \(timing.answer.seconds) later; exit when standard input ends")
        }
        await second.kill()
        var violation = await first.violation
        if violation == nil { violation = await second.violation }
        note("writes only messages", violation.map { "\($0); write all other output to standard error" })
        return checks
    }

    // MARK: Checks that return the fault

    private func greet(_ peer: PluginPeer) async -> Result<PluginProtocol, Problem> {
        switch await peer.ask("hello", hello, within: timing.hello) {
        case nil:
            if let end = await peer.end { return .failure("\(end); run the command by hand to see the reason") }
            if let violation = await peer.violation { return .failure("\(violation)") }
            return .failure(
                "no answer within \(timing.hello.seconds); write one line with the request's id, and flush it"
            )
        case .failure(let failure):
            return .failure("it answered with error \(failure.code): \(failure.message)")
        case .success(let answer):
            guard let version = PluginProtocol(answer: answer) else {
                return .failure("\"protocol\" in the answer must be \(PluginProtocol.supported)")
            }
            guard answer["name"]?.string != nil, answer["version"]?.string != nil else {
                return .failure("the answer lacks \"name\" or \"version\"")
            }
            return .success(version)
        }
    }

    /// Returns the lights that the plugin has added by the time it answers a ping, after giving each light some time to
    /// report its state.
    private func lights(_ peer: PluginPeer) async -> [LightDescription] {
        _ = await peer.ask("ping", within: timing.answer)
        _ = await peer.wait(timing.answer) { messages, _ in
            let lights = Self.added(messages)
            return !lights.isEmpty && lights.allSatisfy { Self.state(of: $0.id, messages[...]) != nil }
        }
        return Self.added(await peer.messages)
    }

    private static func added(_ messages: [PluginMessage]) -> [LightDescription] {
        var lights: [LightDescription] = []
        for message in messages {
            switch message {
            case .added(let light):
                lights.removeAll { $0.id == light.id }
                lights.append(light)
            case .removed(let id): lights.removeAll { $0.id == id }
            case .state, .event, .answer, .request, .unknown, .refused: break
            }
        }
        return lights
    }

    private static func state(of light: LightID, _ messages: ArraySlice<PluginMessage>) -> LightReport? {
        var sum: LightReport?
        for case .state(light, let report, _) in messages {
            sum = sum ?? LightReport()
            sum?.merge(report)
        }
        return sum
    }

    private func order(_ peer: PluginPeer) async -> String? {
        var known: [LightID: LightDescription] = [:]
        for message in await peer.messages {
            switch message {
            case .added(let light): known[light.id] = light
            case .state(let light, let report, _):
                if let problem = fault(report.values, of: light, known[light]) { return problem }
            case .event(let light, let events):
                if let problem = fault(events, of: light, known[light]) { return problem }
            case .refused(let text, _): return text
            case .unknown(let method): return "it sent \(method), which isn't a message of the protocol"
            case .request(_, let method): return "it sent the request \(method); the host doesn't answer requests"
            case .removed, .answer: break
            }
        }
        return nil
    }

    private func fault(_ values: PropertyValues, of id: LightID, _ light: LightDescription?) -> String? {
        guard let light else { return "it reported values of \(id) before adding it" }
        let others = light.possible(values).others
        return others.isEmpty ? nil : "\(id): \(LightDescription.impossible(others))"
    }

    private func silent(_ peer: PluginPeer) async -> LightID? {
        let messages = await peer.messages
        return Self.added(messages).map(\.id).first { Self.state(of: $0, messages[...]) == nil }
    }

    private func refusal(_ peer: PluginPeer, _ method: String, _ params: JSONValue = [:]) async -> String? {
        switch await peer.ask(method, params, within: timing.answer) {
        case nil: "no answer within \(timing.answer.seconds)"
        case .success: nil
        case .failure(let failure): "it answered with error \(failure.code): \(failure.message)"
        }
    }

    private func refresh(_ peer: PluginPeer, _ lights: [LightID], _ method: String) async -> String? {
        let count = await peer.messages.count
        let ids = lights.map { JSONValue.string($0.rawValue) }
        if let problem = await refusal(peer, method, ["ids": .array(ids)]) { return problem }
        let isTold = await peer.wait(timing.answer) { messages, _ in
            lights.allSatisfy { Self.state(of: $0, messages[count...]) != nil }
        }
        return isTold ? nil : "not all lights reported their state within \(timing.answer.seconds)"
    }

    private func set(_ peer: PluginPeer, _ light: LightDescription, _ version: PluginProtocol) async -> String? {
        let before = Self.state(of: light.id, await peer.messages[...])
        if before?.reachable == false {
            return "\(light.id) is unreachable; connect it, or use a --config with another light"
        }
        let wishes = light.wishes(from: light.canonical(before?.values ?? PropertyValues()).values, version)
        for (index, wish) in wishes.enumerated() {
            let count = await peer.messages.count
            let params = version.params(of: wish, to: light, cause: Int64(index + 1))
            let method = version.method("set")
            if let problem = await refusal(peer, method, params) { return "\(params.text): \(problem)" }
            let isTold = await peer.wait(timing.answer) { messages, _ in
                guard let state = Self.state(of: light.id, messages[count...]) else { return false }
                var values = light.canonical(state.values).values
                light.kind.rules.complete(&values, over: { DeviceState(before?.values ?? PropertyValues()) })
                return wish.values.allSatisfy { property, value in
                    // Devices round and convert colors, so any reported color counts.
                    property.group.type == .hue
                        ? !values.members(of: property.group).isEmpty : values[property] == value
                }
            }
            if !isTold { return "\(params.text) was accepted, but not reported as the state" }
        }
        return nil
    }

    private func identify(_ peer: PluginPeer, _ light: LightID, _ method: String) async -> String? {
        switch await peer.ask(method, ["id": .string(light.rawValue)], within: timing.answer) {
        case nil:
            "no answer within \(timing.answer.seconds); answer with error -32004 if the light can't identify itself"
        // A light that can't identify itself answers with -32004, which isn't a fault.
        case .success: nil
        case .failure(let failure) where failure.code == -32004: nil
        case .failure(let failure): "it answered with error \(failure.code): \(failure.message)"
        }
    }

    private func unknown(_ peer: PluginPeer, _ method: String, _ more: JSONObject) async -> String? {
        var params = more
        params["id"] = "there is no such light"
        return await expect(peer, -32001, method, .object(params))
    }

    private func expect(_ peer: PluginPeer, _ code: Int, _ method: String, _ params: JSONValue) async -> String? {
        switch await peer.ask(method, params, within: timing.answer) {
        case nil: "no answer within \(timing.answer.seconds); answer with error \(code)"
        case .success: "it answered without an error; answer with error \(code)"
        case .failure(let failure):
            failure.code == code ? nil : "it answered with error \(failure.code); answer with error \(code)"
        }
    }

    private func garbage(_ peer: PluginPeer) async -> String? {
        for line in [
            "this is no JSON", "{}", "[1, 2", "null", "{\"jsonrpc\":\"2.0\"}", String(repeating: "x", count: 100_000),
        ] {
            await peer.write(line)
        }
        if let problem = await refusal(peer, "ping") {
            if let end = await peer.end { return "\(end); ignore invalid lines" }
            if let violation = await peer.violation {
                return "\(violation); ignore invalid lines without a response"
            }
            return "ping failed after invalid lines: \(problem)"
        }
        return nil
    }

    private func shutDown(_ peer: PluginPeer) async -> String? {
        guard case .success = await peer.ask("shutdown", within: timing.answer) else {
            return "it didn't answer shutdown with {} within \(timing.answer.seconds)"
        }
        let hasEnded = await peer.wait(timing.shutdown) { $1 != nil }
        return hasEnded ? nil : "it was still running \(timing.shutdown.seconds) after its answer to shutdown"
    }
}

extension LightDescription {
    /// The properties that a controller can write and read back.
    fileprivate var writable: [(property: Property, metadata: CharacteristicMetadata)] {
        properties.compactMap { property, part in
            part.metadata.flatMap { $0.permissions.isSuperset(of: [.pairedRead, .pairedWrite]) ? (property, $0) : nil }
        }
    }

    /// Returns commands that change one value each, followed by a command that restores the previous values.
    ///
    /// In version 1, only values of lights are changed, because plugins can't describe a fan's speeds.
    fileprivate func wishes(from before: PropertyValues, _ version: PluginProtocol) -> [LightCommand] {
        var wishes: [LightCommand] = []
        var last = PropertyValues()
        let tested: Set<CharacteristicType> = [.on, .brightness, .hue, .saturation, .colorTemperature]
        for (property, metadata) in writable where version != .version1 || tested.contains(property.type) {
            let former = before[property]
            last[property] = former ?? (property.type == .on ? .bool(false) : nil)
            var wish = PropertyValues()
            if property.type != .on { wish.on = kind.rules.power.map { _ in true } }
            switch property.type {
            case .saturation: continue
            case .hue: wish.color = .hueSaturation(hue: 240, saturation: 100)
            default: wish[property] = metadata.others(than: former).first { canonical($0, property) != former }
            }
            wishes.append(LightCommand(canonical(wish).values))
        }
        return wishes.filter { !$0.isEmpty } + [LightCommand(last)]
    }

    private func canonical(_ value: CharacteristicValue, _ property: Property) -> CharacteristicValue? {
        var values = PropertyValues()
        values[property] = value
        return canonical(values).values[property]
    }
}

extension CharacteristicMetadata {
    /// Returns the values to try in a command: values from the middle of the range first, then its limits.
    fileprivate func others(than former: CharacteristicValue?) -> [CharacteristicValue] {
        if format == .bool { return [.bool(former != .bool(true))] }
        guard let range else { return [] }
        return [0.6, 0.4, 1, 0].compactMap {
            clamped(.float(range.lowerBound + (range.upperBound - range.lowerBound) * $0))
        }
    }
}
