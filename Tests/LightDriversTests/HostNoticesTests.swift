import DeviceKit
import HAPTesting
import Testing

@testable import LightDrivers

@Suite("The queue of notices for the host")
struct HostNoticesTests {
    @Test("keeps the order of notices, and merges consecutive reports of a light")
    func order() async {
        var notices = HostNotices()
        notices.add(.added(LightDescription(id: "one", name: "One")))
        notices.add(LightReport(on: true), from: "one")
        notices.add(LightReport(brightness: 7), from: "one")
        // Reports that may still be merged aren't counted as waiting.
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
