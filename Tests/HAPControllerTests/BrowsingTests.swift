import Discovery
import HAPController
import HAPModel
import HAPProtocol
import TestTimeouts
import Testing

private let id = "1A:2B:3C:4D:5E:FF"

private func service(
    _ changes: [String: String?] = [:], name: String = "Lamp", host: String = "lamp.local", port: UInt16 = 5000,
    addresses: [[UInt8]] = [[10, 0, 0, 5]]
) -> DiscoveredService {
    var txt = ["id": id, "c#": "7", "sf": "1", "s#": "1", "ff": "0", "pv": "1.1", "md": "M", "ci": "5"]
    for (key, value) in changes { txt[key] = value }
    return DiscoveredService(
        id: .init(name: name, host: host), port: port, txt: TXTRecord(txt.sorted { $0.key < $1.key }.map { ($0, $1) }),
        addresses: addresses.compactMap { ServiceAddress(bytes: $0, interface: 3, interfaceName: "eth0") })
}

@Suite("Accessory discovery", .timeout)
struct BrowsingTests {
    @Test("parses a complete record")
    func whole() throws {
        let found = try AdvertisedAccessory(service(["sh": "yf4bzw==", "sf": "3"]))
        #expect(found.id == DeviceID(id))
        #expect(found.name == "Lamp" && found.model == "M" && found.setupHash == "yf4bzw==")
        #expect(found.configurationNumber == 7 && found.stateNumber == 1)
        #expect(found.category == AccessoryCategory(rawValue: 5))
        #expect(found.status == [.notPaired, .notConfigured] && !found.isPaired)
        #expect(found.endpoints.map(\.description) == ["10.0.0.5:5000"])
    }

    @Test(
        "accepts missing optional keys, and rejects invalid records with a reason",
        arguments: [
            (["s#": nil, "ff": nil, "md": nil, "ci": nil, "pv": nil], nil), (["ci": "99999"], nil),
            (["ID": id], nil), (["c#": "70000"], nil),
            (["id": nil], "its id isn't six octets"), (["id": "1A:2B"], "its id isn't six octets"),
            (["c#": nil], "its c# is missing"), (["c#": "0"], "its c# is 0"), (["c#": "-1"], "its c# isn't a number"),
            (["c#": "+1"], "its c# isn't a number"), (["c#": ""], "its c# isn't a number"),
            (["c#": "99999999999"], "its c# isn't a number"), (["sf": nil], "its sf is missing"),
            (["sf": "yes"], "its sf isn't a number"), (["pv": "2.0"], "it uses an unsupported version of HAP"),
        ] as [([String: String?], String?)])
    func rejected(_ changes: [String: String?], _ reason: String?) {
        let snapshot = AccessorySnapshot(ServiceSnapshot(services: [service(changes)]))
        #expect(snapshot.accessories.count == (reason == nil ? 1 : 0))
        #expect(snapshot.rejected.map(\.reason) == (reason.map { [$0] } ?? []))
        #expect(snapshot.rejected.allSatisfy { $0.name == "Lamp" })
    }

    @Test(
        "parses the vendor whose token is required, and ignores an invalid vendor id",
        arguments: [
            (nil, nil), ("org.example.lamps", "org.example.lamps"), ("", nil), ("a b", nil), ("\u{1B}[2J", nil),
            ("lämpchen", nil), (String(repeating: "v", count: 64), String(repeating: "v", count: 64)),
            (String(repeating: "v", count: 65), nil),
        ] as [(String?, String?)])
    func vendor(_ text: String?, _ vendor: String?) throws {
        #expect(try AdvertisedAccessory(service(["lv": text])).vendor == vendor)
        #expect(try AdvertisedAccessory(service(["LV": text])).vendor == vendor)
    }

