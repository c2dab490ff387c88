import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import AccessoryRole
@testable import DeviceBridge

@Suite("A cover", .timeout)
struct CoverTests {
    private static let rules = LightKind.cover.rules

    private func values(
        position: Int? = nil, target: Int? = nil, tilt: Int? = nil, targetTilt: Int? = nil, _ motion: CoverMotion? = nil
    ) -> PropertyValues {
        var values = PropertyValues()
        values.position = position
        values.targetPosition = target
        values.tilt = tilt
        values.targetTilt = targetTilt
        values.motion = motion
        return values
    }

    @Test("uses its position as its target at rest, and keeps its target while it moves")
    func target() {
        let state = DeviceState(values(position: 20, target: 80, .opening))
        let table: [(reported: PropertyValues, completed: PropertyValues)] = [
            (values(position: 30), values(position: 30, target: 30, .stopped)),
            (values(position: 30, .stopped), values(position: 30, target: 30, .stopped)),
            (values(.stopped), values(target: 20, .stopped)),
            (values(position: 30, .opening), values(position: 30, target: 80, .opening)),
            (values(.closing), values(target: 80, .closing)),
            (values(position: 30, target: 40, .opening), values(position: 30, target: 40, .opening)),
            (values(), values()),
        ]
        for (reported, completed) in table {
            var report = reported
            Self.rules.complete(&report, over: { state })
            #expect(report == completed)
        }
    }

    @Test("uses the slats' angle as their target at rest, and keeps the target while the cover moves")
    func tiltTarget() {
        let still = DeviceState(values(position: 20, target: 20, tilt: 10, targetTilt: 45, .stopped))
        let moving = DeviceState(values(position: 20, target: 80, tilt: 10, targetTilt: 45, .opening))
        let table: [(state: DeviceState, reported: PropertyValues, completed: PropertyValues)] = [
            (still, values(tilt: 30), values(target: 20, tilt: 30, targetTilt: 30)),
            (still, values(position: 30), values(position: 30, target: 30, targetTilt: 10, .stopped)),
            (moving, values(tilt: 30), values(target: 80, tilt: 30, targetTilt: 45)),
            (moving, values(tilt: -90, .stopped), values(target: 20, tilt: -90, targetTilt: -90, .stopped)),
            (DeviceState(), values(tilt: 30), values(tilt: 30, targetTilt: 30)),
        ]
        for (state, reported, completed) in table {
            var report = reported
            Self.rules.complete(&report, over: { state })
            #expect(report == completed)
        }
    }

    @Test("replaces a position by a stop and a stop by a position, and never shows a stop")
    func stop() {
        var state = DeviceState(values(position: 20, target: 80, .opening))
        var hold = PropertyValues()
        hold[Property(.holdPosition)] = .bool(true)
        #expect(Self.rules.command(hold, over: state) == hold)
        #expect(Self.rules.command(values(.stopped), over: state) == hold)
        #expect(!Self.rules.command(values(target: 5, .stopped), over: state).stops)
        var command = LightCommand(values(target: 80, targetTilt: 10))
        command.merge(LightCommand(hold))
        #expect(command.values.stops && command.targetPosition == nil && command.targetTilt == 10)
        command.merge(LightCommand(values(target: 40)))
        #expect(!command.values.stops && command.targetPosition == 40)
        state.apply(hold, Self.rules)
        #expect(state.values == values(position: 20, target: 80, .opening))
        #expect(Self.rules.outcome(of: hold) == values(.stopped))
    }

