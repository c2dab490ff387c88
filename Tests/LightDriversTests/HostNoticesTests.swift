import HAPTesting
import LightKit
import Testing

@testable import LightDrivers

@Suite("What waits for the host")
struct HostNoticesTests {
    @Test("is told in order, and the reports of a light together as far as nothing else comes between")
    func order() async {
        var notices = HostNotices()
        notices.add(.added(LightDescription(id: "one", name: "One")))
        notices.add(LightReport(on: true), from: "one")
        notices.add(LightReport(brightness: 7), from: "one")
        // What may still be merged holds no connection back.
        #expect(notices.waiting.count == 1)
        notices.add(.removed("one"))
        notices.add(LightReport(on: false), from: "two")
        let host = RecordingLightHost()
        for notice in notices.takeAll() { await notice.tell(host) }
        #expect(
            host.calls == [
                .added(LightDescription(id: "one", name: "One")),
                .report("one", LightReport(on: true, brightness: 7)),
                .removed("one"),
                .report("two", LightReport(on: false)),
            ])
        #expect(notices.takeAll().isEmpty)
    }
}
