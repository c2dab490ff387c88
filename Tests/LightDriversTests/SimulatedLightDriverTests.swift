import DeviceKit
import FoundationEssentials
import HAPModel
import HAPTesting
import Logging
import Synchronization
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The simulated driver", .timeout)
struct SimulatedLightDriverTests {
    static func configuration(_ lights: String) throws -> SimulatedDriverConfiguration {
        try JSONDecoder().decode(SimulatedDriverConfiguration.self, from: Data("{\"lights\": [\(lights)]}".utf8))
    }

    static func driver(_ lights: String) throws -> SimulatedLightDriver {
        SimulatedLightDriver(configuration: try configuration(lights), logger: Logger(label: "test"))
    }

    /// Runs a driver during a test's body.
    static func running(
        _ driver: some LightDriver, host: RecordingLightHost = RecordingLightHost(),
        _ body: (RecordingLightHost) async throws -> Void
    ) async throws {
        let run = Task { try await driver.run(host: host) }
        try #require(await host.wait { $0.contains(.state(.running)) })
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(host))
        } catch {
            result = .failure(error)
        }
        run.cancel()
        _ = await run.result
        try result.get()
    }

    @Test("meets the driver contract", arguments: ["push", "none"])
    func contract(report: String) async throws {
        let contract = DriverContract(goodLight: "good", lostLight: "lost", silentLight: "silent") {
            try Self.driver(
                """
                {"id": "good", "brightness": true, "color": true, "temperature": true, "latency": "5ms"},
                {"id": "lost", "fail": "unreachable"}, {"id": "silent", "fail": "silent", "report": "\(report)"}
                """)
        }
        #expect(try await contract.violations() == [])
    }

    @Test("fails the contract if the commanded state isn't reported")
    func contractCanFail() async throws {
        let contract = DriverContract(goodLight: "mute", timeout: .milliseconds(50)) {
            try Self.driver(#"{"id": "mute", "report": "none"}"#)
        }
        #expect(try await !contract.violations().isEmpty)
    }

    @Test("adds a light with its capabilities and reports its state")
    func startsUp() async throws {
        let driver = try Self.driver(#"{"id": "a", "name": "A lamp", "brightness": true, "temperature": true}"#)
        try await Self.running(driver) { host in
            guard case .added(let light) = host.calls.first else {
                Issue.record("the first call doesn't add a light")
                return
            }
            #expect(light.name == "A lamp")
            #expect(light.capabilities == LightCapabilities(brightness: true, temperature: 153...500))
            #expect(
                host.state(of: "a")
                    == LightReport(on: false, brightness: 100, color: .temperature(mired: 250), reachable: true))
        }
    }

    @Test("restores the bridge's last state after a restart")
    func restarts() async throws {
        let driver = try Self.driver(#"{"id": "a", "brightness": true}"#)
        let known = LightReport(
            on: true, brightness: 40, color: .hueSaturation(hue: 1, saturation: 2), reachable: false)
        try await Self.running(driver, host: RecordingLightHost(known: ["a": known])) { host in
            #expect(host.state(of: "a") == LightReport(on: true, brightness: 40, reachable: true))
        }
    }

    @Test("removes a light that is no longer configured")
    func removes() async throws {
        let host = RecordingLightHost(known: ["a": LightReport(on: true), "gone": LightReport(on: true)])
        try await Self.running(try Self.driver(#"{"id": "a"}"#), host: host) { host in
            #expect(host.calls.filter { if case .removed = $0 { true } else { false } } == [.removed("gone")])
        }
    }

    @Test("applies a command without suspending if the light has no latency")
    func doesNotSuspend() async throws {
        let driver = try Self.driver(#"{"id": "a"}"#)
        let isDone = Mutex(false)
        let command = Task.immediate {
            try await driver.apply(LightCommand(on: true), to: "a")
            isDone.withLock { $0 = true }
        }
        // An immediate task runs up to its first suspension within this call.
        #expect(isDone.withLock { $0 })
        try await command.value
    }

    @Test("fails every third command")
    func failsSometimes() async throws {
        let driver = try Self.driver(#"{"id": "a", "brightness": true, "fail": "every 3"}"#)
        try await Self.running(driver) { host in
            try await driver.apply(LightCommand(brightness: 1), to: "a")
            try await driver.apply(LightCommand(brightness: 2), to: "a")
            await #expect(throws: LightError.refused("simulated failure")) {
                try await driver.apply(LightCommand(brightness: 3), to: "a")
            }
            try await driver.apply(LightCommand(on: true), to: "a")
            #expect(await host.wait(for: "a") { $0.on == true && $0.brightness == 2 })
        }
    }

    @Test("rejects commands that the light doesn't support")
    func refusesCommands() async throws {
        let driver = try Self.driver(#"{"id": "a", "brightness": true}"#)
        try await Self.running(driver) { host in
            for command in [
                LightCommand(on: true, brightness: 101), LightCommand(on: true, color: .temperature(mired: 200)),
            ] {
                await #expect(throws: LightError.self) { try await driver.apply(command, to: "a") }
            }
            #expect(host.state(of: "a")?.on == false && host.state(of: "a")?.brightness == 100)
        }
    }

    @Test("reports a transition in steps")
    func steps() async throws {
        let driver = try Self.driver(
            #"{"id": "a", "brightness": true, "transition": "20ms", "report": "stepped"}"#)
        try await Self.running(driver) { host in
            try await driver.apply(LightCommand(on: true, brightness: 50), to: "a")
            #expect(await host.wait(for: "a") { $0.on == true && $0.brightness == 50 })
            let steps = host.calls.compactMap { call in
                if case .report("a", let report) = call { report.brightness } else { nil }
            }
            #expect(steps.first == 100 && steps.last == 50)
            #expect(steps.dropFirst().contains { $0 > 50 })
            #expect(steps == steps.sorted(by: >))
        }
    }

    @Test("moves a cover over time, and stops it on the way")
    func cover() async throws {
        let driver = try Self.driver(#"{"id": "a", "kind": "cover", "tilt": true, "transition": "500ms"}"#)
        try await Self.running(driver) { host in
            var command = LightCommand()
            command.targetPosition = 100
            command.targetTilt = 45
            try await driver.apply(command, to: "a")
            #expect(await host.wait(for: "a") { $0.position == 100 && $0.motion == .stopped })
            #expect(host.state(of: "a")?.tilt == 45)
            let way = host.calls.compactMap { call in
                if case .report("a", let report) = call { report } else { nil }
            }
            #expect(way.contains { (1...99).contains($0.position ?? 0) && $0.motion == .opening })
            #expect(way.compactMap(\.position) == way.compactMap(\.position).sorted())
            command = LightCommand()
            command.targetPosition = 0
            try await driver.apply(command, to: "a")
            var stop = LightCommand()
            stop.values[Property(.holdPosition)] = .bool(true)
            try await driver.apply(stop, to: "a")
            #expect(await host.wait(for: "a") { $0.motion == .stopped })
            #expect(host.state(of: "a")?.position != 0)
        }
    }

    @Test("ends a transition when the light is operated by hand")
    func knobEndsTransition() async throws {
        let driver = try Self.driver(
            """
            {"id": "a", "brightness": true, "transition": "50ms", "report": "stepped"},
            {"id": "b", "brightness": true, "transition": "60ms", "report": "stepped"}
            """)
        try await Self.running(driver) { host in
            try await driver.apply(LightCommand(on: true, brightness: 1), to: "a")
            try await driver.simulate(LightReport(brightness: 77), of: "a")
            // A transition that starts later and takes longer ends later.
            try await driver.apply(LightCommand(on: true, brightness: 1), to: "b")
            #expect(await host.wait(for: "b") { $0.brightness == 1 })
            #expect(host.state(of: "a")?.brightness == 77)
        }
    }

    @Test("marks only changes made at the light as spontaneous")
    func spontaneous() async throws {
        let driver = try Self.driver(#"{"id": "a"}"#)
        try await Self.running(driver) { host in
            try await driver.apply(LightCommand(on: true), to: "a")
            try await driver.simulate(LightReport(on: false), of: "a")
            var knob = LightReport(on: false)
            knob.isSpontaneous = true
            #expect(host.calls.suffix(2) == [.report("a", LightReport(on: true)), .report("a", knob)])
        }
    }

    @Test("merges the waiting reports of each light, in the order of the lights")
    func outbox() {
        var outbox = ReportOutbox()
        outbox.add(LightReport(on: true, brightness: 3), from: "b")
        outbox.add(LightReport(on: true), from: "a")
        outbox.add(LightReport(brightness: 4), from: "b")
        #expect(!outbox.isEmpty)
        let taken = outbox.takeAll()
        #expect(taken.ticket == 3)
        #expect(taken.reports.map(\.0) == ["b", "a"])
        #expect(taken.reports.map(\.1) == [LightReport(on: true, brightness: 4), LightReport(on: true)])
        #expect(outbox.isEmpty && outbox.takeAll().reports.isEmpty)
    }

    @Test("keeps the order of reports")
    func order() async throws {
        let driver = try Self.driver(#"{"id": "a", "brightness": true}"#)
        let host = SlowHost()
        let run = Task { try await driver.run(host: host) }
        try await eventually("the driver runs") { host.isRunning }
        host.hold()
        let knob = Task { try await driver.simulate(LightReport(brightness: 10), of: "a") }
        try await eventually("the first report is on its way") { host.held == 1 }
        // An immediate task runs up to its first suspension.
        let command = Task.immediate { try await driver.apply(LightCommand(brightness: 20), to: "a") }
        #expect(host.held == 1, "the second report must wait")
        host.release()
        try await knob.value
        try await command.value
        try await eventually("both have arrived") { host.brightness.count == 2 }
        #expect(host.brightness == [10, 20])
        run.cancel()
        _ = await run.result
    }

    @Test("releases all callers when the driver stops")
    func stops() async throws {
        let driver = try Self.driver(#"{"id": "a", "brightness": true}"#)
        let host = SlowHost()
        let run = Task { try await driver.run(host: host) }
        try await eventually("the driver runs") { host.isRunning }
        host.hold()
        let first = Task { try await driver.simulate(LightReport(brightness: 10), of: "a") }
        try await eventually("the first report is on its way") { host.held == 1 }
        run.cancel()
        // An immediate task runs up to its first suspension, so this change is already waiting, after the first change.
        let second = Task.immediate { try await driver.simulate(LightReport(brightness: 20), of: "a") }
        host.release(goOn: true)
        try await first.value
        try await eventually("the second report is on its way") { host.held == 1 }
        let third = Task.immediate { try await driver.simulate(LightReport(brightness: 30), of: "a") }
        host.release()
        try await second.value
        await #expect(throws: SimulatedLightDriver.SimulationError.notRunning) { try await third.value }
        _ = await run.result
    }

    @Test("reports a simulated change before the call returns")
    func simulates() async throws {
        let driver = try Self.driver(#"{"id": "a", "brightness": true}"#)
        try await Self.running(driver) { host in
            try await driver.simulate(LightReport(on: true, brightness: 3), of: "a")
            #expect(host.state(of: "a")?.brightness == 3)
            try await driver.simulate(LightReport(reachable: false), of: "a")
            #expect(host.state(of: "a")?.reachable == false)
            await #expect(throws: LightError.unreachable) { try await driver.apply(LightCommand(on: false), to: "a") }
        }
    }

    @Test(
        "refuses to simulate impossible values",
        arguments: [
            ("b", LightReport(on: true)), ("a", LightReport(brightness: 0)), ("a", LightReport(brightness: 101)),
            ("a", LightReport(color: .temperature(mired: 300))),
            ("a", LightReport(color: .hueSaturation(hue: .nan, saturation: 0))),
        ] as [(LightID, LightReport)])
    func refusesImpossible(light: LightID, change: LightReport) async throws {
        let driver = try Self.driver(#"{"id": "a", "brightness": true}"#)
        try await Self.running(driver) { host in
            let before = host.calls.count
            await #expect(throws: SimulatedLightDriver.SimulationError.self) {
                try await driver.simulate(change, of: light)
            }
            #expect(host.calls.count == before)
        }
    }

    @Test("simulates a fan and a sensor")
    func fanAndSensor() async throws {
        let text = """
            {"id": "fan", "kind": "fan", "speed": true, "direction": true, "oscillation": true},
            {"id": "hall", "kind": "sensor", "readings": ["motion", "temperature"]}
            """
        let driver = try Self.driver(text)
        try await Self.running(driver) { host in
            var command = LightCommand(on: true)
            command.speed = 40
            command.direction = .counterclockwise
            command.oscillates = true
            try await driver.apply(command, to: "fan")
            let fan = host.state(of: "fan")
            #expect(fan?.on == true && fan?.speed == 40 && fan?.direction == .counterclockwise)
            #expect(fan?.oscillates == true)
            await #expect(throws: LightError.self) { try await driver.apply(LightCommand(on: true), to: "hall") }
            try await driver.simulate(
                LightReport(readings: [.motion: .flag(true), .temperature: .number(21.5)]), of: "hall")
            #expect(host.state(of: "hall")?.readings == [.motion: .flag(true), .temperature: .number(21.5)])
            for (change, problem) in [
                (LightReport(readings: [.leak: .flag(true)]), "this sensor has no leak"),
                (LightReport(on: true), "this sensor has no on"),
            ] {
                await #expect(throws: SimulatedLightDriver.SimulationError.impossible(problem)) {
                    try await driver.simulate(change, of: "hall")
                }
            }
        }
    }

    @Test("presses the buttons of a remote and of an outlet")
    func buttons() async throws {
        let text = """
            {"id": "remote", "kind": "button", "buttons": ["top", "bottom"], "doorbell": true},
            {"id": "push", "kind": "button"}, {"id": "plug", "kind": "outlet", "buttons": ["side"]}
            """
        let driver = try Self.driver(text)
        try await Self.running(driver) { host in
            for (light, name, button) in [
                ("remote", "press#top", PushButton(id: "top", name: "top", isDoorbell: true)),
                ("push", "press", PushButton(id: "1", name: "1")),
                ("plug", "press", PushButton(id: "side", name: "side")),
            ] {
                let before = host.calls.count
                try await driver.simulate(press(name, .single), of: LightID(light))
                #expect(Array(host.calls.dropFirst(before)) == [.occurred(LightID(light), button.events(.single))])
            }
            for (change, problem) in [
                (press("press", .single), "use one of press#top, press#bottom"),
                (press("press#middle", .single), "use one of press#top, press#bottom"),
            ] {
                await #expect(throws: SimulatedLightDriver.SimulationError.impossible(problem)) {
                    try await driver.simulate(change, of: "remote")
                }
            }
            // A press and a state in the same report are applied together.
            var change = press("press", .long)
            change.on = true
            try await driver.simulate(change, of: "plug")
            #expect(host.state(of: "plug")?.on == true)
            #expect(host.calls.last == .occurred("plug", PushButton(id: "side", name: "side").events(.long)))
        }
    }

    private func press(_ name: String, _ press: ButtonPress) -> LightReport {
        let parts = name.split(separator: "#", maxSplits: 1)
        var report = LightReport()
        let value = Int64(ButtonPress.allCases.firstIndex(of: press) ?? 0)
        let property = Property(.programmableSwitchEvent, of: parts.count > 1 ? String(parts[1]) : nil)
        report.values[property] = .integer(value)
        return report
    }

    @Test("refuses to simulate without a running driver")
    func refusesWhenStopped() async throws {
        let driver = try Self.driver(#"{"id": "a"}"#)
        await #expect(throws: SimulatedLightDriver.SimulationError.notRunning) {
            try await driver.simulate(LightReport(on: true), of: "a")
        }
    }

    @Test(
        "rejects invalid values with a remedy",
        arguments: [
            (#"{"id": ""}"#, "1 to 255 bytes"), (#"{"id": "a\n"}"#, "control characters"),
            (#"{"id": "a"}, {"id": "a"}"#, "give each light a different id"),
            (#"{"id": "a", "kind": "fen"}"#, "use light, switch, outlet, fan"),
            (#"{"id": "a", "kind": "sensor"}"#, "such as readings: [motion, temperature]"),
            (#"{"id": "a", "kind": "sensor", "readings": ["noise"]}"#, "choose from motion, contact"),
            (#"{"id": "a", "readings": ["motion"]}"#, "set kind to sensor"),
            (#"{"id": "a", "kind": "sensor", "readings": ["motion"], "speed": true}"#, "set kind to fan"),
            (#"{"id": "a", "kind": "switch", "brightness": true}"#, "set kind to light"),
            (#"{"id": "a", "kind": "button", "buttons": []}"#, "buttons: [top, bottom]"),
            (#"{"id": "a", "kind": "button", "buttons": ["b", "b"]}"#, "buttons: [top, bottom]"),
            (#"{"id": "a", "buttons": ["a#b"]}"#, "buttons: [top, bottom]"),
            (#"{"id": "a", "kind": "outlet", "doorbell": true}"#, "set kind to button"),
            (#"{"id": "a", "latency": "5"}"#, "use a number with its unit"),
            (#"{"id": "a", "latency": 5}"#, "use a number with its unit"),
            (#"{"id": "a", "fail": "every 0"}"#, "use never, unreachable, silent, or a form such as every 3"),
            (#"{"id": "a", "fail": 3}"#, "use never, unreachable, silent, or a form such as every 3"),
            (#"{"id": "a", "report": "loud"}"#, "use push, stepped or none"),
        ])
    func refusesMistakes(lights: String, remedy: String) throws {
        let error = try #require(throws: ConfigurationProblem.self) { try Self.configuration(lights) }
        #expect(error.remedy.contains(remedy))
    }

    @Test("gives each driver in the catalog a different name")
    func catalogue() {
        let names = DriverCatalog.drivers.map { $0.driverName }
        #expect(Set(names).count == names.count)
        #expect(names.prefix(2) == ["simulated", "mqtt"])
    }
}

/// A host that can hold reports.
private final class SlowHost: LightHost {
    private struct State {
        var isRunning = false
        var isHolding = false
        var held: [CheckedContinuation<Void, Never>] = []
        var brightness: [Int] = []
    }

    private let state = Mutex(State())

    var isRunning: Bool { state.withLock { $0.isRunning } }
    /// The number of held reports.
    var held: Int { state.withLock { $0.held.count } }
    /// The brightness values that have arrived since the host began to hold reports.
    var brightness: [Int] { state.withLock { $0.brightness } }

    /// Holds all reports from now on.
    func hold() {
        state.withLock { state in
            state.isHolding = true
            state.brightness = []
        }
    }

    /// Delivers the held reports.
    ///
    /// Continues to hold later reports only if `goOn` is true.
    func release(goOn: Bool = false) {
        let held = state.withLock { state in
            state.isHolding = goOn
            defer { state.held = [] }
            return state.held
        }
        for report in held { report.resume() }
    }

    func report(_ report: LightReport, from light: LightID) async {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHolding { state.held.append(continuation) }
                return state.isHolding
            }
            if !isHeld { continuation.resume() }
        }
        guard let brightness = report.brightness else { return }
        state.withLock { $0.brightness.append(brightness) }
    }

    func report(_ reports: [(light: LightID, report: LightReport)]) async {
        for (light, report) in reports { await self.report(report, from: light) }
    }

    func report(_ driver: DriverState) async { state.withLock { $0.isRunning = driver == .running } }
    func added(_ light: LightDescription) async {}
    func removed(_ light: LightID) async {}
    func lastKnown(_ light: LightID) async -> LightReport? { nil }
    func knownLights() async -> [LightID] { [] }
    func warn(_ warning: String?, about subject: String) async {}
}
