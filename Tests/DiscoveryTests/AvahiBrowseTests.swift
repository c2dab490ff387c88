import TestTimeouts
import Testing

@testable import Discovery

extension AvahiTests {
    @Test("finds a service of another host, follows its changes, and removes it after its goodbye")
    func browse() async throws {
        try await AvahiBench.withBrowser { lan, _, browser in
            try await lan.startBridge()
            try await lan.startPhone()
            let plug = try lan.publish("Plug, 1/2.", port: 4711, txt: "id=AA:BB", "C#=1", "x=\u{e9}", "C#=2")

            try await eventually("it is found") { browser.snapshot.services.count == 1 }
            let service = try #require(browser.snapshot.services.first)
            #expect(service.name == "Plug, 1/2.")
            #expect(service.host == "phone.local")
            #expect(service.port == 4711)
            #expect(service.addresses.map(\.description) == ["10.77.0.2"])
            #expect(service.txt.description == "id=AA:BB C#=1 x=\u{e9}")
            #expect(!service.isLocal)
            try await eventually("the first query is complete") { browser.snapshot.isComplete }
            #expect(browser.snapshot.hostName == "bridge.local")

            plug.end()
            try await eventually("the goodbye is received") { browser.snapshot.services == [] }
        }
    }

    @Test("marks its own service as local, and updates its TXT record in place")
    func browseOwn() async throws {
        try await AvahiBench.withBrowser { lan, publisher, browser in
            try await lan.startBridge()
            publisher.publish(record)
            try await eventually("it is found") { browser.snapshot.services.count == 1 }
            let service = try #require(browser.snapshot.services.first)
            #expect(service.isLocal)
            #expect(service.host == browser.snapshot.hostName)
            #expect(service.txt == record.txt)

            var looks = [[service]]
            publisher.update(txt: ["c#": "2"])
            for await snapshot in browser.snapshots() {
                if snapshot.services != looks.last { looks.append(snapshot.services) }
                if snapshot.services.first?.txt["c#"] == "2" { break }
            }
            var changed = service
            changed.txt = ["c#": "2"]
            #expect(looks == [[service], [changed]])
        }
    }

    @Test("keeps services across a restart of the bus and of Avahi")
    func browseRestart() async throws {
        try await AvahiBench.withBrowser { lan, _, browser in
            try await eventually("the missing bus is reported") {
                browser.snapshot.discoveryError?.contains("D-Bus") == true
            }
            try await lan.startBus(of: lan.bridge)
            try await eventually("the missing Avahi is reported") {
                browser.snapshot.discoveryError?.contains("isn't running") == true
            }
            try lan.startAvahi(of: lan.bridge)
            try await lan.startPhone()
            let plug = try lan.publish("Plug", port: 4711)
            let lamp = try lan.publish("Lamp", port: 4712)
            try await eventually("both services are found") {
                browser.snapshot.services.count == 2 && browser.snapshot.isComplete
            }
            let before = browser.snapshot

            lan.stopAvahi(of: lan.bridge)
            lan.stopBus(of: lan.bridge)
            try await eventually("the loss is reported") { browser.snapshot.discoveryError != nil }
            #expect(browser.snapshot.services == before.services)
            plug.end()
            try await lan.startBridge()
            try await eventually("the query is complete again") { browser.snapshot.isComplete }
            #expect(browser.snapshot.services.map(\.name) == ["Lamp"])
            lamp.end()
            try await eventually("the last service disappears") { browser.snapshot.services == [] }
        }
    }
}
