import BoundedJSON
import DeviceKit
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The state of a WLED device", .timeout)
struct WLEDStateTests {
    /// Returns a device's response to `/json/si` as in the fixtures of python-wled, without unused keys.
    static func text(
        on: Bool = true, bri: Int = 128, leds: String = #""seglc": [1], "lc": 1, "rgbw": false, "wv": 0"#,
        segments: String = segment(), main: String = #""mainseg": 0,"#, info: String = #""ws": 0, "live": false"#
    ) -> String {
        """
        {"state": {"on": \(on), "bri": \(bri), "transition": 7, \(main) "seg": [\(segments)]},
         "info": {"ver": "0.15.3", "leds": {"count": 30, \(leds)}, "name": "Shelf", "mac": "aabbccddeeff", "product": "FOSS",
          "arch": "esp32", \(info)}}
        """
    }

    static func segment(
        _ id: Int = 0, on: Bool = true, bri: Int = 255, col: String = "[255, 160, 0]", cct: Int = 127, fx: Int = 0,
        more: String = ""
    ) -> String {
        """
        {"id": \(id), "start": 0, "stop": 30, "len": 30, "on": \(on), "bri": \(bri), "cct": \(cct), "col": [\(col), [0,0,0]],
         "fx": \(fx)\(more)}
        """
    }

    static func state(_ text: String = text()) throws -> WLEDState {
        try #require(WLEDState(JSONValue(parsing: text)))
    }

    static func light(_ text: String = text()) throws -> (description: LightDescription, report: LightReport) {
        try #require(state(text).lights(bySegment: false).first)
    }

