import TestTimeouts
import Testing

@testable import Discovery

@Suite("A system D-Bus that hangs", .inTurn, AvahiBench.requirement, .timeout)
struct HungBusTests {
    @Test("It shows in the publisher's state, and does not hang the end")
    func publish() async throws {
        try await AvahiBench.withLAN { lan, publisher in
            try await lan.startBus(of: lan.bridge)
            lan.bridge.bus?.freeze()
            publisher.publish(AvahiBench.record)
            try await eventually("the hang is said") { publisher.state.isWaiting(for: "does not answer") }
            await publisher.stop()
            publisher.publish(AvahiBench.record)
            #expect(await publisher.withdraw(), "nothing is left to withdraw")
        }
    }

    @Test("It shows in what the browser says, and hangs neither a reader nor the end")
    func browse() async throws {
        try await AvahiBench.withBrowser(starts: false) { lan, _, browser in
            try await lan.startBus(of: lan.bridge)
            lan.bridge.bus?.freeze()
            try await lan.onBridge { try browser.start() }
            try await eventually("the hang is said") {
                browser.snapshot.discoveryError?.contains("does not answer") == true
            }
            await browser.stop()
        }
    }
}
