package import BoundedJSON
import LightKit
import LineRPC
package import Logging
import TerminalKit

/// What every plugin promises, as checks that any program can be put through: `lamplighter plugin test`.
package struct PluginContract: Sendable {
    /// One promise, and whether it was kept.
    package struct Check: Equatable, Sendable {
        package enum Outcome: String, Sendable {
            case passed, failed
            /// Nothing to check it with, which the remedy explains.
            case skipped
        }

        package let name: String
        package let outcome: Outcome
        /// What went wrong and what to do.
        package let remedy: String?
    }

    private let program: PluginProcess.Program
    private let hello: JSONValue
    private let timing: PluginTiming
    private let logger: Logger

    /// - Parameters:
    ///   - program: the plugin.
    ///   - config: what it gets in `hello`.
    ///   - stateDirectory: where it may keep files.
    ///   - timing: how long it is waited for.
    ///   - logger: gets what it writes to standard error.
    package init(
        _ program: PluginProcess.Program, config: JSONValue = [:], stateDirectory: String? = nil,
        timing: PluginTiming = PluginTiming(), logger: Logger
    ) {
        self.program = program
        self.timing = timing
        self.logger = logger
        var hello: JSONObject = ["protocol": 1, "host": .string(Version.current), "config": config]
        hello["state_dir"] = stateDirectory.map(JSONValue.string)
        self.hello = .object(hello)
    }

    /// Puts the plugin through all checks; each that can be made is made.
    ///
    /// - Parameter report: gets each check as it is made.
    /// - Returns: all checks.
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
        let problem = await greet(first)
        note("starts and answers hello", problem)
        guard problem == nil else {
            await first.kill()
            return checks
        }
        let lights = await lights(first)
        note("tells of its lights, and of a light before its state", await order(first))
        note(
            "tells each light's state",
            await silent(first).map {
                "no lights/state for \($0) within \(timing.answer.seconds) of hello; send one behind lights/added"
            })
        note("answers ping", await refusal(first, "ping"))
        let ids = lights.map(\.id)
        if let light = lights.first(where: { $0.kind != .sensor }) {
            note("answers lights/refresh, then tells the states", await refresh(first, ids))
            note("does what lights/set asks and tells the state", await set(first, light))
            note("answers lights/identify", await identify(first, light.id))
        } else if !lights.isEmpty {
            note("answers lights/refresh, then tells the states", await refresh(first, ids))
            for name in ["lights/set", "lights/identify"] {
                note("answers \(name)", "it has sensors only", isSkipped: true)
            }
        } else {
            let reason = "it has no lights; give it a --config with some"
            for name in ["lights/refresh", "lights/set", "lights/identify"] {
                note("answers \(name)", reason, isSkipped: true)
            }
        }
        note("refuses lights/set of a light that it does not have", await unknown(first, "lights/set", ["on": true]))
        note("refuses lights/identify of a light that it does not have", await unknown(first, "lights/identify", [:]))
        note("refuses a method that it does not know", await expect(first, -32601, "lamplighter/nothing", [:]))
        note("survives lines that are no message", await garbage(first))
        note("ends after shutdown", await shutDown(first))
        await first.kill()

        let second = PluginPeer(program, logger: logger)
        if let problem = await greet(second) {
            note("starts again", problem)
        } else {
            let again = Set(await self.lights(second).map(\.id))
            let missing = Set(ids).subtracting(again).map(\.rawValue).sorted()
            note(
                "has the same ids after a restart",
                missing.isEmpty
                    ? nil : "\(missing.joined(separator: ", ")) did not come back; take an id that the device keeps")
            await second.closeInput()
            let hasEnded = await second.wait(timing.answer) { $1 != nil }
            note(
                "ends when its standard input ends",
                hasEnded ? nil : "it still ran \(timing.answer.seconds) later; leave when reading returns nothing")
        }
        await second.kill()
        var violation = await first.violation
        if violation == nil { violation = await second.violation }
        note("writes nothing but messages", violation.map { "\($0); write to standard error what is for people" })
        return checks
    }

    // MARK: The checks; each returns what is wrong

    private func greet(_ peer: PluginPeer) async -> String? {
        switch await peer.ask("hello", hello, within: timing.hello) {
        case nil:
            if let end = await peer.end { return "\(end); run the command by hand and look" }
            if let violation = await peer.violation { return violation }
            return "no answer within \(timing.hello.seconds); write one line with the request's id, and flush"
        case .failure(let failure): return "it answered with the error \(failure.code): \(failure.message)"
        case .success(let answer):
            guard answer["protocol"]?.int == 1 else { return "the answer has no \"protocol\": 1" }
            guard answer["name"]?.string != nil, answer["version"]?.string != nil else {
                return "the answer has no \"name\" and \"version\""
            }
            return nil
        }
    }

    /// The lights that it tells of at once; those without a state have some time to get one.
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
            case .state, .answer, .request, .unknown, .refused: break
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
        var known: Set<LightID> = []
        for message in await peer.messages {
            switch message {
            case .added(let light): known.insert(light.id)
            case .state(let light, _, _) where !known.contains(light):
                return "the state of \(light) came before its lights/added"
            case .refused(let text, _): return text
            case .unknown(let method): return "it sent \(method), which is no message of the protocol"
            case .request(_, let method): return "it asked for \(method) with an id; the host answers no requests"
            case .removed, .state, .answer: break
            }
        }
        return nil
    }

    private func silent(_ peer: PluginPeer) async -> LightID? {
        let messages = await peer.messages
        return Self.added(messages).map(\.id).first { Self.state(of: $0, messages[...]) == nil }
    }

    private func refusal(_ peer: PluginPeer, _ method: String, _ params: JSONValue = [:]) async -> String? {
        switch await peer.ask(method, params, within: timing.answer) {
        case nil: "no answer within \(timing.answer.seconds)"
        case .success: nil
        case .failure(let failure): "it answered with the error \(failure.code): \(failure.message)"
        }
    }

    private func refresh(_ peer: PluginPeer, _ lights: [LightID]) async -> String? {
        let count = await peer.messages.count
        let ids = lights.map { JSONValue.string($0.rawValue) }
        if let problem = await refusal(peer, "lights/refresh", ["ids": .array(ids)]) { return problem }
        let isTold = await peer.wait(timing.answer) { messages, _ in
            lights.allSatisfy { Self.state(of: $0, messages[count...]) != nil }
        }
        return isTold ? nil : "not every light's state followed within \(timing.answer.seconds)"
    }

    private func set(_ peer: PluginPeer, _ light: LightDescription) async -> String? {
        let before = Self.state(of: light.id, await peer.messages[...])
        if before?.reachable == false {
            return "\(light.id) is unreachable; connect it, or give a --config with another"
        }
        var wishes = [LightCommand(on: !(before?.on ?? false))]
        if light.capabilities.brightness {
            wishes.append(LightCommand(on: true, brightness: before?.brightness == 60 ? 40 : 60))
        }
        if light.capabilities.color { wishes.append(LightCommand(color: .hueSaturation(hue: 240, saturation: 100))) }
        if let range = light.capabilities.temperature {
            wishes.append(LightCommand(color: .temperature(mired: range.upperBound)))
        }
        wishes.append(LightCommand(on: before?.on ?? false, brightness: before?.brightness, color: before?.color))
        for (index, wish) in wishes.enumerated() {
            let count = await peer.messages.count
            let params = wish.params(for: light.id, cause: Int64(index + 1))
            if let problem = await refusal(peer, "lights/set", params) { return "\(params.text): \(problem)" }
            let isTold = await peer.wait(timing.answer) { messages, _ in
                guard let state = Self.state(of: light.id, messages[count...]) else { return false }
                return (wish.on == nil || state.on == wish.on)
                    && (wish.brightness == nil || state.brightness == wish.brightness)
                    && (wish.color == nil || state.color != nil)
            }
            if !isTold { return "\(params.text) was accepted, and no lights/state with it followed" }
        }
        return nil
    }

    private func identify(_ peer: PluginPeer, _ light: LightID) async -> String? {
        switch await peer.ask("lights/identify", ["id": .string(light.rawValue)], within: timing.answer) {
        case nil: "no answer within \(timing.answer.seconds); answer -32004 if the light cannot show itself"
        // -32004 is an honest answer.
        case .success: nil
        case .failure(let failure) where failure.code == -32004: nil
        case .failure(let failure): "it answered with the error \(failure.code): \(failure.message)"
        }
    }

    private func unknown(_ peer: PluginPeer, _ method: String, _ more: JSONObject) async -> String? {
        var params = more
        params["id"] = "there is no such light"
        return await expect(peer, -32001, method, .object(params))
    }

    private func expect(_ peer: PluginPeer, _ code: Int, _ method: String, _ params: JSONValue) async -> String? {
        switch await peer.ask(method, params, within: timing.answer) {
        case nil: "no answer within \(timing.answer.seconds); answer with the error \(code)"
        case .success: "it said yes; answer with the error \(code)"
        case .failure(let failure): failure.code == code ? nil : "the error was \(failure.code); answer with \(code)"
        }
    }

    private func garbage(_ peer: PluginPeer) async -> String? {
        for line in [
            "this is no JSON", "{}", "[1, 2", "null", "{\"jsonrpc\":\"2.0\"}", String(repeating: "x", count: 100_000),
        ] {
            await peer.write(line)
        }
        if let problem = await refusal(peer, "ping") {
            if let end = await peer.end { return "\(end); pass over what is no request" }
            if let violation = await peer.violation {
                return "\(violation); pass over what is no request, without a word"
            }
            return "afterwards ping: \(problem)"
        }
        return nil
    }

    private func shutDown(_ peer: PluginPeer) async -> String? {
        guard case .success = await peer.ask("shutdown", within: timing.answer) else {
            return "shutdown was not answered with {} within \(timing.answer.seconds)"
        }
        let hasEnded = await peer.wait(timing.shutdown) { $1 != nil }
        return hasEnded ? nil : "it still ran \(timing.shutdown.seconds) after its answer, when the bridge would end it"
    }
}
