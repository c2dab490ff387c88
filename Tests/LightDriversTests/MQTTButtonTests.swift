import BoundedJSON
import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

extension MQTTHouse {
    /// The momentary events of the actions: `light button press`.
    static func presses(_ actions: [MQTTAction]) -> [String] {
        var presses: [String] = []
        for case .occurred(let id, let events) in actions {
            for (property, value) in events {
                presses.append("\(id) \(property.function ?? "") \(value.flatMap(ButtonPress.init)?.rawValue ?? "?")")
            }
        }
        return presses
    }

    @discardableResult
    mutating func receivesRetained(_ topic: String, _ text: String) -> [MQTTAction] {
        take(home.received(topic: topic, payload: MQTTPayload(Array(text.utf8), isRetained: true), now: now))
    }

    /// Lets time pass until the parts of all devices count as complete.
    mutating func settles() {
        now += .seconds(2)
        take(home.timePassed(now: now))
    }
}

@Suite("Buttons on MQTT", .timeout)
struct MQTTButtonTests {
    private static let kinds: Set<LightKind> = [.light, .switch, .outlet, .sensor, .button]

    private static func house(kinds: Set<LightKind> = kinds, known: [LightID] = []) -> MQTTHouse {
        MQTTHouse(
            MQTTDeviceRegistry(
                prefix: "homeassistant", tasmota: "tasmota/discovery", zigbee2MQTT: "zigbee2mqtt", lights: []),
            kinds: kinds, known: known)
    }

    private static let address = "0x00158d0001a2b3c4"
    private static let remote: LightID = "zigbee2mqtt_0x00158d0001a2b3c4/sensors"
    private static let topic = "zigbee2mqtt/Remote"

    /// A device in Zigbee2MQTT's list; the exposes have the form of zigbee-herdsman-converters' `exposes.ts`.
    private static func list(_ exposes: String) -> String {
        """
        [{"ieee_address": "\(address)", "type": "EndDevice", "friendly_name": "Remote", "definition": {"vendor": "Aqara",
          "model": "WXKG01LM", "exposes": [\(exposes)]}}]
        """
    }

    private static func action(_ values: [String]) -> String {
        let list = values.map { "\"\($0)\"" }.joined(separator: ", ")
        return #"{"type": "enum", "name": "action", "property": "action", "access": 1, "values": [\#(list)]}"#
    }

    private static let battery =
        #"{"type": "numeric", "name": "battery", "property": "battery", "access": 1, "unit": "%"}"#
    private static let temperature =
        #"{"type": "numeric", "name": "temperature", "property": "temperature", "access": 1, "unit": "°C"}"#
    private static let plug = """
        {"type": "switch", "features": [{"name": "state", "property": "state", "access": 7, "value_on": "ON",
         "value_off": "OFF"}]}
        """

