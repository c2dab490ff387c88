import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import AccessoryRole

@Suite("ServerStatistics", .timeout)
struct StatisticsTests {
    @Test("counts a duration in the first bucket whose bound isn't below the duration")
    func histogram() {
        var histogram = LatencyHistogram()
        for duration in [Duration.zero, .milliseconds(1), .microseconds(1001), .seconds(3), .seconds(4)] {
            histogram.record(duration)
        }
        #expect(histogram.counts == [2, 1, 0, 0, 0, 0, 0, 0, 1, 1])
        #expect(histogram.sum == .seconds(7) + .microseconds(2001))
    }

    @Test("counts requests by endpoint and status, with their latency")
    func requests() async throws {
        let house = try await House()
        house.devices.setWaits()
        let session = try await house.session()
        _ = try await session.read("id=2.9")
        _ = try await session.read("id=2.99")
        _ = try await session.get("/nowhere")
        async let answer = session.write(#"{"aid":2,"iid":9,"value":true}"#)
        try await house.drain(until: { house.devices.waitingCount == 1 })
        await house.advance(.seconds(2))
        await house.answer(.timedOut)
        _ = try await answer
        let (unknownPeer, _) = await house.bridge.connect()
        _ = try await unknownPeer.get("/accessories")
        let requests = await house.bridge.server.statistics.requests
        #expect(
            requests.mapValues(\.outcomes) == [
                .pairVerify: [200: 2], .characteristicsRead: [200: 1, 207: 1], .notFound: [404: 1],
                .characteristicsWrite: [207: 1], .accessories: [470: 1],
            ])
        #expect(requests[.characteristicsWrite]?.latency.sum == .seconds(2))
        #expect(requests[.characteristicsRead]?.latency.counts.first == 2)
    }

    @Test("counts values that are sent, replaced while pending, or lost with their connection")
    func events() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write(#"{"aid":2,"iid":9,"ev":true},{"aid":2,"iid":10,"ev":true}"#)
        await house.report(on: true)
        for percent in [10, 20, 30] { await house.report(speed: percent) }
        await house.report(on: false)
        await house.advance(.milliseconds(250))
        await house.report(on: true)
        await house.report(speed: 40)
        await session.close()
        try await house.drain(until: { await house.bridge.server.connectionCount == 0 })
        let statistics = await house.bridge.server.statistics
        #expect(statistics.eventMessages == 2)
        #expect(statistics.eventsSent == 3)
        #expect(statistics.eventsCoalesced == 2)
        #expect(statistics.eventsDropped == 2)
    }

    @Test("counts connections and wrong setup codes")
    func connections() async throws {
        let store = InMemoryAccessoryServerStore(.random())
        let bridge = try await House(store, admin: .random()).bridge
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
}
