import BoundedJSON
import DeviceKit
import HAPModel
import LineRPC
import TestTimeouts
import Testing

@testable import LightPlugins

@Suite("PluginMachine", .timeout)
struct PluginMachineTests {
    typealias Action = PluginMachine.Action

    private func machine() -> PluginMachine { PluginMachine(name: "p", hello: ["protocol": 1], timing: PluginTiming()) }

    private func sent(_ id: Int64, _ method: String, _ params: JSONValue = [:]) -> Action {
        .send(.request(id: .integer(id), method: method, params: params))
    }

    private func light(_ id: LightID, _ capabilities: LightCapabilities = LightCapabilities(brightness: true))
        -> LightDescription
    {
        LightDescription(id: id, name: id.rawValue, kind: .light, capabilities: capabilities)
    }

    private func yes(_ id: Int64, _ result: JSONValue = [:]) -> PluginMessage { .answer(id: id, .success(result)) }

    /// Returns a machine whose plugin has started and added the given lights at time 0.
    private func running(_ ids: LightID..., capabilities: JSONValue = []) -> PluginMachine {
        var machine = machine()
        _ = machine.timePassed(now: .zero)
        _ = machine.received(yes(1, ["protocol": 1, "capabilities": capabilities]), now: .zero)
        for id in ids {
            _ = machine.received(.added(light(id)), now: .zero)
            _ = machine.received(.state(id, LightReport(on: false, reachable: true), cause: nil), now: .zero)
        }
        #expect(machine.received(yes(2), now: .zero) == [.state(.running)])
        return machine
    }

