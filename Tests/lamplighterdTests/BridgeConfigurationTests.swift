import AccessoryRole
import ConfigurationKit
import DaemonKit
import DeviceBridge
import DeviceKit
import FoundationEssentials
import LightDrivers
import Logging
import SystemKit
import Testing
import YAMLKit

@testable import lamplighterd

/// A configuration with the keys of the simulated driver, which can't create the driver.
private struct Simulated: LightDriverConfiguration {
    static let driverName = "simulated"

    struct Light: Decodable, Equatable {
        var id: String
        var name: String?
        var kind: String?
        var brightness: Bool?
        var color: Bool?
        var temperature: Bool?
        var transition: String?
        var latency: String?

        enum CodingKeys: String, CodingKey, CaseIterable {
            case id, name, kind, brightness, color, temperature, transition, latency
        }
    }

    var lights: [Light]

    enum CodingKeys: String, CodingKey, CaseIterable { case lights }

    func makeDriver(logger: Logger) -> any LightDriver { preconditionFailure("these tests make no drivers") }
}

/// The configuration of a driver that doesn't list lights.
private struct Other: LightDriverConfiguration {
    static let driverName = "mqtt"
    var url: String

    func makeDriver(logger: Logger) -> any LightDriver { preconditionFailure("these tests make no drivers") }
}

private let drivers: [any LightDriverConfiguration.Type] = [Simulated.self, Other.self]

private func decode(_ text: String) throws -> BridgeConfiguration {
    let bytes = Array(text.utf8)
    _ = try StrictYAML.decode(LightIDsInFile.self, from: bytes, file: "f")
    return try StrictYAML.decode(
        BridgeConfiguration.self, from: bytes, file: "f", userInfo: [.lightDrivers: drivers])
}

/// A decoder that records the keys that a type reads, and provides no values.
private struct KeyNames: Decoder, Error {
    var names: [String] = []
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    static func of(_ type: any Decodable.Type) -> [String] {
        do { _ = try type.init(from: KeyNames()) } catch { return (error as? KeyNames)?.names ?? [] }
        return []
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        func names<Keys: CaseIterable>(_ type: Keys.Type) -> [String] {
            type.allCases.compactMap { ($0 as? any CodingKey)?.stringValue }
        }
        throw KeyNames(names: (type as? any CaseIterable.Type).map { names($0) } ?? [])
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw KeyNames() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw KeyNames() }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        String(drop { $0.isNewline }.reversed().drop { $0.isNewline }.reversed())
    }
}

@Suite("BridgeConfiguration")
struct BridgeConfigurationTests {
    @Test("uses the manual's defaults for missing keys")
    func defaults() throws {
        let configuration = try decode("bridge:\n")
        #expect(configuration.bridge == BridgeSection())
        #expect(configuration.bridge.name.valid == "Lamplighter")
        #expect(configuration.bridge.port == .fixed(51826))
        #expect(configuration.bridge.setupCode == nil)
        #expect(configuration.bridge.interfaces == .automatic)
        #expect(configuration.bridge.advertise == .avahi)
        #expect(configuration.bridge.eventWindow == .milliseconds(250))
        #expect(configuration.bridge.ownership == nil)
        #expect(configuration.drivers.isEmpty)
        #expect(configuration.lights.isEmpty)
        #expect(configuration.metrics == nil)
    }

