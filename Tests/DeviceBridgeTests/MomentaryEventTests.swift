import DeviceBridge
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("Delivery of momentary events", .timeout)
struct MomentaryEventTests {
    /// An outlet with a button for single and long presses.
    private static let outlet = LightDescription(
        id: "outlet", name: "Outlet", kind: .outlet,
        functions: [
            AccessoryFunction(.outlet, [.on: .bool(false)]),
            AccessoryFunction(.statelessProgrammableSwitch, id: "button", [.programmableSwitchEvent: .integer(0)])
                .with(.programmableSwitchEvent) { $0.validValues = [0, 2] },
        ])
    private static let press = Property(.programmableSwitchEvent, of: "button")

    private let house: House
    private let host: any LightHost
    private let place: CharacteristicID
    private let on: CharacteristicID

    init() async throws {
        house = try await House([Self.outlet])
        host = house.bridge.host
        place = try #require(await house.bridge.place(.programmableSwitchEvent, of: "outlet"))
        on = try #require(await house.bridge.place(.on, of: "outlet"))
    }

    private func occurred(_ value: Int64, _ property: Property = press) async {
        var events = PropertyValues()
        events[property] = .integer(value)
        await host.occurred(events, on: "outlet")
    }

    private func event(_ value: Int) -> String {
        #"{"characteristics":[{"aid":\#(place.aid),"iid":\#(place.iid),"value":\#(value)}]}"#
    }

    @Test("sends equal presses to subscribers in separate messages, and returns null for reads")
    func presses() async throws {
        let session = try await house.session()
        _ = try await session.write(#"{"aid":\#(place.aid),"iid":\#(place.iid),"ev":true}"#)
        for value in [2, 2, 0] as [Int64] { await occurred(value) }
        await house.drain()
        #expect(await session.events == [event(2), event(2), event(0)])

        // Presses wait until a response has been sent, but they aren't merged.
        house.bridge.driver.set("outlet", .waits)
        async let answer = session.write(#"{"aid":\#(on.aid),"iid":\#(on.iid),"value":true}"#)
        try await house.drain(until: { house.bridge.driver.waitingCount == 1 })
        for _ in 0..<2 { await occurred(0) }
        #expect(await session.events.count == 3)
        house.bridge.driver.answer("outlet")
        #expect(try await answer.status == 204)
        #expect(await session.events == [event(2), event(2), event(0), event(0), event(0)])

        let read = try await session.get("/characteristics", query: "id=\(place.aid).\(place.iid)")
        #expect(read.text == #"{"characteristics":[{"aid":\#(place.aid),"iid":\#(place.iid),"value":null}]}"#)
        #expect(try await session.get("/accessories").text.contains(#""valid-values":[0,2],"value":null"#))
    }

    @Test("sends no event for reports, a reconnect or a new description")
    func reports() async throws {
        let session = try await house.session()
        _ = try await session.write(#"{"aid":\#(place.aid),"iid":\#(place.iid),"ev":true}"#)
        await occurred(0)
        for report in [LightReport(on: true), LightReport(reachable: false), LightReport(on: false, reachable: true)] {
            await house.report(report, "outlet")
        }
        var renamed = Self.outlet
        renamed.name = "Renamed"
        await host.added(renamed)
        await house.advance(.seconds(2))
        #expect(await session.events == [event(0)])
    }

    @Test("drops and counts events that the device can't have, and momentary values in reports")
    func invalid() async throws {
        let session = try await house.session()
        _ = try await session.write(#"{"aid":\#(place.aid),"iid":\#(place.iid),"ev":true}"#)
        await occurred(1)
        await occurred(0, Property(.programmableSwitchEvent))
        await occurred(1, Property(.on))
        var report = LightReport()
        report.values[Self.press] = .integer(0)
        await house.report(report, "outlet")
        #expect(await session.events.isEmpty)
        #expect(await house.bridge.lights.driverStatistics().first?.dropped == [.invalid: 4])
        #expect(await host.lastKnown("outlet")?.values == LightReport(on: false).values)
    }
}
