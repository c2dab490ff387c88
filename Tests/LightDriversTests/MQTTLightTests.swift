import BoundedJSON
import DeviceKit
import TestTimeouts
import Testing

@testable import LightDrivers

/// Tests of the `json` and `default` schemas in both directions, without a broker.
@Suite("A light on MQTT", .timeout)
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
        "rejects unusable keys and names them",
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

    @Test(
        "drops a feature whose template is invalid, with a warning, and keeps the light",
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
        "reads the values of a json state",
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
        "ignores json states without values",
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

    @Test("keeps the mode of a light whose state has color and temperature but no mode")
    func bothColors() throws {
        var light = try Self.light(Self.rich)
        let both = Array(#"{"color": {"h": 10, "s": 20}, "color_temp": 300}"#.utf8)
        #expect(
            light.received(topic: "state", payload: both) == [.init(color: .hueSaturation(hue: 10, saturation: 20))])
        _ = light.received(topic: "state", payload: Array(#"{"color_temp": 200}"#.utf8))
        #expect(light.received(topic: "state", payload: both) == [.init(color: .temperature(mired: 300))])
    }

    // MARK: json, commands

    @Test(
        "sends a command as one json object",
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

    /// Lights with brightness, one for each schema, with their states for off and on and the messages that set the
    /// brightness.
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

    @Test("holds back the brightness of a light that is off until it is switched on", arguments: dimmable)
    func levelWhileOff(row: (keys: String, off: String, on: String, sent: [String])) throws {
        var light = try Self.light(row.keys)
        _ = light.received(topic: "s", payload: Array(row.off.utf8))
        let level = LightCommand(brightness: 30)
        #expect(try light.messages(for: level) == [])
        #expect(light.handedOver(level) == LightReport(brightness: 30))
        #expect(
            light.received(topic: "s", payload: Array(row.off.utf8)) == [.init(on: false)],
            "the old brightness isn't reported")
        #expect(Self.text(try light.messages(for: .init(on: true))) == row.sent)

        _ = light.received(topic: "s", payload: Array(row.off.utf8))
        _ = try light.messages(for: level)
        #expect(light.received(topic: "s", payload: Array(row.on.utf8)).first?.on == true)
        #expect(
            Self.text(try light.messages(for: .init(on: true))) != row.sent,
            "the held-back brightness is dropped when the light is switched on by hand")
    }

    @Test("uses the remembered power to decide whether to hold back a brightness")
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

    @Test("scales the channels of a color by the brightness if the light announces no brightness")
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

    @Test("reports a rounded echo as the requested value, and other values unchanged")
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

    @Test("treats hues on both sides of 0 as close")
    func aroundRed() throws {
        var light = try Self.light(Self.rich)
        let red = LightColor.hueSaturation(hue: 0, saturation: 100)
        _ = try light.messages(for: .init(on: true, color: red))
        let answer = Array(#"{"color_mode": "hs", "color": {"h": 359.6, "s": 99.5}}"#.utf8)
        #expect(light.received(topic: "state", payload: answer) == [.init(color: red)])
    }

    @Test("rejects commands that the light doesn't support")
    func refusedCommands() throws {
        var light = try Self.light(#""schema": "json""#)
        #expect(throws: LightError.self) { try light.messages(for: .init(brightness: 3)) }
        #expect(throws: LightError.self) { try light.messages(for: .init(on: true, color: .temperature(mired: 3))) }
        var rich = try Self.light(Self.rich)
        #expect(throws: LightError.self) {
            try rich.messages(for: .init(on: true, color: .hueSaturation(hue: .nan, saturation: 1)))
        }
    }

    @Test("never retains commands", arguments: [rich, topics])
    func neverRetained(keys: String) throws {
        var light = try Self.light(keys + #", "retain": true, "qos": 1"#)
        let messages = try light.messages(for: .init(on: true, brightness: 4))
        #expect(!messages.isEmpty && messages.allSatisfy { !$0.retain && $0.qos == 1 })
    }

    @Test("uses the bridge's last state until the light reports its own")
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
        "reads plain text",
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
        "ignores invalid plain text",
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
        "sends a command as one plain message per attribute, in order",
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

    @Test("scales the last requested color by a new brightness even before the light answers")
    func brightnessBehindColor() throws {
        var light = try Self.light(#""rgb_command_topic": "c/set", "rgb_state_topic": "c""#)
        _ = light.received(topic: "c", payload: Array("255,0,0".utf8))
        let blue = LightColor.hueSaturation(hue: 240, saturation: 100)
        #expect(Self.text(try light.messages(for: .init(on: true, color: blue))) == ["c/set 0,0,255", "set ON"])
        #expect(Self.text(try light.messages(for: .init(on: true, brightness: 50))) == ["c/set 0,0,128", "set ON"])
        _ = light.received(topic: "c", payload: Array("0,255,0".utf8))
        #expect(Self.text(try light.messages(for: .init(on: true, brightness: 20))) == ["c/set 0,51,0", "set ON"])
    }

    @Test("scales RGB by a brightness that has no topic, and reads that brightness from the largest channel")
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

    @Test("reports the color that belongs to the mode on the mode topic")
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

    @Test("reports the commanded value of each attribute without a state topic")
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
        #expect(silent.handedOver(.init(on: false, brightness: 7)) == LightReport(on: false), "only the power was sent")
        var json = try Self.light(Self.rich + #", "optimistic": true"#)
        #expect(json.handedOver(.init(on: true, brightness: 5)) == LightReport(on: true, brightness: 5))
    }

    @Test("uses the command payloads as state payloads")
    func words() throws {
        var light = try Self.light(#""state_topic": "s", "payload_on": "1", "payload_off": 0"#)
        #expect(light.received(topic: "s", payload: Array("1".utf8)) == [.init(on: true)])
        #expect(light.received(topic: "s", payload: Array("0".utf8)) == [.init(on: false)])
        #expect(light.received(topic: "s", payload: Array("ON".utf8)) == [])
    }
}
