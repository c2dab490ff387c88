import BoundedJSON
import LightDrivers
import LightKit
import TestTimeouts
import Testing

/// The two schemas in both directions, without a broker.
@Suite("One light on MQTT", .timeout)
struct MQTTLightTests {
    static func light(_ keys: String, isSwitch: Bool = false) throws -> MQTTLight {
        let object = try #require(try JSONValue(parsing: "{\"command_topic\": \"set\", \(keys)}").object)
        return MQTTLight(try MQTTLightSettings(object, isSwitch: isSwitch))
    }

    static func text(_ messages: [MQTTMessage]) -> [String] {
        messages.map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
    }

    static let json = #""schema": "json", "state_topic": "state", "brightness": true"#
    static let rich = json + #", "supported_color_modes": ["hs", "color_temp"]"#

    // MARK: Capabilities

    @Test(
        "what a light can do follows from its announcement",
        arguments: [
            (#""schema": "json""#, LightCapabilities(transition: true)),
            (#""schema": "json", "brightness": true"#, LightCapabilities(brightness: true, transition: true)),
            (
                #""schema": "json", "supported_color_modes": ["onoff"], "brightness": true"#,
                LightCapabilities(transition: true)
            ),
            (
                #""schema": "json", "supported_color_modes": ["brightness"]"#,
                LightCapabilities(brightness: true, transition: true)
            ),
            (
                #""schema": "json", "supported_color_modes": ["color_temp", "xy"], "min_mireds": 250, "max_mireds": 454"#,
                LightCapabilities(brightness: true, color: true, temperature: 250...454, transition: true)
            ),
            (
                #""schema": "json", "supported_color_modes": ["color_temp"], "min_kelvin": 2000, "max_kelvin": 6500"#,
                LightCapabilities(brightness: true, temperature: 154...500, transition: true)
            ),
            (
                #""schema": "json", "supported_color_modes": ["rgb", "white"], "color_mode": true"#,
                LightCapabilities(brightness: true, color: true, transition: true)
            ),
            (#""state_topic": "x""#, LightCapabilities()),
            (#""brightness_command_topic": "b""#, LightCapabilities(brightness: true)),
            (#""rgb_command_topic": "c""#, LightCapabilities(brightness: true, color: true)),
            (
                #""rgb_command_topic": "c", "rgbww_command_topic": "w""#,
                LightCapabilities(brightness: true, color: true, temperature: 153...500)
            ),
            (#""hs_command_topic": "c""#, LightCapabilities(color: true)),
            (
                #""color_temp_command_topic": "c", "brightness_command_topic": "b""#,
                LightCapabilities(brightness: true, temperature: 153...500)
            ),
        ] as [(String, LightCapabilities)])
    func capabilities(keys: String, expected: LightCapabilities) throws {
        #expect(try Self.light(keys).settings.capabilities == expected)
    }

    @Test(
        "what cannot be served is refused with the key that is at fault",
        arguments: [
            (#""schema": "template""#, "command_on_template"), (#""schema": "jsn""#, "jsn"),
            (#""schema": "json", "supported_color_modes": ["onoff", "rgb"]"#, "supported_color_modes"),
            (#""schema": "json", "supported_color_modes": ["white"]"#, "supported_color_modes"),
            (#""schema": "json", "supported_color_modes": ["cmyk"]"#, "supported_color_modes"),
            (#""schema": "json", "supported_color_modes": []"#, "supported_color_modes"),
            (#""schema": "json", "supported_color_modes": {}"#, "supported_color_modes"),
            (#""schema": "json", "brightness_scale": 0"#, "brightness_scale"),
            (#""schema": "json", "brightness_scale": 1e300"#, "brightness_scale"),
            (#""schema": "json", "brightness": "maybe""#, "brightness"), (#""qos": 3"#, "qos"),
            (##""command_topic": "a/#""##, "command_topic"), (#""command_topic": "a/+/b""#, "command_topic"),
            (#""state_topic": "a\u0000""#, "state_topic"),
            (#""state_topic": {}"#, "state_topic"),
            (#""on_command_type": "always""#, "on_command_type"),
            (#""availability_topic": "a", "availability": [{"topic": "b"}]"#, "availability"),
            (#""availability": ["b"]"#, "availability"), (#""availability_mode": "most""#, "availability_mode"),
            (#""command_topic": """#, "command_topic"),
        ])
    func refused(keys: String, key: String) throws {
        let problem = try #require(throws: MQTTProblem.self) { try Self.light(keys) }
        #expect(problem.text.contains(key))
    }

    @Test("a switch's command is made by its template")
    func switchTemplate() throws {
        var light = try Self.light(#""command_template": "{\"state\": \"{{ value }}\"}""#, isSwitch: true)
        #expect(Self.text(try light.messages(for: .init(on: true))) == [#"set {"state": "ON"}"#])
    }

    @Test(
        "a template that is not understood costs its feature, is named, and leaves the light",
        arguments: [
            (
                #""brightness_command_topic": "b", "brightness_command_template": "{{ value | groupby('a') }}""#,
                "", "brightness_command_template"
            ),
            (
                #""rgb_command_topic": "c", "brightness_command_topic": "b", "rgb_command_template": "{{ now() }}""#,
                "brightness", "rgb_command_template"
            ),
            (
                #""color_temp_command_topic": "c", "color_temp_command_template": "{% macro a() %}""#, "",
                "color_temp_command_template"
            ),
            (#""state_topic": "s", "state_value_template": "{{ states('a') }}""#, "", "state_value_template"),
            (#""availability": [{"topic": "b", "value_template": "{% if x %}"}]"#, "", "value_template"),
            (
                #""schema": "template", "command_on_template": "on", "command_off_template": "off", "brightness_template": "{{ value | x }}", "red_template": "1", "green_template": "1", "blue_template": "{{ states() }}""#,
                "", "blue_template"
            ),
        ])
    func losses(keys: String, left: String, key: String) throws {
        let object = try #require(try JSONValue(parsing: "{\"command_topic\": \"set\", \(keys)}").object)
        let entity = try MQTTEntity(object, component: "light", fallbackID: "a", fallbackName: "a")
        let capabilities = entity.settings.capabilities
        #expect(capabilities.color == false && capabilities.temperature == nil)
        #expect(capabilities.brightness == (left == "brightness"))
        #expect(entity.losses.contains { $0.hasPrefix("\(key): the ") || $0.hasPrefix("\(key): {%") })
        var light = MQTTLight(entity.settings)
        #expect(try light.messages(for: .init(on: true)).count == 1)
    }

    // MARK: json, states

    @Test(
        "a json state says what it says and no more",
        arguments: [
            (#"{"state": "ON"}"#, LightReport(on: true)), (#"{"state": "OFF"}"#, LightReport(on: false)),
            (#"{"brightness": 128}"#, LightReport(brightness: 50)),
            (#"{"brightness": 127.5, "linkquality": 3}"#, LightReport(brightness: 50)),
            (#"{"state": "ON", "brightness": 999}"#, LightReport(on: true, brightness: 100)),
            (
                #"{"state": "ON", "color_mode": "hs", "color": {"h": 210.5, "s": 64.0}}"#,
                LightReport(on: true, color: .hueSaturation(hue: 210.5, saturation: 64))
            ),
            (
                #"{"color_mode": "hs", "color": {"h": 360, "s": 100}}"#,
                LightReport(color: .hueSaturation(hue: 0, saturation: 100))
            ),
            (
                #"{"color_mode": "color_temp", "color_temp": 300, "color": {"h": 1, "s": 2}}"#,
                LightReport(color: .temperature(mired: 300))
            ),
            (#"{"color_temp": 20}"#, LightReport(color: .temperature(mired: 153))),
            (#"{"color": {"h": 1, "s": 2}}"#, LightReport(color: .hueSaturation(hue: 1, saturation: 2))),
            (#"{"state": "ON", "color_mode": "rgbct", "color": {"h": 1, "s": 2}}"#, LightReport(on: true)),
        ] as [(String, LightReport)])
    func jsonStates(state: String, expected: LightReport) throws {
        var light = try Self.light(Self.rich)
        #expect(light.received(topic: "state", payload: Array(state.utf8)) == [expected])
    }

    @Test(
        "a json state that says nothing of use changes nothing",
        arguments: [
            "", "ON", "null", "[]", "{}", #"{"state": null}"#, #"{"state": "on"}"#, #"{"state": 1}"#,
            #"{"brightness": 0}"#, #"{"brightness": -1}"#, #"{"brightness": "12"}"#, #"{"brightness": 1e400}"#,
            #"{"color_mode": "hs", "color": {"h": 361, "s": 1}}"#, #"{"color_mode": "hs", "color": {"h": 1}}"#,
            #"{"color_mode": "hs", "color": {"h": 1, "s": 101}}"#, #"{"color_mode": "hs", "color": "red"}"#,
            #"{"color_mode": "color_temp", "color_temp": 0}"#, #"{"color_mode": 7, "color_temp": 200}"#,
            #"{"color_mode": "xy", "color": {"x": 0.3, "y": 0.3}}"#, #"{"color": {"x": 0.3, "y": 0.3}}"#,
        ])
    func jsonNothing(state: String) throws {
        var light = try Self.light(Self.rich)
        #expect(light.received(topic: "state", payload: Array(state.utf8)) == [])
    }

    @Test("a state with colour and temperature but no mode keeps the mode the light is in")
    func bothColors() throws {
        var light = try Self.light(Self.rich)
        let both = Array(#"{"color": {"h": 10, "s": 20}, "color_temp": 300}"#.utf8)
        #expect(
            light.received(topic: "state", payload: both) == [.init(color: .hueSaturation(hue: 10, saturation: 20))])
        _ = light.received(topic: "state", payload: Array(#"{"color_temp": 200}"#.utf8))
        #expect(light.received(topic: "state", payload: both) == [.init(color: .temperature(mired: 300))])
    }

    @Test(
        "each colour mode is read",
        arguments: [
            ("xy", #"{"x": 0.15, "y": 0.063}"#, 240.0, 77.6), ("rgb", #"{"r": 0, "g": 255, "b": 0}"#, 120, 100),
            ("rgb", #"{"r": 0, "g": 64, "b": 0}"#, 120, 100), ("rgbw", #"{"r": 255, "g": 0, "b": 0, "w": 255}"#, 0, 50),
            ("rgbww", #"{"r": 0, "g": 0, "b": 255, "c": 255, "w": 255}"#, 263.817, 51.373),
            ("white", "null", 0, 0),
        ])
    func colorModes(mode: String, color: String, hue: Double, saturation: Double) throws {
        var light = try Self.light(
            #""schema": "json", "state_topic": "s", "brightness": true, "supported_color_modes": ["xy","rgb","rgbw","rgbww","white"]"#
        )
        let state = "{\"color_mode\": \"\(mode)\", \"color\": \(color)}"
        let report = try #require(light.received(topic: "s", payload: Array(state.utf8)).first)
        guard case .hueSaturation(let h, let s) = report.color else {
            Issue.record("\(report)")
            return
        }
        #expect(abs(h - hue) < 1 && abs(s - saturation) < 1)
    }

    @Test("kelvin are read and sent as kelvin")
    func kelvin() throws {
        var light = try Self.light(
            #""schema": "json", "state_topic": "state", "supported_color_modes": ["color_temp"], "color_temp_kelvin": true"#
        )
        #expect(
            light.received(topic: "state", payload: Array(#"{"color_mode": "color_temp", "color_temp": 2702}"#.utf8))
                == [.init(color: .temperature(mired: 370))])
        let messages = try light.messages(for: .init(on: true, color: .temperature(mired: 370)))
        #expect(Self.text(messages) == [#"set {"state":"ON","color_temp":2702}"#])
    }

    // MARK: json, commands

    @Test(
        "a command becomes one json object",
        arguments: [
            (LightCommand(on: false), #"{"state":"OFF"}"#),
            (LightCommand(on: false, brightness: 50), #"{"state":"OFF"}"#),
            (LightCommand(on: true), #"{"state":"ON"}"#),
            (LightCommand(on: true, brightness: 50), #"{"state":"ON","brightness":128}"#),
            (LightCommand(on: true, brightness: 1), #"{"state":"ON","brightness":3}"#),
            (
                LightCommand(on: true, color: .hueSaturation(hue: 30, saturation: 80)),
                #"{"state":"ON","color":{"h":30,"s":80}}"#
            ),
            (LightCommand(on: true, color: .temperature(mired: 370)), #"{"state":"ON","color_temp":370}"#),
            (LightCommand(on: true, color: .temperature(mired: 9)), #"{"state":"ON","color_temp":153}"#),
            (
                LightCommand(on: true, brightness: 10, transition: .seconds(2)),
                #"{"state":"ON","brightness":26,"transition":2}"#
            ),
            (
                LightCommand(on: false, transition: .milliseconds(400)), #"{"state":"OFF","transition":0.4}"#
            ),
        ] as [(LightCommand, String)])
    func jsonCommands(command: LightCommand, expected: String) throws {
        var light = try Self.light(Self.rich)
        #expect(Self.text(try light.messages(for: command)) == ["set \(expected)"])
    }

    /// A light of each schema that takes a level, with its words for off and on.
    static let dimmable: [(keys: String, off: String, on: String, sent: [String])] = [
        (
            #""schema": "json", "state_topic": "s", "brightness": true"#, #"{"state":"OFF","brightness":255}"#,
            #"{"state":"ON","brightness":255}"#, [#"set {"state":"ON","brightness":77}"#]
        ),
        (
            #""state_topic": "s", "brightness_command_topic": "bri/set", "brightness_state_topic": "b""#, "OFF", "ON",
            ["bri/set 77", "set ON"]
        ),
        (
            #""state_topic": "s", "brightness_command_topic": "bri/set", "on_command_type": "brightness""#, "OFF", "ON",
            ["bri/set 77"]
        ),
        (
            #""schema": "template", "state_topic": "s", "command_on_template": "on {{ brightness }}", "#
                + #""command_off_template": "off", "state_template": "{{ value | lower }}", "#
                + #""brightness_template": "{{ 255 }}""#, "OFF", "ON", ["set on 77"]
        ),
    ]

    @Test("a level for a light that is off waits for the next on", arguments: dimmable)
    func levelWhileOff(row: (keys: String, off: String, on: String, sent: [String])) throws {
        var light = try Self.light(row.keys)
        _ = light.received(topic: "s", payload: Array(row.off.utf8))
        let level = LightCommand(brightness: 30)
        #expect(try light.messages(for: level) == [])
        #expect(light.handedOver(level) == LightReport(brightness: 30))
        #expect(
            light.received(topic: "s", payload: Array(row.off.utf8)) == [.init(on: false)], "it isn't shown at 100 %")
        #expect(Self.text(try light.messages(for: .init(on: true))) == row.sent)

        _ = light.received(topic: "s", payload: Array(row.off.utf8))
        _ = try light.messages(for: level)
        #expect(light.received(topic: "s", payload: Array(row.on.utf8)).first?.on == true)
        #expect(Self.text(try light.messages(for: .init(on: true))) != row.sent, "switched on by hand at its own level")
    }

    @Test("before a light has reported its power, the bridge's memory decides whether a level waits")
    func levelBeforeState() throws {
        var light = try Self.light(Self.rich)
        light.restore(.init(on: true))
        #expect(Self.text(try light.messages(for: .init(brightness: 100))) == [#"set {"brightness":255}"#])
        light = try Self.light(Self.rich)
        #expect(try light.messages(for: .init(brightness: 100)) == [])
        _ = light.received(topic: "state", payload: Array(#"{"state": "OFF"}"#.utf8))
        _ = try light.messages(for: .init(on: true))
        #expect(light.handedOver(.init(on: true)) == nil)
        #expect(
            Self.text(try light.messages(for: .init(brightness: 100))) == [#"set {"brightness":255}"#],
            "it was switched on a moment ago")
        _ = light.received(topic: "state", payload: Array(#"{"state": "ON"}"#.utf8))
        #expect(Self.text(try light.messages(for: .init(brightness: 100))) == [#"set {"state":"ON","brightness":255}"#])
    }

    @Test(
        "one colour form is sent: hs before xy before rgb",
        arguments: [
            (#"["xy", "hs", "rgb"]"#, #"{"h":0,"s":100}"#), (#"["rgb", "xy"]"#, #"{"x":0.7006,"y":0.2993}"#),
            (#"["rgb"]"#, #"{"r":255,"g":0,"b":0}"#), (#"["rgbw"]"#, #"{"r":255,"g":0,"b":0,"w":0}"#),
            (#"["rgbww"]"#, #"{"r":255,"g":0,"b":0,"c":0,"w":0}"#),
        ])
    func colorForms(modes: String, color: String) throws {
        var light = try Self.light(Self.json + ", \"supported_color_modes\": \(modes)")
        let messages = try light.messages(for: .init(on: true, color: .hueSaturation(hue: 0, saturation: 100)))
        #expect(Self.text(messages) == [#"set {"state":"ON","color":\#(color)}"#])
    }

    @Test("the channels of a colour carry the brightness that comes with it, if the light announces none")
    func scaledRGB() throws {
        var light = try Self.light(#""schema": "json", "state_topic": "state", "supported_color_modes": ["rgb"]"#)
        let red = LightColor.hueSaturation(hue: 0, saturation: 100)
        let first = try light.messages(for: .init(on: true, brightness: 50, color: red))
        #expect(Self.text(first) == [#"set {"state":"ON","color":{"r":128,"g":0,"b":0}}"#])
        let state = Array(#"{"state": "ON", "color_mode": "rgb", "color": {"r": 128, "g": 0, "b": 0}}"#.utf8)
        #expect(light.received(topic: "state", payload: state) == [.init(on: true, brightness: 50, color: red)])
        let second = try light.messages(for: .init(brightness: 1))
        #expect(Self.text(second) == [#"set {"state":"ON","brightness":3}"#])
    }

    @Test("white without colour goes to lamps of its own")
    func ownWhite() throws {
        var light = try Self.light(Self.json + #", "supported_color_modes": ["rgb", "white"], "white_scale": 100"#)
        let messages = try light.messages(
            for: .init(on: true, brightness: 40, color: .hueSaturation(hue: 0, saturation: 0)))
        #expect(Self.text(messages) == [#"set {"state":"ON","white":40}"#])
    }

    @Test(
        "a white of two whites is cold at one end and warm at the other", arguments: [(153, 255, 0), (500, 0, 255)])
    func twoWhites(mired: Int, cold: Int, warm: Int) throws {
        var light = try Self.light(Self.json + #", "supported_color_modes": ["rgbww"]"#)
        let messages = try light.messages(for: .init(on: true, color: .temperature(mired: mired)))
        #expect(
            Self.text(messages) == [#"set {"state":"ON","color":{"r":0,"g":0,"b":0,"c":\#(cold),"w":\#(warm)}}"#])
    }

    @Test("an answer that was rounded is reported as it was asked for, a different one as it is")
    func echo() throws {
        var light = try Self.light(
            #""schema": "json", "state_topic": "s", "brightness": true, "brightness_scale": 10, "supported_color_modes": ["xy"]"#
        )
        let color = LightColor.hueSaturation(hue: 33, saturation: 71)
        let message = try #require(try light.messages(for: .init(on: true, brightness: 33, color: color)).first)
        var state = try #require(try JSONValue(parsing: message.payload).object)
        state["color_mode"] = "xy"
        let answer = JSONValue.object(state).encoded
        #expect(light.received(topic: "s", payload: answer) == [.init(on: true, brightness: 33, color: color)])
        #expect(light.received(topic: "s", payload: Array(#"{"brightness": 4}"#.utf8)) == [.init(brightness: 40)])
    }

    @Test("red is red on both sides of it")
    func aroundRed() throws {
        var light = try Self.light(Self.rich)
        let red = LightColor.hueSaturation(hue: 0, saturation: 100)
        _ = try light.messages(for: .init(on: true, color: red))
        let answer = Array(#"{"color_mode": "hs", "color": {"h": 359.6, "s": 99.5}}"#.utf8)
        #expect(light.received(topic: "state", payload: answer) == [.init(color: red)])
    }

    @Test("what a light cannot do is refused, and nothing of it is sent")
    func refusedCommands() throws {
        var light = try Self.light(#""schema": "json""#)
        #expect(throws: LightError.self) { try light.messages(for: .init(brightness: 3)) }
        #expect(throws: LightError.self) { try light.messages(for: .init(on: true, color: .temperature(mired: 3))) }
        var rich = try Self.light(Self.rich)
        #expect(throws: LightError.self) {
            try rich.messages(for: .init(on: true, color: .hueSaturation(hue: .nan, saturation: 1)))
        }
    }

    @Test("commands are never retained", arguments: [rich, topics])
    func neverRetained(keys: String) throws {
        var light = try Self.light(keys + #", "retain": true, "qos": 1"#)
        let messages = try light.messages(for: .init(on: true, brightness: 4))
        #expect(!messages.isEmpty && messages.allSatisfy { !$0.retain && $0.qos == 1 })
    }

    @Test("what the bridge remembers counts until the light has spoken")
    func restored() throws {
        let red = LightColor.hueSaturation(hue: 0, saturation: 100)
        var light = try Self.light(#""rgb_command_topic": "c/set", "rgb_state_topic": "c""#)
        light.restore(.init(on: true, brightness: 40, color: red))
        #expect(Self.text(try light.messages(for: .init(on: true, color: red))) == ["c/set 102,0,0", "set ON"])
        _ = light.received(topic: "c", payload: Array("51,0,0".utf8))
        light.restore(.init(on: true, brightness: 40, color: red))
        #expect(Self.text(try light.messages(for: .init(on: true, color: red))) == ["c/set 51,0,0", "set ON"])
    }

    // MARK: default

    static let topics = """
        "state_topic": "power", "brightness_command_topic": "bri/set", "brightness_state_topic": "bri",
        "hs_command_topic": "hs/set", "hs_state_topic": "hs", "color_temp_command_topic": "ct/set",
        "color_temp_state_topic": "ct"
        """

    @Test(
        "plain texts are read",
        arguments: [
            ("power", "ON", LightReport(on: true)), ("power", "OFF", LightReport(on: false)),
            ("bri", "128", LightReport(brightness: 50)), ("bri", " 64\n", LightReport(brightness: 25)),
            ("ct", "300\r\n", LightReport(color: .temperature(mired: 300))),
            ("bri", "127.5", LightReport(brightness: 50)),
            ("hs", "210.5,64.0", LightReport(color: .hueSaturation(hue: 210.5, saturation: 64))),
            ("hs", " 10 , 20 ", LightReport(color: .hueSaturation(hue: 10, saturation: 20))),
            ("ct", "300", LightReport(color: .temperature(mired: 300))),
        ] as [(String, String, LightReport)])
    func basicStates(topic: String, text: String, expected: LightReport) throws {
        var light = try Self.light(Self.topics)
        #expect(light.received(topic: topic, payload: Array(text.utf8)) == [expected])
    }

    @Test(
        "plain texts of no use change nothing",
        arguments: [
            ("power", ""), ("power", "None"), ("power", "on"), ("bri", "0"), ("bri", "nan"), ("bri", "-3"),
            ("bri", "inf"),
            ("hs", "1"), ("hs", "1,2,3"), ("hs", "nan,nan"), ("hs", "400,1"), ("hs", ","), ("ct", "0"), ("ct", "1e400"),
            ("ct", "x"), ("other", "ON"), ("bri", "\u{0}"),
        ])
    func basicNothing(topic: String, text: String) throws {
        var light = try Self.light(Self.topics)
        #expect(light.received(topic: topic, payload: Array(text.utf8)) == [])
    }

    @Test(
        "a command becomes one text for each attribute, in order",
        arguments: [
            ("", LightCommand(on: false, brightness: 3), ["set OFF"]), ("", LightCommand(on: true), ["set ON"]),
            (
                "", LightCommand(on: true, brightness: 50, color: .hueSaturation(hue: 30, saturation: 80)),
                ["hs/set 30.0,80.0", "bri/set 128", "set ON"]
            ),
            (
                #", "on_command_type": "first""#,
                LightCommand(on: true, brightness: 50, color: .temperature(mired: 200)),
                ["set ON", "bri/set 128", "ct/set 200"]
            ),
            (#", "on_command_type": "brightness""#, LightCommand(on: true), ["bri/set 255"]),
            (#", "on_command_type": "brightness""#, LightCommand(on: true, brightness: 20), ["bri/set 51"]),
            (#", "on_command_type": "brightness""#, LightCommand(brightness: 20), []),
            (#", "on_command_type": "brightness""#, LightCommand(on: false), ["set OFF"]),
            (#", "payload_on": "1", "payload_off": 0"#, LightCommand(on: false), ["set 0"]),
        ] as [(String, LightCommand, [String])])
    func basicCommands(keys: String, command: LightCommand, expected: [String]) throws {
        var light = try Self.light(Self.topics + keys)
        #expect(Self.text(try light.messages(for: command)) == expected)
    }

    @Test("a brightness right behind a colour is sent as that colour, also if the light has not answered")
    func brightnessBehindColor() throws {
        var light = try Self.light(#""rgb_command_topic": "c/set", "rgb_state_topic": "c""#)
        _ = light.received(topic: "c", payload: Array("255,0,0".utf8))
        let blue = LightColor.hueSaturation(hue: 240, saturation: 100)
        #expect(Self.text(try light.messages(for: .init(on: true, color: blue))) == ["c/set 0,0,255", "set ON"])
        #expect(Self.text(try light.messages(for: .init(on: true, brightness: 50))) == ["c/set 0,0,128", "set ON"])
        _ = light.received(topic: "c", payload: Array("0,255,0".utf8))
        #expect(Self.text(try light.messages(for: .init(on: true, brightness: 20))) == ["c/set 0,51,0", "set ON"])
    }

    @Test("a white goes to the two whites that a light has beside its rgb, and a colour to rgb")
    func rgbBesideWhites() throws {
        var light = try Self.light(
            #""rgb_command_topic": "c/set", "rgb_state_topic": "c", "rgbww_command_topic": "w/set", "rgbww_state_topic": "w""#
        )
        let white = LightColor.temperature(mired: 500)
        let red = LightColor.hueSaturation(hue: 0, saturation: 100)
        #expect(Self.text(try light.messages(for: .init(on: true, color: white))) == ["w/set 0,0,0,0,255", "set ON"])
        #expect(Self.text(try light.messages(for: .init(on: true, brightness: 50))) == ["w/set 0,0,0,0,128", "set ON"])
        #expect(
            Self.text(try light.messages(for: .init(on: true, brightness: 100, color: red))) == [
                "c/set 255,0,0", "set ON",
            ])
        #expect(light.received(topic: "w", payload: Array("0,0,0,255,0".utf8)).first?.color == .temperature(mired: 153))
    }

    @Test("rgb without a brightness topic is scaled, and read by its largest channel")
    func basicRGB() throws {
        var light = try Self.light(#""rgb_command_topic": "c/set", "rgb_state_topic": "c""#)
        let green = LightColor.hueSaturation(hue: 120, saturation: 100)
        #expect(
            Self.text(try light.messages(for: .init(on: true, brightness: 50, color: green))) == [
                "c/set 0,128,0", "set ON",
            ])
        #expect(light.received(topic: "c", payload: Array("0,51,0".utf8)) == [.init(brightness: 20, color: green)])
        #expect(Self.text(try light.messages(for: .init(on: true, brightness: 100))) == ["c/set 0,255,0", "set ON"])
        var unknown = try Self.light(#""rgb_command_topic": "c/set", "rgb_state_topic": "c""#)
        #expect(
            Self.text(try unknown.messages(for: .init(on: true, brightness: 50))) == ["c/set 128,128,128", "set ON"])
    }

    @Test("with a topic for the mode, the mode decides what is shown")
    func colorModeTopic() throws {
        var light = try Self.light(Self.topics + #", "color_mode_state_topic": "mode""#)
        #expect(light.received(topic: "hs", payload: Array("10,20".utf8)) == [])
        #expect(light.received(topic: "ct", payload: Array("300".utf8)) == [])
        #expect(
            light.received(topic: "mode", payload: Array("color_temp".utf8)) == [.init(color: .temperature(mired: 300))]
        )
        #expect(light.received(topic: "hs", payload: Array("11,20".utf8)) == [.init(color: .temperature(mired: 300))])
        #expect(
            light.received(topic: "mode", payload: Array("hs".utf8)) == [
                .init(color: .hueSaturation(hue: 11, saturation: 20))
            ])
        #expect(light.received(topic: "mode", payload: Array("xy".utf8)) == [])
    }

    @Test("values are picked out of json by simple templates")
    func templates() throws {
        var light = try Self.light(
            """
            "state_topic": "s", "state_value_template": "{{ value_json.POWER }}", "brightness_command_topic": "d",
            "brightness_state_topic": "s", "brightness_value_template": "{{ value_json['Dimmer'] | int }}",
            "brightness_scale": 100
            """)
        let state = Array(#"{"POWER": "ON", "Dimmer": "40"}"#.utf8)
        #expect(light.received(topic: "s", payload: state) == [.init(on: true, brightness: 40)])
    }

    @Test("each attribute without a state topic is reported as commanded, and no other")
    func optimistic() throws {
        let command = LightCommand(on: true, brightness: 5, color: .temperature(mired: 200))
        var notified = try Self.light(Self.topics)
        #expect(notified.handedOver(command) == nil)
        var half = try Self.light(
            #""state_topic": "s", "brightness_command_topic": "b", "color_temp_command_topic": "c""#)
        #expect(half.handedOver(command) == LightReport(brightness: 5, color: .temperature(mired: 200)))
        var silent = try Self.light(#""brightness_command_topic": "b", "color_temp_command_topic": "c""#)
        #expect(silent.handedOver(command) == LightReport(on: true, brightness: 5, color: .temperature(mired: 200)))
        #expect(silent.handedOver(.init(on: false)) == LightReport(on: false))
        #expect(silent.handedOver(.init(on: false, brightness: 7)) == LightReport(on: false), "only off was sent")
        var json = try Self.light(Self.rich + #", "optimistic": true"#)
        #expect(json.handedOver(.init(on: true, brightness: 5)) == LightReport(on: true, brightness: 5))
    }

    @Test("a light's words for on and off are its words for its state, too")
    func words() throws {
        var light = try Self.light(#""state_topic": "s", "payload_on": "1", "payload_off": 0"#)
        #expect(light.received(topic: "s", payload: Array("1".utf8)) == [.init(on: true)])
        #expect(light.received(topic: "s", payload: Array("0".utf8)) == [.init(on: false)])
        #expect(light.received(topic: "s", payload: Array("ON".utf8)) == [])
    }

    @Test("a switch has its own words for its state")
    func switches() throws {
        var light = try Self.light(
            #""state_topic": "s", "state_on": "yes", "state_off": "no", "device_class": "outlet""#, isSwitch: true)
        #expect(light.settings.kind == .outlet && light.settings.capabilities == LightCapabilities())
        #expect(light.received(topic: "s", payload: Array("yes".utf8)) == [.init(on: true)])
        #expect(Self.text(try light.messages(for: .init(on: false))) == ["set OFF"])
    }

    // MARK: Anything at all

    @Test("whatever bytes come, reports stay in range", arguments: 0..<40)
    func garbage(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        var lights = [
            try Self.light(
                Self.rich + #", "availability_topic": "state", "availability_template": "{{ value_json.a }}""#),
            try Self.light(Self.json + #", "supported_color_modes": ["xy", "rgbww", "rgb", "white"]"#),
            try Self.light(
                Self.topics
                    + #", "rgb_command_topic": "x", "rgb_state_topic": "state", "xy_command_topic": "y", "xy_state_topic": "state""#
            ),
        ]
        let pieces = [
            "{", "}", "\"state\"", ":", "\"ON\"", ",", "\"brightness\"", "1e308", "-1", "NaN", "null", "\"color\"",
            "\"h\"", "\"x\"",
            "0", "[", "]", "\"color_temp\"", "255", "0.0", "1e-320", "\u{FFFD}", "99999999999999999999", "\"s\"", "360",
        ].map { Array($0.utf8) }
        for _ in 0..<200 {
            var payload: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                payload +=
                    Bool.random(using: &random)
                    ? pieces.randomElement(using: &random) ?? [] : [UInt8.random(in: 0...255, using: &random)]
            }
            let topic = ["state", "power", "bri", "hs", "ct"].randomElement(using: &random) ?? "state"
            for index in lights.indices {
                for report in lights[index].received(topic: topic, payload: payload) {
                    #expect((1...100).contains(report.brightness ?? 1))
                    switch report.color {
                    case nil: break
                    case .hueSaturation(let h, let s): #expect(h >= 0 && h < 360 && s >= 0 && s <= 100)
                    case .temperature(let mired): #expect((153...500).contains(mired))
                    }
                }
            }
        }
    }

    @Test("any number in a state is read in range or not at all", arguments: 0..<20)
    func anyNumber(seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        for _ in 0..<100 {
            let number = Double(bitPattern: UInt64.random(in: 0...UInt64.max, using: &random))
            guard number.isFinite else { continue }
            var light = try Self.light(Self.rich)
            let state =
                #"{"brightness": \#(number), "color": {"h": \#(number), "s": \#(number)}, "color_temp": \#(number)}"#
            for report in light.received(topic: "state", payload: Array(state.utf8)) {
                #expect((1...100).contains(report.brightness ?? 1))
            }
        }
    }
}

/// Numbers that are the same each time (Steele, Lea, Flood: SplitMix64).
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
