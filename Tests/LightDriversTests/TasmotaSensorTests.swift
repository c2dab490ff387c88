import BoundedJSON
import Foundation
import LightKit
import TestTimeouts
import Testing

@testable import LightDrivers

/// A Tasmota device with sensors, and what Home Assistant's reader makes of them (Tests/Interop/tasmota_oracle.py).
struct TasmotaSensorDevice: CustomTestStringConvertible, Sendable {
    let json: JSONValue
    var testDescription: String { json["name"]?.string ?? "?" }

    var config: String { (json["device"] ?? .null).text }
    var sensors: String { (json["sensors"] ?? .null).text }
    /// What it says of its sensors.
    var said: String { (json["sensors"]?["sn"] ?? .null).text }

    static let all: [TasmotaSensorDevice] = {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        guard let data = try? Data(contentsOf: tests.appending(path: "Fixtures/tasmota-sensors.json")),
            let list = try? JSONValue(parsing: Array(data)).array
        else { return [] }
        return list.map(TasmotaSensorDevice.init)
    }()

    static func named(_ name: String) throws -> TasmotaSensorDevice {
        try #require(all.first { $0.testDescription == name })
    }
}

@Suite("Sensors of Tasmota devices", .timeout)
struct TasmotaSensorTests {
    typealias Sensors = MQTTSensorTests.Sensors

    static let config = "tasmota/discovery/AABBCC004711/config"
    static let list = "tasmota/discovery/AABBCC004711/sensors"
    static let told = "tele/tasmota_004711/SENSOR"
    static let answer = "stat/tasmota_004711/STATUS10"
    static let will = "tele/tasmota_004711/LWT"

    static func house(kinds: Set<LightKind> = [.sensor]) -> Sensors {
        var sensors = Sensors(kinds: kinds)
        sensors.home = MQTTHome(prefix: nil, tasmota: "tasmota/discovery", lights: [])
        sensors.take(sensors.home.started(kinds: kinds, known: []))
        sensors.take(sensors.home.connected())
        return sensors
    }

    /// A house with a device that is there.
    static func house(_ device: TasmotaSensorDevice) -> Sensors {
        var sensors = house()
        sensors.receive(config, device.config)
        sensors.receive(list, device.sensors)
        sensors.receive(will, "Online")
        return sensors
    }

    static func id(_ chip: String) -> LightID { LightID("AABBCC004711_\(chip)/sensors") }

