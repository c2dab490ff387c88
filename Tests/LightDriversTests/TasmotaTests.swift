import BoundedJSON
import DeviceKit
import Foundation
import TestTimeouts
import Testing

@testable import LightDrivers

/// A Tasmota device and Home Assistant's interpretation of it (Tests/Interop/tasmota_oracle.py).
struct TasmotaDevice: CustomTestStringConvertible, Sendable {
    let json: JSONValue
    var testDescription: String { json["name"]?.string ?? "?" }

    static let all = read("tasmota")

    static func read(_ name: String) -> [TasmotaDevice] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        guard let data = try? Data(contentsOf: tests.appending(path: "Fixtures/\(name).json")),
            let list = try? JSONValue(parsing: Array(data)).array
        else { return [] }
        return list.map(TasmotaDevice.init)
    }

    static func named(_ name: String, in devices: [TasmotaDevice] = all) throws -> TasmotaDevice {
        try #require(devices.first { $0.testDescription == name })
    }
}

@Suite("Tasmota's discovery", .timeout)
struct TasmotaTests {
    static func house(_ device: TasmotaDevice, isOnline: Bool = true) -> MQTTHouse {
        var house = MQTTHouse(
            MQTTDeviceRegistry(prefix: nil, tasmota: "tasmota/discovery", lights: []), kinds: Set(LightKind.allCases))
        house.receives("tasmota/discovery/AABBCC004711/config", (device.json["device"] ?? .null).text)
        if isOnline { house.receives("tele/tasmota_004711/LWT", "Online") }
        return house
    }

