import BoundedJSON
import LightKit
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("All lights on a broker", .timeout)
struct MQTTHomeTests {
    /// A machine that is connected, and what it does with messages.
    struct House {
        var home: MQTTHome
        var now: Duration = .zero

        init(
            prefix: String? = "homeassistant", lights: [MQTTEntity] = [],
            kinds: Set<LightKind> = [.light, .switch, .outlet], known: [LightID] = []
        ) {
            home = MQTTHome(prefix: prefix, lights: lights)
            _ = home.started(kinds: kinds, known: known)
            _ = home.connected()
        }

        @discardableResult
        mutating func receives(_ topic: String, _ text: String) -> [MQTTAction] {
            home.received(topic: topic, payload: Array(text.utf8), now: now)
        }

        @discardableResult
        mutating func announces(_ name: String, _ keys: String) -> [MQTTAction] {
            receives("homeassistant/light/\(name)/config", "{\"cmd_t\": \"\(name)/set\", \(keys)}")
        }
    }

    static let lamp =
        #""uniq_id": "u1", "stat_t": "lamp", "avty_t": "lamp/status", "dev": {"name": "Lamp", "ids": "1"}"#

    static func added(_ actions: [MQTTAction]) -> [LightDescription] {
        actions.compactMap { if case .added(let light) = $0 { light } else { nil } }
    }

    static func warnings(_ actions: [MQTTAction]) -> [String] {
        actions.compactMap { if case .warn(let text?, _) = $0 { text } else { nil } }
    }

    // MARK: Topics and payloads

    @Test(
        "discovery topics are taken apart",
        arguments: [
            ("ha/light/lamp/config", "light", nil, "lamp"), ("ha/light/node/lamp/config", "light", "node", "lamp"),
            ("ha/device/A_b-9/config", "device", nil, "A_b-9"),
        ] as [(String, String, String?, String)])
    func topics(topic: String, component: String, node: String?, object: String) throws {
        let parts = try #require(DiscoveryTopic(topic, prefix: "ha"))
        #expect(parts.component == component && parts.nodeID == node && parts.objectID == object)
    }

    @Test(
        "other topics are none",
        arguments: [
            "ha/light/config", "ha/light/a/b/c/config", "ha/light/a/state", "xx/light/a/config", "ha/light//config",
            "ha/light/ä/config", "ha/light/a b/config", "halight/a/config", "", "ha", "ha/",
        ])
    func noTopics(topic: String) {
        #expect(DiscoveryTopic(topic, prefix: "ha") == nil)
    }

