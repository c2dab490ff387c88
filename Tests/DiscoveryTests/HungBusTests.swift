import TestTimeouts
import Testing

@testable import Discovery

@Suite("A hung system D-Bus", .inTurn, AvahiBench.requirement, .timeout)
struct HungBusTests {
    @Test("is reported in the publisher's state, and doesn't keep the publisher from stopping")
    func publish() async throws {
        try await AvahiBench.withLAN { lan, publisher in
            try await lan.startBus(of: lan.bridge)
            lan.bridge.bus?.freeze()
            publisher.publish(AvahiBench.record)
            try await eventually("the hang is reported") { publisher.state.isWaiting(for: "doesn't answer") }
            await publisher.stop()
            publisher.publish(AvahiBench.record)
            #expect(await publisher.withdraw(), "nothing is left to withdraw")
        }
    }

    @Test("is reported in the browser's snapshot, and doesn't keep the browser from stopping")
    func browse() async throws {
        try await AvahiBench.withBrowser(starts: false) { lan, _, browser in
            try await lan.startBus(of: lan.bridge)
            lan.bridge.bus?.freeze()
            try await lan.onBridge { try browser.start() }
            try await eventually("the hang is reported") {
                browser.snapshot.discoveryError?.contains("doesn't answer") == true
            }
            await browser.stop()
        }
    }
}
