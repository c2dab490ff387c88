import BoundedJSON
import DeviceKit
import TestTimeouts
import Testing

@testable import LightDrivers

extension TasmotaDevice {
    static let withSensors = read("tasmota-sensors")

    var config: String { (json["device"] ?? .null).text }
    var sensors: String { (json["sensors"] ?? .null).text }
    /// The values of the device's sensors.
    var said: String { (json["sensors"]?["sn"] ?? .null).text }
}

@Suite("Tasmota's sensor discovery", .timeout)
struct TasmotaSensorTests {
    static let config = "tasmota/discovery/AABBCC004711/config"
    static let list = "tasmota/discovery/AABBCC004711/sensors"
    static let told = "tele/tasmota_004711/SENSOR"
    static let answer = "stat/tasmota_004711/STATUS10"
    static let will = "tele/tasmota_004711/LWT"

    static func house(kinds: Set<LightKind> = [.sensor]) -> MQTTHouse {
        MQTTHouse(MQTTDeviceRegistry(prefix: nil, tasmota: "tasmota/discovery", lights: []), kinds: kinds)
    }

    /// Returns a house with a device that is online.
    static func house(_ device: TasmotaDevice) -> MQTTHouse {
        var sensors = house(kinds: [.sensor, .meter])
        sensors.receives(config, device.config)
        sensors.receives(list, device.sensors)
        sensors.receives(will, "Online")
        return sensors
    }

    static func id(_ chip: String) -> LightID { LightID("AABBCC004711_\(chip)/sensors") }

