import BoundedJSON
import DeviceKit
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("An output of a Shelly device", .timeout)
struct ShellyOutputTests {
    static func output(_ key: String, _ status: String = "{}", _ configuration: String = "{}") throws -> ShellyOutput {
        var output = try #require(ShellyOutput(key, JSONValue(parsing: configuration)))
        output.merge(try JSONValue(parsing: status))
        return output
    }

    @Test(
        "uses each kind's method and parameters",
        arguments: [
            ("light:1", #"Light.Set {"id":1,"on":true,"brightness":40}"#),
            ("rgb:0", #"RGB.Set {"id":0,"on":true,"brightness":40,"rgb":[0,255,0]}"#),
            ("rgbw:0", #"RGBW.Set {"id":0,"on":true,"brightness":40,"white":0,"rgb":[0,255,0]}"#),
            ("rgbcct:0", #"RGBCCT.Set {"id":0,"on":true,"brightness":40,"rgb":[0,255,0],"mode":"rgb"}"#),
            ("cct:0", #"CCT.Set {"id":0,"on":true,"brightness":40}"#), ("switch:3", #"Switch.Set {"id":3,"on":true}"#),
        ])
    func colors(key: String, expected: String) throws {
        let command = LightCommand(on: true, brightness: 40, color: .hueSaturation(hue: 120, saturation: 100))
        let call = try Self.output(key).call(for: command)
        #expect("\(call.method) \(call.params.text)" == expected)
    }

    @Test(
        "clamps whites to the output's range", arguments: [(100, 6000), (250, 4000), (500, 3000)])
    func whites(mired: Int, kelvin: Int) throws {
        let output = try Self.output("rgbcct:0", "{}", #"{"ct_range": [3000, 6000]}"#)
        let call = output.call(for: LightCommand(color: .temperature(mired: mired)))
        #expect(call.params.text == #"{"id":0,"ct":\#(kelvin),"mode":"cct"}"#)
        #expect(output.capabilities.temperature == 167...333)
    }

    @Test(
        "encodes a transition in seconds, at least half a second",
        arguments: [(Duration.zero, 0.5), (.milliseconds(1500), 1.5), (.seconds(90_000), 5000)])
    func fades(transition: Duration, seconds: Double) throws {
        let call = try Self.output("light:0").call(for: LightCommand(on: true, transition: transition))
        #expect(call.params["transition_duration"]?.double == seconds)
    }

    @Test("reads a status")
    func reports() throws {
        let white = #"{"output": true, "brightness": 30, "mode": "cct", "ct": 4000, "rgb": [255, 0, 0]}"#
        #expect(
            try Self.output("rgbcct:0", white).report
                == LightReport(on: true, brightness: 30, color: .temperature(mired: 250), reachable: true))
        let red = #"{"output": true, "brightness": 30, "mode": "rgb", "ct": 4000, "rgb": [255, 0, 0]}"#
        #expect(try Self.output("rgbcct:0", red).report.color == .hueSaturation(hue: 0, saturation: 100))
        let pale = #"{"output": true, "rgb": [255, 0, 0], "white": 255}"#
        #expect(try Self.output("rgbw:0", pale).report.color == .hueSaturation(hue: 0, saturation: 50))
        #expect(
            try Self.output("switch:0", #"{"output": false, "brightness": 9}"#).report
                == LightReport(on: false, reachable: true))
    }

    @Test("ignores invalid components and values")
    func hostile() throws {
        for key in ["light", "light:", "light:-1", "light:00", "light:100", "lamp:0", "light:0:0", "LIGHT:0"] {
            #expect(ShellyOutput(key, JSONValue.null) == nil)
        }
        let output = try Self.output(
            "rgbw:0", #"{"output": 7, "brightness": 1e300, "rgb": [1e300, -5], "white": -1, "ct": -9}"#,
            #"{"ct_range": [9, -9]}"#)
        #expect(output.report.brightness == 100 && output.report.color == nil && output.kelvin == 2700...6500)
    }
}
