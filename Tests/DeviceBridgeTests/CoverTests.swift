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
        position: Int? = nil, target: Int? = nil, _ motion: CoverMotion? = nil
    ) -> PropertyValues {
        var values = PropertyValues()
        values.position = position
        values.targetPosition = target
        values.motion = motion
        return values
    }

    @Test("has its position as its target at rest, and keeps its target while it moves")
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

    @Test("gets only its target in a command, even if the operator sets the position")
    func command() {
        let state = DeviceState()
        #expect(Self.rules.command(values(target: 40), over: state) == values(target: 40))
        #expect(Self.rules.command(values(position: 40), over: state) == values(target: 40))
        #expect(Self.rules.command(values(.opening), over: state) == values())
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
}
