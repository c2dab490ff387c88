import BoundedJSON
import DeviceKit
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The registry of MQTT devices", .timeout)
struct MQTTDeviceRegistryTests {
    typealias House = MQTTHouse

    static let lamp =
        #""uniq_id": "u1", "stat_t": "lamp", "avty_t": "lamp/status", "dev": {"name": "Lamp", "ids": "1"}"#

    // MARK: Topics and payloads

    @Test(
        "parses discovery topics",
        arguments: [
            ("ha/light/lamp/config", "light", nil, "lamp"), ("ha/light/node/lamp/config", "light", "node", "lamp"),
            ("ha/device/A_b-9/config", "device", nil, "A_b-9"),
        ] as [(String, String, String?, String)])
    func topics(topic: String, component: String, node: String?, object: String) throws {
        let parts = try #require(DiscoveryTopic(topic, prefix: "ha"))
        #expect(parts.component == component && parts.nodeID == node && parts.objectID == object)
    }

    @Test(
        "rejects topics that aren't valid discovery topics",
        arguments: [
            "ha/light/config", "ha/light/a/b/c/config", "ha/light/a/state", "xx/light/a/config", "ha/light//config",
            "ha/light/ä/config", "ha/light/a b/config", "halight/a/config", "", "ha", "ha/",
        ])
    func noTopics(topic: String) {
        #expect(DiscoveryTopic(topic, prefix: "ha") == nil)
    }