    @Test("converts angles to shares and back as Home Assistant does")
    func angles() {
        for (degrees, share) in [(-90, 0.0), (-45, 0.25), (0, 0.5), (90, 1.0)] {
            #expect(TiltAngle.degrees(share) == degrees && TiltAngle.share(degrees) == share)
        }
        for share in [-3.0, -.infinity, .nan] { #expect(TiltAngle.degrees(share) == -90) }
        #expect(TiltAngle.degrees(.infinity) == 90 && TiltAngle.share(400) == 1)
    }

    @Test("moves a cover that can only open and close toward the nearer end, or stops it")
    func openOrClose() {
        let table: [(percent: Int, canStop: Bool, motion: CoverMotion)] = [
            (100, true, .opening), (71, true, .opening), (70, true, .stopped), (30, true, .stopped),
            (29, true, .closing), (0, true, .closing), (50, false, .opening), (49, false, .closing),
        ]
        for (percent, canStop, motion) in table {
            #expect(CoverMotion(toward: percent, canStop: canStop) == motion)
        }
    }

    @Test("shows slats and a stop, and locks the position of a cover that only tilts")
    func services() async throws {
        var blind = LightDescription(
            id: "blind", name: "Blind", kind: .cover, capabilities: .cover(tilt: true, stop: true))
        #expect(blind.capabilities == .cover(tilt: true, stop: true))
        blind.functions = [.cover(moves: false, tilts: true)]
        let window = LightDescription(
            id: "window", name: "Window", kind: .cover, functions: [.cover(.window, tilts: true, stops: true)])
        let house = try await House([blind, window])
        let services = await house.bridge.server.accessories.dropFirst().map { $0.services[1] }
        #expect(services.map(\.type) == [.windowCovering, .window])
        let target = services[0].characteristics.first { $0.type == .targetPosition }
        #expect(target?.metadata.maximum == 0)
        #expect(!services[1].characteristics.contains { $0.type == .targetHorizontalTiltAngle })
        #expect(services[1].characteristics.contains { $0.type == .holdPosition && $0.value == nil })
    }

    @Test("writes only the target, even for an operator's position or movement")
    func command() {
        let state = DeviceState()
        #expect(Self.rules.command(values(target: 40), over: state) == values(target: 40))
        #expect(Self.rules.command(values(position: 40), over: state) == values(target: 40))
        #expect(Self.rules.command(values(.opening), over: state) == values(target: 100))
        #expect(Self.rules.command(values(target: 5, .closing), over: state) == values(target: 5))
        #expect(Self.rules.command(values(tilt: 40), over: state) == values(targetTilt: 40))
    }

    @Test("shows its movement from the write until it stops")
    func movement() async throws {
        let house = try await House([LightDescription(id: "blind", name: "Blind", kind: .cover)])
        func shown() async -> [CharacteristicValue?] {
            await [house.value(2, 9), house.value(2, 10), house.value(2, 11)]
        }
        func report(position: Int? = nil, _ motion: CoverMotion? = nil) async {
            await house.report(LightReport(values(position: position, motion)), "blind")
        }
        await report(position: 0)
        #expect(await shown() == [.integer(0), .integer(0), .integer(2)])
        let session = try await house.session()
        #expect(try await session.write(#"{"aid":2,"iid":10,"value":60}"#).status == 204)
        // A report from before the movement doesn't reset the target.
        await report(position: 0, .stopped)
        #expect(await shown() == [.integer(0), .integer(60), .integer(2)])
        await report(position: 10, .opening)
        await house.advance(.seconds(5))
        #expect(await shown() == [.integer(10), .integer(60), .integer(1)])
        // The cover is stopped by hand.
        await report(position: 35, .stopped)
        #expect(await shown() == [.integer(35), .integer(35), .integer(2)])
        // The cover is moved by hand.
        await report(position: 90)
        #expect(await shown() == [.integer(90), .integer(90), .integer(2)])
    }
    @Test("is sent each command once, and resets its target to its position if it never reacts or is unreachable")
    func silence() async throws {
        let blind = LightDescription(
            id: "blind", name: "Blind", kind: .cover, capabilities: .cover(tilt: true, stop: true))
        let house = try await House([blind])
        let places = [
            CharacteristicType.currentPosition, .targetPosition, .positionState, .targetHorizontalTiltAngle,
        ]
        var iids: [CharacteristicID] = []
        for place in places { iids.append(try #require(await house.bridge.place(place, of: "blind"))) }
        func shown() async -> [Double?] {
            var values: [Double?] = []
            for id in iids { values.append(await house.bridge.value(id)?.number) }
            return values
        }
        let session = try await house.session()
        func write() async throws {
            let entries = [(iids[1], 60), (iids[3], 45)].map { #"{"aid":2,"iid":\#($0.iid),"value":\#($1)}"# }
            #expect(try await session.write(entries.joined(separator: ",")).status == 204)
        }
        await house.report(LightReport(values(position: 10, tilt: -90), reachable: true), "blind")
        try await write()
        await house.advance(.seconds(80))
        #expect(await shown() == [10, 60, 2, 45])
        await house.advance(.seconds(11))
        #expect(await shown() == [10, 10, 2, -90])
        #expect(house.bridge.driver.orders.count == 1)
        try await write()
        await house.report(LightReport(values(position: 20, .opening)), "blind")
        await house.report(LightReport(reachable: false), "blind")
        #expect(await shown() == [20, 20, 2, -90])
    }
}
