import BoundedJSON
import DeviceKit
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("A Hue light", .timeout)
struct HueLightTests {
    static func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

    static let common = #""id": "l1", "owner": {"rid": "d1", "rtype": "device"}, "on": {"on": false}"#
    static let gamut =
        #""gamut": {"red": {"x": 0.6915, "y": 0.3083}, "green": {"x": 0.17, "y": 0.7}, "blue": {"x": 0.1532, "y": 0.0475}}"#

    static func light(_ rest: String = "", _ kind: HueLight.Kind = .light) throws -> HueLight {
        try #require(HueLight(json("{\(common)\(rest.isEmpty ? "" : ",")\(rest)}"), kind))
    }

    static func colored() throws -> HueLight {
        try light(
            """
            "dimming": {"brightness": 50.2, "min_dim_level": 0.2}, "metadata": {"name": "Den", "archetype": "sultan_bulb"},
            "color_temperature": {"mirek": 366, "mirek_valid": true, "mirek_schema": {"mirek_minimum": 153, "mirek_maximum": 500}},
            "color": {"xy": {"x": 0.4573, "y": 0.41}, \(gamut), "gamut_type": "C"}
            """)
    }

    @Test("derives capabilities from the resource")
    func capabilities() throws {
        #expect(
            try Self.colored().description("b")
                == LightDescription(
                    id: "b/l1", name: "Den",
                    capabilities: LightCapabilities(
                        brightness: true, color: true, temperature: 153...500, transition: true)))
        let plug = try Self.light(#""metadata": {"name": "Plug", "archetype": "plug"}"#)
        #expect(plug.description("b").kind == .outlet)
        #expect(plug.description("b").capabilities == LightCapabilities())
        #expect(try Self.light(#""dimming": {"brightness": 3}"#).description("b").capabilities.brightness)
    }

    @Test(
        "ignores 0 and 65535 in a range of temperatures",
        arguments: [
            (#"{"mirek_minimum": 153, "mirek_maximum": 454}"#, 153...454),
            (#"{"mirek_minimum": 0, "mirek_maximum": 65535}"#, 153...500),
            (#"{"mirek_minimum": 250, "mirek_maximum": 0}"#, 250...500), (#"{}"#, 153...500), ("null", 153...500),
            (#"{"mirek_minimum": 454, "mirek_maximum": 153}"#, 153...500),
            (#"{"mirek_minimum": -1e300, "mirek_maximum": 1e300}"#, 153...500),
        ])
    func ranges(schema: String, range: ClosedRange<Int>) throws {
        let light = try Self.light(#""color_temperature": {"mirek": null, "mirek_schema": \#(schema)}"#)
        #expect(light.description("b").capabilities.temperature == range)
    }

    @Test(
        "reports brightness 0 as 1",
        arguments: [(0.0, 1), (0.4, 1), (0.39, 1), (1.57, 2), (39.76, 40), (99.6, 100), (100, 100), (1e9, 100)])
    func brightness(level: Double, percent: Int) throws {
        let light = try Self.light(#""dimming": {"brightness": \#(level)}"#)
        #expect(light.state == LightReport(on: false, brightness: percent))
    }

    @Test("reports a valid temperature, otherwise the color, and keeps values that an update omits")
    func colors() throws {
        var light = try Self.colored()
        #expect(light.state.color == .temperature(mired: 366))
        light.update(
            try Self.json(
                #"{"color": {"xy": {"x": 0.17, "y": 0.7}}, "color_temperature": {"mirek": null, "mirek_valid": false}}"#
            ))
        guard case .hueSaturation(let hue, let saturation) = light.state.color else {
            Issue.record("the report has no color")
            return
        }
        #expect((90...150).contains(hue) && saturation > 95)
        light.update(try Self.json(#"{"on": {"on": true}}"#))
        #expect(light.state.on == true)
        #expect(light.state.color == .hueSaturation(hue: hue, saturation: saturation))
        light.update(
            try Self.json(
                #"{"color": {"xy": {"x": 0.4, "y": 0.39}}, "color_temperature": {"mirek": 300, "mirek_valid": true}}"#))
        #expect(light.state.color == .temperature(mired: 300))
        light.update(try Self.json(#"{"color": {"xy": {"x": 0.43, "y": 0.4}}}"#))
        #expect(light.state.color == .temperature(mired: 300), "a color close to the white counts as the white")
        light.update(try Self.json(#"{"color": {"xy": {"x": 0.15, "y": 0.05}}}"#))
        #expect(light.state.color != .temperature(mired: 300), "a color that differs from the white counts as a color")
    }

    @Test("clamps a temperature to the light's range")
    func temperatureRange() throws {
        let light = try Self.light(
            #""color_temperature": {"mirek": 700, "mirek_schema": {"mirek_minimum": 200, "mirek_maximum": 454}}"#)
        #expect(light.state.color == .temperature(mired: 454))
    }

    @Test("sends only the attributes of the command, with the color moved into the gamut")
    func commands() throws {
        var light = try Self.colored()
        func text(_ command: LightCommand) -> String { JSONValue.object(light.body(for: command)).text }
        #expect(text(LightCommand(on: false)) == #"{"on":{"on":false}}"#)
        #expect(
            text(LightCommand(on: true, brightness: 42, transition: .milliseconds(400)))
                == #"{"on":{"on":true},"dimming":{"brightness":42},"dynamics":{"duration":400}}"#)
        #expect(text(LightCommand(color: .temperature(mired: 300))) == #"{"color_temperature":{"mirek":300}}"#)
        #expect(
            text(LightCommand(on: true, transition: .seconds(1_000_000)))
                == #"{"on":{"on":true},"dynamics":{"duration":6000000}}"#)
        let body = light.body(for: LightCommand(color: .hueSaturation(hue: 120, saturation: 100)))
        let place = try #require(body["color"]?["xy"])
        let (x, y) = (try #require(place["x"]?.double), try #require(place["y"]?.double))
        #expect(
            abs(x - 0.17) < 0.001 && abs(y - 0.7) < 0.001,
            "HomeKit's green is outside of the gamut, so the light's green is used")
        light.update(.object(["color": ["xy": place], "color_temperature": ["mirek": .null, "mirek_valid": false]]))
        #expect(light.state.color == .hueSaturation(hue: 120, saturation: 100))
        light.update(try Self.json(#"{"color": {"xy": {"x": 0.6, "y": 0.3}}}"#))
        #expect(light.state.color != .hueSaturation(hue: 120, saturation: 100))
    }

    @Test(
        "rejects invalid resources",
        arguments: [
            "{}", "[]", "null", #"{"id": "l1", "on": {"on": true}}"#,
            #"{"id": "../x", "owner": {"rid": "d1"}, "on": {"on": true}}"#,
            #"{"id": "", "owner": {"rid": "d1"}, "on": {"on": true}}"#, #"{"id": "l1", "owner": {"rid": "d1"}}"#,
        ])
    func noLight(text: String) throws {
        #expect(HueLight(try Self.json(text), .light) == nil)
    }
}