    @Test("shows the main segment as the light, identified by the MAC address")
    func main() throws {
        let light = try Self.light(
            Self.text(segments: Self.segment(0, col: "[0,0,0]") + "," + Self.segment(3), main: #""mainseg": 3,"#))
        #expect(
            light.description
                == LightDescription(
                    id: "aabbccddeeff", name: "Shelf",
                    capabilities: LightCapabilities(brightness: true, color: true, transition: true),
                    manufacturer: "WLED", model: "FOSS", serialNumber: "aabbccddeeff", firmware: "0.15.3"))
        #expect(light.report.on == true && light.report.brightness == 50)
        guard case .hueSaturation(let hue, 100)? = light.report.color else {
            Issue.record("\(light.report)")
            return
        }
        #expect(abs(hue - 37.6) < 0.1)
    }

    @Test(
        "derives capabilities from the segment's lc, or else from the device's",
        arguments: [
            (#""lc": 0"#, "", LightCapabilities()),
            (#""lc": 2"#, "", LightCapabilities(brightness: true, transition: true)),
            (#""lc": 4"#, "", LightCapabilities(brightness: true, temperature: 154...370, transition: true)),
            (
                #""lc": 7"#, "",
                LightCapabilities(brightness: true, color: true, temperature: 154...370, transition: true)
            ),
            (#""lc": 1, "seglc": [2]"#, "", LightCapabilities(brightness: true, transition: true)),
            (
                #""lc": 1, "seglc": [2]"#, #", "lc": 4"#,
                LightCapabilities(brightness: true, temperature: 154...370, transition: true)
            ),
            (#""rgbw": true"#, "", LightCapabilities(brightness: true, color: true, transition: true)),
            (#""lc": -9223372036854775808"#, "", LightCapabilities()),
        ])
    func capabilities(leds: String, more: String, expected: LightCapabilities) throws {
        let light = try Self.light(Self.text(leds: leds, segments: Self.segment(more: more)))
        #expect(light.description.capabilities == expected)
    }

    @Test(
        "reads the color of all channels, and white with its temperature",
        arguments: [
            (1, "[0, 0, 255]", 127, LightColor.hueSaturation(hue: 240, saturation: 100)),
            (1, #""00FF00""#, 127, .hueSaturation(hue: 120, saturation: 100)),
            (3, #""0000FF00""#, 127, .hueSaturation(hue: 240, saturation: 100)),
            (3, "[0, 0, 0, 255]", 127, .hueSaturation(hue: 0, saturation: 0)),
            (3, "[255, 0, 0, 255]", 127, .hueSaturation(hue: 0, saturation: 50)),
            (7, "[0, 0, 0, 255]", 0, .temperature(mired: 370)), (7, "[0, 0, 0, 255]", 255, .temperature(mired: 154)),
            (7, "[255, 0, 0, 0]", 0, .hueSaturation(hue: 0, saturation: 100)),
            (4, "[255, 255, 255]", 300, .temperature(mired: 154)), (5, "[200, 200, 200]", 0, .temperature(mired: 370)),
            (1, "[1e300, -5, 0]", 0, .hueSaturation(hue: 0, saturation: 100)),
        ])
    func colors(kind: Int, col: String, cct: Int, color: LightColor) throws {
        let light = try Self.light(
            Self.text(leds: #""lc": \#(kind)"#, segments: Self.segment(col: col, cct: cct)))
        #expect(light.report.color == color)
    }

    @Test("keeps the brightness while it is off")
    func off() throws {
        let report = try Self.light(Self.text(on: false, bri: 255)).report
        #expect(report.on == false && report.brightness == 100)
    }

    @Test("shows segments as lights on request, which are off while the device is off")
    func segments() throws {
        let two = Self.segment(0, bri: 51, more: #", "n": "Left""#) + "," + Self.segment(2, on: false)
        let lights = try Self.state(Self.text(segments: two)).lights(bySegment: true)
        #expect(lights.map(\.description.id) == ["aabbccddeeff/0", "aabbccddeeff/2"])
        #expect(lights.map(\.description.name) == ["Left", "Shelf 2"])
        #expect(lights.map(\.report.on) == [true, false])
        #expect(lights.map(\.report.brightness) == [10, 50], "the device's own brightness is half")
        #expect(try Self.state(Self.text(on: false, segments: two)).lights(bySegment: true)[0].report.on == false)
    }

    @Test(
        "rejects invalid states, and states without segments",
        arguments: [
            "{}", "[]", "null", text(segments: ""), text().replacing("aabbccddeeff", with: "../../../../"),
            text().replacing("aabbccddeeff", with: ""),
            text().replacing(#""on": true, "bri""#, with: #""on": 5, "bri""#),
        ])
    func noDevice(text: String) throws {
        #expect(WLEDState(try JSONValue(parsing: text)) == nil)
    }

    // MARK: Commands

    static func body(_ command: LightCommand, _ text: String = text()) throws -> String {
        JSONValue.object(try state(text).body(for: command)).text
    }

    @Test("sends only the attributes of the command, and asks for the new state")
    func commands() throws {
        #expect(
            try Self.body(LightCommand(on: true, brightness: 40, transition: .milliseconds(1250)))
                == #"{"v":true,"tt":12,"on":true,"bri":102}"#)
        #expect(try Self.body(LightCommand(on: false)) == #"{"v":true,"on":false}"#)
        #expect(
            try Self.body(LightCommand(brightness: 40), Self.text(on: false)) == #"{"v":true,"on":false,"bri":102}"#,
            "a brightness does not switch on")
        #expect(
            try Self.body(LightCommand(on: true, transition: .seconds(1 << 40))) == #"{"v":true,"tt":650,"on":true}"#)
    }

    @Test("ends an effect and turns white off for a color, and uses the white channel for white")
    func colorCommands() throws {
        let green = LightCommand(color: .hueSaturation(hue: 120, saturation: 100))
        #expect(
            try Self.body(green, Self.text(segments: Self.segment(fx: 9)))
                == #"{"v":true,"on":true,"seg":[{"id":0,"fx":0,"col":[[0,255,0]]}]}"#)
        #expect(
            try Self.body(green, Self.text(leds: #""lc": 3"#))
                == #"{"v":true,"on":true,"seg":[{"id":0,"col":[[0,255,0,0]]}]}"#)
        let pale = LightCommand(color: .hueSaturation(hue: 0, saturation: 50))
        #expect(
            try Self.body(pale, Self.text(leds: #""lc": 3, "wv": 1"#))
                == #"{"v":true,"on":true,"seg":[{"id":0,"col":[[255,0,0,255]]}]}"#)
        let warm = LightCommand(color: .temperature(mired: 370))
        #expect(
            try Self.body(warm, Self.text(leds: #""lc": 7"#))
                == #"{"v":true,"on":true,"seg":[{"id":0,"cct":0,"col":[[0,0,0,255]]}]}"#)
        #expect(try Self.body(warm, Self.text(leds: #""lc": 4"#)) == #"{"v":true,"on":true,"seg":[{"id":0,"cct":0}]}"#)
    }

    @Test("reads a temperature as it was written", arguments: [154, 200, 250, 300, 370])
    func temperatures(mired: Int) throws {
        let body = try Self.state(Self.text(leds: #""lc": 4"#)).body(
            for: LightCommand(color: .temperature(mired: mired)))
        let cct = try #require(body["seg"]?.array?.first?["cct"]?.int)
        guard
            case .temperature(let shown)? = try Self.light(
                Self.text(leds: #""lc": 4"#, segments: Self.segment(cct: cct))
            ).report.color
        else { return }
        #expect(abs(shown - mired) <= 1)
    }

    static let dark = segment(0, on: false) + "," + segment(1, on: false)

    @Test(
        "reports the product of the device's and the segments' power and brightness",
        arguments: [
            (text(bri: 255, segments: segment(bri: 128)), true, 50), (text(segments: segment(bri: 128)), true, 25),
            (text(segments: segment(on: false)), false, 50), (text(bri: 255, segments: dark), false, 100),
            (text(on: false), false, 50), (text(segments: segment(0, on: false) + "," + segment(1, bri: 51)), true, 10),
        ])
    func product(text: String, isOn: Bool, brightness: Int) throws {
        let report = try Self.light(text).report
        #expect(report.on == isOn && report.brightness == brightness)
    }

    @Test(
        "switches on the device and its segments, and reaches a brightness through both",
        arguments: [
            (LightCommand(on: true), text(segments: dark), #""on":true,"seg":[{"id":0,"on":true},{"id":1,"on":true}]"#),
            (
                LightCommand(on: true), text(segments: segment(0, on: false) + "," + segment(1)), #""on":true"#
            ),
            (LightCommand(brightness: 25), text(segments: segment(bri: 128)), #""on":true,"bri":128"#),
            (
                LightCommand(brightness: 80), text(segments: segment(bri: 128)),
                #""on":true,"bri":204,"seg":[{"id":0,"on":true,"bri":255}]"#
            ),
            (
                LightCommand(brightness: 80), text(segments: segment(on: false, bri: 128)),
                #""on":true,"bri":204,"seg":[{"id":0,"on":false,"bri":255}]"#
            ),
        ])
    func bothPowers(command: LightCommand, text: String, members: String) throws {
        #expect(try Self.body(command, text) == #"{"v":true,"# + members + "}")
    }

    @Test("reads each brightness as it was written", arguments: [1, 3, 51, 128, 254, 255])
    func levels(segment bri: Int) throws {
        for percent in 1...100 {
            let body = try Self.state(Self.text(segments: Self.segment(bri: bri))).body(
                for: LightCommand(brightness: percent))
            let after = Self.text(
                bri: try #require(body["bri"]?.int),
                segments: Self.segment(bri: body["seg"]?.array?.first?["bri"]?.int ?? bri))
            #expect(try Self.light(after).report.brightness == percent)
        }
    }

    @Test("keeps the brightness of the other segments when one gets brighter than the device")
    func segmentAboveDevice() throws {
        let state = try Self.state(Self.text(segments: Self.segment(0) + "," + Self.segment(1, on: false, bri: 100)))
        #expect(
            JSONValue.object(state.body(for: LightCommand(brightness: 100), segment: state.segments[0])).text
                == #"{"v":true,"bri":255,"seg":[{"id":0,"on":true,"bri":255},{"id":1,"on":false,"bri":50}]}"#)
        #expect(
            JSONValue.object(state.body(for: LightCommand(brightness: 25), segment: state.segments[0])).text
                == #"{"v":true,"seg":[{"id":0,"on":true,"bri":128}]}"#)
    }

    @Test("keeps the other segments off when switching one on also switches the device on")
    func segmentOn() throws {
        let two = Self.segment(0) + "," + Self.segment(1)
        func body(_ command: LightCommand, on: Bool) throws -> String {
            let state = try Self.state(Self.text(on: on, segments: two))
            return JSONValue.object(state.body(for: command, segment: state.segments[1])).text
        }
        #expect(
            try body(LightCommand(on: true), on: false)
                == #"{"v":true,"on":true,"seg":[{"id":1,"on":true},{"id":0,"on":false}]}"#)
        #expect(try body(LightCommand(on: true), on: true) == #"{"v":true,"seg":[{"id":1,"on":true}]}"#)
        #expect(try body(LightCommand(on: false), on: true) == #"{"v":true,"seg":[{"id":1,"on":false}]}"#)
    }
}
