import AccessoryRole
import HAPProtocol
import HAPTesting
import LightBridge
import LightKit
import TestTimeouts
import Testing

@Suite("What is counted of drivers", .timeout)
struct DriverStatisticsTests {
    @Test("lights and their commands by driver")
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
        // Known to be out of reach: the driver is not asked.
        _ = try await session.write(#"{"aid":3,"iid":9,"value":true}"#)
        let statistics = try #require(await house.bridge.lights.driverStatistics().first)
        #expect(statistics.id == BridgeUnderTest.driverID)
        #expect(statistics.lights == 2)
        #expect(statistics.reachableLights == 1)
        #expect(statistics.commands.outcomes == [.success: 1, .timedOut: 1])
        #expect(statistics.commands.latency.counts == [1, 0, 0, 0, 0, 0, 0, 1, 0, 0])
        #expect(statistics.commands.latency.sum == .seconds(2))
    }
}
