import BoundedJSON
import DeviceKit
import Discovery
import FoundationEssentials
import Logging
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The search for light systems", .timeout)
struct LightSearchTests {
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    static func service(
        _ name: String, port: UInt16 = 6053, _ bytes: [[UInt8]] = [[10, 0, 0, 5]], txt: TXTRecord = [:],
        isLocal: Bool = false
    ) -> DiscoveredService {
        DiscoveredService(
            id: .init(name: name, host: "\(name).local"), port: port, txt: txt,
            addresses: bytes.compactMap { ServiceAddress(bytes: $0, interface: 2, interfaceName: "eth0") },
            isLocal: isLocal)
    }

    /// Returns a search in a network with the given mDNS results, by service type.
    static func search(_ shown: [String: ServiceSnapshot]) -> LightSearch {
        LightSearch(duration: .milliseconds(1), logger: logger) { InMemoryBrowser(shown[$0] ?? ServiceSnapshot()) }
    }

    @Test("lists an unsupported system without a configuration entry")
    func announced() async {
        let search = Self.search([
            "_wled._tcp": ServiceSnapshot(services: [Self.service("desk", port: 80)]),
            "_hue._tcp": ServiceSnapshot(services: [Self.service("Hue Bridge", port: 443, [[10, 0, 0, 6]])]),
        ])
        var found = await search.run(for: [])
        #expect(found.failures == [])
        #expect(
            found.sources == [
                LightSource(
                    driver: "hue", name: "Hue Bridge", hosts: ["10.0.0.6", "hue bridge.local"], port: 443,
                    detail: "Philips Hue bridge", entry: nil),
                LightSource(
                    driver: "wled", name: "desk", hosts: ["10.0.0.5", "desk.local"], port: 80, detail: "WLED",
                    entry: nil),
            ])
        found = await search.run(for: [FutureDriver.self])
        #expect(found.sources.map(\.entry) == [nil, ["driver": "wled"]])
    }

    @Test("runs the search of each driver that supports discovery")
    func discoverable() async {
        let txt: TXTRecord = ["version": "2026.6.5", "api_encryption": "Noise_NNpsk0_25519_ChaChaPoly_SHA256"]
        let search = Self.search([
            "_esphomelib._tcp": ServiceSnapshot(services: [
                Self.service("den", txt: txt), Self.service("hall", txt: ["version": "2026.6.5"]),
            ])
        ])
        let found = await search.run(for: [ESPHomeDriverConfiguration.self, PluginLike.self])
        #expect(found.sources.map(\.name) == ["den", "hall"])
        #expect(found.sources.map(\.address) == ["10.0.0.5:6053", "10.0.0.5:6053"])
        #expect(found.sources.map(\.detail) == ["ESPHome 2026.6.5, encrypted", "ESPHome 2026.6.5"])
        #expect(
            found.sources.map(\.entry) == [
                ["driver": "esphome", "devices": ["den": ["key-file": "/etc/lamplighter/den.key"]]],
                ["driver": "esphome"],
            ])
    }

    @Test("lists Shelly devices of the first generation, and not the web servers of other devices")
    func webServers() async {
        let search = Self.search([
            "_http._tcp": ServiceSnapshot(
                services: ["Printer", "shelly1-25A73E", "shellyplus1-A8032ABE54DC"].map { Self.service($0, port: 80) }),
            "_shelly._tcp": ServiceSnapshot(services: [Self.service("ShellyPlus1-A8032ABE54DC", port: 80)]),
        ])
        let found = await search.run(for: [ShellyGen1DriverConfiguration.self, ShellyDriverConfiguration.self])
        #expect(found.sources.map(\.name) == ["ShellyPlus1-A8032ABE54DC", "shelly1-25A73E"])
        #expect(found.sources.map(\.driver) == ["shelly", "shelly-gen1"])
        #expect(found.sources.map(\.entry) == [["driver": "shelly"], ["driver": "shelly-gen1"]])
    }

    @Test("reports missing mDNS once")
    func noDiscovery() async {
        var broken = ServiceSnapshot()
        broken.discoveryError = "no Avahi daemon"
        let search = LightSearch(duration: .milliseconds(1), logger: Self.logger) { [broken] _ in
            InMemoryBrowser(broken)
        }
        let found = await search.run(for: [ESPHomeDriverConfiguration.self])
        #expect(found.sources == [])
        #expect(found.failures.map(\.text) == ["can't search for devices by mDNS: no Avahi daemon"])
    }

    @Test("limits the number of devices, with a message")
    func flood() async {
        let many = (0..<700).map { Self.service("wled-\($0)", port: 80) }
        let found = await Self.search(["_wled._tcp": ServiceSnapshot(services: many)]).run(for: [])
        #expect(found.sources.count == LightSearch.maximumSources)
        #expect(found.failures.map(\.text) == ["more than 500 devices were found; the others are ignored"])
    }

    @Test("prefers an address that is valid on every interface")
    func addresses() {
        let linkLocal: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]
        let global: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7]
        let source = ESPHomeDriverConfiguration.source(Self.service("den", [linkLocal, global]))
        #expect(source.hosts == ["2001:db8::7", "fe80::1%eth0", "den.local"])
        #expect(source.address == "[2001:db8::7]:6053")
    }

    @Test("sanitizes a device's name in the path of its key")
    func hostileName() {
        let source = ESPHomeDriverConfiguration.source(
            Self.service("../../etc/passwd\u{1B}", txt: ["api_encryption": "x"]))
        #expect(
            source.entry?["devices"]
                == ["../../etc/passwd\u{1B}": ["key-file": "/etc/lamplighter/------etc-passwd-.key"]])
    }

    // MARK: Coverage

    static func esphome(_ text: String) throws -> ESPHomeDriverConfiguration {
        try JSONDecoder().decode(ESPHomeDriverConfiguration.self, from: Data(text.utf8))
    }

    @Test(
        "computes the keys that a configured driver lacks for a device",
        arguments: [
            ("{}", "plain", LightSourceCoverage.complete),
            ("{}", "sealed", .missing(["devices": ["sealed": ["key-file": "/etc/lamplighter/sealed.key"]]])),
            (#"{"devices": {"sealed": {"key-file": "/k"}}}"#, "sealed", .complete),
            (#"{"discover": false, "hosts": [{"host": "10.0.0.5"}]}"#, "sealed", .complete),
            (#"{"discover": false, "hosts": [{"host": "sealed.local"}]}"#, "sealed", .complete),
            (#"{"discover": false, "hosts": [{"host": "10.0.0.9"}]}"#, "plain", .missing(["discover": true])),
            (
                #"{"discover": false, "hosts": [{"host": "10.0.0.5", "port": 1}]}"#, "plain",
                .missing(["discover": true])
            ),
        ])
    func coverage(keys: String, device: String, expected: LightSourceCoverage) throws {
        let txt: TXTRecord = device == "sealed" ? ["api_encryption": "x"] : [:]
        #expect(
            try Self.esphome(keys).coverage(of: ESPHomeDriverConfiguration.source(Self.service(device, txt: txt)))
                == expected)
    }

    @Test("recognizes a device that is a configured host of a driver that doesn't search")
    func hosts() throws {
        let source = LightSource(
            driver: "lifx", name: "Den", hosts: ["10.0.0.7"], port: 56700, entry: ["driver": "lifx"])
        func coverage(_ text: String, _ source: LightSource) throws -> LightSourceCoverage {
            try JSONDecoder().decode(LIFXDriverConfiguration.self, from: Data(text.utf8)).coverage(of: source)
        }
        #expect(try coverage("{}", source) == .complete)
        #expect(try coverage(#"{"discover": false, "hosts": ["10.0.0.7"]}"#, source) == .complete)
        let other = #"{"discover": false, "hosts": ["10.0.0.8"]}"#
        #expect(try coverage(other, source) == .missing(["hosts": ["10.0.0.7"]]))
        var elsewhere = source
        elsewhere.port = 5000
        #expect(try coverage(other, elsewhere) == .missing(["hosts": ["10.0.0.7:5000"]]))
        elsewhere.driver = "wiz"
        #expect(try coverage("{}", elsewhere) == .none)
    }

    @Test(
        "recognizes discovered and configured devices of the driver's system",
        arguments: [
            ("{}", "wled", LightSourceCoverage.complete), ("{}", "hue", .none),
            (#"{"discover": false, "hosts": ["10.0.0.5"]}"#, "wled", .complete),
            (#"{"discover": false, "hosts": ["desk.local:80"]}"#, "wled", .complete),
            (#"{"discover": false, "hosts": ["10.0.0.5:81"]}"#, "wled", .missing(["hosts": ["10.0.0.5:80"]])),
            (#"{"discover": false, "hosts": ["10.0.0.9"]}"#, "wled", .missing(["hosts": ["10.0.0.5:80"]])),
        ])
    func connected(keys: String, driver: String, expected: LightSourceCoverage) throws {
        let source = LightSource(
            driver: driver, name: "desk", hosts: ["10.0.0.5", "desk.local"], port: 80, entry: ["driver": "wled"])
        let configuration = try JSONDecoder().decode(WLEDDriverConfiguration.self, from: Data(keys.utf8))
        #expect(configuration.coverage(of: source) == expected)
    }

    @Test("lists a device with its address once it has identified itself")
    func datagramLights() throws {
        let lights = try DatagramDeviceRegistryTests.home().lights
        #expect(lights.map(\.0.id) == [DatagramDeviceRegistryTests.id])
        #expect(lights.map(\.1) == [DatagramDeviceRegistryTests.here])
        var home = DatagramDeviceRegistry<LIFXDevice>(looksFor: LANDevices(), session: 9)
        home.received(
            LIFXTests.answer(3, [1, 0x7C, 0xDD, 0, 0], number: 0), from: DatagramDeviceRegistryTests.here, now: .zero)
        #expect(home.lights.isEmpty)
    }

    // MARK: Brokers

    @Test("finds a broker by mDNS or on this computer, and lists it once")
    func brokers() {
        let there = Self.service("Cellar", port: 1884)
        let here = Self.service("Here", port: 1883, [[10, 0, 0, 2]], isLocal: true)
        func urls(_ services: [DiscoveredService], isLocal: Bool) -> [JSONValue?] {
            MQTTDriverConfiguration.sources(services, isLocal: isLocal).map { $0.entry?["url"] }
        }
        #expect(urls([], isLocal: false) == [])
        #expect(urls([], isLocal: true) == ["mqtt://127.0.0.1:1883"])
        #expect(urls([there], isLocal: true) == ["mqtt://10.0.0.5:1884", "mqtt://127.0.0.1:1883"])
        #expect(urls([there, here], isLocal: true) == ["mqtt://10.0.0.5:1884", "mqtt://127.0.0.1:1883"])
        #expect(urls([here], isLocal: false) == ["mqtt://10.0.0.2:1883"])
    }

    @Test(
        "recognizes a configured broker by any of its names",
        arguments: [
            ("mqtt://127.0.0.1", true), ("mqtt://localhost:1883", true), ("mqtt://10.0.0.2", true),
            ("mqtt://Here.local", true), ("mqtt://10.0.0.2:1884", false), ("mqtt://10.0.0.3", false),
            ("mqtts://10.0.0.2", false),
        ])
    func configuredBroker(url: String, isConfigured: Bool) throws {
        let here = Self.service("Here", port: 1883, [[10, 0, 0, 2]], isLocal: true)
        let source = try #require(MQTTDriverConfiguration.sources([here], isLocal: true).first)
        let keys: JSONValue = ["url": .string(url)]
        let configuration = try keys.decoded(as: MQTTDriverConfiguration.self)
        #expect(configuration.coverage(of: source) == (isConfigured ? .complete : .none))
    }
}

/// A driver of a system that announces itself, but provides no more information.
private struct FutureDriver: LightDriverConfiguration {
    static let driverName = "wled"
    func makeDriver(logger: Logger) -> any LightDriver { preconditionFailure("it is not run") }
}

/// A driver that doesn't search for devices.
private struct PluginLike: LightDriverConfiguration {
    static let driverName = "plugin"
    func makeDriver(logger: Logger) -> any LightDriver { preconditionFailure("it is not run") }
}
