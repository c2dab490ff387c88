import BoundedJSON
import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("An air purifier on MQTT", .timeout)
struct MQTTAirPurifierTests {
    private static let id: LightID = "0x1_fan_zigbee2mqtt"

    /// IKEA's Starkvind (zigbee-herdsman-converters, ikea.ts).
    private static let starkvind =
        #"[{"ieee_address":"0x1","type":"Router","friendly_name":"air","definition":{"vendor":"IKEA","model":"E2007","#
        + #""exposes":[{"type":"fan","features":[{"type":"binary","name":"state","property":"fan_state","access":7,"#
        + #""value_on":"ON","value_off":"OFF"},{"type":"enum","name":"mode","property":"fan_mode","access":7,"#
        + #""values":["off","auto","1","2","3","4","5","6","7","8","9"]}]},"#
        + #"{"type":"numeric","name":"fan_speed","property":"fan_speed","access":5},"#
        + #"{"type":"binary","name":"replace_filter","property":"replace_filter","access":5},"#
        + #"{"type":"numeric","name":"filter_age","property":"filter_age","access":5}]}}]"#

    private func command(on: Bool? = nil, speed: Int? = nil, auto: Bool? = nil) -> LightCommand {
        var command = LightCommand(on: on)
        (command.speed, command.purifiesAutomatically) = (speed, auto)
        return command
    }

    private static let announcement = #"""
        {"unique_id": "0x1_fan_zigbee2mqtt", "name": "air", "command_topic": "z/air/set/fan_state",
        "state_topic": "z/air", "state_value_template": "{{ value_json.fan_state }}"}
        """#

    private static func house(_ kinds: Set<LightKind> = [.airPurifier], prefix: String? = nil) -> MQTTHouse {
        MQTTHouse(MQTTDeviceRegistry(prefix: prefix, zigbee2MQTT: "z", lights: []), kinds: kinds)
    }

    @Test("reads IKEA's purifier in Zigbee2MQTT's list, with its filter")
    func zigbee() throws {
        var house = Self.house()
        house.receives("z/bridge/devices", Self.starkvind)
        house.receives("z/bridge/state", #"{"state":"online"}"#)
        let device = try #require(house.added.first)
        #expect(house.added.count == 1 && device.kind == .airPurifier && device.id == Self.id)
        #expect(device.functions.map(\.type) == [.airPurifier, .filterMaintenance])
        house.receives(
            "z/air",
            #"{"fan_state":"ON","fan_mode":"auto","fan_speed":3,"replace_filter":false,"filter_age":64800}"#)
        var state = try #require(house.states[Self.id])
        #expect(state.on == true && state.purifiesAutomatically == true && state.speed == 33)
        #expect(state.filterLife == 75 && state.needsNewFilter == false)
        house.receives("z/air", #"{"fan_mode":"5","fan_speed":5,"replace_filter":true,"filter_age":300000}"#)
        state = try #require(house.states[Self.id])
        #expect(state.purifiesAutomatically == false && state.speed == 55)
        #expect(state.filterLife == 0 && state.needsNewFilter == true)
        #expect(try house.sends(command(speed: 100, auto: false), to: Self.id) == [#"z/air/set {"fan_mode":"9"}"#])
        #expect(try house.sends(command(auto: true), to: Self.id) == [#"z/air/set {"fan_mode":"auto"}"#])
        #expect(try house.sends(command(auto: false), to: Self.id) == [#"z/air/set {"fan_mode":"5"}"#])
        #expect(try house.sends(command(on: false), to: Self.id) == [#"z/air/set {"fan_state":"OFF"}"#])
    }

    @Test("prefers Zigbee2MQTT's list to its announcement of a fan, in any order", arguments: [true, false])
    func order(listFirst: Bool) throws {
        var house = Self.house([.airPurifier, .fan], prefix: "homeassistant")
        func list() { house.receives("z/bridge/devices", Self.starkvind) }
        if listFirst { list() }
        house.receives("homeassistant/fan/0x1/fan/config", Self.announcement)
        if !listFirst { list() }
        #expect(house.added.map(\.kind) == [.airPurifier] && house.warnings.isEmpty)
        house.receives("z/air", #"{"fan_state":"ON","filter_age":64800}"#)
        #expect(house.states[Self.id]?.filterLife == 75)
    }

    static let announced = AnnouncedThing.all.filter { $0.kind == "air-purifier" }

    @Test(
        "reads a configured purifier, with the keys of a fan and of its filter, as Home Assistant does",
        arguments: announced)
    func publishers(_ thing: AnnouncedThing) throws {
        var keys = try #require(thing.json["payload"]?.object)
        for member in thing.expected["more"]?.object?.members ?? [] { keys[member.name] = member.value }
        keys["id"] = keys["unique_id"]
        keys["unique_id"] = nil
        keys["kind"] = "air-purifier"
        let json: JSONValue = ["url": "mqtt://h", "lights": [.object(keys)]]
        let lights = try json.decoded(as: MQTTDriverConfiguration.self).lights
        var house = MQTTHouse(MQTTDeviceRegistry(prefix: nil, lights: lights), kinds: [.airPurifier])
        let device = try #require(house.added.first)
        let values = device.functions[0].metadata(of: .targetAirPurifierState)?.validValues
        #expect(values == (thing.expected["auto"] == true ? [0, 1] : [0]))
        thing.notified(&house)
        let state = try #require(house.states[device.id])
        let wanted = thing.expected["state"]
        #expect(state.on == wanted?["on"]?.bool && state.speed == wanted?["speed"]?.int)
        if let preset = wanted?["preset"]?.bool { #expect(state.purifiesAutomatically ?? false == preset) }
        #expect(state.filterLife == wanted?["life"]?.double && state.needsNewFilter == wanted?["change"]?.bool)
        for member in thing.json["commands"]?.object?.members ?? [] {
            let words = member.name.split(separator: " ").map(String.init)
            var command = LightCommand()
            switch words[0] {
            case "on": command.on = true
            case "off": command.on = false
            case "speed": command.speed = Int(words[1])
            default: command.purifiesAutomatically = true
            }
            let sent = try house.home.messages(for: command, to: device.id, now: .zero).map {
                [$0.topic, String(decoding: $0.payload, as: UTF8.self)]
            }
            #expect(sent == (member.value.array ?? []).map { ($0.array ?? []).compactMap(\.string) }, "\(member.name)")
        }
    }
}