    @Test("alternates between address families with IPv4 first, and drops unusable addresses")
    func addresses() throws {
        var linkLocal: [UInt8] = [0xFE, 0x80] + Array(repeating: 0, count: 14)
        linkLocal[15] = 1
        var routed: [UInt8] = [0xFD] + Array(repeating: 0, count: 15)
        routed[15] = 2
        let multicast: [UInt8] = [0xFF, 0x02] + Array(repeating: 0, count: 14)
        let found = try AdvertisedAccessory(
            service(addresses: [linkLocal, [0, 0, 0, 0], [224, 0, 0, 1], multicast, routed, [10, 0, 0, 5]]))
        #expect(
            found.endpoints.map(\.description) == [
                "10.0.0.5:5000", "[fd00:0:0:0:0:0:0:2]:5000", "[fe80:0:0:0:0:0:0:1%3]:5000",
            ])
        #expect(throws: AdvertisedAccessory.BadRecord.self) {
            try AdvertisedAccessory(service(addresses: [[0, 0, 0, 0]]))
        }
        #expect(throws: AdvertisedAccessory.BadRecord.self) { try AdvertisedAccessory(service(port: 0)) }
    }

    @Test("ignores accessories on other interfaces, except loopback")
    func interfaces() async throws {
        let places: [(bytes: [UInt8], name: String)] = [
            ([10, 0, 0, 5], "eth0"), ([10, 0, 0, 6], "wlan0"), ([127, 0, 0, 1], "lo"),
        ]
        var one = service()
        one.addresses = places.compactMap { ServiceAddress(bytes: $0.bytes, interface: 3, interfaceName: $0.name) }
        var elsewhere = service(["id": "00:00:00:00:00:01"], name: "Elsewhere")
        elsewhere.addresses = one.addresses.filter { $0.interfaceName == "wlan0" }
        let services = InMemoryBrowser(ServiceSnapshot(services: [one, elsewhere]))
        let browser = AccessoryServerBrowser(services, interfaces: ["eth0"])
        #expect(browser.snapshot.accessories.map(\.name) == ["Lamp"])
        #expect(
            browser.snapshot.accessories.first?.endpoints.map(\.description) == ["10.0.0.5:5000", "127.0.0.1:5000"])
        var looks = browser.snapshots().makeAsyncIterator()
        let look = try await looks.next()
        #expect(look == browser.snapshot)
        let every = AccessoryServerBrowser(services).snapshot.accessories
        #expect(every.map(\.name) == ["Lamp", "Elsewhere"] && every.first?.endpoints.count == 3)
        await browser.stop()
    }

    @Test("merges two hosts with the same device id into one accessory")
    func clones() {
        let snapshot = AccessorySnapshot(
            ServiceSnapshot(services: [
                service(), service(["c#": "9"], host: "other.local", port: 6000, addresses: [[10, 0, 0, 6]]),
            ]))
        #expect(snapshot.accessories.count == 1)
        #expect(snapshot.accessories.first?.configurationNumber == 7)
        #expect(snapshot.accessories.first?.endpoints.map(\.description) == ["10.0.0.5:5000", "10.0.0.6:6000"])
    }

    @Test("reports found, changed and removed accessories between two snapshots")
    func changes() async throws {
        let services = InMemoryBrowser()
        let browser = AccessoryServerBrowser(services)
        var looks = browser.snapshots().makeAsyncIterator()
        let nothing = try #require(await looks.next())
        services.show(ServiceSnapshot(services: [service()]))
        let one = try #require(await looks.next())
        let found = try AdvertisedAccessory(service())
        #expect(one.changes(since: nothing) == [.found(found)])
        services.show(ServiceSnapshot(services: [service(["sf": "0"])]))
        let paired = try #require(await looks.next())
        #expect(paired.changes(since: one) == [.changed(try AdvertisedAccessory(service(["sf": "0"])))])
        services.show(ServiceSnapshot())
        let gone = try #require(await looks.next())
        #expect(gone.changes(since: one) == [.removed(found)])
        #expect(one.changes(since: one).isEmpty)
        await browser.stop()
        let last = try await looks.next()
        #expect(last == nil)
    }
}