    @Test("finds the fixtures") func found() { #expect(TasmotaDevice.all.count == 18) }

    @Test("finds the outputs, features and topics that Home Assistant finds", arguments: TasmotaDevice.all)
    func outputs(_ device: TasmotaDevice) throws {
        var house = Self.house(device, isOnline: false)
        let wanted = (device.json["entities"]?.array ?? []).filter { $0["platform"] != "cover" }
        #expect(house.added.count { $0.kind != .cover } == wanted.count)
        for entity in wanted {
            let number = entity["number"]?.int ?? 0
            let isLight = entity["platform"] == "light"
            let light = try #require(
                house.added.first { $0.id.rawValue == "AABBCC004711_\(isLight ? "light" : "relay")_\(number)" })
            let kind = entity["kind"]?.string ?? ""
            #expect(light.kind == (isLight ? .light : .switch))
            #expect(light.capabilities.brightness == (kind != "power"))
            #expect(light.capabilities.color == kind.hasPrefix("color"))
            let mireds = entity["mireds"]?.array?.compactMap(\.int)
            let hasWhites = kind == "temperature" || kind == "colorAndTemperature"
            #expect(
                light.capabilities.temperature.map { [$0.lowerBound, $0.upperBound] } == (hasWhites ? mireds : nil))
            for key in ["result", "state", "will"] {
                let topic = try #require(entity[key]?.string)
                #expect(house.actions.contains(.subscribe(topic, qos: 0)))
            }
            let words = device.json["device"]
            let will = entity["will"]?.string ?? ""
            // The device is queried once it is online, and accepts commands.
            house.receives(will, words?["onln"]?.string ?? "")
            #expect(house.actions.contains(.publish(MQTTMessage(topic: entity["poll"]?.string ?? "", text: ""))))
            let on = words?["state"]?.array?[1].string ?? ""
            let sent = try house.sends(LightCommand(on: true), to: light.id)
            #expect(sent.count == 1 && sent[0].hasPrefix("\(entity["command"]?.string ?? "")Backlog "))
            #expect(sent[0].hasSuffix("Power\(number) \(on)"))
            if kind != "power", let dimmer = entity["dimmer"]?.string, words?["so"]?["68"] != 1 {
                #expect(
                    try house.sends(LightCommand(on: true, brightness: 40), to: light.id)[0].contains(";\(dimmer) 40;"))
            }
        }
    }

    @Test("sends a command as one message that doesn't switch on a light that is off")
    func commands() throws {
        var house = Self.house(try .named("colour, cold and warm"))
        let lamp: LightID = "AABBCC004711_light_1"
        let topic = "cmnd/tasmota_004711/Backlog"
        #expect(try house.sends(.init(on: false), to: lamp) == ["\(topic) Power1 OFF"])
        #expect(
            try house.sends(.init(on: true, brightness: 1, color: .hueSaturation(hue: 30.4, saturation: 80)), to: lamp)
                == ["\(topic) NoDelay;HsbColor1 30;NoDelay;HsbColor2 80;NoDelay;Dimmer 1;NoDelay;Power1 ON"])
        #expect(
            try house.sends(.init(on: true, color: .temperature(mired: 300), transition: .seconds(2)), to: lamp)
                == ["\(topic) NoDelay;Fade 1;NoDelay;Speed 4;NoDelay;CT 300;NoDelay;Power1 ON"])
        // While the light is off, the brightness and the color are held back.
        house.receives("stat/tasmota_004711/RESULT", #"{"POWER":"OFF"}"#)
        #expect(try house.sends(.init(brightness: 60), to: lamp) == [])
        #expect(try house.sends(.init(color: .temperature(mired: 300)), to: lamp) == [])
        #expect(try house.sends(.init(brightness: 70), to: lamp) == [])
        #expect(
            try house.sends(.init(on: true), to: lamp)
                == ["\(topic) NoDelay;CT 300;NoDelay;Dimmer 70;NoDelay;Power1 ON"])
        #expect(try house.sends(.init(on: true), to: lamp) == ["\(topic) NoDelay;Power1 ON"])
        // The light is switched on at the device, so the held-back values are dropped.
        #expect(try house.sends(.init(brightness: 20), to: lamp) == [])
        house.receives("stat/tasmota_004711/RESULT", #"{"POWER":"ON"}"#)
        #expect(try house.sends(.init(on: true), to: lamp) == ["\(topic) NoDelay;Power1 ON"])
        #expect(try house.sends(.init(brightness: 70), to: lamp) == ["\(topic) NoDelay;Dimmer 70;NoDelay;Power1 ON"])
    }

    @Test(
        "reads states from answers and telemetry",
        arguments: [
            (
                "stat", #"{"POWER":"ON","Dimmer":40,"Color":"66290A0000","HSBColor":"20,90,40","White":0,"CT":153}"#,
                LightReport(on: true, brightness: 40, color: .hueSaturation(hue: 20, saturation: 90))
            ),
            (
                "tele",
                #"{"Time":"2026-01-01T00:00:00","Uptime":"1T","Vcc":3.4,"POWER":"OFF","Dimmer":40,"HSBColor":"20,90,"#
                    + #"40","White":0,"CT":153,"Wifi":{"AP":1}}"#,
                LightReport(on: false, brightness: 40, color: .hueSaturation(hue: 20, saturation: 90))
            ),
            (
                "stat", #"{"POWER1":"ON","Dimmer":7,"Color":"0000009D62","HSBColor":"0,0,0","White":7,"CT":300}"#,
                LightReport(on: true, brightness: 7, color: .temperature(mired: 300))
            ),
            ("stat", #"{"POWER":"ON"}"#, LightReport(on: true)), ("stat", #"{"Dimmer":0}"#, LightReport()),
            ("stat", #"{"POWER":"TOGGLE"}"#, LightReport()), ("stat", #"{"Command":"Error"}"#, LightReport()),
            ("stat", "OK", LightReport()), ("tele", "[]", LightReport()),
        ])
    func states(topic: String, message: String, expected: LightReport) throws {
        var house = Self.house(try .named("colour, cold and warm"))
        let end = topic == "stat" ? "RESULT" : "STATE"
        let actions = house.receives("\(topic)/tasmota_004711/\(end)", message)
        #expect(actions == (expected.isEmpty ? [] : [.report("AABBCC004711_light_1", expected)]))
    }

    @Test("reads the states of channels and of additional relays")
    func several() throws {
        var house = Self.house(try .named("channels"))
        let second = house.receives(
            "tele/tasmota_004711/STATE", #"{"POWER1":"OFF","Channel1":10,"POWER2":"ON","Channel2":20,"POWER3":"OFF"}"#)
        #expect(second.contains(.report("AABBCC004711_light_2", .init(on: true, brightness: 20))))
        #expect(
            house.receives("stat/tasmota_004711/RESULT", #"{"POWER3":"ON","Channel3":55}"#) == [
                .report("AABBCC004711_light_3", .init(on: true, brightness: 55))
            ])
        // The channel numbers also count a relay that precedes the channels.
        var behind = MQTTDeviceRegistry(prefix: nil, tasmota: "tasmota/discovery", lights: [])
        _ = behind.connected()
        let device = try #require(TasmotaDevice.named("channels").json["device"]).text
            .replacing(#""rl":[2,2,2,"#, with: #""rl":[1,2,2,"#)
        for (topic, text) in [("tasmota/discovery/AABBCC004711/config", device), ("tele/tasmota_004711/LWT", "Online")]
        {
            _ = behind.received(topic: topic, payload: MQTTPayload(Array(text.utf8)), now: .zero)
        }
        let sent = try behind.messages(for: .init(on: true, brightness: 40), to: "AABBCC004711_light_2", now: .zero)
        #expect(sent.map { String(decoding: $0.payload, as: UTF8.self) } == ["NoDelay;Channel2 40;NoDelay;Power2 ON"])
        var relays = Self.house(try .named("two relays, one with a name"))
        #expect(
            relays.receives("stat/tasmota_004711/RESULT", #"{"POWER2":"ON"}"#) == [
                .report("AABBCC004711_relay_2", .init(on: true))
            ])
    }

    @Test("makes an offline device unreachable, and removes a withdrawn device")
    func goes() throws {
        var house = Self.house(try .named("dimmer"))
        #expect(
            house.receives("tele/tasmota_004711/LWT", "Offline") == [
                .report("AABBCC004711_light_1", .init(reachable: false))
            ])
        house.receives("tele/tasmota_004711/LWT", "Online")
        house.receives("tasmota/discovery/AABBCC004711/config", "")
        #expect(house.home.timePassed(now: MQTTDeviceRegistry.grace).contains(.removed("AABBCC004711_light_1")))
    }

    @Test(
        "warns about an invalid announcement",
        arguments: [
            "{", "[]", "{}", #"{"tp":["a","b","c"],"mac":"x"}"#,
            #"{"tp":["a","b","c"],"mac":"AABBCC004711","rl":[1],"t":"a"}"#,
            ##"{"tp":["a","b","c"],"mac":"AABBCC004711","rl":[1],"t":"a","ft":"#/%topic%"}"##,
            #"{"tp":["a","b","c"],"mac":"AABBCC004711","rl":[1],"t":"a","ft":"%prefix%/%topic%/","state":["'","x"]}"#,
            #"{"tp":["a","b","c"],"mac":"AABBCC004711","rl":[2],"t":"a","ft":"%prefix%/%topic%/","lt_st":9}"#,
        ])
    func garbage(message: String) {
        var home = MQTTDeviceRegistry(prefix: nil, tasmota: "tasmota/discovery", lights: [])
        let topic = "tasmota/discovery/AABBCC004711/config"
        let actions = home.received(topic: topic, payload: MQTTPayload(Array(message.utf8)), now: .zero)
        #expect(actions.count == 1)
        guard case .warn(let text?, topic)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(text.hasPrefix(topic))
    }
}