    private static func zigbee(_ exposes: String, kinds: Set<LightKind> = kinds, known: [LightID] = []) -> MQTTHouse {
        var house = house(kinds: kinds, known: known)
        house.receivesRetained("zigbee2mqtt/bridge/devices", list(exposes))
        house.receivesRetained("zigbee2mqtt/bridge/state", #"{"state": "online"}"#)
        house.settles()
        return house
    }

    // MARK: Zigbee2MQTT

    @Test("shows the actions of a Zigbee remote as buttons, next to its battery")
    func remote() throws {
        var house = Self.zigbee(Self.battery + ", " + Self.action(["single", "double", "hold", "release", "1_single"]))
        #expect(house.added.map(\.id) == [Self.remote])
        let remote = try #require(house.added.first)
        #expect(remote.kind == .button && remote.name == "Remote")
        #expect(remote.buttons.map(\.id) == ["button", "1"])
        #expect(remote.buttons.map(\.presses) == [[.single, .double, .long], [.single]])
        #expect(remote.capabilities.readings == [.battery])
        #expect(house.states[Self.remote]?.reachable == true)
        for (action, press) in [
            ("single", ["button single"]), ("double", ["button double"]), ("hold", ["button long"]), ("release", []),
            ("1_single", ["1 single"]), ("unknown", []), ("", []),
        ] {
            let actions = house.receives(Self.topic, #"{"action": "\#(action)", "battery": 90}"#)
            #expect(MQTTHouse.presses(actions) == press.map { "\(Self.remote) \($0)" })
        }
        // A report of the battery alone isn't a press, nor is a value of another type.
        for text in [#"{"battery": 80}"#, #"{"action": null}"#, #"{"action": 1}"#, "nonsense", "[]"] {
            #expect(MQTTHouse.presses(house.receives(Self.topic, text)).isEmpty)
        }
    }

    @Test("reports equal presses in a row, but none from a retained message or after a reconnect")
    func retained() {
        var house = Self.zigbee(Self.action(["single"]))
        for _ in 0..<2 {
            #expect(MQTTHouse.presses(house.receives(Self.topic, #"{"action": "single"}"#)).count == 1)
        }
        #expect(MQTTHouse.presses(house.receivesRetained(Self.topic, #"{"action": "single"}"#)).isEmpty)
        house.home.disconnected(now: house.now)
        house.take(house.home.connected())
        #expect(MQTTHouse.presses(house.receivesRetained(Self.topic, #"{"action": "single"}"#)).isEmpty)
        #expect(MQTTHouse.presses(house.receives(Self.topic, #"{"action": "single"}"#)).count == 1)
    }

    @Test("adds buttons to the switch of a device, or else to its sensor")
    func hosts() throws {
        let action = Self.action(["single_left", "single_right"])
        let plug = LightID("\(Self.address)_switch_zigbee2mqtt")
        for (exposes, id, kind) in [
            (Self.plug + ", " + Self.temperature, plug, LightKind.switch), (Self.temperature, Self.remote, .sensor),
        ] {
            var house = Self.zigbee(exposes + ", " + action)
            let host = try #require(house.added.first { $0.id == id })
            #expect(host.kind == kind && host.buttons.map(\.id) == ["left", "right"])
            #expect(house.added.filter { !$0.buttons.isEmpty }.count == 1)
            #expect(
                MQTTHouse.presses(house.receives(Self.topic, #"{"action": "single_left"}"#)) == ["\(id) left single"])
        }
        // Switches that aren't shown can't show the buttons.
        let hidden = Self.zigbee(Self.plug + ", " + action, kinds: [.light, .button])
        #expect(hidden.added.filter { !$0.buttons.isEmpty }.map(\.id) == [Self.remote])
    }

    @Test("adds excluded buttons only to a button accessory, and reports no presses")
    func notIncluded() {
        for (exposes, kind) in [
            ("", LightKind.button), (Self.battery, .button), (Self.temperature, .sensor), (Self.plug, .switch),
        ] {
            let list = (exposes.isEmpty ? "" : exposes + ", ") + Self.action(["single"])
            var house = Self.zigbee(list, kinds: [.switch, .sensor])
            #expect(house.added.map(\.kind) == [kind])
            #expect(house.added.allSatisfy { $0.buttons.isEmpty == (kind != .button) })
            #expect(MQTTHouse.presses(house.receives(Self.topic, #"{"action": "single"}"#)).isEmpty)
        }
        // A remote control shows its battery, and nothing else that isn't included.
        let all = [Self.battery, Self.temperature, Self.action(["single"])].joined(separator: ", ")
        var house = Self.zigbee(all, kinds: [.button])
        house.receives(Self.topic, #"{"action": "", "battery": 90, "temperature": 20}"#)
        #expect(house.added.last?.kind == .button && house.added.last?.capabilities.readings == [.battery])
        let readings = house.states[Self.remote]?.readings
        #expect(readings?[.battery] == .number(90) && readings?[.temperature] != .number(20))
    }

    @Test("removes the buttons of a removed device")
    func removed() {
        var house = Self.zigbee(Self.action(["single"]))
        house.receives("zigbee2mqtt/bridge/devices", "[]")
        for _ in 0..<4 { house.settles() }
        #expect(house.removed == [Self.remote])
        #expect(house.home.deadline == nil)
    }

    @Test("warns of a device with more buttons than are shown")
    func surplus() {
        let house = Self.zigbee(Self.action((0..<40).map { "recall_\($0)" }))
        #expect(house.added.first?.buttons.count == 32)
        #expect(house.warnings.contains { $0.contains("only the first 32 buttons are shown") })
    }

    // MARK: Home Assistant

    private static let device = #""device": {"identifiers": ["zigbee2mqtt_0x00158d0001a2b3c4"], "name": "Remote"}"#

    /// A trigger as zigbee2mqtt's `homeassistant.ts` announces it.
    private static func trigger(_ action: String) -> (topic: String, text: String) {
        (
            "homeassistant/device_automation/\(address)/action_\(action)/config",
            """
            {"automation_type": "trigger", "type": "action", "subtype": "\(action)", "payload": "\(action)",
             "topic": "zigbee2mqtt/Remote/action", \(device)}
            """
        )
    }

    @Test("joins the triggers of a device, in any order")
    func triggers() throws {
        var ids: Set<[String]> = []
        for order in [["single", "double", "1_single", "release"], ["1_single", "release", "double", "single"]] {
            var house = Self.house()
            for action in order { house.receivesRetained(Self.trigger(action).topic, Self.trigger(action).text) }
            #expect(house.added.isEmpty, "the device isn't complete")
            house.settles()
            let remote = try #require(house.added.first)
            #expect(remote.id == Self.remote && remote.name == "Remote" && remote.kind == .button)
            ids.insert(remote.buttons.map { "\($0.id) \($0.presses.count)" })
            let actions = house.receives("zigbee2mqtt/Remote/action", "double")
            #expect(MQTTHouse.presses(actions) == ["\(Self.remote) button double"])
            #expect(MQTTHouse.presses(house.receivesRetained("zigbee2mqtt/Remote/action", "double")).isEmpty)
        }
        #expect(ids == [["1 1", "button 2"]])
    }

    @Test("shows a press only once even if Zigbee2MQTT announces it in two ways")
    func twoWays() {
        var house = Self.zigbee(Self.action(["single", "double"]))
        house.receivesRetained(Self.trigger("single").topic, Self.trigger("single").text)
        house.settles()
        let first = house.receives(Self.topic, #"{"action": "single"}"#)
        let second = house.receives("zigbee2mqtt/Remote/action", "single")
        #expect(MQTTHouse.presses(first + second) == ["\(Self.remote) button single"])
    }

    /// The short keys and the message are from Home Assistant's documentation of MQTT events.
    @Test("reads the presses of an event entity, including a doorbell")
    func events() throws {
        var house = Self.house()
        for (name, keys) in [
            ("top", #""dev_cla": "button", "evt_typ": ["press", "hold"]"#),
            ("bell", #""dev_cla": "doorbell", "evt_typ": ["ring"]"#),
            ("pir", #""dev_cla": "motion", "evt_typ": ["press"]"#), ("other", #""evt_typ": ["started", "ended"]"#),
        ] {
            house.receivesRetained(
                "homeassistant/event/\(name)/config",
                #"{"uniq_id": "\#(name)", "name": "\#(name)", "stat_t": "e/\#(name)", \#(keys), "dev": {"ids": "d", "name": "Door"}}"#
            )
        }
        house.settles()
        let door = try #require(house.added.first)
        #expect(house.added.count == 1 && door.id == "d/sensors" && door.name == "Door")
        #expect(door.buttons.map(\.id) == ["top", "bell"] && door.buttons.map(\.isDoorbell) == [false, true])
        let presses = [
            ("top", #"{"event_type": "hold", "n": 1}"#, ["top long"]),
            ("bell", #"{"event_type": "ring"}"#, ["bell single", "bell/bell single"]),
            ("top", #"{"event_type": "unknown"}"#, []), ("top", "press", []), ("top", "{}", []), ("top", "", []),
            ("top", #"{"event_type": 7}"#, []),
        ]
        for (name, text, expected) in presses {
            #expect(MQTTHouse.presses(house.receives("e/\(name)", text)) == expected.map { "d/sensors \($0)" })
        }
        #expect(MQTTHouse.presses(house.receivesRetained("e/top", #"{"event_type": "hold"}"#)).isEmpty)
        #expect(house.home.takeUnreadable() == 2)
    }

    @Test("adds the buttons of a device to its light, whichever is announced first")
    func light() throws {
        let light = #""name": "Lamp", "stat_t": "s", "uniq_id": "lamp", "dev": {"ids": ["d"], "name": "Desk"}"#
        let event = """
            {"uniq_id": "top", "stat_t": "e", "dev_cla": "button", "evt_typ": ["press"], "dev": {"ids": ["d"]}}
            """
        for isLightFirst in [true, false] {
            var house = Self.house()
            if isLightFirst { house.announces("lamp", light) }
            house.receivesRetained("homeassistant/event/top/config", event)
            if !isLightFirst { house.announces("lamp", light) }
            house.settles()
            #expect(house.added.map(\.id) == ["lamp"] && house.added[0].buttons.map(\.id) == ["top"])
            // Another announcement of the light keeps them.
            house.announces("lamp", light + #", "qos": 1"#)
            #expect(house.added.last?.buttons.map(\.id) == ["top"])
            #expect(MQTTHouse.presses(house.receives("e", #"{"event_type": "press"}"#)) == ["lamp top single"])
            // The light is removed, and its buttons remain.
            house.receives("homeassistant/light/lamp/config", "")
            for _ in 0..<4 { house.settles() }
            #expect(house.removed == ["lamp"] && house.added.last?.id == "d/sensors")
        }
    }

    @Test(
        "ignores announcements that aren't triggers, and reports invalid announcements",
        arguments: [
            (#"{"automation_type": "action", "type": "button_short_press", "subtype": "a", "topic": "t"}"#, false),
            (#"{"automation_type": "trigger", "type": "button_short_release", "subtype": "a", "topic": "t"}"#, false),
            (#"{"automation_type": "trigger", "type": "button_short_press", "subtype": "a"}"#, true),
            (#"{"automation_type": "trigger", "type": 7, "subtype": [], "topic": "t"}"#, true),
            (#"{"automation_type": "trigger"}"#, false), ("[]", true),
        ])
    func invalid(text: String, isReported: Bool) {
        var house = Self.house()
        house.receivesRetained("homeassistant/device_automation/a/config", text)
        house.settles()
        #expect(house.added.isEmpty && house.warnings.isEmpty != isReported)
    }

    // MARK: Tasmota

    /// The `btn` key and the options are from hatasmota.
    ///
    /// Tasmota sends the message with SetOption73.
    @Test(
        "reads the buttons of Tasmota devices as Home Assistant does",
        arguments: [
            (#""73": 1"#, ["SINGLE": "single", "DOUBLE": "double", "HOLD": "long", "CLEAR": nil]),
            (#""73": 1, "11": 1"#, ["SINGLE": "double", "DOUBLE": "single"]),
            (#""73": 1, "13": 1"#, ["SINGLE": "single", "DOUBLE": nil]), (#""73": 0"#, ["SINGLE": nil]),
        ] as [(String, [String: String?])])
    func tasmota(options: String, presses: [String: String?]) throws {
        var house = Self.house()
        house.receivesRetained(
            "tasmota/discovery/AABBCC004711/config",
            """
            {"mac": "AABBCC004711", "dn": "Wall", "t": "wall", "ft": "%prefix%/%topic%/", "tp": ["cmnd", "stat", "tele"],
             "rl": [0, 0], "btn": [0, 1], "so": {\(options)}, "state": ["OFF", "ON"]}
            """)
        house.settles()
        for (word, press) in presses {
            let actions = house.receives("stat/wall/RESULT", #"{"Button2":{"Action":"\#(word)"}}"#)
            #expect(MQTTHouse.presses(actions) == (press.map { ["AABBCC004711/sensors 2 \($0)"] } ?? []))
        }
        #expect(MQTTHouse.presses(house.receives("stat/wall/RESULT", #"{"Button1":{"Action":"SINGLE"}}"#)).isEmpty)
        #expect(MQTTHouse.presses(house.receives("stat/wall/RESULT", #"{"POWER":"ON"}"#)).isEmpty)
    }
    @Test("reads the switches of Tasmota devices as Home Assistant does")
    func tasmotaSwitches() throws {
        let device = try TasmotaDevice.named("switches", in: TasmotaDevice.read("tasmota-switches"))
        var house = Self.house()
        house.receivesRetained("tasmota/discovery/AABBCC004711/config", (device.json["device"] ?? .null).text)
        house.settles()
        let triggers = device.json["triggers"]?.array ?? []
        #expect(triggers.count == 56)
        for trigger in triggers {
            let presses = [
                "button_short_press": "single", "button_long_press": "long", "button_double_press": "double",
            ]
            let press = trigger["type"]?.string.flatMap { presses[$0] }
            let message = JSONValue.object([
                trigger["key"]?.string ?? "": .object(["Action": trigger["event"] ?? .null])
            ])
            let found = MQTTHouse.presses(house.receives("stat/tasmota_004711/RESULT", message.text))
            let button = trigger["button"]?.string ?? ""
            #expect(found == (press.map { ["AABBCC004711/sensors \(button) \($0)"] } ?? []), "\(trigger.text)")
        }
        let buttons = try #require(house.added.first?.buttons)
        #expect(buttons.prefix(2).map(\.name) == ["Switch 2", "Switch 5"])
    }
}