    @Test("the example with abbreviations and base topic is read to the last key")
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
        "a light that gives no answers is described as that",
        arguments: [
            (#""stat_t": "s""#, false), (#""stat_t": "s", "opt": true"#, true), (#""bri_stat_t": "s""#, true),
            // What the light says there cannot be read.
            (#""stat_t": "s", "stat_val_tpl": "{{ now() }}""#, true),
        ])
    func optimistic(keys: String, isOptimistic: Bool) throws {
        var house = House()
        let actions = house.announces("den", #""cmd_t": "c", "uniq_id": "den", \#(keys)"#)
        #expect(Self.added(actions).map(\.isOptimistic) == [isOptimistic])
    }

    @Test(
        "a state that cannot be read is counted; one that says nothing of the light is not",
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

    @Test("what ha-mqtt-discoverable 0.26.0 announces is a light")
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
        let light = try #require(Self.added(actions).first)
        #expect(light.id == "den-1-light" && light.name == "Den lamp Den" && light.firmware == "1.2.3")
        #expect(light.capabilities == LightCapabilities(brightness: true, color: true, transition: true))
        #expect(actions.last == .report("den-1-light", .init(reachable: true)))
        let partial = house.receives("hmd/light/Den-lamp/Den/state", #"{"brightness": 51, "state": "ON"}"#)
        #expect(partial == [.report("den-1-light", .init(on: true, brightness: 20))])
    }

    @Test(
        "the base topic replaces a ~ at either end of topics, and of nothing else",
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

    @Test("a device-wide announcement brings its lights, with what they inherit and no more")
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
        #expect(Self.added(actions).map(\.name) == ["Hall Main", "Hall"])
        #expect(Self.added(actions).map(\.kind) == [.light, .switch])
        #expect(actions.contains(.subscribe("hall/status", qos: 0)))
        #expect(Self.warnings(actions) == [])
        house.receives("hall/status", "online")
        #expect(
            try house.home.messages(for: .init(on: true), to: "f", now: .zero) == [.init(topic: "hall/fan", text: "ON")]
        )
        // An update may leave parts out; a part without anything but its platform is removed, after its time.
        func update(_ more: String) -> [MQTTAction] {
            house.receives(
                "homeassistant/device/hall/config",
                #"{"dev": {"name": "Hall"}, "o": {}, "avty_t": "hall/status", "cmps": {"#
                    + #""fan": {"p": "switch", "uniq_id": "f", "cmd_t": "hall/fan"}\#(more)}}"#)
        }
        #expect(!update("").contains(.report("m", .init(reachable: false))))
        #expect(house.home.timePassed(now: MQTTHome.grace) == [])
        #expect(update(#", "main": {"p": "light"}"#).contains(.report("m", .init(reachable: false))))
        #expect(house.home.timePassed(now: MQTTHome.grace) == [.removed("m")])
        let gone = house.receives("homeassistant/device/hall/config", "")
        #expect(gone.contains(.report("f", .init(reachable: false))))
    }

    @Test("the sensor of a device isn't called as its switch")
    func sensorNextToSwitch() {
        var house = House(kinds: [.switch, .sensor])
        let actions = house.receives(
            "homeassistant/device/echo/config",
            """
            {"dev": {"ids": ["echo"], "name": "Echo"}, "o": {}, "cmps": {
             "t": {"p": "sensor", "uniq_id": "t", "dev_cla": "temperature", "unit_of_meas": "°C", "stat_t": "t"},
             "s": {"p": "switch", "uniq_id": "s", "cmd_t": "s", "name": null}}}
            """)
        #expect(Set(Self.added(actions).map(\.name)) == ["Echo", "Echo Sensor"])
    }

    @Test("templates know the entity and its state")
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
        #expect(house.receives("s", #"{"x": 1}"#) == [.report("u", .init(on: true))], "the state is unchanged")
    }

    @Test("a template that fails for every message is named until it works, and partial messages are fine")
    func failingStateTemplate() {
        var house = House()
        house.announces("l", #""uniq_id": "u", "stat_t": "s", "stat_val_tpl": "{{ value_json.a.b }}""#)
        house.receives("s", "{}")
        let warnings = Self.warnings(house.home.timePassed(now: .zero))
        #expect(warnings.count == 1 && warnings[0].hasPrefix("u: state_value_template: "), "\(warnings)")
        house.receives("s", "{}")
        #expect(house.home.timePassed(now: .zero) == [])
        house.receives("s", #"{"a": {"b": "ON"}}"#)
        #expect(house.home.timePassed(now: .zero) == [.warn(nil, about: "u")])
        house.receives("s", "{}")
        #expect(house.home.timePassed(now: .zero) == [])
    }

    @Test(
        "a power that a light doesn't know is named, and the last one stays",
        arguments: [
            (#""stat_t": "s""#, "None", "ON"),
            (#""stat_t": "s", "schema": "json""#, #"{"state": null}"#, #"{"state": "ON"}"#),
        ])
    func unknownPower(keys: String, unknown: String, on: String) {
        var house = House()
        house.announces("l", #""uniq_id": "u", \#(keys)"#)
        house.receives("s", on)
        #expect(house.receives("s", unknown) == [])
        #expect(Self.warnings(house.home.timePassed(now: .zero)).first?.contains("doesn't know its power") == true)
        house.receives("s", on)
        #expect(house.home.timePassed(now: .zero) == [.warn(nil, about: "u")])
    }

    @Test("an encoding other than UTF-8 is named", arguments: [("utf-8", 0), ("UTF8", 0), ("utf-16", 1), ("", 1)])
    func encoding(name: String, warnings: Int) {
        var house = House()
        let actions = house.announces("l", #""uniq_id": "u", "encoding": "\#(name)""#)
        #expect(Self.warnings(actions).count == warnings && Self.added(actions).count == 1)
    }

    @Test("the parts of a device share its base topic, unless they have one of their own")
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

    @Test("a part that says itself how it is known to be there takes nothing of that from its device")
    func ownAvailability() {
        var house = House()
        let actions = house.receives(
            "homeassistant/device/hall/config",
            """
            {"avty_t": "hall/status", "dev": {"name": "Hall"}, "o": {}, "cmps": {
             "a": {"p": "light", "uniq_id": "a", "cmd_t": "a", "avty": [{"t": "a/status"}]}}}
            """)
        #expect(Self.warnings(actions) == [])
        #expect(
            actions.filter { if case .subscribe = $0 { true } else { false } } == [.subscribe("a/status", qos: 0)])
    }

    @Test("a device that is withdrawn takes all its lights along")
    func deviceGone() {
        var house = House()
        let topic = "homeassistant/device/hall/config"
        house.receives(
            topic,
            """
            {"dev": {"name": "Hall"}, "o": {}, "cmps": {"a": {"p": "light", "uniq_id": "a", "cmd_t": "a"},
             "b": {"p": "switch", "uniq_id": "b", "cmd_t": "b"}}}
            """)
        #expect(house.receives(topic, "") == ["a", "b"].map { .report($0, .init(reachable: false)) })
        let forgotten = house.home.timePassed(now: MQTTHome.grace)
        #expect(forgotten.count == 2 && forgotten.contains(.removed("a")) && forgotten.contains(.removed("b")))
    }

    @Test("a device has as many parts as anyone needs, and no more", arguments: [(256, 0), (257, 1)])
    func manyParts(count: Int, warnings: Int) {
        var house = House()
        let parts = (0..<count).map { #""\#($0)": {"p": "light", "uniq_id": "\#($0)", "cmd_t": "x"}"# }
        let actions = house.receives(
            "homeassistant/device/hall/config",
            #"{"dev": {}, "o": {}, "cmps": {\#(parts.joined(separator: ","))}}"#)
        #expect(Self.warnings(actions).count == warnings)
        #expect(Self.added(actions).count == (warnings == 0 ? count : 0))
    }

    @Test("a light that moves to a device-wide announcement stays the same light")
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
        "a light is called after its device and itself, each once",
        arguments: [
            (#""dev": {"name": "Lamp"}"#, "Lamp"), (#""name": "Left", "dev": {"name": "Lamp"}"#, "Lamp Left"),
            (#""name": "Lamp", "dev": {"name": "Lamp"}"#, "Lamp"),
            (#""name": "Lamp left", "dev": {"name": "Lamp"}"#, "Lamp left"),
            (#""name": "Lamplight", "dev": {"name": "Lamp"}"#, "Lamp Lamplight"), (#""name": "Left""#, "Left"),
            (#""name": null, "dev": {"name": ""}"#, "first"),
        ])
    func names(keys: String, name: String) {
        var house = House()
        #expect(Self.added(house.announces("first", keys)).map(\.name) == [name])
    }

    @Test("a light without unique_id is known by its topic, and that is said")
    func topicIdentity() {
        var house = House()
        let actions = house.announces("plain", #""name": "Plain""#)
        #expect(Self.added(actions).first?.id == "homeassistant/light/plain/config")
        #expect(actions.contains { if case .idMissing = $0 { true } else { false } })
    }

    @Test("the second of two lights with one id is set aside, and takes over when the first is withdrawn")
    func duplicates() throws {
        var house = House()
        house.announces("first", #""uniq_id": "u1", "stat_t": "a""#)
        let second = house.announces("second", #""uniq_id": "u1", "stat_t": "b""#)
        #expect(Self.added(second) == [])
        #expect(Self.warnings(second).first?.contains("belongs to another light") == true)
        #expect(try house.home.messages(for: .init(on: true), to: "u1", now: .zero).first?.topic == "first/set")
        let after = house.receives("homeassistant/light/first/config", "")
        #expect(after.contains(.warn(nil, about: "homeassistant/light/second/config")))
        #expect(after.contains(.unsubscribe("a")) && after.contains(.subscribe("b", qos: 0)))
        #expect(try house.home.messages(for: .init(on: true), to: "u1", now: .zero).first?.topic == "second/set")
        #expect(house.home.deadline == nil)
    }

    @Test("no more lights are set aside than there may be lights")
    func manyDuplicates() throws {
        var house = House()
        house.announces("first", #""uniq_id": "u1""#)
        for number in 0..<MQTTHome.maximumLights { house.announces("n\(number)", #""uniq_id": "u1""#) }
        // It would be the next in order.
        #expect(house.announces("a", #""uniq_id": "u1""#) == [])
        house.receives("homeassistant/light/first/config", "")
        #expect(try house.home.messages(for: .init(on: true), to: "u1", now: .zero).first?.topic == "n0/set")
    }

    @Test("a light written by hand is not taken over by an announcement")
    func configurationFirst() throws {
        let keys = try #require(try JSONValue(parsing: #"{"command_topic": "hand/set"}"#).object)
        let hand = try MQTTEntity(keys, component: "light", fallbackID: "u1", fallbackName: "Hand")
        var house = House(lights: [hand])
        #expect(Self.warnings(house.announces("first", #""uniq_id": "u1""#)).count == 1)
        #expect(try house.home.messages(for: .init(on: true), to: "u1", now: .zero).first?.topic == "hand/set")
    }

    @Test("a topic that others listen to as well is listened to until the last of them is gone")
    func sharedUntilTheLast() {
        var house = House()
        house.announces("first", #""uniq_id": "u1", "stat_t": "twin""#)
        house.announces("second", #""uniq_id": "u2", "stat_t": "twin""#)
        #expect(!house.receives("homeassistant/light/first/config", "").contains(.unsubscribe("twin")))
        #expect(house.receives("twin", "ON") == [.report("u2", .init(on: true))])
        #expect(house.receives("homeassistant/light/second/config", "").contains(.unsubscribe("twin")))
    }

    @Test("a topic is listened to with the highest quality of service that a light of it asks for")
    func qualityOfService() {
        var house = House()
        #expect(
            house.announces("first", #""uniq_id": "u1", "stat_t": "s", "qos": 1"#).contains(.subscribe("s", qos: 1)))
        #expect(house.home.connected().contains(.subscribe("s", qos: 1)))
        house.announces("second", #""uniq_id": "u2", "stat_t": "s", "qos": 2"#)
        #expect(house.home.connected().contains(.subscribe("s", qos: 2)))
    }

    @Test("the same announcement again changes nothing, another one only what differs")
    func updates() {
        var house = House()
        house.announces("first", Self.lamp)
        #expect(house.announces("first", Self.lamp) == [])
        let moved = house.announces("first", Self.lamp.replacing("\"stat_t\": \"lamp\"", with: "\"stat_t\": \"new\""))
        #expect(moved == [.unsubscribe("lamp"), .subscribe("new", qos: 0)])
        let renamed = house.announces("first", Self.lamp.replacing("\"Lamp\"", with: "\"Light\""))
        #expect(Self.added(renamed).map(\.name) == ["Light"])
    }

    // MARK: Coming and going

    @Test("a withdrawn light is out of reach, and removed after 5 s")
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
        #expect(house.home.deadline == .seconds(100) + MQTTHome.grace)
        #expect(house.home.timePassed(now: .seconds(99) + MQTTHome.grace) == [])
        #expect(house.home.timePassed(now: .seconds(100) + MQTTHome.grace) == [.removed("u1")])
        #expect(throws: LightError.unknownLight) { try house.home.messages(for: .init(on: true), to: "u1", now: .zero) }
    }

    @Test("a light that is withdrawn while the driver stops is removed, for nothing tells of it at the next start")
    func withdrawnBeforeStop() {
        var house = House()
        house.announces("first", Self.lamp)
        house.announces("second", #""uniq_id": "u2""#)
        house.receives("homeassistant/light/first/config", "")
        #expect(house.home.stopped() == [.removed("u1")])
        #expect(house.home.stopped() == [])
    }

    @Test("a light that is announced again within 5 s is the same light")
    func renamed() throws {
        var house = House()
        house.announces("first", Self.lamp)
        house.receives("lamp/status", "online")
        house.receives("homeassistant/light/first/config", "")
        let back = house.announces("second", Self.lamp)
        // Notified again, because the operator may have had the bridge forget it meanwhile.
        #expect(Self.added(back).map(\.id) == ["u1"])
        #expect(back.contains(.report("u1", .init(reachable: true))))
        #expect(house.home.deadline == nil)
    }

    @Test("without the broker commands fail at once, and after 5 seconds lights are reported out of reach")
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
        #expect(back.filter { if case .subscribe = $0 { true } else { false } }.count == 8)
    }

    @Test("a short outage is not reported")
    func shortOutage() {
        var house = House()
        house.announces("first", Self.lamp)
        house.receives("lamp/status", "online")
        house.home.disconnected(now: .seconds(10))
        #expect(!house.home.connected().contains { if case .report = $0 { true } else { false } })
        #expect(house.home.timePassed(now: .seconds(20)) == [])
    }

    // MARK: Ids that several things share

    /// The id that a thing of a component is shown by.
    private static func id(_ house: inout House, _ component: String, _ name: String) -> LightID? {
        let keys = "{\"cmd_t\": \"\(name)/set\", \"uniq_id\": \"AABBCC\", \"name\": \"\(name)\"}"
        return added(house.receives("homeassistant/\(component)/\(name)/config", keys)).first?.id
    }

    @Test("a light, a switch and a fan may have one unique_id; two of a kind may not")
    func sharedIDs() {
        var house = House(kinds: [.light, .switch, .fan])
        #expect(Self.id(&house, "light", "a") == "AABBCC")
        #expect(Self.id(&house, "switch", "b") == "switch/AABBCC")
        #expect(Self.id(&house, "fan", "c") == "fan/AABBCC")
        #expect(Self.id(&house, "light", "d") == nil)
        #expect(Self.id(&house, "switch", "e") == nil)
    }

    @Test("things that share an id keep theirs over a restart, in whatever order they are announced")
    func sharedIDsAfterRestart() {
        var house = House(known: ["AABBCC", "switch/AABBCC"])
        #expect(Self.id(&house, "switch", "b") == "switch/AABBCC")
        #expect(Self.id(&house, "light", "a") == "AABBCC")
    }

    @Test("a light that is announced as a switch once it has been withdrawn is the same accessory")
    func becomesSwitch() {
        var house = House()
        #expect(Self.id(&house, "light", "a") == "AABBCC")
        house.receives("homeassistant/light/a/config", "")
        #expect(Self.id(&house, "switch", "b") == "AABBCC")
    }

    // MARK: What is refused

    @Test(
        "an announcement where Home Assistant takes none is named, and taken back",
        arguments: ["homeassistant/light/my.lamp/config", "homeassistant/aa:bb/light/config"])
    func misplaced(topic: String) {
        var house = House()
        let actions = house.receives(topic, #"{"cmd_t": "x"}"#)
        #expect(Self.warnings(actions).count == 1 && Self.added(actions).isEmpty)
        #expect(house.receives(topic, "") == [.warn(nil, about: topic)])
    }

    @Test("a level that waits for the next on is not refused for a template that failed before")
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

    @Test("a template that cannot make a message costs its attribute, and the warning names it until it is mended")
    func failingCommandTemplate() throws {
        var house = House()
        let keys = #""name": "L", "uniq_id": "u", "stat_t": "s", "bri_cmd_t": "l/bri""#
        house.announces("l", keys + #", "bri_cmd_tpl": "{{ value_json.x.y }}""#)
        let sent = try house.home.messages(for: .init(on: true, brightness: 50), to: "u", now: .zero)
        #expect(MQTTLightTests.text(sent) == ["l/set ON"])
        #expect(house.home.deadline == .zero)
        let warnings = Self.warnings(house.home.timePassed(now: .zero))
        #expect(warnings.count == 1 && warnings[0].contains("brightness_command_template"))
        #expect(house.home.timePassed(now: .zero) == [] && house.home.deadline == nil)
        _ = house.home.handedOver(.init(on: true), to: "u")
        #expect(throws: LightError.self) {
            try house.home.messages(for: .init(brightness: 40), to: "u", now: .zero)
        }
        #expect(house.home.timePassed(now: .zero) == [], "what was said is not said again")
        #expect(house.announces("l", keys).contains(.warn(nil, about: "u")))
        let then = try house.home.messages(for: .init(on: true, brightness: 100), to: "u", now: .zero)
        #expect(MQTTLightTests.text(then) == ["l/bri 255", "l/set ON"])
    }

    @Test(
        "an announcement that is not understood is named, and taken back when it is",
        arguments: [
            "{", "[]", "7", #"{"uniq_id": "x"}"#, #"{"cmd_t": "x", "schema": "template"}"#,
            #"{"cmd_t": "x", "uniq_id": []}"#, #"{"cmd_t": "x", "qos": 7}"#,
        ])
    func refused(payload: String) {
        var house = House()
        let topic = "homeassistant/light/bad/config"
        let warnings = Self.warnings(house.receives(topic, payload))
        #expect(warnings.count == 1 && warnings.first?.hasPrefix(topic) == true)
        #expect(house.receives(topic, "") == [.warn(nil, about: topic)])
    }

    @Test("what is not understood of a light that is shown is a warning of the light, wherever it is announced last")
    func losses() {
        var house = House()
        let odd = #""uniq_id": "u", "stat_val_tpl": "{{ now() }}", "stat_t": "s""#
        let first = house.announces("a", odd)
        #expect(Self.added(first).map(\.id) == ["u"])
        let text = Self.warnings(first).first ?? ""
        #expect(text.hasPrefix("homeassistant/light/a/config: ") && first.contains(.warn(text, about: "u")))
        #expect(house.announces("a", #""uniq_id": "u""#).contains(.warn(nil, about: "u")))
        // It moves: the former topic takes nothing back that the new one says.
        house.announces("a", odd)
        house.receives("homeassistant/light/a/config", "{\"migrate_discovery\": true}")
        let second = house.announces("b", odd)
        #expect(second.contains { if case .warn(_?, "u") = $0 { true } else { false } })
        #expect(!house.receives("homeassistant/light/a/config", "").contains(.warn(nil, about: "u")))
        #expect(house.receives("homeassistant/light/b/config", "").contains(.warn(nil, about: "u")))
    }

    @Test("what a light lacks is said, too, when it takes the place of another with its id")
    func lossesOfTheNext() {
        var house = House()
        let odd = #""uniq_id": "u", "stat_val_tpl": "{{ now() }}", "stat_t": "s""#
        house.announces("a", odd)
        house.announces("b", odd)
        let actions = house.announces("a", #""uniq_id": "v""#)
        #expect(Self.warnings(actions).contains { $0.hasPrefix("homeassistant/light/b/config: ") })
        #expect(!actions.contains(.warn(nil, about: "u")))
    }

    @Test("a part of a device that has a mistake stays as it was; one that is hidden from now on goes")
    func changedPart() {
        var house = House()
        func announce(_ keys: String) -> [MQTTAction] {
            let part = #"{"p": "light", "uniq_id": "a", "cmd_t": "a"\#(keys)}"#
            return house.receives(
                "homeassistant/device/hall/config", #"{"dev": {"name": "Hall"}, "o": {}, "cmps": {"a": \#(part)}}"#)
        }
        let gone = MQTTAction.report("a", LightReport(reachable: false))
        #expect(Self.added(announce("")).map(\.id) == ["a"])
        let mistake = announce(#", "qos": 7"#)
        #expect(Self.warnings(mistake).count == 1 && !mistake.contains(gone))
        #expect(announce(#", "ent_cat": "config""#).contains(gone))
    }

    @Test("settings and diagnoses, and what is off by default, are not shown")
    func hidden() {
        var house = House()
        #expect(house.announces("a", #""uniq_id": "a", "ent_cat": "config""#) == [])
        #expect(house.announces("b", #""uniq_id": "b", "en": false"#) == [])
        // Nor are they warned of.
        let odd = #""stat_t": "x", "stat_val_tpl": "{% if value_json.x %}ON""#
        #expect(house.announces("c", #""uniq_id": "c", "ent_cat": "config", \#(odd)"#) == [])
        #expect(Self.warnings(house.announces("c", #""uniq_id": "c", \#(odd)"#)).count == 1)
    }

    @Test("the number of lights and of warnings has an end that is said")
    func limits() {
        var house = House()
        for number in 0..<MQTTHome.maximumLights { house.announces("n\(number)", #""uniq_id": "n\#(number)""#) }
        let more = house.announces("more", #""uniq_id": "more""#)
        #expect(Self.added(more) == [] && Self.warnings(more).count == 1)
        let warnings = (0..<500).map { Self.warnings(house.receives("homeassistant/light/w\($0)/config", "{")).count }
        #expect(warnings.reduce(0, +) < 110)
    }

    @Test("texts that are kept have an end")
    func longTexts() {
        var house = House()
        let long = #""uniq_id": "a", "pl_on": "\#(String(repeating: "x", count: MQTTLimits.text + 1))""#
        #expect(Self.warnings(house.announces("a", long)).first?.contains("payload_on is longer than") == true)
    }

    @Test("names have an end")
    func longNames() {
        var house = House()
        let actions = house.announces("a", #""uniq_id": "a", "name": "\#(String(repeating: "ä", count: 5000))""#)
        #expect(Self.added(actions).allSatisfy { $0.name.utf8.count <= 256 && !$0.name.isEmpty })
        #expect(
            Self.warnings(house.announces("b", #""uniq_id": "\#(String(repeating: "x", count: 256))""#)).count == 1)
    }

    @Test("whatever is announced, the machine goes on", arguments: 0..<20)
    func garbage(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        var house = House()
        let keys = DiscoveryGarbage.keys
        let values = DiscoveryGarbage.values
        for _ in 0..<100 {
            var members: [String] = []
            for _ in 0..<Int.random(in: 0..<10, using: &random) {
                members.append(
                    "\"\(keys.randomElement(using: &random) ?? "~")\": \(values.randomElement(using: &random) ?? "1")")
            }
            var payload = Array("{\(members.joined(separator: ","))}".utf8)
            if Int.random(in: 0..<4, using: &random) == 0, !payload.isEmpty {
                payload[Int.random(in: 0..<payload.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let component = ["light", "switch", "device"].randomElement(using: &random) ?? "light"
            _ = house.home.received(
                topic: "homeassistant/\(component)/x\(Int.random(in: 0..<5, using: &random))/config", payload: payload,
                now: .zero)
            _ = house.home.received(topic: "a", payload: payload, now: .zero)
        }
        #expect(house.announces("ok", #""uniq_id": "ok""#).isEmpty == false)
    }

    // MARK: Availability

    static let gate = #"{"t": "gate/state", "val_tpl": "{{ value_json.state }}"}"#

    @Test("a light that comes later knows what others have received already on topics they share")
    func sharedTopics() {
        var house = House()
        house.announces("first", #""uniq_id": "u1", "stat_t": "twin", "avty": [\#(Self.gate)]"#)
        house.receives("gate/state", #"{"state": "online"}"#)
        let second = house.announces("second", #""uniq_id": "u2", "stat_t": "twin", "avty": [\#(Self.gate)]"#)
        #expect(second.contains(.report("u2", .init(reachable: true))))
        // What the broker has retained of the state comes again with a subscription alone.
        #expect(second.filter { if case .subscribe = $0 { true } else { false } } == [.subscribe("twin", qos: 0)])
    }

    @Test("a shared topic that is read in another way is asked for again")
    func sharedTopicReadOtherwise() {
        var house = House()
        house.announces("first", #""uniq_id": "u1", "avty": [\#(Self.gate)]"#)
        house.receives("gate/state", #"{"state": "online"}"#)
        let second = house.announces("second", #""uniq_id": "u2", "avty_t": "gate/state", "pl_avail": "yes""#)
        #expect(second.contains(.subscribe("gate/state", qos: 0)))
        #expect(second.contains(.report("u2", .init(reachable: false))))
    }

    @Test("an announcement that adds an availability topic forgets nothing of the others")
    func moreAvailability() {
        var house = House()
        house.announces("first", #""uniq_id": "u1", "avty": [\#(Self.gate)]"#)
        house.receives("gate/state", #"{"state": "online"}"#)
        let more = house.announces(
            "first", #""uniq_id": "u1", "avty": [\#(Self.gate), {"t": "lamp/status"}], "avty_mode": "all""#)
        #expect(more == [.subscribe("lamp/status", qos: 0), .report("u1", .init(reachable: false))])
        #expect(house.receives("lamp/status", "online") == [.report("u1", .init(reachable: true))])
    }

    @Test("a light that said it is away does not come back by being announced with one topic more")
    func awayAndMoreAvailability() {
        var house = House()
        house.announces("first", #""uniq_id": "u1", "avty": [\#(Self.gate)]"#)
        house.receives("gate/state", #"{"state": "online"}"#)
        house.receives("gate/state", #"{"state": "offline"}"#)
        let more = house.announces("first", #""uniq_id": "u1", "avty": [\#(Self.gate), {"t": "lamp/status"}]"#)
        #expect(more == [.subscribe("lamp/status", qos: 0)])
    }

    @Test("an availability topic that is to be read in another way is asked for again")
    func availabilityReadOtherwise() {
        var house = House()
        house.announces("first", #""uniq_id": "u1", "avty_t": "lamp/status""#)
        house.receives("lamp/status", "online")
        let other = house.announces("first", #""uniq_id": "u1", "avty_t": "lamp/status", "pl_avail": "yes""#)
        #expect(other == [.subscribe("lamp/status", qos: 0), .report("u1", .init(reachable: false))])
    }

    @Test(
        "availability counts as its mode says",
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

enum DiscoveryGarbage {
    static let keys = [
        "~", "cmd_t", "stat_t", "uniq_id", "avty", "avty_t", "avty_mode", "dev", "o", "cmps", "schema", "sup_clrm",
        "bri_scl",
        "name", "min_mirs", "max_k", "migr_discvry", "en", "ent_cat", "hs_cmd_t", "rgb_stat_t", "on_cmd_type", "p",
        "stat_val_tpl",
    ]
    static let values = [
        "1", "-1", "1e300", "null", "true", "\"a\"", "\"~\"", "\"~/x\"", "\"json\"", "\"all\"", "[]", "{}", "[\"rgb\"]",
        "[{}]", "[{\"t\": \"a\"}]",
        #"{"a": {"p": "light", "cmd_t": "a", "uniq_id": "q"}}"#, #"{"ids": [1], "name": "n"}"#,
        "\"{{ value_json.a }}\"", "\"\"", "9223372036854775808",
    ]
}

// Tests write payloads as bytes.

extension MQTTHome {
    mutating func received(topic: String, payload: [UInt8], now: Duration) -> [MQTTAction] {
        received(topic: topic, payload: MQTTPayload(payload), now: now)
    }
}

extension MQTTLight {
    mutating func received(topic: String, payload: [UInt8]) -> [LightReport] {
        received(topic: topic, payload: MQTTPayload(payload))
    }
}

extension Availability {
    mutating func received(topic: String, payload: [UInt8]) { received(topic: topic, payload: MQTTPayload(payload)) }
}

extension DiscoveryPayload {
    init(_ payload: [UInt8], isDevice: Bool) throws(MQTTProblem) {
        try self.init(MQTTPayload(payload), isDevice: isDevice)
    }
}
