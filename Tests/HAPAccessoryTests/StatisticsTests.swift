import HAPModel
import HAPProtocol
import HAPTesting
import LightKit
import TestTimeouts
import Testing

@testable import HAPAccessory

@Suite("What is counted", .timeout)
struct StatisticsTests {
    @Test("a duration falls into the first step that it does not exceed")
    func histogram() {
        var histogram = LatencyHistogram()
        for duration in [Duration.zero, .milliseconds(1), .microseconds(1001), .seconds(3), .seconds(4)] {
            histogram.record(duration)
        }
        #expect(histogram.counts == [2, 1, 0, 0, 0, 0, 0, 0, 1, 1])
        #expect(histogram.sum == .seconds(7) + .microseconds(2001))
    }

    @Test("requests by endpoint and status, from the request to its answer")
    func requests() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let session = try await house.session()
        _ = try await session.read("id=2.9")
        _ = try await session.read("id=2.99")
        _ = try await session.get("/nowhere")
        async let answer = session.write(#"{"aid":2,"iid":9,"value":true}"#)
        try await house.settle(until: { house.bridge.driver.waitingCount == 1 })
        await house.advance(.seconds(2))
        _ = try await answer
        let (stranger, _) = await house.bridge.connect()
        _ = try await stranger.get("/accessories")
        let requests = await house.bridge.server.statistics.requests
        #expect(
            requests.mapValues(\.outcomes) == [
                .pairVerify: [200: 2], .characteristicsRead: [200: 1, 207: 1], .notFound: [404: 1],
                .characteristicsWrite: [207: 1], .accessories: [470: 1],
            ])
        #expect(requests[.characteristicsWrite]?.latency.sum == .seconds(2))
        #expect(requests[.characteristicsRead]?.latency.counts.first == 2)
    }

    @Test("changed values: sent, replaced while they waited, lost with their connection")
    func events() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write(#"{"aid":2,"iid":9,"ev":true},{"aid":2,"iid":10,"ev":true}"#)
        await house.report(LightReport(on: true))
        for percent in [10, 20, 30] { await house.report(LightReport(brightness: percent)) }
        await house.report(LightReport(on: false))
        await house.advance(.milliseconds(250))
        await house.report(LightReport(on: true))
        await house.report(LightReport(brightness: 40))
        await session.close()
        try await house.settle(until: { await house.bridge.server.connectionCount == 0 })
        let statistics = await house.bridge.server.statistics
        #expect(statistics.eventMessages == 2)
        #expect(statistics.eventsSent == 3)
        #expect(statistics.eventsCoalesced == 2)
        #expect(statistics.eventsDropped == 2)
    }

    @Test("connections, and wrong setup codes")
    func connections() async throws {
        let store = InMemoryAccessoryServerStore(.random())
        let bridge = try await BridgeUnderTest(store)
        for _ in 0..<ConnectionPolicy.maximumUnverified { _ = await bridge.connect() }
        let (controller, _) = await bridge.connect()
        let wrong = try #require(SetupCode(store.stored.setupCode.text == "111-22-333" ? "111-22-334" : "111-22-333"))
        _ = try await controller.pairSetup(wrong)
        let statistics = await bridge.server.statistics
        #expect(statistics.connections == UInt64(ConnectionPolicy.maximumUnverified) + 1)
        #expect(statistics.crowdedOut == 1)
        #expect(statistics.wrongSetupCodes == 1)
        #expect(await bridge.server.connectionCount == ConnectionPolicy.maximumUnverified)
    }

    @Test("lights and their commands by driver")
    func lights() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write(#"{"aid":2,"iid":9,"value":true}"#)
        house.bridge.driver.set("lamp", .waits)
        async let answer = session.write(#"{"aid":2,"iid":9,"value":false}"#)
        try await house.settle(until: { house.bridge.driver.waitingCount == 1 })
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
