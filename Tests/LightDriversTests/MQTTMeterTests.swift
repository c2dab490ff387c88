import BoundedJSON
import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("Meters over MQTT", .timeout)
struct MQTTMeterTests {
    private static let kinds: Set<LightKind> = [.switch, .outlet, .sensor, .meter]

    private static func house(kinds: Set<LightKind> = kinds, known: [LightID] = []) -> MQTTHouse {
        MQTTHouse(
            MQTTDeviceRegistry(prefix: "homeassistant", tasmota: "tasmota", zigbee2MQTT: "zigbee2mqtt", lights: []),
            kinds: kinds, known: known)
    }

    private static func announce(
        _ component: String, _ id: String, _ keys: String, device: String = #""identifiers": "d", "name": "Plug""#
    ) -> (topic: String, text: String) {
        (
            "homeassistant/\(component)/\(id)/config",
            #"{"unique_id": "\#(id)", "stat_t": "s", "device": {\#(device)}, \#(keys)}"#
        )
    }

    private static let outlet = announce("switch", "relay", #""cmd_t": "c", "dev_cla": "outlet", "name": null"#)
    private static let power = announce(
        "sensor", "power",
        #""dev_cla": "power", "unit_of_meas": "kW", "val_tpl": "{{ value_json.p }}", "name": "Power""#)
    private static let energy = announce(
        "sensor", "energy",
        #""dev_cla": "energy", "unit_of_meas": "Wh", "val_tpl": "{{ value_json.e }}", "name": "Energy""#)
    private static let voltage = announce(
        "sensor", "voltage", #""dev_cla": "voltage", "unit_of_meas": "mV", "val_tpl": "{{ value_json.v }}""#)

    /// The last description of each accessory that was added and not removed.
    private static func shown(_ house: MQTTHouse) -> [LightID: LightDescription] {
        var shown: [LightID: LightDescription] = [:]
        for action in house.actions {
            if case .added(let light) = action { shown[light.id] = light }
            if case .removed(let id) = action { shown[id] = nil }
        }
        return shown
    }

    private static func readings(_ description: LightDescription?) -> [SensorReading] {
        description?.functions.flatMap(\.meterReadings) ?? []
    }

    @Test(
        "are a part of the device's outlet, in any order of announcements", arguments: [[0, 1, 2, 3], [3, 2, 1, 0]])
    func joins(order: [Int]) throws {
        var house = Self.house()
        let messages = [Self.outlet, Self.power, Self.energy, Self.voltage]
        for index in order { house.receives(messages[index].topic, messages[index].text) }
        house.receives("s", #"{"p": 0.0123, "e": 4560, "v": 231000}"#)
        house.pass(2)
        let shown = Self.shown(house)
        #expect(shown.keys.map(\.rawValue) == ["relay"] && house.removed.isEmpty)
        #expect(Self.readings(shown["relay"]) == [.power, .energy, .voltage])
        let state = try #require(house.states["relay"])
        #expect(
            state.readings == [.power: .number(12.3), .energy: .number(4.56), .voltage: .number(231)],
            "also values from before the parts were complete")
        house.receives("s", #"{"p": null, "e": 4570}"#)
        #expect(house.states["relay"]?.readings[.energy] == .number(4.57))
    }

    @Test("leave the outlet when they are withdrawn, and form a meter when the outlet is withdrawn")
    func withdrawn() {
        var house = Self.house()
        for (topic, text) in [Self.outlet, Self.power, Self.energy] { house.receives(topic, text) }
        house.pass(2)
        house.receives(Self.energy.topic, "")
        house.pass(8)
        #expect(Self.readings(Self.shown(house)["relay"]) == [.power])
        house.now = .seconds(8)
        house.receives(Self.outlet.topic, "")
        house.pass(14)
        house.pass(17)
        let shown = Self.shown(house)
        #expect(shown.keys.map(\.rawValue) == ["d/sensors"] && shown["d/sensors"]?.kind == .meter)
    }

    @Test("appear in the description even if excluded, but their topics aren't subscribed to")
    func excluded() {
        var house = Self.house(kinds: [.outlet])
        let power = Self.power.text.replacing(#""stat_t": "s""#, with: #""stat_t": "other""#)
        house.receives(Self.outlet.topic, Self.outlet.text)
        house.receives(Self.power.topic, power)
        house.pass(2)
        #expect(!house.subscribed.contains("other") && Self.readings(Self.shown(house)["relay"]) == [.power])
    }

    @Test("omit the voltage of a battery")
    func battery() {
        var house = Self.house()
        let temperature = Self.announce("sensor", "t", #""dev_cla": "temperature""#)
        for (topic, text) in [temperature, Self.voltage] { house.receives(topic, text) }
        house.pass(2)
        let shown = Self.shown(house)
        #expect(shown["d/sensors"]?.kind == .sensor && shown["d/sensors"]?.capabilities.readings == [.temperature])
    }

    @Test("belong to the channel that they name; a meter of the whole device is separate")
    func channels() {
        var house = Self.house()
        for side in ["left", "right"] {
            let relay = Self.announce("switch", "relay_\(side)", #""cmd_t": "c", "name": "\#(side)""#)
            let power = Self.announce("sensor", "power_\(side)", #""dev_cla": "power", "name": "Power \#(side)""#)
            house.receives(relay.topic, relay.text)
            house.receives(power.topic, power.text)
        }
        house.receives(Self.energy.topic, Self.energy.text)
        house.pass(2)
        let shown = Self.shown(house)
        #expect(Self.readings(shown["relay_left"]) == [.power] && Self.readings(shown["relay_right"]) == [.power])
        #expect(Self.readings(shown["d/sensors"]) == [.energy] && shown["d/sensors"]?.kind == .meter)
    }

    @Test("join the outlet if Zigbee2MQTT lists them, except for the voltage of a battery")
    func zigbee2MQTT() throws {
        var house = Self.house()
        func numeric(_ name: String, _ unit: String) -> String {
            #"{"type": "numeric", "name": "\#(name)", "property": "\#(name)", "unit": "\#(unit)", "access": 1}"#
        }
        let relay =
            #"{"type": "switch", "features": [{"type": "binary", "name": "state", "property": "state","#
            + #""access": 7, "value_on": "ON", "value_off": "OFF"}]}"#
        func device(_ name: String, _ exposes: [String]) -> String {
            #"{"ieee_address": "0x\#(name)", "type": "Router", "friendly_name": "\#(name)","#
                + #""definition": {"exposes": [\#(exposes.joined(separator: ","))]}}"#
        }
        let meters = [("power", "W"), ("current", "A"), ("voltage", "V"), ("energy", "kWh")].map(numeric)
        let devices = [device("01", [relay] + meters), device("02", [numeric("voltage", "mV")])]
        house.receives("zigbee2mqtt/bridge/state", #"{"state": "online"}"#)
        house.receives("zigbee2mqtt/bridge/devices", "[\(devices.joined(separator: ","))]")
        house.pass(2)
        house.receives(
            "zigbee2mqtt/01", #"{"state": "ON", "power": -3.4, "current": 0.1, "voltage": 230, "energy": 1.5}"#)
        let shown = Self.shown(house)
        #expect(shown.count == 1)
        let (id, description) = try #require(shown.first)
        #expect(Self.readings(description) == [.power, .energy, .voltage, .current])
        #expect(house.states[id]?.on == true && house.states[id]?.readings[.power] == .number(-3.4))
    }

    @Test(
        "convert their units",
        arguments: [
            ("power", "W", 5, .number(5)), ("power", "kW", -0.5, .number(-500)), ("power", "mW", 1500, .number(1.5)),
            ("energy", "Wh", 1500, .number(1.5)), ("energy", "MWh", 2, .number(2000)), ("energy", "kWh", 3, .number(3)),
            ("voltage", "mV", 3100, .number(3.1)), ("current", "mA", 250, .number(0.25)), ("power", "VA", 1, nil),
        ] as [(String, String, Double, SensorValue?)])
    func units(deviceClass: String, unit: String, number: Double, value: SensorValue?) {
        #expect(SensorClass(number: deviceClass, unit: unit)?.number(number) == value)
    }
}