    @Test("reads an announcement with abbreviations and a base topic")
    func example() throws {
        var house = House()
        let actions = house.receives(
            "homeassistant/light/den/config",
            """
            {"~": "den/lamp", "name": null, "uniq_id": "den-lamp-7f2c", "schema": "json", "cmd_t": "~/set", "stat_t": "~",
             "avty": [{"t": "den/lamp/status"}, {"t": "gateway/status", "val_tpl": "{{ value_json.state }}"}],
             "avty_mode": "all", "brightness": true, "bri_scl": 254, "sup_clrm": ["color_temp", "hs"], "min_mirs": 153,
             "max_mirs": 454, "dev": {"ids": ["den-lamp-7f2c"], "name": "Den lamp", "mf": "Example", "mdl": "E27 colour",
             "sw": "1.4.2", "sa": "Den"}, "o": {"name": "example-gateway", "sw": "2.0"}}
            """)
        let expected = LightDescription(
            id: "den-lamp-7f2c", name: "Den lamp",
            capabilities: .init(brightness: true, color: true, temperature: 153...454, transition: true),
            manufacturer: "Example", model: "E27 colour", serialNumber: "den-lamp-7f2c", firmware: "1.4.2",
            suggestedRoom: "Den")
        #expect(
            actions == [
                .added(expected), .subscribe("den/lamp", qos: 0), .subscribe("den/lamp/status", qos: 0),
                .subscribe("gateway/status", qos: 0), .report("den-lamp-7f2c", .init(reachable: false)),
            ])
        #expect(house.receives("den/lamp/status", "online") == [])
        #expect(
            house.receives("gateway/status", #"{"state": "online"}"#) == [
                .report("den-lamp-7f2c", .init(reachable: true))
            ]
        )
        let messages = try house.home.messages(for: .init(on: true, brightness: 100), to: "den-lamp-7f2c", now: .zero)
        #expect(messages == [.init(topic: "den/lamp/set", text: #"{"state":"ON","brightness":254}"#)])
    }

    @Test(
        "describes a light as optimistic if its state isn't reported",
        arguments: [
            (#""stat_t": "s""#, false), (#""stat_t": "s", "opt": true"#, true), (#""bri_stat_t": "s""#, true),
            // The state can't be read.
            (#""stat_t": "s", "stat_val_tpl": "{{ now() }}""#, true),
        ])
    func optimistic(keys: String, isOptimistic: Bool) throws {
        var house = House()
        let actions = house.announces("den", #""cmd_t": "c", "uniq_id": "den", \#(keys)"#)
        #expect(actions.added.map(\.isOptimistic) == [isOptimistic])
    }

    @Test(
        "counts unreadable states, but not states without values",
        arguments: [
            (#""schema": "json", "stat_t": "s""#, "nonsense", 1), (#""schema": "json", "stat_t": "s""#, "[1]", 1),
            (#""schema": "json", "stat_t": "s""#, "", 0), (#""schema": "json", "stat_t": "s""#, #"{"a": 1}"#, 0),
            (#""stat_t": "s""#, "on", 1), (#""stat_t": "s""#, "ON", 0), (#""stat_t": "s""#, "None", 0),
            (#""stat_t": "s", "stat_val_tpl": "{{ value_json.power }}""#, "{}", 0),
            (#""stat_t": "t", "bri_cmd_t": "b", "bri_stat_t": "s""#, "much", 1),
            (#""stat_t": "t", "bri_cmd_t": "b", "bri_stat_t": "s""#, "12.5", 0), (#""stat_t": "t""#, "on", 0),
        ])
    func unreadable(keys: String, message: String, count: Int) {
        var house = House()
        house.announces("den", #""uniq_id": "den", \#(keys)"#)
        house.receives("s", message)
        #expect(house.home.takeUnreadable() == count && house.home.takeUnreadable() == 0)
    }

    @Test("reads the announcement of ha-mqtt-discoverable 0.26.0")
    func discoverable() throws {
        var house = House()
        let actions = house.receives(
            "homeassistant/light/Den-lamp/Den/config",
            """
            {"component": "light", "device": {"name": "Den lamp", "model": "M1", "manufacturer": "Maker",
             "sw_version": "1.2.3", "identifiers": ["den-1"]}, "name": "Den", "unique_id": "den-1-light",
             "schema": "json", "payload_off": "OFF", "payload_on": "ON", "brightness": true, "color_mode": true,
             "supported_color_modes": ["rgb"], "effect": false, "retain": false,
             "state_topic": "hmd/light/Den-lamp/Den/state",
             "json_attributes_topic": "hmd/light/Den-lamp/Den/attributes",
             "command_topic": "hmd/light/Den-lamp/Den/command"}
            """)
        let light = try #require(actions.added.first)
        #expect(light.id == "den-1-light" && light.name == "Den lamp Den" && light.firmware == "1.2.3")
        #expect(light.capabilities == LightCapabilities(brightness: true, color: true, transition: true))
        #expect(actions.last == .report("den-1-light", .init(reachable: true)))
        let partial = house.receives("hmd/light/Den-lamp/Den/state", #"{"brightness": 51, "state": "ON"}"#)
        #expect(partial == [.report("den-1-light", .init(on: true, brightness: 20))])
    }

    @Test(
        "replaces ~ only in topics, and only at their start or end",
        arguments: [("~/set", "base/set"), ("x/~", "x/base"), ("~", "base"), ("a~b", "a~b"), ("~/~", "base/base")])
    func baseTopic(topic: String, expected: String) throws {
        guard
            case .single(let keys) = try DiscoveryPayload(
                Array(#"{"~": "base", "cmd_t": "\#(topic)", "pl_on": "~"}"#.utf8), isDevice: false)
        else {
            Issue.record("not a single component")
            return
        }
        #expect(keys["command_topic"]?.string == expected)
        #expect(keys["payload_on"]?.string == "~")
    }

    @Test("adds the lights of a device-wide announcement with the keys that they inherit")
    func device() throws {
        var house = House()
        let text = """
            {"dev": {"ids": ["hall-01"], "name": "Hall"}, "o": {"name": "example"}, "avty_t": "hall/status", "qos": 2,
             "cmps": {"main": {"p": "light", "name": "Main", "uniq_id": "m", "schema": "json", "cmd_t": "hall/main/set",
                               "stat_t": "hall/main", "sup_clrm": ["brightness"], "brightness": true},
                      "fan": {"p": "switch", "uniq_id": "f", "cmd_t": "hall/fan"},
                      "gone": {"p": "light"}, "door": {"p": "binary_sensor", "uniq_id": "d", "stat_t": "hall/door"}}}
            """
        let actions = house.receives("homeassistant/device/hall/config", text)
        #expect(actions.added.map(\.name) == ["Hall Main", "Hall"])
        #expect(actions.added.map(\.kind) == [.light, .switch])
        #expect(actions.contains(.subscribe("hall/status", qos: 0)))
        #expect(actions.warnings == [])
        house.receives("hall/status", "online")
        #expect(
            try house.home.messages(for: .init(on: true), to: "f", now: .zero) == [.init(topic: "hall/fan", text: "ON")]
        )
        // An update may omit parts. A part with only its platform is removed after a delay.
        func update(_ more: String) -> [MQTTAction] {
            house.receives(
                "homeassistant/device/hall/config",
                #"{"dev": {"name": "Hall"}, "o": {}, "avty_t": "hall/status", "cmps": {"#
                    + #""fan": {"p": "switch", "uniq_id": "f", "cmd_t": "hall/fan"}\#(more)}}"#)
        }
        #expect(!update("").contains(.report("m", .init(reachable: false))))
        #expect(house.home.timePassed(now: MQTTDeviceRegistry.grace) == [])
        #expect(update(#", "main": {"p": "light"}"#).contains(.report("m", .init(reachable: false))))
        #expect(house.home.timePassed(now: MQTTDeviceRegistry.grace) == [.removed("m")])
        let gone = house.receives("homeassistant/device/hall/config", "")
        #expect(gone.contains(.report("f", .init(reachable: false))))
    }

    @Test("gives a device's sensor a different name than its switch")
    func sensorNextToSwitch() {
        var house = House(kinds: [.switch, .sensor])
        let actions = house.receives(
            "homeassistant/device/echo/config",
            """
            {"dev": {"ids": ["echo"], "name": "Echo"}, "o": {}, "cmps": {
             "t": {"p": "sensor", "uniq_id": "t", "dev_cla": "temperature", "unit_of_meas": "°C", "stat_t": "t"},
             "s": {"p": "switch", "uniq_id": "s", "cmd_t": "s", "name": null}}}
            """)
        #expect(Set(actions.added.map(\.name)) == ["Echo", "Echo Sensor"])
    }

    @Test("makes the entity and its state available to templates")
    func entityVariables() throws {
        var house = House()
        house.announces(
            "l",
            #""uniq_id": "u", "name": "Desk Lamp", "stat_t": "s", "stat_val_tpl": "{{ value_json.on if value_json.on is defined else this.state | upper }}", "#
                + #""bri_cmd_t": "l/bri", "bri_cmd_tpl": "{{ entity_id }} {{ name }} {{ this.attributes.friendly_name }} {{ value }}""#
        )
        house.receives("s", #"{"on": "ON"}"#)
        let sent = try house.home.messages(for: .init(on: true, brightness: 100), to: "u", now: .zero)
        #expect(MQTTLightTests.text(sent).first == "l/bri light.desk_lamp Desk Lamp Desk Lamp 255")
        #expect(
            house.receives("s", #"{"x": 1}"#) == [.report("u", .init(on: true))],
            "without a value, the template keeps the last state")
    }

    @Test("warns about a template that fails for every message, until it works")
    func failingStateTemplate() {
        var house = House()
        house.announces("l", #""uniq_id": "u", "stat_t": "s", "stat_val_tpl": "{{ value_json.a.b }}""#)
        house.receives("s", "{}")
        let warnings = house.home.timePassed(now: .zero).warnings
        #expect(warnings.count == 1 && warnings[0].hasPrefix("u: state_value_template: "), "\(warnings)")
        house.receives("s", "{}")
        #expect(house.home.timePassed(now: .zero) == [])
        house.receives("s", #"{"a": {"b": "ON"}}"#)
        #expect(house.home.timePassed(now: .zero) == [.warn(nil, about: "u")])
        house.receives("s", "{}")
        #expect(house.home.timePassed(now: .zero) == [])
    }

    @Test(
        "warns about an unknown power, and keeps the last known power",
        arguments: [
            (#""stat_t": "s""#, "None", "ON"),
            (#""stat_t": "s", "schema": "json""#, #"{"state": null}"#, #"{"state": "ON"}"#),
        ])
    func unknownPower(keys: String, unknown: String, on: String) {
        var house = House()
        house.announces("l", #""uniq_id": "u", \#(keys)"#)
        house.receives("s", on)
        #expect(house.receives("s", unknown) == [])
        #expect(house.home.timePassed(now: .zero).warnings.first?.contains("doesn't know whether it's on") == true)
        house.receives("s", on)
        #expect(house.home.timePassed(now: .zero) == [.warn(nil, about: "u")])
    }

    @Test("warns about an encoding other than UTF-8", arguments: [("utf-8", 0), ("UTF8", 0), ("utf-16", 1), ("", 1)])
    func encoding(name: String, warnings: Int) {
        var house = House()
        let actions = house.announces("l", #""uniq_id": "u", "encoding": "\#(name)""#)
        #expect(actions.warnings.count == warnings && actions.added.count == 1)
    }

    @Test("gives the parts of a device the base topic of the device, unless they have their own")
    func baseOfDevice() throws {
        var house = House()
        house.receives(
            "homeassistant/device/hall/config",
            """
            {"~": "hall", "dev": {"name": "Hall"}, "o": {}, "cmps": {
             "a": {"p": "light", "uniq_id": "a", "cmd_t": "~/a"},
             "b": {"~": "attic", "p": "light", "uniq_id": "b", "cmd_t": "~/b"}}}
            """)
        #expect(try house.home.messages(for: .init(on: true), to: "a", now: .zero).map(\.topic) == ["hall/a"])
        #expect(try house.home.messages(for: .init(on: true), to: "b", now: .zero).map(\.topic) == ["attic/b"])
    }

    @Test("doesn't give a part the device's availability if the part has its own")
    func ownAvailability() {
        var house = House()
        let actions = house.receives(
            "homeassistant/device/hall/config",
            """
            {"avty_t": "hall/status", "dev": {"name": "Hall"}, "o": {}, "cmps": {
             "a": {"p": "light", "uniq_id": "a", "cmd_t": "a", "avty": [{"t": "a/status"}]}}}
            """)
        #expect(actions.warnings == [])
        #expect(
            actions.filter { if case .subscribe = $0 { true } else { false } } == [.subscribe("a/status", qos: 0)])
    }

    @Test("limits the number of parts of a device", arguments: [(256, 0), (257, 1)])
    func manyParts(count: Int, warnings: Int) {
        var house = House()
        let parts = (0..<count).map { #""\#($0)": {"p": "light", "uniq_id": "\#($0)", "cmd_t": "x"}"# }
        let actions = house.receives(
            "homeassistant/device/hall/config",
            #"{"dev": {}, "o": {}, "cmps": {\#(parts.joined(separator: ","))}}"#)
        #expect(actions.warnings.count == warnings)
        #expect(actions.added.count == (warnings == 0 ? count : 0))
    }

    @Test("keeps a light that moves to a device-wide announcement")
    func migration() throws {
        var house = House()
        house.announces("old", Self.lamp)
        house.receives("lamp/status", "online")
        #expect(house.receives("homeassistant/light/old/config", #"{"migr_discvry": true}"#) == [])
        let moved = house.receives(
            "homeassistant/device/new/config",
            #"{"dev": {"name": "Lamp", "ids": "1"}, "o": {}, "cmps": {"a": {"p": "light", "cmd_t": "old/set", \#(Self.lamp)}}}"#
        )
        #expect(moved == [])
        #expect(house.receives("homeassistant/light/old/config", "") == [])
        #expect(try !house.home.messages(for: .init(on: true), to: "u1", now: .zero).isEmpty)
        #expect(house.home.deadline == nil)
    }

    // MARK: Identity

    @Test(
        "names a light after its device and its entity, without repetition",
        arguments: [
            (#""dev": {"name": "Lamp"}"#, "Lamp"), (#""name": "Left", "dev": {"name": "Lamp"}"#, "Lamp Left"),
            (#""name": "Lamp", "dev": {"name": "Lamp"}"#, "Lamp"),
            (#""name": "Lamp left", "dev": {"name": "Lamp"}"#, "Lamp left"),
            (#""name": "Lamplight", "dev": {"name": "Lamp"}"#, "Lamp Lamplight"), (#""name": "Left""#, "Left"),
            (#""name": null, "dev": {"name": ""}"#, "first"),
        ])
    func names(keys: String, name: String) {
        var house = House()
        #expect(house.announces("first", keys).added.map(\.name) == [name])
    }

    @Test("identifies a light without a unique_id by its topic, and reports that")
    func topicIdentity() {
        var house = House()
        let actions = house.announces("plain", #""name": "Plain""#)
        #expect(actions.added.first?.id == "homeassistant/light/plain/config")
        #expect(actions.contains { if case .idMissing = $0 { true } else { false } })
    }

    @Test("sets a second light with the same id aside until the first is withdrawn")
    func duplicates() throws {
        var house = House()
        house.announces("first", #""uniq_id": "u1", "stat_t": "a""#)
        let second = house.announces("second", #""uniq_id": "u1", "stat_t": "b""#)
        #expect(second.added == [])
        #expect(second.warnings.first?.contains("belongs to another light") == true)
        #expect(try house.home.messages(for: .init(on: true), to: "u1", now: .zero).first?.topic == "first/set")
        let after = house.receives("homeassistant/light/first/config", "")
        #expect(after.contains(.warn(nil, about: "homeassistant/light/second/config")))
        #expect(after.contains(.unsubscribe("a")) && after.contains(.subscribe("b", qos: 0)))
        #expect(try house.home.messages(for: .init(on: true), to: "u1", now: .zero).first?.topic == "second/set")
        #expect(house.home.deadline == nil)
    }

    @Test("limits the number of lights that are set aside")
    func manyDuplicates() throws {
        var house = House()
        house.announces("first", #""uniq_id": "u1""#)
        for number in 0..<MQTTDeviceRegistry.maximumLights { house.announces("n\(number)", #""uniq_id": "u1""#) }
        // This light would be the first in order.
        #expect(house.announces("a", #""uniq_id": "u1""#) == [])
        house.receives("homeassistant/light/first/config", "")
        #expect(try house.home.messages(for: .init(on: true), to: "u1", now: .zero).first?.topic == "n0/set")
    }

    @Test("prefers a configured light to an announcement")
    func configurationFirst() throws {
        let keys = try #require(try JSONValue(parsing: #"{"command_topic": "hand/set"}"#).object)
        let hand = try MQTTEntity(keys, component: "light", fallbackID: "u1", fallbackName: "Hand")
        var house = House(MQTTDeviceRegistry(prefix: "homeassistant", lights: [hand]))
        #expect(house.announces("first", #""uniq_id": "u1""#).warnings.count == 1)
        #expect(try house.home.messages(for: .init(on: true), to: "u1", now: .zero).first?.topic == "hand/set")
    }

    @Test("unsubscribes from a shared topic when its last light is withdrawn")
    func sharedUntilTheLast() {
        var house = House()
        house.announces("first", #""uniq_id": "u1", "stat_t": "twin""#)
        house.announces("second", #""uniq_id": "u2", "stat_t": "twin""#)
        #expect(!house.receives("homeassistant/light/first/config", "").contains(.unsubscribe("twin")))
        #expect(house.receives("twin", "ON") == [.report("u2", .init(on: true))])
        #expect(house.receives("homeassistant/light/second/config", "").contains(.unsubscribe("twin")))
    }

    @Test("subscribes with the highest quality of service of a topic's lights")
    func qualityOfService() {
        var house = House()
        #expect(
            house.announces("first", #""uniq_id": "u1", "stat_t": "s", "qos": 1"#).contains(.subscribe("s", qos: 1)))
        #expect(house.home.connected().contains(.subscribe("s", qos: 1)))
        house.announces("second", #""uniq_id": "u2", "stat_t": "s", "qos": 2"#)
        #expect(house.home.connected().contains(.subscribe("s", qos: 2)))
    }

    @Test("ignores a repeated announcement, and applies a changed announcement")
    func updates() {
        var house = House()
        house.announces("first", Self.lamp)
        #expect(house.announces("first", Self.lamp) == [])
        let moved = house.announces("first", Self.lamp.replacing("\"stat_t\": \"lamp\"", with: "\"stat_t\": \"new\""))
        #expect(moved == [.unsubscribe("lamp"), .subscribe("new", qos: 0)])
        let renamed = house.announces("first", Self.lamp.replacing("\"Lamp\"", with: "\"Light\""))
        #expect(renamed.added.map(\.name) == ["Light"])
    }

    // MARK: Withdrawal and return

    @Test("makes a withdrawn light unreachable, and removes it after 5 s")
    func grace() throws {
        var house = House()
        house.announces("first", Self.lamp)
        house.receives("lamp/status", "online")
        house.now = .seconds(100)
        let gone = house.receives("homeassistant/light/first/config", "")
        #expect(
            gone == [.unsubscribe("lamp"), .unsubscribe("lamp/status"), .report("u1", .init(reachable: false))]
                || gone == [.unsubscribe("lamp/status"), .unsubscribe("lamp"), .report("u1", .init(reachable: false))])
        #expect(throws: LightError.unreachable) { try house.home.messages(for: .init(on: true), to: "u1", now: .zero) }
        #expect(house.home.deadline == .seconds(100) + MQTTDeviceRegistry.grace)
        #expect(house.home.timePassed(now: .seconds(99) + MQTTDeviceRegistry.grace) == [])
        #expect(house.home.timePassed(now: .seconds(100) + MQTTDeviceRegistry.grace) == [.removed("u1")])
        #expect(throws: LightError.unknownLight) { try house.home.messages(for: .init(on: true), to: "u1", now: .zero) }
    }

    @Test("removes a withdrawn light when the driver stops")
    func withdrawnBeforeStop() {
        var house = House()
        house.announces("first", Self.lamp)
        house.announces("second", #""uniq_id": "u2""#)
        house.receives("homeassistant/light/first/config", "")
        #expect(house.home.stopped() == [.removed("u1")])
        #expect(house.home.stopped() == [])
    }

    @Test("keeps a light that is announced again within 5 s")
    func renamed() throws {
        var house = House()
        house.announces("first", Self.lamp)
        house.receives("lamp/status", "online")
        house.receives("homeassistant/light/first/config", "")
        let back = house.announces("second", Self.lamp)
        // The light is added again, because the operator may have removed it from the bridge.
        #expect(back.added.map(\.id) == ["u1"])
        #expect(back.contains(.report("u1", .init(reachable: true))))
        #expect(house.home.deadline == nil)
    }

    @Test("fails commands at once while the broker is gone, and reports lights as unreachable after 5 s")
    func outage() throws {
        var house = House()
        house.announces("first", Self.lamp)
        house.receives("lamp/status", "online")
        house.home.disconnected(now: .seconds(10))
        #expect(throws: LightError.unreachable) { try house.home.messages(for: .init(on: true), to: "u1", now: .zero) }
        #expect(house.home.deadline == .seconds(15))
        #expect(house.home.timePassed(now: .seconds(14)) == [])
        #expect(house.home.timePassed(now: .seconds(15)) == [.report("u1", .init(reachable: false))])
        let back = house.home.connected()
        #expect(back.last == .report("u1", .init(reachable: true)))
        #expect(back.filter { if case .subscribe = $0 { true } else { false } }.count == 42)
    }

    @Test("doesn't report a short outage")
    func shortOutage() {
        var house = House()
        house.announces("first", Self.lamp)
        house.receives("lamp/status", "online")
        house.home.disconnected(now: .seconds(10))
        #expect(!house.home.connected().contains { if case .report = $0 { true } else { false } })
        #expect(house.home.timePassed(now: .seconds(20)) == [])
    }

    // MARK: Shared ids

    /// Announces an entity of a component.
    ///
    /// Returns the id of the light that is added for it, if any.
    private static func id(_ house: inout House, _ component: String, _ name: String) -> LightID? {
        let keys = "{\"cmd_t\": \"\(name)/set\", \"stat_t\": \"s\", \"uniq_id\": \"AABBCC\", \"name\": \"\(name)\"}"
        return house.receives("homeassistant/\(component)/\(name)/config", keys).added.first?.id
    }

    @Test("accepts the same unique_id for a light, a switch and a fan, but not for two lights or two switches")
    func sharedIDs() {
        var house = House(kinds: [.light, .switch, .fan])
        #expect(Self.id(&house, "light", "a") == "AABBCC")
        #expect(Self.id(&house, "switch", "b") == "switch/AABBCC")
        #expect(Self.id(&house, "fan", "c") == "fan/AABBCC")
        #expect(Self.id(&house, "light", "d") == nil)
        #expect(Self.id(&house, "switch", "e") == nil)
    }

    private static let all = Set(LightKind.allCases)

    /// Returns the kinds that a bridge remembers of the accessories in a house.
    private static func kinds(_ house: House) -> [LightID: LightKind] {
        Dictionary(house.added.map { ($0.id, $0.kind) }) { $1 }
    }

    @Test(
        "keeps shared ids across a restart, in any order of announcements",
        arguments: ["switch", "fan", "cover", "lock", "valve", "alarm_control_panel"], [true, false])
    func sharedIDsAfterRestart(component: String, isLightFirst: Bool) {
        var house = House(kinds: Self.all)
        let order = isLightFirst ? ["light", component] : [component, "light"]
        let ids = order.map { Self.id(&house, $0, $0) }
        #expect(ids == ["AABBCC", LightID("\(order[1])/AABBCC")])
        for order in [order, order.reversed()] {
            var later = House(kinds: Self.all, knownKinds: Self.kinds(house))
            let again = order.map { Self.id(&later, $0, $0) }
            #expect(again == (order[0] == (isLightFirst ? "light" : component) ? ids : ids.reversed()))
        }
    }

    @Test(
        "gives a known id to its accessory, even if another component is announced first",
        arguments: [
            ("light", LightKind.light, "lock"), ("light", .light, "cover"), ("light", .light, "fan"),
            ("switch", .outlet, "valve"), ("lock", .lock, "light"), ("cover", .garageDoor, "switch"),
            ("fan", .fan, "light"),
        ], [true, false])
    func knownID(known: (component: String, kind: LightKind, other: String), isOtherFirst: Bool) {
        var house = House(kinds: Self.all, knownKinds: ["AABBCC": known.kind])
        let order = isOtherFirst ? [known.other, known.component] : [known.component, known.other]
        let ids = order.map { Self.id(&house, $0, $0) }
        let expected: [LightID] = ["AABBCC", LightID("\(known.other)/AABBCC")]
        #expect(ids == (isOtherFirst ? expected.reversed() : expected))
        // The accessory keeps its id even after its announcement was withdrawn.
        house.receives("homeassistant/\(known.component)/\(known.component)/config", "")
        #expect(Self.id(&house, known.component, known.component) == "AABBCC")
    }

    @Test("doesn't give the id of a withdrawn light to a component that the light can't become")
    func withdrawnLight() {
        var house = House(kinds: Self.all)
        #expect(Self.id(&house, "light", "a") == "AABBCC")
        house.receives("homeassistant/light/a/config", "")
        #expect(Self.id(&house, "lock", "b") == "lock/AABBCC")
        #expect(Self.id(&house, "light", "a") == "AABBCC")
    }

    @Test("keeps the accessory of a light that becomes a switch")
    func becomesSwitch() {
        var house = House()
        #expect(Self.id(&house, "light", "a") == "AABBCC")
        house.receives("homeassistant/light/a/config", "")
        #expect(Self.id(&house, "switch", "b") == "AABBCC")
    }

    // MARK: Refusals

    @Test(
        "warns about an announcement on a topic that Home Assistant ignores",
        arguments: ["homeassistant/light/my.lamp/config", "homeassistant/aa:bb/light/config"])
    func misplaced(topic: String) {
        var house = House()
        let actions = house.receives(topic, #"{"cmd_t": "x"}"#)
        #expect(actions.warnings.count == 1 && actions.added.isEmpty)
        #expect(house.receives(topic, "") == [.warn(nil, about: topic)])
    }

    @Test("holds back the brightness of a light that is off, even after a template has failed")
    func laterCommand() throws {
        var house = House()
        house.announces(
            "l",
            #""uniq_id": "u", "on_cmd_type": "first", "stat_t": "s", "bri_cmd_t": "l/bri", "rgb_cmd_t": "l/rgb", "rgb_cmd_tpl": "{{ value_json.x.y }}""#
        )
        let red = LightColor.hueSaturation(hue: 0, saturation: 100)
        _ = house.home.handedOver(.init(on: true), to: "u")
        #expect(throws: LightError.self) { try house.home.messages(for: .init(color: red), to: "u", now: .zero) }
        house.receives("s", "OFF")
        #expect(try house.home.messages(for: .init(brightness: 40), to: "u", now: .zero) == [])
    }

    @Test("drops an attribute whose template fails, and warns until the template is fixed")
    func failingCommandTemplate() throws {
        var house = House()
        let keys = #""name": "L", "uniq_id": "u", "stat_t": "s", "bri_cmd_t": "l/bri""#
        house.announces("l", keys + #", "bri_cmd_tpl": "{{ value_json.x.y }}""#)
        let sent = try house.home.messages(for: .init(on: true, brightness: 50), to: "u", now: .zero)
        #expect(MQTTLightTests.text(sent) == ["l/set ON"])
        #expect(house.home.deadline == .zero)
        let warnings = house.home.timePassed(now: .zero).warnings
        #expect(warnings.count == 1 && warnings[0].contains("brightness_command_template"))
        #expect(house.home.timePassed(now: .zero) == [] && house.home.deadline == nil)
        _ = house.home.handedOver(.init(on: true), to: "u")
        #expect(throws: LightError.self) {
            try house.home.messages(for: .init(brightness: 40), to: "u", now: .zero)
        }
        #expect(house.home.timePassed(now: .zero) == [], "the warning isn't repeated")
        #expect(house.announces("l", keys).contains(.warn(nil, about: "u")))
        let then = try house.home.messages(for: .init(on: true, brightness: 100), to: "u", now: .zero)
        #expect(MQTTLightTests.text(then) == ["l/bri 255", "l/set ON"])
    }

    @Test(
        "warns about an invalid announcement until it is withdrawn",
        arguments: [
            "{", "[]", "7", #"{"uniq_id": "x"}"#, #"{"cmd_t": "x", "schema": "template"}"#,
            #"{"cmd_t": "x", "uniq_id": []}"#, #"{"cmd_t": "x", "qos": 7}"#,
        ])
    func refused(payload: String) {
        var house = House()
        let topic = "homeassistant/light/bad/config"
        let warnings = house.receives(topic, payload).warnings
        #expect(warnings.count == 1 && warnings.first?.hasPrefix(topic) == true)
        #expect(house.receives(topic, "") == [.warn(nil, about: topic)])
    }

    @Test("warns about unusable keys of a light, even after its announcement moves to another topic")
    func losses() {
        var house = House()
        let odd = #""uniq_id": "u", "stat_val_tpl": "{{ now() }}", "stat_t": "s""#
        let first = house.announces("a", odd)
        #expect(first.added.map(\.id) == ["u"])
        let text = first.warnings.first ?? ""
        #expect(text.hasPrefix("homeassistant/light/a/config: ") && first.contains(.warn(text, about: "u")))
        #expect(house.announces("a", #""uniq_id": "u""#).contains(.warn(nil, about: "u")))
        // When the announcement moves to a new topic, the previous topic doesn't withdraw the new topic's warning.
        house.announces("a", odd)
        house.receives("homeassistant/light/a/config", "{\"migrate_discovery\": true}")
        let second = house.announces("b", odd)
        #expect(second.contains { if case .warn(_?, "u") = $0 { true } else { false } })
        #expect(!house.receives("homeassistant/light/a/config", "").contains(.warn(nil, about: "u")))
        #expect(house.receives("homeassistant/light/b/config", "").contains(.warn(nil, about: "u")))
    }

    @Test("warns about unusable keys of a light that takes over an id")
    func lossesOfTheNext() {
        var house = House()
        let odd = #""uniq_id": "u", "stat_val_tpl": "{{ now() }}", "stat_t": "s""#
        house.announces("a", odd)
        house.announces("b", odd)
        let actions = house.announces("a", #""uniq_id": "v""#)
        #expect(actions.warnings.contains { $0.hasPrefix("homeassistant/light/b/config: ") })
        #expect(!actions.contains(.warn(nil, about: "u")))
    }

    @Test("keeps a part that becomes invalid, and removes a part that becomes hidden")
    func changedPart() {
        var house = House()
        func announce(_ keys: String) -> [MQTTAction] {
            let part = #"{"p": "light", "uniq_id": "a", "cmd_t": "a"\#(keys)}"#
            return house.receives(
                "homeassistant/device/hall/config", #"{"dev": {"name": "Hall"}, "o": {}, "cmps": {"a": \#(part)}}"#)
        }
        let gone = MQTTAction.report("a", LightReport(reachable: false))
        #expect(announce("").added.map(\.id) == ["a"])
        let mistake = announce(#", "qos": 7"#)
        #expect(mistake.warnings.count == 1 && !mistake.contains(gone))
        #expect(announce(#", "ent_cat": "config""#).contains(gone))
    }

    @Test("hides settings, diagnostics and entities that are disabled by default")
    func hidden() {
        var house = House()
        #expect(house.announces("a", #""uniq_id": "a", "ent_cat": "config""#) == [])
        #expect(house.announces("b", #""uniq_id": "b", "en": false"#) == [])
        // These announcements cause no warnings.
        let odd = #""stat_t": "x", "stat_val_tpl": "{% if value_json.x %}ON""#
        #expect(house.announces("c", #""uniq_id": "c", "ent_cat": "config", \#(odd)"#) == [])
        #expect(house.announces("c", #""uniq_id": "c", \#(odd)"#).warnings.count == 1)
    }

    @Test("limits the number of lights, with a warning, and the number of warnings")
    func limits() {
        var house = House()
        for number in 0..<MQTTDeviceRegistry.maximumLights {
            house.announces("n\(number)", #""uniq_id": "n\#(number)""#)
        }
        let more = house.announces("more", #""uniq_id": "more""#)
        #expect(more.added == [] && more.warnings.count == 1)
        let warnings = (0..<500).map { house.receives("homeassistant/light/w\($0)/config", "{").warnings.count }
        #expect(warnings.reduce(0, +) < 110)
    }

    @Test("rejects strings that are too long")
    func longTexts() {
        var house = House()
        let long = #""uniq_id": "a", "pl_on": "\#(String(repeating: "x", count: MQTTLimits.text + 1))""#
        #expect(house.announces("a", long).warnings.first?.contains("payload_on is longer than") == true)
    }

    @Test("limits the length of names and ids")
    func longNames() {
        var house = House()
        let actions = house.announces("a", #""uniq_id": "a", "name": "\#(String(repeating: "ä", count: 5000))""#)
        #expect(actions.added.allSatisfy { $0.name.utf8.count <= 256 && !$0.name.isEmpty })
        #expect(
            house.announces("b", #""uniq_id": "\#(String(repeating: "x", count: 256))""#).warnings.count == 1)
    }

    // MARK: Availability

    static let gate = #"{"t": "gate/state", "val_tpl": "{{ value_json.state }}"}"#

    @Test("applies the last availability messages of shared topics to a new light")
    func sharedTopics() {
        var house = House()
        house.announces("first", #""uniq_id": "u1", "stat_t": "twin", "avty": [\#(Self.gate)]"#)
        house.receives("gate/state", #"{"state": "online"}"#)
        let second = house.announces("second", #""uniq_id": "u2", "stat_t": "twin", "avty": [\#(Self.gate)]"#)
        #expect(second.contains(.report("u2", .init(reachable: true))))
        // The broker repeats the retained state only after a subscription.
        #expect(second.filter { if case .subscribe = $0 { true } else { false } } == [.subscribe("twin", qos: 0)])
    }

    @Test("subscribes again to a shared topic that a new light reads with another template")
    func sharedTopicReadOtherwise() {
        var house = House()
        house.announces("first", #""uniq_id": "u1", "avty": [\#(Self.gate)]"#)
        house.receives("gate/state", #"{"state": "online"}"#)
        let second = house.announces("second", #""uniq_id": "u2", "avty_t": "gate/state", "pl_avail": "yes""#)
        #expect(second.contains(.subscribe("gate/state", qos: 0)))
        #expect(second.contains(.report("u2", .init(reachable: false))))
    }

    @Test("keeps the state of known availability topics when an announcement adds a topic")
    func moreAvailability() {
        var house = House()
        house.announces("first", #""uniq_id": "u1", "avty": [\#(Self.gate)]"#)
        house.receives("gate/state", #"{"state": "online"}"#)
        let more = house.announces(
            "first", #""uniq_id": "u1", "avty": [\#(Self.gate), {"t": "lamp/status"}], "avty_mode": "all""#)
        #expect(more == [.subscribe("lamp/status", qos: 0), .report("u1", .init(reachable: false))])
        #expect(house.receives("lamp/status", "online") == [.report("u1", .init(reachable: true))])
    }

    @Test("keeps a light unreachable when an announcement adds an availability topic")
    func awayAndMoreAvailability() {
        var house = House()
        house.announces("first", #""uniq_id": "u1", "avty": [\#(Self.gate)]"#)
        house.receives("gate/state", #"{"state": "online"}"#)
        house.receives("gate/state", #"{"state": "offline"}"#)
        let more = house.announces("first", #""uniq_id": "u1", "avty": [\#(Self.gate), {"t": "lamp/status"}]"#)
        #expect(more == [.subscribe("lamp/status", qos: 0)])
    }

    @Test("subscribes again to an availability topic whose payload changes")
    func availabilityReadOtherwise() {
        var house = House()
        house.announces("first", #""uniq_id": "u1", "avty_t": "lamp/status""#)
        house.receives("lamp/status", "online")
        let other = house.announces("first", #""uniq_id": "u1", "avty_t": "lamp/status", "pl_avail": "yes""#)
        #expect(other == [.subscribe("lamp/status", qos: 0), .report("u1", .init(reachable: false))])
    }

    @Test(
        "combines availability topics by their mode",
        arguments: [
            (.latest, [], false), (.latest, ["a online"], true), (.latest, ["a online", "b offline"], false),
            (.latest, ["a offline", "b online"], true), (.all, ["a online"], false),
            (.all, ["a online", "b online"], true), (.any, ["a online", "b offline"], true),
            (.any, ["a offline", "b offline"], false), (.latest, ["a online", "a maybe"], true),
            (.any, ["c online"], false),
        ] as [(Availability.Mode, [String], Bool)])
    func availability(mode: Availability.Mode, messages: [String], expected: Bool) {
        var availability = Availability(sources: [.init(topic: "a"), .init(topic: "b")], mode: mode)
        for message in messages {
            let parts = message.split(separator: " ")
            availability.received(topic: String(parts[0]), payload: Array(parts[1].utf8))
        }
        #expect(availability.isAvailable == expected)
        #expect(Availability(mode: mode).isAvailable)
    }
}
