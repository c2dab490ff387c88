import BoundedJSON
import BridgeControl
import DaemonKit
import LightDrivers
import TestTimeouts
import Testing

@testable import lamplighterd

@Suite("FoundLights", .timeout)
struct FoundLightsTests {
    /// Compares sources with the drivers of a configuration in YAML.
    static func compare(_ sources: [LightSource], _ drivers: String) throws -> FoundLights {
        let folder = StateFolder()
        try folder.configure("drivers: \(drivers)\n")
        let configuration = try BridgeConfiguration.load(
            from: folder.places.configuration, drivers: DriverCatalog.drivers)
        return FoundLights(LightSearch.Outcome(sources: sources), configured: configuration.drivers)
    }

    static func source(_ driver: String, _ keys: JSONObject? = [:], _ name: String = "x") -> LightSource {
        var entry: JSONObject = ["driver": .string(driver)]
        for member in keys?.members ?? [] { entry[member.name] = member.value }
        return LightSource(
            driver: driver, name: name, hosts: ["10.0.0.5"], port: 1, entry: keys == nil ? nil : entry)
    }

    static func sealed(_ name: String) -> LightSource {
        source("esphome", ["devices": [name: ["key-file": .string("/etc/lamplighter/\(name).key")]]], name)
    }

    static func keys(_ found: FoundLights) -> [String] {
        found.entries.map { ($0.id.map { "\($0): " } ?? "") + $0.keys.text }
    }

    @Test("lists a system without a driver, but no entry for it")
    func unsupported() throws {
        let found = try Self.compare([Self.source("nanoleaf", nil)], "[]")
        #expect(found.found.map(\.state) == [.unsupported] && found.entries == [])
    }

    @Test("merges all devices of a driver into one entry")
    func merged() throws {
        let found = try Self.compare(
            [Self.sealed("den"), Self.sealed("hall"), Self.source("esphome"), Self.source("wiz"), Self.source("wiz")],
            "[]")
        #expect(found.found.allSatisfy { $0.state == .new })
        #expect(
            Self.keys(found) == [
                #"{"driver":"esphome","devices":{"den":{"key-file":"/etc/lamplighter/den.key"},"hall":{"key-file":"/etc/lamplighter/hall.key"}}}"#,
                #"{"driver":"wiz"}"#,
            ])
    }

    @Test("has a separate entry with a free id for each broker")
    func brokers() throws {
        let sources = [("a", "mqtt://a"), ("b", "mqtt://b")].map { Self.source("mqtt", ["url": .string($1)], $0) }
        #expect(
            Self.keys(try Self.compare(sources, "[]")) == [
                #"{"driver":"mqtt","url":"mqtt://a"}"#, #"{"driver":"mqtt","url":"mqtt://b","id":"mqtt-2"}"#,
            ])
        let configured = "[{driver: mqtt, url: mqtt://c}, {driver: wiz, id: mqtt-2}]"
        #expect(
            Self.keys(try Self.compare(sources, configured)) == [
                #"{"driver":"mqtt","url":"mqtt://a","id":"mqtt-3"}"#,
                #"{"driver":"mqtt","url":"mqtt://b","id":"mqtt-4"}"#,
            ])
    }

    @Test("has no entries for configured devices, and adds missing devices to the entry of their driver")
    func configured() throws {
        let found = try Self.compare(
            [Self.sealed("den"), Self.sealed("hall"), Self.source("esphome"), Self.source("wiz")],
            "[{driver: esphome, id: boards, devices: {hall: {key-file: /k}}}, {driver: wiz}]")
        #expect(found.found.map(\.state) == [.incomplete, .configured, .configured, .configured])
        #expect(Self.keys(found) == [#"boards: {"devices":{"den":{"key-file":"/etc/lamplighter/den.key"}}}"#])
    }

    @Test("lists a device as configured if one of two drivers provides it")
    func twoEntries() throws {
        let found = try Self.compare(
            [Self.source("lifx")],
            "[{driver: lifx, discover: false, hosts: [10.0.0.9]}, {driver: lifx, id: all}]")
        #expect(found.found.map(\.state) == [.configured])
    }

    @Test("reports failed searches")
    func problems() {
        let outcome = LightSearch.Outcome(failures: [LightSearchFailure(text: "no mDNS")])
        #expect(FoundLights(outcome, configured: []).problems == ["no mDNS"])
    }
}
