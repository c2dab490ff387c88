import AccessoryRole
import BoundedJSON
import DeviceBridge
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

/// A random sequence of actions on one lamp.
///
/// Two controllers write without waiting, and a third controller observes. The light reports arbitrary values. Its
/// driver accepts commands, refuses them, delays its answers or stops responding.
private struct Course {
    /// On, Brightness, Hue, Saturation and color temperature, as numbers.
    typealias Values = [UInt64: Double]

    static let parts: [UInt64] = [9, 10, 11, 12, 13]

    let house: House
    /// The controllers; the last one only observes.
    var controllers: [TestController] = []
    /// The values that each controller has written, by request.
    var written: [[Values]] = [[], [], []]
    var start: Values = [:]
    /// The steps so far, for a failure's message.
    var trace: [String] = []
    var description = LightDescription.lamp
    private var random: SeededNumbers
    private let removes: Bool

    init(seed: UInt64) async throws {
        random = SeededNumbers(seed: seed)
        removes = seed % 2 == 1
        house = try await House()
        await house.report(LightReport(on: false, brightness: 40, color: .temperature(mired: 300), reachable: true))
        for _ in 0..<3 {
            let controller = try await house.session()
            _ = try await controller.write(
                Self.parts.map { #"{"aid":2,"iid":\#($0),"ev":true}"# }.joined(separator: ","))
            await controller.forgetArrivals()
            controllers.append(controller)
        }
        start = await shown()
    }

    /// The values that reads return.
    func shown() async -> Values {
        var values: Values = [:]
        for iid in Self.parts {
            guard let value = await house.value(2, iid) else { continue }
            values[iid] = value.bool.map { $0 ? 1 : 0 } ?? value.number
        }
        return values
    }

    mutating func step() async throws {
        switch number(below: 19) {
        case 0..<8: try await write(as: number(below: 2))
        case 8..<11:
            let report = report()
            trace.append("the light says \(report)")
            await house.bridge.host.report(report, from: "lamp")
        case 11..<13:
            let time = one(of: [100, 400, 1100, 2100])
            trace.append("\(time) ms")
            await house.advance(.milliseconds(time))
        case 13..<15:
            let refusal = one(of: [nil, .unreachable] as [LightError?])
            trace.append("the driver answers \(refusal.map { "\($0)" } ?? "yes")")
            house.bridge.driver.answer("lamp", with: refusal)
            await house.drain()
        case 15..<17:
            let behaviours: [ScriptedLightDriver.Behaviour] = [
                .accepts, .refuses(.busy), .waits, .waits, .ignoresCancellation, .reports([report()]),
                .reports([report(), report()]),
            ]
            let behaviour = one(of: behaviours)
            trace.append("the driver now \(behaviour)")
            house.bridge.driver.set("lamp", behaviour)
        case 17:
            trace.append("the light is described again")
            description.firmware = "1.\(number(below: 9))"
            await house.bridge.host.added(description)
        default:
            if removes { try await removeAndAdd() } else { await operate() }
        }
    }

    private mutating func write(as who: Int) async throws {
        var values: Values = [:]
        if number(below: 2) == 0 { values[9] = one(of: [0, 1]) }
        if number(below: 2) == 0 { values[10] = one(of: [0, 0, 10, 40, 70]) }
        switch number(below: 5) {
        case 0: (values[11], values[12]) = (10, 50)
        case 1: values[11] = one(of: [10, 200])
        case 2: values[13] = one(of: [200, 300])
        default: break
        }
        guard !values.isEmpty else { return }
        trace.append("\(who) writes \(values)")
        written[who].append(values)
        let entries = values.sorted { $0.key < $1.key }.map { iid, value in
            #"{"aid":2,"iid":\#(iid),"value":\#(iid == 9 ? "\(value == 1)" : "\(Int(value))")}"#
        }
        let body = Array(#"{"characteristics":[\#(entries.joined(separator: ","))]}"#.utf8)
        let bytes = try await controllers[who].bytes(of: HTTPRequest(.put, "/characteristics", body: body))
        await controllers[who].send(bytes: bytes)
        if number(below: 2) == 0 { await house.drain() }
    }

    private mutating func removeAndAdd() async throws {
        trace.append("the light is removed and added")
        await house.bridge.host.removed("lamp")
        if number(below: 2) == 0 { await house.drain() }
        await house.bridge.host.added(description)
        await house.bridge.host.report(LightReport(reachable: true), from: "lamp")
    }

    private mutating func operate() async {
        // An operator's command waits for its answer, so the driver must accept all commands from now on.
        trace.append("the driver now accepts")
        house.bridge.driver.set("lamp", .accepts)
        guard house.bridge.driver.waitingCount == 0 else { return }
        trace.append("the operator sets 10 %")
        let bridge = house.bridge
        // A delayed write may reach the driver only now.
        let answering = Task {
            while !Task.isCancelled {
                bridge.driver.answer("lamp")
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        _ = await bridge.lights.command(
            LightCommand(on: true, brightness: 10), LightKey(driver: BridgeUnderTest.driverID, light: "lamp"))
        answering.cancel()
    }

    /// Waits until everything has finished.
    func drain() async {
        house.bridge.driver.set("lamp", .accepts)
        for _ in 0..<2 {
            for _ in 0..<30 {
                house.bridge.driver.answer("lamp")
                await house.drain()
            }
            await house.advance(.seconds(4))
        }
    }

    /// Returns the values that a controller knows from its responses and events, in order.
    func shownValues(of who: Int) async -> Values {
        var values = start
        var answers = 0
        for arrival in await controllers[who].arrivals {
            switch arrival {
            case .event(let body):
                for answer in CharacteristicAnswer.list(parsing: Array(body.utf8)) ?? [] where answer.id.aid == 2 {
                    values[answer.id.iid.rawValue] = answer.value?.bool.map { $0 ? 1 : 0 } ?? answer.value?.double
                }
            case .response(let response):
                if response.status == 204 { values.merge(written[who][answers]) { $1 } }
                answers += 1
            }
        }
        return values
    }

    private mutating func report() -> LightReport {
        switch number(below: 6) {
        case 0: LightReport(on: one(of: [true, false]))
        case 1: LightReport(brightness: one(of: [10, 40, 70]))
        case 2: LightReport(color: .hueSaturation(hue: one(of: [10, 200]), saturation: 50))
        case 3: LightReport(color: .temperature(mired: one(of: [200, 300])))
        case 4: LightReport(on: one(of: [true, false]), brightness: one(of: [10, 40, 70]))
        default: LightReport(reachable: number(below: 3) > 0)
        }
    }

    private mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private mutating func one<Choice>(of choices: [Choice]) -> Choice { choices[number(below: choices.count)] }
}

// The tests are serialized, because a hundred parallel tests would exceed their timeouts. Each test takes thousands of
// turns of the event loop while other suites are running.
@Suite("Agreement of light, bridge and controllers", .serialized, .timeout)
struct AgreementTests {
    @Test(
        "converges after any writes, reports, refusals and removals", arguments: 0..<UInt64(100))
    func agree(seed: UInt64) async throws {
        var course = try await Course(seed: seed)
        for _ in 0..<8 {
            for _ in 0..<5 { try await course.step() }
            await course.drain()
            try await agree(course)
        }
    }

    private func agree(_ course: Course) async throws {
        let shown = await course.shown()
        let light = try #require(await course.house.bridge.lights.snapshots().first { $0.aid == 2 })
        let trace = course.trace.joined(separator: "\n")
        #expect(shown[9] == (light.on == true ? 1 : 0) && shown[10] == light.brightness.map(Double.init), "\(trace)")
        // The light's color can have fractions, while HomeKit's values have a step of 1.
        for (iid, value) in [(11, light.hue), (12, light.saturation)] as [(UInt64, Double?)] {
            let (shown, value) = (try #require(shown[iid]), try #require(value))
            #expect(abs(shown - value) <= 1, "\(iid)\n\(trace)")
        }
        #expect(shown[13] == light.mired.map(Double.init), "\(trace)")
        for who in course.controllers.indices {
            #expect(await course.shownValues(of: who) == shown, "controller \(who)\n\(trace)")
        }
    }
}