    @Test("decodes every key")
    func everything() throws {
        let configuration = try decode(
            """
            bridge:
              name: "Anna's: Bridge!"
              port: auto
              setup-code: 415-27-893
              interfaces: [eth0, wlan0]
              advertise: none
              event-window: 1s
              ownership: {vendor: org.example.lamps, token-file: /etc/lamplighter/token}
            drivers:
              - driver: simulated
                lights: [{id: a, brightness: true}, {id: "1"}]
              - driver: simulated
                id: second
                lights: [{id: a}]
              - driver: mqtt
                id: home
                url: mqtt://127.0.0.1
            include: [lights, fans, sensors]
            lights:
              home/0x00158d0001: {name: Desk Lamp, hidden: true}
              second/zigbee/3: {}
            metrics: {listen: "[::1]:9251"}
            """)
        #expect(configuration.metrics?.listen.address == "::1")
        #expect(configuration.metrics?.listen.port == 9251)
        #expect(configuration.metrics?.listen.description == "[::1]:9251")
        #expect(configuration.bridge.name.valid == "Anna's: Bridge")
        #expect(configuration.bridge.name.written == "Anna's: Bridge!")
        #expect(configuration.bridge.port == .automatic)
        #expect(configuration.bridge.setupCode?.text == "415-27-893")
        #expect(configuration.bridge.interfaces == .named(["eth0", "wlan0"]))
        #expect(configuration.bridge.advertise == .none)
        #expect(configuration.bridge.eventWindow == .seconds(1))
        #expect(configuration.bridge.ownership?.vendor == "org.example.lamps")
        #expect(configuration.bridge.ownership?.tokenFile == "/etc/lamplighter/token")
        #expect(configuration.drivers.map(\.id) == ["simulated", "second", "home"])
        #expect(configuration.include.kinds == [.light, .fan, .sensor])
        #expect(try decode("include: []").include.kinds.isEmpty)
        #expect(
            try decode("bridge: {}").include.kinds
                == [
                    .light, .switch, .outlet, .fan, .sensor, .cover, .button, .thermostat, .humidifier, .airPurifier,
                    .valve,
                ])
        for text in ["include: all", "include: [all]", "include: [fans, all]", "include: [all, fans]"] {
            #expect(try decode(text).include.kinds == Set(LightKind.allCases))
        }
        #expect((configuration.drivers.first?.configuration as? Simulated)?.lights.map(\.id) == ["a", "1"])
        let desk = configuration.lights[LightKey(driver: "home", light: "0x00158d0001")]
        #expect(desk?.name?.valid == "Desk Lamp")
        #expect(desk?.hidden == true)
        #expect(configuration.lights[LightKey(driver: "second", light: "zigbee/3")]?.hidden == false)
    }

    @Test("never prints the setup code")
    func secretCode() throws {
        let configuration = try decode("bridge: {setup-code: 415-27-893}")
        var dumped = ""
        dump(configuration, to: &dumped)
        // Characteristic types are long numbers, which may contain three of the digits by chance.
        for digits in ["415-27", "41527"] {
            #expect(!dumped.contains(digits))
            #expect(!"\(configuration)".contains(digits))
            #expect(!String(reflecting: configuration).contains(digits))
        }
    }

    @Test(
        "reports each mistake on one line",
        arguments: [
            ("brigde: {}", "f:1:1: brigde: unknown key; use bridge"),
            (
                "{\"bridge\": {\"name\": \"A\", \"username\": \"CC:22:3D:E3:CE:30\"}, \"accessories\": []}",
                "f:1:75: accessories: this looks like a configuration of Homebridge; "
                    + "create one for Lamplighter as in lamplighter.yaml(5)"
            ),
            (
                "default_config:\nhomeassistant: {name: Home}",
                "f:2:16: homeassistant: this looks like a configuration of Home Assistant; "
                    + "create one for Lamplighter as in lamplighter.yaml(5)"
            ),
            ("bridge: {port: 0}", "f:1:16: bridge.port: not a valid port; use 1 to 65535, or auto"),
            ("bridge: {port: \"51826\"}", "f:1:16: bridge.port: not a valid port; remove the quotes"),
            (
                "bridge: {port: http}",
                "f:1:16: bridge.port: not a valid port; use a number from 1 to 65535, or auto"
            ),
            (
                "bridge:\n  setup-code: 41527893",
                "f:2:15: bridge.setup-code: not a valid setup code; use eight digits as XXX-XX-XXX, or remove the key"
            ),
            (
                "bridge:\n  setup-code: 123-45-678",
                "f:2:15: bridge.setup-code: HomeKit doesn't allow this setup code because it is too easy to guess; "
                    + "choose a different code, or remove the key to create one"
            ),
            (
                "bridge:\n  interfaces: eth0",
                "f:2:15: bridge.interfaces: not a valid list of interfaces; use auto or [eth0]"
            ),
            (
                "bridge:\n  interfaces: [eth0, \"a/b\"]",
                "f:2:22: bridge.interfaces[1]: not a valid interface name; "
                    + "use 1 to 15 characters without spaces, slashes or colons, such as eth0"
            ),
            (
                "bridge:\n  interfaces: [eth0, eth0]",
                "f:2:22: bridge.interfaces[1]: eth0 is listed twice; remove one"
            ),
            (
                "bridge:\n  interfaces: []",
                "f:2:15: bridge.interfaces: the list is empty; use auto, or add an interface"
            ),
            (
                "bridge:\n  advertise: on",
                "f:2:14: bridge.advertise: unknown way to advertise; use avahi or none"
            ),
            ("bridge:\n  event-window: 11s", "f:2:17: bridge.event-window: the duration is too long; use 0ms to 10s"),
            (
                "bridge:\n  name: \"Attic\\a\"",
                "f:2:9: bridge.name: a name can't contain control characters; use letters, digits and spaces"
            ),
            (
                "bridge:\n  name: \"🎄\"",
                "f:2:9: bridge.name: HomeKit can't show any character of this name; "
                    + "use letters, digits and spaces"
            ),
            (
                "bridge:\n  ownership: {vendor: a}",
                "f:2:14: bridge.ownership.token-file: token-file is required; add it"
            ),
            (
                "bridge:\n  ownership: {vendor: a b, token-file: t}",
                "f:2:23: bridge.ownership.vendor: not a valid vendor id; "
                    + "use 1 to 64 ASCII characters, such as org.example.lamps"
            ),
            (
                "bridge:\n  ownership: {vendor: a, token-file: \"\"}",
                "f:2:38: bridge.ownership.token-file: not a file; "
                    + "use the path of a file with the token"
            ),
            ("drivers:\n  - lights: []", "f:2:5: drivers[0].driver: driver is required; add it"),
            (
                "drivers:\n  - driver: simulatd",
                "f:2:13: drivers[0].driver: unknown driver; use simulated"
            ),
            (
                "drivers:\n  - driver: zigbee2mqtt",
                "f:2:13: drivers[0].driver: unknown driver; use mqtt, which supports Zigbee2MQTT"
            ),
            (
                "drivers:\n  - driver: Home-Assistant",
                "f:2:13: drivers[0].driver: unknown driver; use mqtt, which supports Home Assistant's MQTT discovery"
            ),
            (
                "drivers:\n  - driver: hue",
                "f:2:13: drivers[0].driver: unknown driver; use one of mqtt, simulated"
            ),
            (
                "drivers:\n  - driver: mqtt\n    url: a\n    lights: []",
                "f:4:5: drivers[0].lights: unknown key; use one of driver, id, url"
            ),
            (
                "drivers:\n  - driver: mqtt\n    id: a/b\n    url: c",
                "f:3:9: drivers[0].id: not a valid id; use 1 to 64 letters, digits, dots, dashes and underscores"
            ),
            (
                "drivers:\n  - driver: mqtt\n    url: a\n  - driver: mqtt\n    url: b",
                "f:4:5: drivers[1].id: another driver already has the id mqtt; choose a different id"
            ),
            (
                "drivers:\n  - driver: simulated\n    lights: [{id: a}, {id: b}, {id: a}]",
                "f:3:37: drivers[0].lights[2].id: another light of this driver already has the id a; "
                    + "choose a different id"
            ),
            (
                "drivers: [{driver: mqtt, id: home, url: a}]\nlights:\n  hoem/x: {}",
                "f:3:11: lights.hoem/x: no driver has the id hoem; use home/x"
            ),
            (
                "lights:\n  desk: {}",
                "f:2:9: lights.desk: not a valid device key; use DRIVER/DEVICE, as lamplighter devices shows it"
            ),
            (
                "lights:\n  a/b: {hiden: true}",
                "f:2:9: lights.a/b.hiden: unknown key; use hidden"
            ),
            (
                "drivers: [{driver: mqtt, id: a, url: a}]\nlights:\n  a/b: {tap: toggle}",
                "f:3:14: lights.a/b.tap: not a valid value for tap; use full or restore"
            ),
            (
                "drivers: [{driver: mqtt, id: a, url: a}]\nlights:\n  a/b: {transition: 2m}",
                "f:3:21: lights.a/b.transition: the duration is too long; use 0ms to 60s"
            ),
            (
                "drivers: [{driver: mqtt, id: a, url: a}]\nlights:\n  a/b: {co2-threshold: 0}",
                "f:3:24: lights.a/b.co2-threshold: not a concentration in ppm; use a number from 1 to 100000"
            ),
            ("include: [lights, senors]", "f:1:19: include[1]: unknown kind; use sensors"),
            (
                "include: [robots, x]",
                "f:1:11: include[0]: unknown kind; use one of \(LightKind.allCases.map(\.plural).joined(separator: ", ")), all"
            ),
            ("include: [fans, fans]", "f:1:17: include[1]: fans is listed twice; remove the duplicate"),
            (
                "metrics: {listen: 9251}",
                "f:1:19: metrics.listen: the address is missing; use an address such as 127.0.0.1:9251"
            ),
            (
                "metrics: {listen: 127.0.0.1}",
                "f:1:19: metrics.listen: the port is missing; use an address such as 127.0.0.1:9251"
            ),
            (
                "metrics: {listen: 127.0.0.1:0}",
                "f:1:19: metrics.listen: not a valid port; use a number from 1 to 65535 after the colon"
            ),
            (
                "metrics: {listen: 127.0.0.1:+80}",
                "f:1:19: metrics.listen: not a valid port; use a number from 1 to 65535 after the colon"
            ),
            (
                "metrics: {listen: localhost:9251}",
                "f:1:19: metrics.listen: not a valid IP address; use 127.0.0.1 for only this machine, "
                    + "0.0.0.0 for all networks, or one of its addresses"
            ),
            (
                "metrics: {listen: '[127.0.0.1]:9251'}",
                "f:1:19: metrics.listen: not a valid IP address; use 127.0.0.1 for only this machine, "
                    + "0.0.0.0 for all networks, or one of its addresses"
            ),
            (
                "metrics: {listen: '::1:9251'}",
                "f:1:19: metrics.listen: an IPv6 address needs brackets; use a form such as \"[::1]:9251\""
            ),
            (
                "metrics: {listen: [127.0.0.1, 9251]}",
                "f:1:19: metrics.listen: not an address with a port; use an address such as 127.0.0.1:9251, or "
                    + "\"[::1]:9251\" with the quotes"
            ),
        ])
    func mistakes(text: String, message: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try decode(text) }
        #expect(error.description == message)
        #expect(ExitCode(error) == .configuration)
    }

    @Test("accepts the installed configuration files", arguments: ["lamplighter.yaml", "demo.yaml"])
    func files(name: String) throws {
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let path = "/\(folder)/Config/\(name)"
        let configuration = try BridgeConfiguration.load(from: path, drivers: drivers)
        #expect(configuration.drivers.map(\.driver) == ["simulated"])
        let check = BridgeConfiguration.check(path, drivers: drivers)
        #expect(check.code == .success)
        #expect(check.line == "\(path): the configuration is valid")
    }

    @Test("has an example that documents each key as declared")
    func example() throws {
        let text = try page("Config/lamplighter.yaml")
        // Blank lines separate the sections. In the file, the drivers are between them.
        let sections = BridgeConfiguration.example().split(separator: "\n\n").map { $0.trimmed }
        #expect(sections.count == 3)
        for expected in sections {
            #expect("\(text)\n".contains("\n\n\(expected)\n\n"), "Config/lamplighter.yaml should hold:\n\(expected)")
        }
        let configuration = try decode(BridgeConfiguration.example())
        #expect(configuration.bridge == BridgeSection() && configuration.include == IncludedKinds())
        #expect(configuration.metrics == nil)
    }

    @Test(
        "has documentation of each driver's keys in the example or on the driver's page",
        arguments: DriverCatalog.drivers.indices)
    func driverKeys(index: Int) throws {
        let driver = DriverCatalog.drivers[index]
        let paragraphs = try page("Config/lamplighter.yaml").split(separator: "\n\n")
        func paragraph(_ name: String) -> Substring? { paragraphs.first { $0.contains("- driver: \(name) ") } }
        var text = String(try #require(paragraph(driver.driverName), "\(driver.driverName) is not in the example"))
        if text.contains("the same keys") { text += try #require(paragraph("lifx")) }
        if driver.driverName == "mqtt" { text += try page("Sources/LightDrivers/MQTT/README.md") }
        var keys = KeyNames.of(driver)
        #expect(!keys.isEmpty)
        if driver == SimulatedDriverConfiguration.self { keys += KeyNames.of(SimulatedLight.self) }
        if driver == ESPHomeDriverConfiguration.self {
            keys += KeyNames.of(ESPHomeHost.self) + KeyNames.of(ESPHomeDeviceKeys.self)
        }
        // The example explains `id` at the head of the list, for all drivers.
        for key in keys where key != "id" {
            #expect(text.contains("\(key):"), "the key \(key) of the driver \(driver.driverName)")
        }
    }

    private func page(_ path: String) throws -> String {
        let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        return try String(contentsOf: URL(filePath: "/\(folder)/\(path)"), encoding: .utf8)
    }

    @Test("rejects two lights with the same id, even if the driver doesn't check that")
    func loadedIDs() throws {
        let folder = StateFolder()
        try folder.configure("drivers:\n  - driver: simulated\n    lights: [{id: a}, {id: a}]\n")
        let check = BridgeConfiguration.check(folder.places.configuration, drivers: drivers)
        #expect(check.code == .configuration)
        #expect(
            check.line.contains(":3:28: drivers[0].lights[1].id: another light of this driver already has the id a"))
    }

    @Test(
        "suggests remedies for missing and misnamed keys of a broker",
        arguments: [
            ("    id: home", "f:2:5: drivers[0].url: url is required; add url: mqtt://HOST:1883"),
            ("    host: 10.0.0.5", "f:3:5: drivers[0].host: unknown key; use url: mqtt://HOST:1883"),
            ("    ulr: mqtt://10.0.0.5", "f:3:5: drivers[0].ulr: unknown key; use url"),
            (
                "    url: mqtt://10.0.0.5\n    port: 1883",
                "f:4:5: drivers[0].port: unknown key; add the port to url: mqtt://HOST:1883"
            ),
            (
                "    url: mqtt://10.0.0.5\n    user: anna\n    password: hunter2",
                "f:5:5: drivers[0].password: unknown key; "
                    + "add password-file: /etc/lamplighter/mqtt.password, and put the password in that file"
            ),
        ])
    func brokerKeys(keys: String, message: String) throws {
        let error = try #require(throws: ConfigurationError.self) {
            try StrictYAML.decode(
                BridgeConfiguration.self, from: Array("drivers:\n  - driver: mqtt\n\(keys)".utf8), file: "f",
                userInfo: [.lightDrivers: DriverCatalog.drivers])
        }
        #expect(error.description == message)
    }

    @Test("warns about missing interfaces, files and programs, with the position in the file")
    func warnings() throws {
        let folder = StateFolder()
        try folder.configure(
            """
            bridge: {interfaces: [lo, eth77]}
            drivers:
              - driver: mqtt
                url: mqtts://10.0.0.5
                user: u
                password-file: /nowhere/p
              - {driver: plugin, command: [/nowhere/plugin]}

            """)
        let file = folder.places.configuration
        let check = BridgeConfiguration.check(file, drivers: DriverCatalog.drivers)
        #expect(check.code == .success)
        let texts = check.warnings.map(\.description)
        try #require(texts.count == 3)
        #expect(texts[0].hasPrefix("\(file): warning: bridge.interfaces: unknown interface eth77; it will be used"))
        #expect(texts[1] == "\(file):6:20: warning: drivers[0].password-file: the file /nowhere/p doesn't exist")
        #expect(texts[2] == "\(file):7:31: warning: drivers[1].command: the program /nowhere/plugin doesn't exist")
    }

    @Test("refers to the example if the file is empty")
    func empty() throws {
        let folder = StateFolder()
        try folder.configure("")
        let file = folder.places.configuration
        let check = BridgeConfiguration.check(file, drivers: drivers)
        #expect(
            check.line
                == "\(file):1:1: the file is empty; start with /usr/share/doc/lamplighter/examples/lamplighter.yaml")
    }

    @Test("reports a missing file with its exit code")
    func check() {
        let check = BridgeConfiguration.check("/nowhere/f", drivers: drivers)
        #expect(check.code == .noInput)
        #expect(check.line == "/nowhere/f: the file doesn't exist; create it, or specify another file with --config")
    }
}
