import BoundedJSON
import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("Scenes, sirens and choices on MQTT", .timeout)
struct MQTTSceneTests {
    private static let kinds: Set<LightKind> = [.light, .switch, .sensor, .button, .scene]
    private static let device = #""dev": {"ids": "d1", "name": "Feeder"}"#

    private static func command(_ function: String, _ isOn: Bool = true) -> LightCommand {
        var command = LightCommand()
        command.values[Property(.on, of: function)] = .bool(isOn)
        return command
    }

    private static func announced(
        _ entities: [(component: String, keys: String)], kinds: Set<LightKind> = kinds
    ) -> MQTTHouse {
        var house = MQTTHouse(kinds: kinds)
        for (index, entity) in entities.enumerated() {
            house.receives(
                "homeassistant/\(entity.component)/e\(index)/config", "{\(entity.keys), \(device)}")
        }
        house.settles()
        return house
    }

    @Test("become functions of their device's light, and get their commands on their own topics")
    func host() throws {
        var house = Self.announced([
            ("light", #""uniq_id": "l", "cmd_t": "l/set", "stat_t": "l""#),
            ("button", #""uniq_id": "f", "name": "Feed", "cmd_t": "f/set""#),
            ("siren", #""uniq_id": "s", "name": "Alarm", "cmd_t": "s/set", "stat_t": "s""#),
            ("select", #""uniq_id": "m", "name": "Mode", "cmd_t": "m/set", "stat_t": "m", "ops": ["a", "{{ b }}"]"#),
        ])
        let light = try #require(house.added.last)
        #expect(light.id == "l" && light.kind == .light)
        #expect(light.functions.first?.type == .lightbulb)
        #expect(light.scenes.map(\.id) == ["scene/button/f", "option/m/a", "option/m/{{ b }}", "siren/s"])
        house.receives("s", "ON")
        #expect(house.states["l"]?.values[Property(.on, of: "siren/s")] == .bool(true))
        house.receives("m", "a")
        #expect(house.states["l"]?.values[Property(.on, of: "option/m/a")] == .bool(true))
        #expect(house.states["l"]?.values[Property(.on, of: "option/m/{{ b }}")] == .bool(false))
        #expect(try house.sends(Self.command("scene/button/f"), to: "l") == ["f/set PRESS"])
        #expect(try house.sends(Self.command("siren/s"), to: "l") == [#"s/set {"state":"ON"}"#])
        // An option is text, even if it looks like a number or a template.
        #expect(try house.sends(Self.command("option/m/{{ b }}"), to: "l") == ["m/set {{ b }}"])
        #expect(try house.sends(LightCommand(on: true), to: "l") == ["l/set ON"])
        var both = LightCommand(on: true)
        both.values.merge(Self.command("scene/button/f").values)
        #expect(try house.sends(both, to: "l") == ["l/set ON", "f/set PRESS"])
    }

    @Test("make the accessory of their former device busy until it is removed")
    func moved() throws {
        let scene = #""uniq_id": "s", "name": "Read", "cmd_t": "s/set""#
        var house = Self.announced([("scene", scene)])
        let accessory = try #require(house.added.last)
        let function = try #require(accessory.scenes.first?.id)
        house.receives("homeassistant/scene/e0/config", "{\(scene)}")
        #expect(throws: LightError.busy) { try house.sends(Self.command(function), to: accessory.id) }
        house.settles()
        #expect(house.removed.contains(accessory.id))
        #expect(throws: LightError.unknownLight) { try house.sends(Self.command(function), to: accessory.id) }
    }

    @Test("form a separate accessory if the device has no light, even if it has readings")
    func separate() throws {
        var house = Self.announced([("button", #""uniq_id": "f", "name": "Feed", "cmd_t": "f/set""#)])
        let scenes = try #require(house.added.last)
        #expect(scenes.kind == .scene && scenes.name == "Feeder" && scenes.scenes.map(\.id) == ["scene/button/f"])
        #expect(house.states[scenes.id]?.reachable == true)
        #expect(try house.sends(Self.command("scene/button/f"), to: scenes.id) == ["f/set PRESS"])
        #expect(throws: LightError.self) { try house.sends(Self.command("scene/button/f", false), to: scenes.id) }
        house = Self.announced([
            ("siren", #""uniq_id": "s", "name": "Alarm", "cmd_t": "s/set", "stat_t": "s""#),
            ("sensor", #""uniq_id": "t", "stat_t": "t", "dev_cla": "temperature""#),
        ])
        let sensor = try #require(house.added.last)
        #expect(sensor.kind == .sensor && sensor.functions.map(\.type) == [.temperatureSensor, .switch])
        #expect(sensor.id == scenes.id)
    }

    @Test("get the commands for their own device even if another device has a switch with the same id")
    func otherDevice() throws {
        func choice(_ id: String, _ topic: String, _ options: String, of device: String) -> (
            topic: String, text: String
        ) {
            (
                "homeassistant/select/\(topic)/config",
                #"{"uniq_id": "\#(id)", "cmd_t": "\#(topic)", "ops": [\#(options)], "dev": {"ids": "\#(device)"}}"#
            )
        }
        var house = MQTTHouse(kinds: Self.kinds)
        house.announces("l", #""uniq_id": "l", "dev": {"ids": "d2"}"#)
        for (topic, text) in [
            choice("a", "one", #""b/c", "d""#, of: "d1"), choice("a/b", "two", #""c", "e""#, of: "d2"),
        ] { house.receives(topic, text) }
        house.settles()
        let shared = Self.command("option/a/b/c")
        #expect(try house.sends(shared, to: "d1/sensors") == ["one b/c"])
        #expect(try house.sends(shared, to: "l") == ["two c"])
    }

    @Test("are shown once if two have the same id, and a command goes to the shown scene")
    func sameID() throws {
        var house = Self.announced([
            ("select", #""uniq_id": "a", "cmd_t": "a/set", "ops": ["b/c", "d"]"#),
            ("select", #""uniq_id": "a/b", "cmd_t": "other/set", "ops": ["c", "e"]"#),
        ])
        let scenes = try #require(house.added.last)
        #expect(scenes.scenes.map(\.id) == ["option/a/b/c", "option/a/d"])
        #expect(try house.sends(Self.command("option/a/b/c"), to: scenes.id) == ["a/set b/c"])
    }

    @Test("keep states that arrive before the accessory is added")
    func early() throws {
        var house = MQTTHouse(kinds: Self.kinds)
        house.receives(
            "homeassistant/siren/s/config", #"{"uniq_id": "s", "cmd_t": "s/set", "stat_t": "s", \#(Self.device)}"#)
        house.receives("s", "ON")
        house.settles()
        let siren = try #require(house.added.last)
        #expect(house.states[siren.id]?.values[Property(.on, of: "siren/s")] == .bool(true))
    }

    @Test("are limited to the number that an accessory may have, with a warning about the rest")
    func tooMany() {
        let entities = (10...42).map { ("button", #""uniq_id": "b\#($0)", "name": "B", "cmd_t": "b""#) }
        var house = Self.announced(entities)
        #expect(house.added.last?.scenes.count == 32)
        #expect(
            house.warnings == ["d1: only 32 of its 33 scenes, sirens and options are shown; remove some on the device"])
        house.receives("homeassistant/button/e0/config", "")
        house.pass(20)
        house.pass(40)
        #expect(house.added.last?.scenes.count == 32)
        #expect(house.actions.contains(.warn(nil, about: "scenes of d1")))
        #expect(Self.announced(entities, kinds: [.light]).warnings.isEmpty)
    }

    @Test("count as one hidden device if scenes aren't included")
    func hidden() throws {
        let entities = [
            ("light", #""uniq_id": "l", "cmd_t": "l/set""#),
            ("button", #""uniq_id": "f", "name": "Feed", "cmd_t": "f""#),
            ("scene", #""uniq_id": "g", "name": "Go", "cmd_t": "g""#),
        ]
        let house = Self.announced(entities, kinds: [.light])
        #expect(house.added.filter { $0.kind == .scene }.map(\.id) == ["d1/scenes"])
        #expect(house.added.last { $0.kind == .light }?.scenes.isEmpty == true)
        #expect(house.warnings.isEmpty)
    }

    @Test(
        "are hidden if they are settings, buttons for maintenance, disabled or empty",
        arguments: [
            ("button", #""cmd_t": "c", "ent_cat": "config""#), ("button", #""cmd_t": "c", "dev_cla": "restart""#),
            ("button", #""cmd_t": "c", "dev_cla": "identify""#),
            ("select", #""cmd_t": "c", "ops": ["a"], "ent_cat": "config""#), ("select", #""cmd_t": "c", "ops": []"#),
            ("siren", #""cmd_t": "c", "en": false"#),
        ])
    func settings(component: String, keys: String) {
        let house = Self.announced([(component, #""uniq_id": "x", \#(keys)"#)])
        #expect(house.added.isEmpty && house.warnings.isEmpty)
    }

    @Test("explains why a choice with many options isn't shown")
    func many() {
        let options = (0..<13).map { "\"o\($0)\"" }.joined(separator: ", ")
        let house = Self.announced([("select", #""uniq_id": "x", "cmd_t": "c", "ops": [\#(options)]"#)])
        #expect(house.added.isEmpty)
        #expect(house.warnings.first?.contains("options has more than 12 options") == true, "\(house.warnings)")
    }

    @Test(
        "reads the states of a siren as Home Assistant does",
        arguments: [
            ("ON", true), ("OFF", false), (#"{"state": "ON"}"#, true), (#"{"state": "OFF", "tone": "x"}"#, false),
            ("None", nil), ("{}", nil), ("loud", nil),
        ] as [(String, Bool?)])
    func siren(text: String, isOn: Bool?) throws {
        let json = try JSONValue(parsing: #"{"command_topic": "c", "state_topic": "s", "unique_id": "u"}"#)
        var siren = MQTTLight(try MQTTLightSettings(KeyReader(keys: json.object ?? [:]), component: "siren"))
        let report = siren.received(topic: "s", payload: MQTTPayload(Array(text.utf8))).first
        #expect(report?.values[Property(.on, of: "siren/u")] == isOn.map { .bool($0) })
    }

    @Test("shows a configured scene")
    func handWritten() throws {
        let keys = #""id": "t", "name": "Feed", "kind": "scene", "command_topic": "c", "payload_press": "GO""#
        let json = #"{"url": "mqtt://h", "lights": [{\#(keys)}]}"#
        let entity = try #require(try JSONValue(parsing: json).decoded(as: MQTTDriverConfiguration.self).lights.first)
        #expect(entity.description.kind == .scene && entity.description.id == "t")
        var house = MQTTHouse(MQTTDeviceRegistry(prefix: nil, lights: [entity]), kinds: Self.kinds)
        let id = try #require(entity.description.functions.first?.id)
        #expect(try house.sends(Self.command(id), to: "t") == ["c GO"])
    }

    // MARK: Zigbee2MQTT

    private static func zigbee(devices: String = "[]", groups: String = "[]") -> MQTTHouse {
        var house = MQTTHouse(
            MQTTDeviceRegistry(prefix: "homeassistant", zigbee2MQTT: "zigbee2mqtt", lights: []), kinds: kinds)
        house.receives("zigbee2mqtt/bridge/devices", devices)
        house.receives("zigbee2mqtt/bridge/groups", groups)
        house.receives("zigbee2mqtt/bridge/state", #"{"state": "online"}"#)
        house.settles()
        return house
    }

    @Test("shows the scenes of a group, even if Zigbee2MQTT announces them to Home Assistant")
    func group() throws {
        let group = #"""
            [{"id": 9, "friendly_name": "Living", "members": [],
              "scenes": [{"id": 3, "name": "Relax"}, {"id": 4, "name": "Read"}]}]
            """#
        var house = Self.zigbee(groups: group)
        let scenes = try #require(house.added.last)
        #expect(scenes.kind == .scene && scenes.name == "Living" && house.added.count == 1)
        #expect(scenes.scenes.map(\.id) == ["scene/9_scene_3_zigbee2mqtt", "scene/9_scene_4_zigbee2mqtt"])
        let relax = Self.command("scene/9_scene_3_zigbee2mqtt")
        #expect(try house.sends(relax, to: scenes.id) == [#"zigbee2mqtt/Living/set {"scene_recall":3}"#])
        house.receives(
            "homeassistant/scene/1221051039810110150109113116116_9/scene_3/config",
            #"""
            {"name": "Relax", "command_topic": "zigbee2mqtt/Living/set", "payload_on": "{ \"scene_recall\": 3 }",
             "unique_id": "9_scene_3_zigbee2mqtt", "availability": [{"topic": "zigbee2mqtt/bridge/state",
             "value_template": "{{ value_json.state }}"}],
             "device": {"identifiers": ["zigbee2mqtt_1221051039810110150109113116116_9"], "name": "Living"}}
            """#)
        house.settles()
        #expect(house.added.last?.scenes.count == 2 && house.warnings.isEmpty)
    }

    @Test("starts the warning of a siren, which ends after its duration")
    func warning() throws {
        let device = #"""
            [{"ieee_address": "0x1", "friendly_name": "Siren", "type": "Router", "definition": {"vendor": "Heiman",
              "model": "HS2WD-E", "exposes": [{"type": "composite", "name": "warning", "property": "warning", "access": 2,
              "features": [{"type": "enum", "name": "mode", "property": "mode", "access": 2,
                            "values": ["stop", "burglar", "fire", "emergency"]},
                           {"type": "enum", "name": "level", "property": "level", "access": 2,
                            "values": ["low", "medium", "high", "very_high"]},
                           {"type": "numeric", "name": "duration", "property": "duration", "access": 2, "unit": "s"}]}]}}]
            """#
        var house = Self.zigbee(devices: device)
        let siren = try #require(house.added.last)
        let function = "siren/0x1_warning_zigbee2mqtt"
        #expect(siren.kind == .scene && siren.scenes.map(\.id) == [function])
        #expect(house.states[siren.id]?.values[Property(.on, of: function)] == .bool(false))
        let start = Self.command(function)
        #expect(
            try house.sends(start, to: siren.id)
                == [#"zigbee2mqtt/Siren/set {"warning":{"mode":"burglar","level":"high","duration":180}}"#])
        #expect(house.home.handedOver(start, to: siren.id)?.values == start.values)
        house.pass(179)
        #expect(house.states[siren.id]?.values[Property(.on, of: function)] == .bool(false))
        house.actions = []
        house.pass(180)
        #expect(house.states[siren.id]?.values[Property(.on, of: function)] == .bool(false))
        #expect(
            try house.sends(Self.command(function, false), to: siren.id)
                == [#"zigbee2mqtt/Siren/set {"warning":{"mode":"stop"}}"#])
    }
}
