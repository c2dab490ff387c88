import AccessoryRole
import DeviceBridge
import DeviceKit
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("DriverStatistics", .timeout)
struct DriverStatisticsTests {
    @Test("counts lights and commands per driver")
    func lights() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write(#"{"aid":2,"iid":9,"value":true}"#)
        house.bridge.driver.set("lamp", .waits)
        async let answer = session.write(#"{"aid":2,"iid":9,"value":false}"#)
        try await house.drain(until: { house.bridge.driver.waitingCount == 1 })
        await house.advance(.seconds(2))
        _ = try await answer
        await house.report(LightReport(reachable: false), "plain")
        // The light is unreachable, so the driver doesn't get this command.
        _ = try await session.write(#"{"aid":3,"iid":9,"value":true}"#)
        let statistics = try #require(await house.bridge.lights.driverStatistics().first)
        #expect(statistics.id == BridgeUnderTest.driverID)
        #expect(statistics.lights == 2)
        #expect(statistics.reachableLights == 1)
        #expect(statistics.commands.outcomes == [.success: 1, .timedOut: 1])
        #expect(statistics.commands.latency.counts == [1, 0, 0, 0, 0, 0, 0, 1, 0, 0])
        #expect(statistics.commands.latency.sum == .seconds(2))
    }

    @Test(
        "counts invalid values and ignores them",
        arguments: [
            (LightReport(brightness: 0), 1), (LightReport(on: true, brightness: 101), 1),
            (LightReport(color: .hueSaturation(hue: .nan, saturation: .infinity)), 1), (LightReport(brightness: 40), 0),
            (LightReport(color: .hueSaturation(hue: 400, saturation: 50)), 1),
            (LightReport(color: .hueSaturation(hue: 30, saturation: -20)), 1),
            (LightReport(color: .hueSaturation(hue: 360.2, saturation: 100.2)), 0),
            (LightReport(color: .temperature(mired: 0)), 1), (LightReport(color: .temperature(mired: 500)), 0),
            (LightReport(readings: [.temperature: .number(.nan), .motion: .number(2), .humidity: .number(140)]), 2),
        ] as [(LightReport, UInt64)])
    func invalidValues(report: LightReport, count: UInt64) async throws {
        let house = try await House()
        await house.report(report, "lamp")
        await house.report(LightReport(brightness: 101), "unknown")
        let statistics = try #require(await house.bridge.lights.driverStatistics().first)
        #expect(statistics.dropped[.invalid, default: 0] == count)
    }
}
