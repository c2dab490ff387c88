import BoundedJSON
import DeviceKit
import HAPModel
import Testing

@testable import LightDrivers

@Suite("A valve on MQTT")
struct MQTTValveTests {
    private static func valve(_ keys: String) throws -> MQTTLight {
        let json = try JSONValue(parsing: #"{"command_topic": "c"\#(keys)}"#)
        return MQTTLight(try MQTTLightSettings(KeyReader(keys: json.object ?? [:]), component: "valve"))
    }

    @Test(
        "reads states and positions as Home Assistant does",
        arguments: [
            (#", "state_topic": "s""#, "open", true), (#", "state_topic": "s""#, "closed", false),
            (#", "state_topic": "s""#, "opening", true), (#", "state_topic": "s""#, "closing", false),
            (#", "state_topic": "s""#, #"{"state": "open"}"#, true), (#", "state_topic": "s""#, "ajar", nil),
            (#", "state_topic": "s""#, "None", nil), (#", "state_topic": "s""#, #"{"position": 3}"#, nil),
            (#", "state_topic": "s", "state_open": "ON", "state_closed": "OFF""#, "ON", true),
            (#", "state_topic": "s", "reports_position": true"#, "0", false),
            (#", "state_topic": "s", "reports_position": true"#, "35", true),
            (#", "state_topic": "s", "reports_position": true"#, #"{"position": 0, "state": "opening"}"#, true),
            (
                #", "state_topic": "s", "reports_position": true, "position_closed": 255, "position_open": 0"#, "255",
                false
            ),
            (#", "state_topic": "s", "reports_position": true"#, "nan", nil),
            (#", "state_topic": "s", "reports_position": true"#, "1e999", nil),
        ] as [(String, String, Bool?)])
    func states(keys: String, text: String, isOpen: Bool?) throws {
        var valve = try Self.valve(keys)
        let report = valve.received(topic: "s", payload: MQTTPayload(Array(text.utf8))).first
        #expect(report?.on == isOpen)
    }

    @Test(
        "sends the payloads, positions and templates that Home Assistant sends",
        arguments: [
            ("", "OPEN", "CLOSE"), (#", "payload_open": "1", "payload_close": "0""#, "1", "0"),
            (#", "reports_position": true"#, "100", "0"),
            (#", "reports_position": true, "position_open": 255, "position_closed": 5"#, "255", "5"),
            (#", "command_template": "{\"v\": \"{{ value }}\"}""#, #"{"v": "OPEN"}"#, #"{"v": "CLOSE"}"#),
        ])
    func commands(keys: String, open: String, close: String) throws {
        var valve = try Self.valve(keys)
        for (isOpen, text) in [(true, open), (false, close)] {
            let messages = try valve.messages(for: LightCommand(on: isOpen))
            #expect(messages == [MQTTMessage(topic: "c", text: text)])
            #expect(valve.handedOver(LightCommand(on: isOpen))?.on == isOpen, "it is optimistic without a state")
        }
    }

    @Test("rejects a valve that can't be opened or closed, or whose positions for open and closed are equal")
    func invalid() {
        for keys in [
            #", "payload_open": null, "payload_close": null"#,
            #", "reports_position": true, "position_open": 0, "position_closed": 0"#,
        ] {
            #expect(throws: MQTTProblem.self) { try Self.valve(keys) }
        }
    }

    @Test("shows a configured valve with its purpose")
    func handWritten() throws {
        let keys = #""id": "t", "kind": "valve", "command_topic": "c", "device_class": "faucet""#
        let json = #"{"url": "mqtt://h", "lights": [{\#(keys)}]}"#
        let entity = try #require(try JSONValue(parsing: json).decoded(as: MQTTDriverConfiguration.self).lights.first)
        #expect(entity.description.kind == .valve && entity.description.functions == [.valve(.faucet)])
    }

    private static let expose = #"""
        {"type": "switch", "features": [{"type": "binary", "name": "state", "property": "state", "access": 7,
          "value_on": "ON", "value_off": "OFF"}]}
        """#

    private static func list(_ more: String) -> String {
        #"""
        [{"ieee_address": "0x1", "friendly_name": "garden", "type": "EndDevice",
          "definition": {"exposes": [\#(expose)\#(more)]}}]
        """#
    }

    @Test(
        "shows a Zigbee2MQTT switch with a flow as a valve, in either order of announcements",
        arguments: [true, false])
    func zigbee(isListFirst: Bool) throws {
        var house = MQTTHouse(
            MQTTDeviceRegistry(prefix: "ha", zigbee2MQTT: "z", lights: []), kinds: [.valve, .switch])
        let announcement = #"""
            {"unique_id": "0x1_switch_zigbee2mqtt", "command_topic": "z/garden/set", "state_topic": "z/garden",
             "value_template": "{{ value_json.state }}", "payload_on": "ON", "payload_off": "OFF",
             "device": {"identifiers": ["zigbee2mqtt_0x1"], "name": "garden"}}
            """#
        // Like SONOFF's SWV.
        let list = Self.list(#", {"type": "numeric", "name": "flow", "property": "flow", "access": 1, "unit": "m³/h"}"#)
        if !isListFirst { house.receives("ha/switch/0x1/switch/config", announcement) }
        house.receives("z/bridge/devices", list)
        if isListFirst { house.receives("ha/switch/0x1/switch/config", announcement) }
        house.receives("z/bridge/state", #"{"state": "online"}"#)
        house.pass(2)
        let id: LightID = "0x1_switch_zigbee2mqtt"
        #expect(house.added.last?.kind == .valve && house.added.last?.functions == [.valve(.irrigation)])
        house.receives("z/garden", #"{"state": "ON", "flow": 0.4}"#)
        #expect(house.states[id]?.on == true && house.warnings.isEmpty)
        let sent = try house.home.messages(for: LightCommand(on: false), to: id, now: .zero)
        #expect(sent == [MQTTMessage(topic: "z/garden/set", text: #"{"state":"OFF"}"#)])
    }

    @Test("shows the endpoints of a Zigbee2MQTT valve as an irrigation system")
    func endpoints() throws {
        func expose(_ endpoint: String) -> String {
            #"""
            {"type": "switch", "endpoint": "\#(endpoint)", "features": [{"type": "binary", "name": "state",
              "property": "state_\#(endpoint)", "access": 7, "value_on": "ON", "value_off": "OFF"}]}
            """#
        }
        var house = MQTTHouse(
            MQTTDeviceRegistry(prefix: nil, zigbee2MQTT: "z", lights: []), kinds: [.valve, .switch])
        house.receives(
            "z/bridge/devices",
            #"""
            [{"ieee_address": "0x1", "friendly_name": "garden", "type": "EndDevice", "definition": {"exposes": [
              \#(expose("l1")), \#(expose("l2")), {"type": "numeric", "name": "flow", "property": "flow", "access": 1}]}}]
            """#)
        house.receives("z/bridge/state", #"{"state": "online"}"#)
        house.receives("z/garden", #"{"state_l1": "ON", "state_l2": "OFF"}"#)
        #expect(house.added.isEmpty)
        house.settles()
        let system = try #require(house.added.first)
        #expect(house.added.count == 1 && system.id == "zigbee2mqtt_0x1/valves" && system.name == "garden")
        let valves = ["0x1_switch_l1_zigbee2mqtt", "0x1_switch_l2_zigbee2mqtt"]
        #expect(system.functions.map(\.type) == [.irrigationSystem, .valve, .valve])
        #expect(system.functions[0].linked == valves && system.functions.dropFirst().compactMap(\.id) == valves)
        #expect(system.functions.dropFirst().map { $0.parts.last?.value.string } == ["l1", "l2"])
        let on = valves.map { Property(.on, of: $0) }
        #expect(on.map { house.states[system.id]?.values[$0] } == [.bool(true), .bool(false)])
        #expect(house.states[system.id]?.reachable == true)
        var command = LightCommand()
        (command.values[on[0]], command.values[on[1]]) = (.bool(false), .bool(true))
        #expect(
            try house.sends(command, to: system.id)
                == [#"z/garden/set {"state_l1":"OFF"}"#, #"z/garden/set {"state_l2":"ON"}"#])
        #expect(try house.home.beginIdentification(of: system.id).blinks.isEmpty)
    }

    private static func announcement(_ id: String, _ deviceClass: String = "water") -> String {
        #"""
        {"unique_id": "\#(id)", "name": "\#(id)", "command_topic": "c/\#(id)", "state_topic": "s/\#(id)",
         "device_class": "\#(deviceClass)", "device": {"identifiers": ["d"], "name": "Garden"}}
        """#
    }

    @Test(
        "groups the valves of a device unless they already are separate accessories",
        arguments: [
            (["a"], "water", [], ["a"]),
            (["a", "b"], "water", [], ["d/valves"]),
            (["b", "a"], "water", [], ["d/valves"]),
            (["a", "b"], "gas", [], ["a", "b"]),
            (["a", "b"], "water", ["a"], ["a", "b"]),
            (["b", "a"], "water", ["a"], ["a", "b"]),
            (["a"], "water", ["d/valves"], ["d/valves"]),
        ] as [([String], String, [LightID], [LightID])])
    func groups(ids: [String], deviceClass: String, known: [LightID], shown: [LightID]) {
        var house = MQTTHouse(kinds: [.valve], known: known)
        for id in ids { house.receives("homeassistant/valve/\(id)/config", Self.announcement(id, deviceClass)) }
        house.settles()
        #expect(house.added.map(\.id).sorted { $0.rawValue < $1.rawValue } == shown && house.removed.isEmpty)
    }

    @Test("keeps an irrigation system while valves are added and removed")
    func changes() throws {
        var house = MQTTHouse(kinds: [.valve])
        func valves() -> [String] { house.added.last { $0.id == "d/valves" }?.functions.compactMap(\.id) ?? [] }
        for id in ["a", "b"] { house.receives("homeassistant/valve/\(id)/config", Self.announcement(id)) }
        house.settles()
        house.receives("homeassistant/valve/c/config", Self.announcement("c"))
        house.settles()
        #expect(valves() == ["a", "b", "c"])
        for id in ["a", "b"] { house.receives("homeassistant/valve/\(id)/config", "") }
        house.pass(100)
        #expect(valves() == ["c"] && house.removed.isEmpty)
        house.receives("homeassistant/valve/c/config", "")
        house.pass(200)
        #expect(house.removed == ["d/valves"])
    }

    @Test("shows a switch without water properties as a switch")
    func plainSwitch() {
        var house = MQTTHouse(MQTTDeviceRegistry(prefix: nil, zigbee2MQTT: "z", lights: []), kinds: [.valve, .switch])
        house.receives("z/bridge/devices", Self.list(""))
        #expect(house.added.map(\.kind) == [.switch])
    }

    @Test("opens and closes a valve of ESPHome by its position")
    func esphome() throws {
        func message(_ type: Int, _ fill: (inout ProtobufWriter) -> Void) -> ESPHomeFraming.Message {
            var body = ProtobufWriter()
            fill(&body)
            return ESPHomeFraming.Message(type, body.bytes)
        }
        let entity = try ESPHomeEntity(
            message(109) { body in
                body.write("garden", field: 1)
                body.write(fixed32: 9, field: 2)
                body.write("Garden", field: 3)
                body.write("water", field: 8)
                body.write(true, field: 10)
            })
        var valve = ESPHomeLight(try #require(entity), of: ESPHomeDeviceInfo())
        #expect(valve.description.kind == .valve && valve.description.id == "/valve/garden")
        for (position, isOpen) in [(Float(0), false), (0.4, true), (1, true)] {
            valve.state = try ESPHomeState(
                message(110) { body in
                    body.write(fixed32: 9, field: 1)
                    body.write(position, field: 2)
                })
            #expect(valve.report?.on == isOpen)
        }
        for isOpen in [true, false] {
            let expected = message(111) { body in
                body.write(fixed32: 9, field: 1)
                body.write(true, field: 2)
                body.write(Float(isOpen ? 1 : 0), field: 3)
            }
            #expect(valve.message(for: LightCommand(on: isOpen)) == expected)
        }
        valve.state = try ESPHomeState(
            message(110) { body in
                body.write(fixed32: 9, field: 1)
                body.write(Float.nan, field: 2)
            })
        #expect(valve.report?.on == nil)
    }
}