@Suite("The reader of Zigbee2MQTT's device lists", .timeout)
struct Zigbee2MQTTTests {
    static func light(_ address: String, _ name: String, _ features: String, endpoint: String = "") -> String {
        #"{"ieee_address":"\#(address)","type":"Router","friendly_name":"\#(name)","definition":{"vendor":"IKEA","#
            + #""model":"LED1","exposes":[{"type":"light",\#(endpoint)"features":[{"name":"state","property":"state","#
            + #""access":7,"type":"binary"},\#(features)]},{"type":"enum","name":"effect"}]}}"#
    }
    static let brightness = #"{"name":"brightness","access":7,"value_max":254}"#
    static let ct = #"{"name":"color_temp","access":7,"value_min":153,"value_max":454}"#
    static let xy = #"{"name":"color_xy","type":"composite","access":7}"#
    static let hs = #"{"name":"color_hs","type":"composite","access":7}"#
    static let coordinator =
        #"{"ieee_address":"0x0","type":"Coordinator","friendly_name":"Coordinator","definition":null}"#

    static func house(_ devices: [String]) -> MQTTHouse {
        var house = MQTTHouse(MQTTDeviceRegistry(prefix: "homeassistant", zigbee2MQTT: "zigbee2mqtt", lights: []))
        house.receives("zigbee2mqtt/bridge/devices", "[" + ([coordinator] + devices).joined(separator: ",") + "]")
        house.receives("zigbee2mqtt/bridge/state", #"{"state":"online"}"#)
        return house
    }

    @Test(
        "derives capabilities from the exposed features",
        arguments: [
            ([brightness], LightCapabilities(brightness: true, transition: true)),
            ([brightness, ct], LightCapabilities(brightness: true, temperature: 153...454, transition: true)),
            (
                [brightness, ct, xy, hs],
                LightCapabilities(brightness: true, color: true, temperature: 153...454, transition: true)
            ),
            (
                [brightness, #"{"name":"color_temp","access":1}"#],
                LightCapabilities(brightness: true, transition: true)
            ),
        ])
    func features(features: [String], expected: LightCapabilities) throws {
        let house = Self.house([Self.light("0x1", "den/lamp", features.joined(separator: ","))])
        let light = try #require(house.added.first)
        #expect(light.id == "0x1_light_zigbee2mqtt" && light.name == "den/lamp" && light.manufacturer == "IKEA")
        #expect(light.capabilities == expected)
    }

    @Test("uses the device's topics for queries, commands, states and availability")
    func speaks() throws {
        var house = Self.house([
            Self.light("0x1", "den/lamp", [Self.brightness, Self.ct, Self.hs, Self.xy].joined(separator: ","))
        ])
        let id: LightID = "0x1_light_zigbee2mqtt"
        #expect(
            house.actions.contains(.publish(MQTTMessage(topic: "zigbee2mqtt/den/lamp/get", text: #"{"state":""}"#))))
        #expect(
            try house.sends(.init(on: true, brightness: 50, color: .hueSaturation(hue: 30, saturation: 80)), to: id)
                == [#"zigbee2mqtt/den/lamp/set {"state":"ON","color":{"h":30,"s":80},"brightness":127}"#])
        #expect(
            house.receives(
                "zigbee2mqtt/den/lamp",
                #"{"state":"ON","brightness":254,"color_mode":"color_temp","color_temp":300,"linkquality":90}"#)
                == [.report(id, .init(on: true, brightness: 100, color: .temperature(mired: 300)))])
        #expect(
            house.receives("zigbee2mqtt/den/lamp/availability", #"{"state":"offline"}"#) == [
                .report(id, .init(reachable: false))
            ])
        let back = house.receives("zigbee2mqtt/den/lamp/availability", "online")
        #expect(back.first == .report(id, .init(reachable: true)))
        #expect(house.receives("zigbee2mqtt/bridge/state", "offline") == [.report(id, .init(reachable: false))])
    }

    @Test("shows endpoints as lights with suffixed keys")
    func endpoints() throws {
        let device =
            #"{"ieee_address":"0x2","type":"Router","friendly_name":"hall","definition":{"exposes":[{"type":"light","#
            + #""endpoint":"l1","features":[{"name":"state","access":7},{"name":"brightness","access":7}]},"#
            + #"{"type":"switch","endpoint":"l2","features":[{"name":"state","access":7}]},{"type":"switch","#
            + #""features":[{"name":"child_lock","access":7}]}]}}"#
        var house = Self.house([device])
        #expect(house.added.map(\.id) == ["0x2_light_l1_zigbee2mqtt", "0x2_switch_l2_zigbee2mqtt"])
        #expect(house.added.map(\.kind) == [.light, .switch])
        #expect(
            house.receives("zigbee2mqtt/hall", #"{"state_l1":"ON","brightness_l1":127,"state_l2":"OFF"}"#)
                == [
                    .report("0x2_light_l1_zigbee2mqtt", .init(on: true, brightness: 50)),
                    .report("0x2_switch_l2_zigbee2mqtt", .init(on: false)),
                ])
        #expect(
            try house.sends(.init(on: true, brightness: 1), to: "0x2_light_l1_zigbee2mqtt") == [
                #"zigbee2mqtt/hall/set {"state_l1":"ON","brightness_l1":3}"#
            ])
    }

    static func device(_ exposes: String...) -> String {
        #"{"ieee_address":"0x3","type":"Router","friendly_name":"box","definition":{"exposes":["#
            + exposes.joined(separator: ",") + "]}}"
    }

    static func power(_ property: String, _ more: String = #""value_on":"ON","value_off":"OFF""#) -> String {
        #"{"type":"switch","features":[{"name":"state","property":"\#(property)","access":7,\#(more)}]}"#
    }

    @Test("uses the properties and values of each switch")
    func properties() throws {
        var house = Self.house([
            Self.device(
                Self.power("switch_r1"), Self.power("switch_r2", #""value_on":true,"value_off":false"#),
                Self.power("switch_r3", #""value_on":"open","value_off":"closed""#))
        ])
        let ids = (1...3).map { LightID("0x3_switch_switch_r\($0)_zigbee2mqtt") }
        #expect(house.added.map(\.id) == ids && house.added.map(\.name) == (1...3).map { "box switch_r\($0)" })
        #expect(
            house.receives("zigbee2mqtt/box", #"{"state":"ON","switch_r1":"OFF","switch_r2":true,"switch_r3":"open"}"#)
                == zip(ids, [false, true, true]).map { .report($0, .init(on: $1)) })
        let sent = try ids.map { try house.sends(.init(on: false), to: $0) }
        #expect(
            sent
                == [#""switch_r1":"OFF""#, #""switch_r2":false"#, #""switch_r3":"closed""#].map {
                    ["zigbee2mqtt/box/set {\($0)}"]
                })
    }

    @Test(
        "skips the settings of a device",
        arguments: [
            power("window_detection"), power("child_lock") + #",{"type":"lock","features":[]}"#,
            power("boost") + #",{"type":"climate","features":[]}"#,
            power("state", #""category":"config""#), power("relay", #""category":"diagnostic""#),
            #"{"category":"config","# + power("state").dropFirst(),
        ])
    func settings(exposes: String) { #expect(Self.house([Self.device(exposes)]).added == []) }

    @Test("shows the switch of a device with a thermostat")
    func thermostatWithRelay() {
        let house = Self.house([Self.device(Self.power("state"), #"{"type":"climate","features":[]}"#)])
        #expect(house.added.map(\.id) == ["0x3_switch_zigbee2mqtt"])
    }

    @Test(
        "skips settings that Zigbee2MQTT announces to Home Assistant",
        arguments: [
            #""cmd_t":"zigbee2mqtt/valve/set/window_detection","dev":{"ids":["zigbee2mqtt_0x4"],"name":"Valve"}"#,
            #""cmd_t":"zigbee2mqtt/bridge/request/permit_join","dev":{"ids":["zigbee2mqtt_bridge_0x0"],"name":"Zigbee"}"#,
            #""cmd_t":"x/set","dev":{"ids":"zigbee2mqtt_bridge_0x0","name":"Zigbee"}"#,
        ])
    func announcedSettings(keys: String) {
        var house = Self.house([])
        house.receives("homeassistant/switch/0x4/a/config", #"{"uniq_id":"a",\#(keys)}"#)
        #expect(house.added == [])
    }

    @Test("gives a group the features of its members, keeps a renamed light, and removes a missing light")
    func lists() throws {
        let lamp = Self.light("0x1", "one", Self.brightness)
        let white = Self.light("0x2", "two", Self.brightness + "," + Self.ct)
        var house = Self.house([lamp, white])
        house.receives(
            "zigbee2mqtt/bridge/groups",
            #"[{"id":7,"friendly_name":"all","members":[{"ieee_address":"0x1","endpoint":1},{"ieee_address":"0x2","#
                + #""endpoint":1}]},{"id":8,"friendly_name":"empty","members":[]}]"#
        )
        let group = try #require(house.added.last)
        #expect(group.id == "7_light_zigbee2mqtt" && group.name == "all" && group.capabilities.temperature == 153...454)
        house.actions = []
        house.receives(
            "zigbee2mqtt/bridge/devices",
            "[" + [Self.coordinator, Self.light("0x1", "uno", Self.brightness), white].joined(separator: ",") + "]")
        #expect(house.added.map(\.name) == ["uno"] && house.added.map(\.id) == ["0x1_light_zigbee2mqtt"])
        // A light whose device is being interviewed again is kept. A light whose device has left is removed.
        house.receives(
            "zigbee2mqtt/bridge/devices",
            "["
                + [
                    Self.coordinator,
                    #"{"ieee_address":"0x1","type":"Router","friendly_name":"uno","definition":null}"#,
                ].joined(separator: ",") + "]")
        let left = house.home.timePassed(now: MQTTDeviceRegistry.grace)
        #expect(left.contains(.removed("0x2_light_zigbee2mqtt")) && !left.contains(.removed("0x1_light_zigbee2mqtt")))
    }

    @Test("ignores an invalid list", arguments: ["", "{}", "["])
    func brokenList(message: String) throws {
        let lamp = Self.light("0x1", "one", Self.brightness)
        var house = Self.house([lamp])
        house.receives(
            "zigbee2mqtt/bridge/groups", #"[{"id":7,"friendly_name":"all","members":[{"ieee_address":"0x1"}]}]"#)
        #expect(house.added.map(\.id) == ["0x1_light_zigbee2mqtt", "7_light_zigbee2mqtt"])
        house.receives("zigbee2mqtt/bridge/groups", message)
        house.receives("zigbee2mqtt/bridge/devices", message)
        let second = Self.light("0x2", "two", Self.brightness)
        house.receives(
            "zigbee2mqtt/bridge/devices", "[" + [Self.coordinator, lamp, second].joined(separator: ",") + "]")
        #expect(house.added.last?.id == "0x2_light_zigbee2mqtt")
        #expect(house.home.timePassed(now: MQTTDeviceRegistry.grace) == [])
    }

    @Test("keeps a group while its members are interviewed")
    func groupOfUnknown() {
        var house = Self.house([Self.light("0x1", "one", Self.brightness)])
        house.receives(
            "zigbee2mqtt/bridge/groups",
            #"[{"id":1,"friendly_name":"all","members":[{"ieee_address":"0x1"}]},"#
                + #"{"id":12,"friendly_name":"most","members":[{"ieee_address":"0x1"}]}]"#)
        let asked = #"{"ieee_address":"0x1","type":"Router","friendly_name":"one","definition":null}"#
        house.receives("zigbee2mqtt/bridge/devices", "[\(Self.coordinator),\(asked)]")
        #expect(house.home.timePassed(now: MQTTDeviceRegistry.grace) == [])
        // Group 12 is removed although its name begins with that of group 1, which is kept.
        house.receives(
            "zigbee2mqtt/bridge/groups", #"[{"id":1,"friendly_name":"all","members":[{"ieee_address":"0x1"}]}]"#)
        #expect(house.home.timePassed(now: MQTTDeviceRegistry.grace) == [.removed("12_light_zigbee2mqtt")])
    }

    @Test("queries each light once after a reconnect, and subscribes to the gateway's state once")
    func comesBack() {
        var house = Self.house((0..<50).map { Self.light("0x\($0 + 10)", "lamp \($0)", Self.brightness) })
        let topic = "zigbee2mqtt/bridge/state"
        #expect(house.actions.filter { $0 == .subscribe(topic, qos: 0) }.count == 1)
        house.home.disconnected(now: .zero)
        let actions = house.home.connected()
        #expect(actions.filter { if case .publish = $0 { true } else { false } }.count == 50)
    }

    @Test("limits the lights of a device and the members of a group")
    func many() {
        let light = #"{"type":"light","endpoint":"e","features":[{"name":"state","access":2}]}"#
        let exposes = Array(repeating: light, count: 20_000).joined(separator: ",")
        var house = Self.house([
            #"{"ieee_address":"0x1","type":"Router","friendly_name":"a","definition":{"exposes":[\#(exposes)]}}"#
        ])
        let members = Array(repeating: #"{"ieee_address":"0x1"}"#, count: 10_000).joined(separator: ",")
        house.receives("zigbee2mqtt/bridge/groups", #"[{"id":7,"friendly_name":"all","members":[\#(members)]}]"#)
        #expect(house.added.count == 2)
    }

    @Test("treats a light that is both listed and announced as one light")
    func bothWays() {
        var house = Self.house([Self.light("0x1", "one", Self.brightness)])
        let actions = house.receives(
            "homeassistant/light/0x1/light/config",
            #"{"schema":"json","uniq_id":"0x1_light_zigbee2mqtt","cmd_t":"zigbee2mqtt/one/set","#
                + #""stat_t":"zigbee2mqtt/one","brightness":true}"#
        )
        #expect(actions == [])
    }

    @Test("warns about an invalid list", arguments: ["{", "{}", "7", #""x""#])
    func garbage(message: String) {
        var house = Self.house([])
        let actions = house.receives("zigbee2mqtt/bridge/devices", message)
        #expect(actions.count == 1 && house.added.isEmpty)
    }
}
