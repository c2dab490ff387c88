import AccessoryRole
import DeviceBridge
import DeviceKit
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("The log of the light bridge", .timeout)
struct LogTests {
    @Test("identifies a light by key, aid and driver")
    func lights() async throws {
        let log = RecordedLog()
        let admin = ControllerIdentity.random()
        let stored = StoredBridge(server: .random(pairedWith: [admin]))
        let bridge = try await BridgeUnderTest(
            InMemoryAccessoryServerStore(stored.server), stored: stored, lights: [.lamp], logger: log.logger)
        bridge.driver.set("lamp", .waits)
        let session = try await bridge.session(admin)
        async let answer = session.write(#"{"aid":2,"iid":9,"value":true}"#)
        try await bridge.scheduler.drain(until: { bridge.driver.waitingCount == 1 })
        await bridge.scheduler.advance(by: .seconds(2))
        _ = try await answer
        await bridge.host.removed("lamp")
        await bridge.host.warn("the broker is old; update it", about: "broker")
        #expect(
            log.all.last
                == "warning: warning raised driver=test subject=test: broker warning=the broker is old; update it")
        let names = "aid=2 driver=test light=test/lamp"
        #expect(
            log.all.filter { $0.contains("light=") } == [
                "info: light added \(names)", "info: light timed out \(names)",
                "info: light removed \(names)",
            ])
    }
}