    @Test("the devices are there") func found() { #expect(TasmotaSensorDevice.all.count == 6) }

    @Test(
        "the readings, their units and topics are those that Home Assistant finds", arguments: TasmotaSensorDevice.all)
    func readings(_ device: TasmotaSensorDevice) throws {
        var sensors = Self.house(device)
        sensors.receive(Self.told, device.said)
        let wanted = device.json["readings"]?.array ?? []
        #expect(sensors.added.map(\.capabilities.readings.count).reduce(0, +) == wanted.count)
        for reading in wanted {
            let unique = try #require(reading["id"]?.string)
            let key = try #require(unique.split(separator: "_").last)
            let chip = unique.dropFirst("AABBCC004711_sensor_sensor_".count).dropLast(key.count + 1)
            let kind = try #require(reading["reading"]?.string.flatMap(SensorReading.init))
            let state = try #require(sensors.states[Self.id(String(chip))])
            #expect(state.reachable == true)
            let value = reading["value"]?.double
            switch state.readings[kind] {
            case .number(let number)?:
                let plain = reading["unit"] == "F" ? value.map { ($0 - 32) / 1.8 } : value
                #expect(abs(number - (plain ?? .infinity)) < 0.001)
            case .unknown?: #expect(value == nil)
            default: Issue.record("\(unique) has no value")
            }
            #expect(sensors.subscribed.contains(try #require(reading["told"]?.string)))
            #expect(sensors.subscribed.contains(try #require(reading["answered"]?.string)))
        }
    }

    @Test("a device is asked once it is there, and its answer is understood")
    func asked() throws {
        let device = try TasmotaSensorDevice.named("a weather station")
        var sensors = Self.house()
        // The other way round.
        sensors.receive(Self.list, device.sensors)
        #expect(sensors.added.isEmpty)
        sensors.receive(Self.config, device.config)
        #expect(sensors.added.map(\.name).sorted() == ["Tasmota BH1750", "Tasmota BME280", "Tasmota DS18B20"])
        #expect(sensors.states.values.allSatisfy { $0.reachable == false })
        let actions = sensors.home.received(topic: Self.will, payload: MQTTPayload(Array("Online".utf8)), now: .zero)
        let question = MQTTAction.publish(MQTTMessage(topic: "cmnd/tasmota_004711/STATUS", text: "10"))
        #expect(actions.count { $0 == question } == 1)
        sensors.receive(Self.answer, #"{"StatusSNS":{"Time":"2023-08-20T11:09:47","BH1750":{"Illuminance":12}}}"#)
        #expect(sensors.states[Self.id("BH1750")]?.readings == [.illuminance: .number(12)])
    }

    @Test("one chip has the device's name; what it cannot read is not known; what is no message changes nothing")
    func values() throws {
        let device = try TasmotaSensorDevice.named("degrees Fahrenheit")
        var sensors = Self.house(device)
        let id = Self.id("DHT11")
        #expect(sensors.added.map(\.name) == ["Tasmota"] && sensors.added.map(\.id) == [id])
        sensors.receive(Self.told, device.said)
        #expect(sensors.states[id]?.readings == [.temperature: .number(20), .humidity: .number(60)])
        for text in ["nonsense", "[]", "{}", #"{"DHT11":5}"#, #"{"DHT11":{"Temperature":"hot"}}"#] {
            sensors.receive(Self.told, text)
        }
        #expect(sensors.states[id]?.readings == [.temperature: .number(20), .humidity: .number(60)])
        sensors.receive(Self.told, #"{"DHT11":{"Temperature":null,"Humidity":null}}"#)
        #expect(sensors.states[id]?.readings == [.temperature: .unknown, .humidity: .unknown])
    }

    @Test("a chip that is gone, and a device that is, take their sensors along")
    func gone() throws {
        let device = try TasmotaSensorDevice.named("two thermometers")
        var sensors = Self.house(device)
        #expect(Set(sensors.added.map(\.id)) == [Self.id("DS18B20-1"), Self.id("DS18B20-2")])
        sensors.receive(Self.list, #"{"sn":{"DS18B20-1":{"Temperature":18.4},"TempUnit":"C"},"ver":1}"#)
        sensors.pass(5)
        #expect(sensors.removed == [Self.id("DS18B20-2")])
        sensors.receive(Self.config, "", at: 6)
        sensors.pass(11)
        #expect(sensors.removed == [Self.id("DS18B20-2"), Self.id("DS18B20-1")])
    }

    @Test("a device that sleeps most of the time is not out of reach for that")
    func asleep() throws {
        let device = try TasmotaSensorDevice.named("degrees Fahrenheit")
        var sensors = Self.house()
        sensors.receive(Self.config, device.config.replacing(#""dslp":0"#, with: #""dslp":1"#))
        sensors.receive(Self.list, device.sensors)
        sensors.receive(Self.will, "Offline")
        #expect(sensors.states[Self.id("DHT11")]?.reachable == true)
    }

    @Test("nothing of sensors is read where none are wanted")
    func unwanted() throws {
        let device = try TasmotaSensorDevice.named("a weather station")
        var sensors = Self.house(kinds: [.light])
        sensors.receive(Self.config, device.config)
        sensors.receive(Self.list, device.sensors)
        #expect(sensors.added.isEmpty && !sensors.subscribed.contains("tasmota/discovery/+/sensors"))
    }

    @Test(
        "what is no list of sensors is warned of; names that could be part of a template are passed over",
        arguments: [
            ("nonsense", 1), ("[]", 1), ("{}", 1), (#"{"sn":[]}"#, 1), (#"{"sn":{}}"#, 0),
            (#"{"sn":{"A'] }}":{"Temperature":1}}}"#, 0), (#"{"sn":{"A":{"Temperature":"1"}}}"#, 0),
            (#"{"sn":{"ESP32":{"Temperature":41.7}}}"#, 0),
        ])
    func unusable(text: String, warnings: Int) throws {
        var sensors = Self.house()
        sensors.receive(Self.config, try TasmotaSensorDevice.named("two thermometers").config)
        sensors.receive(Self.list, text)
        #expect(sensors.added.isEmpty && sensors.warnings.count == warnings)
    }

    @Test("a device has as many readings as anyone needs, and no more")
    func bounded() throws {
        var sensors = Self.house()
        sensors.receive(Self.config, try TasmotaSensorDevice.named("two thermometers").config)
        let chips = (0..<100).map { #""T\#($0)":{"Temperature":1}"# }.joined(separator: ",")
        sensors.receive(Self.list, "{\"sn\":{\(chips)}}")
        #expect(sensors.added.count == 64)
    }
}