    @Test("begins with hello, a ping and a query of missing states")
    func begins() {
        var machine = machine()
        #expect(machine.deadline == .zero)
        #expect(machine.timePassed(now: .zero) == [.start, sent(1, "hello", ["protocol": 1])])
        #expect(machine.deadline == .seconds(15))
        #expect(machine.received(yes(1, ["protocol": 1]), now: .seconds(1)) == [sent(2, "ping")])
        #expect(machine.received(.added(light("a")), now: .seconds(1)) == [.added(light("a"))])
        #expect(machine.received(.added(light("a")), now: .seconds(1)) == [])
        #expect(
            machine.received(yes(2), now: .seconds(2)) == [sent(3, "lights/refresh", ["ids": ["a"]]), .state(.running)])
        #expect(machine.received(yes(3), now: .seconds(3)) == [])
        #expect(machine.timePassed(now: .seconds(32)) == [sent(4, "ping")])
    }

    @Test(
        "ends a plugin after an error, marks its lights as unreachable, and restarts it after a pause",
        arguments: [
            ("garbage", "it wrote a line"), ("silence", "it didn't answer ping within 5 s"),
        ])
    func ends(how: String, reason: String) {
        var machine = running("a", "b")
        let ticket = machine.set(LightCommand(on: true), "a", ticket: 7, now: .zero)
        #expect(ticket == [sent(3, "lights/set", ["id": "a", "on": true, "cause": 3])])
        var now = Duration.seconds(1)
        var actions: [Action]
        if how == "silence" {
            _ = machine.received(yes(3), now: now)
            _ = machine.timePassed(now: .seconds(30))
            now = .seconds(35)
            actions = machine.timePassed(now: now)
        } else {
            actions = machine.failed("it wrote a line", now: now)
            #expect(actions.contains(.answer(ticket: 7, .unreachable)))
            actions.removeAll { $0 == .answer(ticket: 7, .unreachable) }
        }
        #expect(
            actions == [
                .end, .report("a", LightReport(reachable: false)), .report("b", LightReport(reachable: false)),
                .failed(reason, retry: .seconds(1)),
                .state(.degraded("plugin p: \(reason); it restarts in 1 s")),
            ])
        #expect(machine.failed("again", now: now) == [])
        #expect(machine.set(LightCommand(on: true), "a", ticket: 8, now: now) == [.answer(ticket: 8, .unreachable)])
        #expect(machine.timePassed(now: now + .milliseconds(999)) == [])
        #expect(machine.timePassed(now: now + .seconds(1)).first == .start)
        // The restarted plugin adds the same light, so only its state is reported.
        _ = machine.received(yes(how == "silence" ? 5 : 4, ["protocol": 1]), now: now)
        #expect(machine.received(.added(light("a")), now: now) == [])
        let back = LightReport(on: true, reachable: true)
        #expect(machine.received(.state("a", back, cause: nil), now: now) == [.report("a", back)])
    }

    @Test(
        "ends a plugin that gives an invalid answer to hello",
        arguments: [
            (.failure(RPCFailure(code: -32000, message: "no lamp")), "it refused hello: no lamp"),
            (.success([:]), "it doesn't support protocol 1 or 2"),
            (.success(["protocol": 3]), "it doesn't support protocol 1 or 2"),
        ] as [(Result<JSONValue, RPCFailure>, String)])
    func greeting(answer: Result<JSONValue, RPCFailure>, reason: String) {
        var machine = machine()
        _ = machine.timePassed(now: .zero)
        #expect(machine.received(.answer(id: 1, answer), now: .zero).contains(.failed(reason, retry: .seconds(1))))
    }

    @Test("ends a plugin that adds lights before it answers hello, or doesn't answer within 15 s")
    func early() {
        var machine = machine()
        _ = machine.timePassed(now: .zero)
        var other = machine
        #expect(
            machine.received(.added(light("a")), now: .zero)
                .contains(.failed("it sent messages before it answered hello", retry: .seconds(1))))
        #expect(
            other.timePassed(now: .seconds(15)).contains(
                .failed("it didn't answer hello within 15 s", retry: .seconds(1))))
    }

    @Test("restarts after 1, 2, 4 ... 60 s, and gives up after the fifth failure within ten minutes")
    func restarts() {
        var restarts = PluginRestarts(PluginTiming())
        #expect(
            (0..<5).map { restarts.failed(after: .seconds(1), now: .seconds($0)) } == [
                .seconds(1), .seconds(2), .seconds(4), .seconds(8), nil,
            ])
        restarts = PluginRestarts(PluginTiming())
        let pauses = (0..<9).map { restarts.failed(after: .seconds(150), now: .seconds($0 * 151)) }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
        #expect(restarts.failed(after: .seconds(600), now: .seconds(3000)) == .seconds(1))
    }

    @Test("sends at most four commands at once, one per light, merges waiting commands, and drops canceled ones")
    func sets() {
        var machine = running("a", "b", "c", "d", "e", "f")
        for (ticket, light) in (["a", "b", "c", "d"] as [LightID]).enumerated() {
            #expect(machine.set(LightCommand(on: true), light, ticket: ticket, now: .zero).count == 1)
        }
        #expect(machine.set(LightCommand(on: true), "e", ticket: 4, now: .zero) == [])
        #expect(machine.set(LightCommand(brightness: 30), "e", ticket: 5, now: .zero) == [])
        #expect(machine.set(LightCommand(on: true), "f", ticket: 6, now: .zero) == [])
        #expect(machine.set(LightCommand(on: false), "a", ticket: 7, now: .zero) == [])
        machine.cancelled(ticket: 6)
        #expect(
            machine.received(.answer(id: 4, .failure(RPCFailure(code: -32003, message: ""))), now: .zero) == [
                .answer(ticket: 1, .busy),
                sent(7, "lights/set", ["id": "e", "on": true, "brightness": 30, "cause": 7]),
            ])
        #expect(machine.received(yes(7), now: .zero) == [.answer(ticket: 4, nil), .answer(ticket: 5, nil)])
        #expect(machine.received(yes(3), now: .zero).count == 2, "the next request for the light is sent")
    }

    @Test("marks a light as unreachable after an unanswered command, and accepts a late answer")
    func late() {
        var machine = running("a")
        _ = machine.set(LightCommand(on: true), "a", ticket: 1, now: .zero)
        #expect(machine.deadline == .seconds(3))
        #expect(
            machine.timePassed(now: .seconds(3)) == [
                .answer(ticket: 1, .unreachable), .report("a", LightReport(reachable: false)),
                sent(4, "lights/refresh", ["ids": ["a"]]),
            ])
        #expect(machine.received(yes(3), now: .seconds(4)) == [.report("a", LightReport(reachable: true))])
        #expect(machine.received(yes(3), now: .seconds(4)) == [])
    }

    @Test("marks changes as spontaneous only if the plugin reports causes")
    func causes() {
        for knows in [true, false] {
            var machine = running("a", capabilities: knows ? ["cause"] : [])
            var report = LightReport(on: true)
            #expect(machine.received(.state("a", report, cause: 3), now: .zero) == [.report("a", report)])
            report.isSpontaneous = knows
            #expect(
                machine.received(.state("a", LightReport(on: true), cause: nil), now: .zero) == [.report("a", report)])
        }
    }

    @Test("drops values that the light doesn't support, and warns once")
    func beyond() {
        var machine = running("a")
        let text = "plugin p: it sent values that its description doesn't allow: ColorTemperature"
        let state = PluginMessage.state("a", LightReport(on: true, color: .temperature(mired: 200)), cause: nil)
        #expect(machine.received(state, now: .zero) == [.warn(text, about: "a"), .report("a", LightReport(on: true))])
        #expect(machine.received(state, now: .zero) == [.report("a", LightReport(on: true))])
        #expect(machine.failed("x", now: .zero).contains(.warn(nil, about: "a")))
    }

    @Test("sends HAP's names and numbers to a plugin of version 2, and accepts its values and events")
    func version2() {
        let fan = LightDescription(
            id: "f", name: "Fan", kind: .fan,
            functions: [
                AccessoryFunction(.fanv2, [.active: .integer(0), .rotationSpeed: .float(0)]),
                AccessoryFunction(.temperatureSensor, [.currentTemperature: .float(0)]),
                AccessoryFunction(.statelessProgrammableSwitch, id: "left", [.programmableSwitchEvent: .integer(0)]),
            ])
        var machine = machine()
        _ = machine.timePassed(now: .zero)
        _ = machine.received(yes(1, ["protocol": 2]), now: .zero)
        _ = machine.received(.added(fan), now: .zero)
        #expect(
            machine.received(yes(2), now: .zero) == [sent(3, "devices/refresh", ["ids": ["f"]]), .state(.running)])
        var command = LightCommand(on: true)
        command.speed = 40
        #expect(
            machine.set(command, "f", ticket: 1, now: .zero) == [
                sent(4, "devices/set", ["id": "f", "values": ["Active": 1, "RotationSpeed": 40.0], "cause": 4])
            ])
        #expect(
            machine.identify("f", ticket: 2, now: .zero) == [sent(5, "devices/identify", ["id": "f"])])

        var state = LightReport(reachable: true)
        state.values[.currentTemperature] = 21.5
        state.values[.brightness] = 3
        var expected = LightReport(on: true, reachable: true)
        expected.values[Property(.on)] = .integer(1)
        expected.values[.currentTemperature] = 21.5
        state.values[Property(.active)] = .integer(1)
        let text = "plugin p: it sent values that its description doesn't allow: "
        #expect(
            machine.received(.state("f", state, cause: nil), now: .zero) == [
                .warn("\(text)Brightness", about: "f"), .report("f", expected),
            ])

        var press = PropertyValues()
        press[Property(.programmableSwitchEvent, of: "left")] = .integer(0)
        for _ in 0..<2 {
            #expect(machine.received(.event("f", press), now: .zero) == [.event("f", press)])
        }
        press[Property(.programmableSwitchEvent, of: "left")] = .integer(7)
        #expect(machine.received(.event("f", press), now: .zero) == [])
        #expect(
            machine.received(.event("g", press), now: .zero)
                == [.warn("plugin p: it sent an event of a device that it hasn't added", about: "g")])
    }

    @Test("rejects states and commands for lights that weren't added")
    func unknown() {
        var machine = running()
        #expect(machine.set(LightCommand(on: true), "x", ticket: 1, now: .zero) == [.answer(ticket: 1, .unknownLight)])
        #expect(machine.identify("x", ticket: 2, now: .zero) == [.answer(ticket: 2, .unknownLight)])
        #expect(
            machine.received(.state("x", LightReport(on: true), cause: nil), now: .zero)
                == [.warn("plugin p: it sent the state of a light that it hasn't added", about: "x")])
        #expect(machine.received(.removed("x"), now: .zero) == [])
        #expect(
            machine.received(.request(.integer(1), method: "x"), now: .zero) == [
                .send(.failure(id: .integer(1), .methodNotFound("x")))
            ])
    }

    @Test("limits the numbers of lights and warnings")
    func bounded() {
        var machine = running()
        var added = 0
        var warnings = 0
        for number in 0..<1000 {
            for action in machine.received(.added(light(LightID("\(number)"))), now: .zero)
                + machine.received(.unknown(method: "\(number)"), now: .zero)
            {
                if case .added = action { added += 1 }
                if case .warn = action { warnings += 1 }
            }
        }
        #expect(added == 256)
        #expect(warnings == 20)
    }
}