    @Test("finds the fixtures") func found() { #expect(TasmotaDevice.withSensors.count == 6) }

    @Test(
        "finds the readings, units and topics that Home Assistant finds", arguments: TasmotaDevice.withSensors)
    func readings(_ device: TasmotaDevice) throws {
        var sensors = Self.house(device)
        sensors.receives(Self.told, device.said)
        // A meter appears after the outlet that it may measure.
        sensors.pass(2)
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
                // The readings of meters are rounded.
                #expect(abs(number - (plain ?? .infinity)) < (kind.isMeter ? 0.051 : 0.001))
            case .unknown?: #expect(value == nil)
            default: Issue.record("\(unique) has no value")
            }
            #expect(sensors.subscribed.contains(try #require(reading["told"]?.string)))
            #expect(sensors.subscribed.contains(try #require(reading["answered"]?.string)))
        }
    }

    @Test("queries the values of a device that comes online")
    func asked() throws {
        let device = try TasmotaDevice.named("a weather station", in: TasmotaDevice.withSensors)
        var sensors = Self.house()
        // Send the same messages in the opposite order.
        sensors.receives(Self.list, device.sensors)
        #expect(sensors.added.isEmpty)
        sensors.receives(Self.config, device.config)
        #expect(sensors.added.map(\.name).sorted() == ["Tasmota BH1750", "Tasmota BME280", "Tasmota DS18B20"])
        #expect(sensors.states.values.allSatisfy { $0.reachable == false })
        let actions = sensors.home.received(topic: Self.will, payload: MQTTPayload(Array("Online".utf8)), now: .zero)
        let question = MQTTAction.publish(MQTTMessage(topic: "cmnd/tasmota_004711/STATUS", text: "10"))
        #expect(actions.count { $0 == question } == 1)
        sensors.receives(Self.answer, #"{"StatusSNS":{"Time":"2023-08-20T11:09:47","BH1750":{"Illuminance":12}}}"#)
        #expect(sensors.states[Self.id("BH1750")]?.readings == [.illuminance: .number(12)])
    }

    @Test("adds the readings of a meter to the relay")
    func meter() throws {
        let device = try TasmotaDevice.named("a socket that measures", in: TasmotaDevice.withSensors)
        var house = Self.house(kinds: [.switch, .sensor, .meter])
        let relays = #""rl":\#(device.json["device"]?["rl"]?.text ?? "")"#
        house.receives(Self.config, device.config.replacing(relays, with: #""rl":[1]"#))
        house.receives(Self.list, device.sensors)
        house.receives(Self.will, "Online")
        house.receives(Self.told, device.said)
        house.pass(2)
        let relay = try #require(house.added.last)
        #expect(relay.kind == .switch)
        #expect(relay.functions.flatMap(\.meterReadings) == [.power, .energy, .voltage, .current])
        #expect(
            house.states[relay.id]?.readings == [
                .power: .number(76.2), .energy: .number(261.24), .voltage: .number(231.1), .current: .number(0.57),
            ])
    }

    @Test("names a single chip after its device, and ignores invalid messages")
    func values() throws {
        let device = try TasmotaDevice.named("degrees Fahrenheit", in: TasmotaDevice.withSensors)
        var sensors = Self.house(device)
        let id = Self.id("DHT11")
        #expect(sensors.added.map(\.name) == ["Tasmota"] && sensors.added.map(\.id) == [id])
        sensors.receives(Self.told, device.said)
        #expect(sensors.states[id]?.readings == [.temperature: .number(20), .humidity: .number(60)])
        for text in ["nonsense", "[]", "{}", #"{"DHT11":5}"#, #"{"DHT11":{"Temperature":"hot"}}"#] {
            sensors.receives(Self.told, text)
        }
        #expect(sensors.states[id]?.readings == [.temperature: .number(20), .humidity: .number(60)])
        sensors.receives(Self.told, #"{"DHT11":{"Temperature":null,"Humidity":null}}"#)
        #expect(sensors.states[id]?.readings == [.temperature: .unknown, .humidity: .unknown])
    }

    @Test("removes the sensors of chips and devices that are gone")
    func gone() throws {
        let device = try TasmotaDevice.named("two thermometers", in: TasmotaDevice.withSensors)
        var sensors = Self.house(device)
        #expect(Set(sensors.added.map(\.id)) == [Self.id("DS18B20-1"), Self.id("DS18B20-2")])
        sensors.receives(Self.list, #"{"sn":{"DS18B20-1":{"Temperature":18.4},"TempUnit":"C"},"ver":1}"#)
        sensors.pass(5)
        #expect(sensors.removed == [Self.id("DS18B20-2")])
        sensors.receives(Self.config, "", at: 6)
        sensors.pass(11)
        #expect(sensors.removed == [Self.id("DS18B20-2"), Self.id("DS18B20-1")])
    }

    @Test("treats a device that sleeps most of the time as reachable")
    func asleep() throws {
        let device = try TasmotaDevice.named("degrees Fahrenheit", in: TasmotaDevice.withSensors)
        var sensors = Self.house()
        sensors.receives(Self.config, device.config.replacing(#""dslp":0"#, with: #""dslp":1"#))
        sensors.receives(Self.list, device.sensors)
        sensors.receives(Self.will, "Offline")
        #expect(sensors.states[Self.id("DHT11")]?.reachable == true)
    }

    @Test("adds excluded sensors, but doesn't read their values")
    func unwanted() throws {
        let device = try TasmotaDevice.named("a weather station", in: TasmotaDevice.withSensors)
        var sensors = Self.house(kinds: [.light])
        sensors.receives(Self.config, device.config)
        sensors.receives(Self.list, device.sensors)
        #expect(sensors.added.contains { $0.kind == .sensor })
        #expect(!sensors.subscribed.contains { $0.hasPrefix("tele/") || $0.hasPrefix("stat/") })
    }

    @Test(
        "warns about an invalid list, and skips names that could inject templates",
        arguments: [
            ("nonsense", 1), ("[]", 1), ("{}", 1), (#"{"sn":[]}"#, 1), (#"{"sn":{}}"#, 0),
            (#"{"sn":{"A'] }}":{"Temperature":1}}}"#, 0), (#"{"sn":{"A":{"Temperature":"1"}}}"#, 0),
            (#"{"sn":{"ESP32":{"Temperature":41.7}}}"#, 0),
        ])
    func unusable(text: String, warnings: Int) throws {
        var sensors = Self.house()
        sensors.receives(Self.config, try TasmotaDevice.named("two thermometers", in: TasmotaDevice.withSensors).config)
        sensors.receives(Self.list, text)
        #expect(sensors.added.isEmpty && sensors.warnings.count == warnings)
    }

    @Test("limits the number of readings of a device")
    func bounded() throws {
        var sensors = Self.house()
        sensors.receives(Self.config, try TasmotaDevice.named("two thermometers", in: TasmotaDevice.withSensors).config)
        let chips = (0..<100).map { #""T\#($0)":{"Temperature":1}"# }.joined(separator: ",")
        sensors.receives(Self.list, "{\"sn\":{\(chips)}}")
        #expect(sensors.added.count == 64)
    }
}
