import BoundedJSON
import DeviceKit
import HAPModel
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

    @Test("reads power, brightness, color and white from a status")
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

    private static func cover(_ status: String, _ configuration: String = "{}") throws -> ShellyOutput {
        try output("cover:0", status, configuration)
    }

    private static func report(
        _ position: Int?, target: Int? = nil, tilt: Int? = nil, _ motion: CoverMotion?
    ) -> LightReport {
        var report = LightReport(reachable: true)
        report.position = position
        report.targetPosition = target
        report.tilt = tilt
        report.motion = motion
        return report
    }

    @Test("reads a cover, with the target that it moves to")
    func covers() throws {
        let plain = #""pos_control": false"#
        let states: [(status: String, report: LightReport)] = [
            (#""state": "stopped", "current_pos": 40, "target_pos": null"#, Self.report(40, .stopped)),
            (#""state": "opening", "current_pos": 40, "target_pos": 90"#, Self.report(40, target: 90, .opening)),
            (#""state": "closing", "current_pos": 40, "slat_pos": 25"#, Self.report(40, tilt: -45, .closing)),
            (#""state": "stopped", "current_pos": 1e300, "slat_pos": -7"#, Self.report(100, tilt: -90, .stopped)),
            (#""state": "open", "current_pos": null, \#(plain)"#, Self.report(100, .stopped)),
            (#""state": "stopped", \#(plain)"#, Self.report(100, .stopped)),
            (#""state": "closed", \#(plain)"#, Self.report(0, .stopped)),
            (#""state": "opening", \#(plain)"#, Self.report(nil, .opening)),
            (#""state": "calibrating", \#(plain)"#, Self.report(nil, nil)), (#""state": 5"#, Self.report(nil, nil)),
        ]
        for (status, expected) in states {
            let control = status.contains("pos_control") ? "" : #", "pos_control": true"#
            let cover = try Self.cover("{\(status)\(control)}", #"{"slat": {"enable": true}}"#)
            #expect(cover.report == expected)
        }
        var cover = try Self.cover(#"{"state": "stopped", "pos_control": true, "current_pos": 40}"#)
        #expect(cover.isKnown && cover.functions == [.cover(stops: true)])
        cover.merge(["state": "opening", "target_pos": 70])
        cover.merge(["current_pos": 55])
        #expect(cover.report == Self.report(55, target: 70, .opening))
        let slats = try Self.cover("{}", #"{"slat": {"enable": true}}"#)
        #expect(slats.functions == [.cover(tilts: true, stops: true)])
    }

    @Test("opens and closes a cover that drives a garage door")
    func doors() throws {
        for (status, state) in [
            (#""state": "closed", "current_pos": 0"#, DoorState.closed),
            (#""state": "open", "current_pos": 100"#, .open), (#""state": "opening", "current_pos": 20"#, .opening),
            (#""state": "closing", "current_pos": 20"#, .closing), (#""state": "stopped", "current_pos": 20"#, .open),
            (#""state": "stopped", "pos_control": false"#, .stopped),
        ] {
            var door = try Self.cover(#"{"pos_control": true, \#(status)}"#)
            if status.contains("false") { door = try Self.cover("{\(status)}") }
            door.becomeDoor()
            #expect(door.coverKind == .garageDoor && door.functions == [.garageDoor])
            #expect(door.report.values[.currentDoorState] == state, "\(status)")
            for (target, method) in [(DoorState.open, "Cover.Open"), (.closed, "Cover.Close")] {
                var command = LightCommand()
                command.values[.targetDoorState] = target
                #expect(door.call(for: command).method == method)
            }
        }
    }

    @Test("moves a cover, and only opens, closes or stops a cover without calibration")
    func coverCalls() throws {
        func command(_ percent: Int? = nil, tilt: Int? = nil, stops: Bool = false) -> LightCommand {
            var command = LightCommand()
            command.targetPosition = percent
            command.targetTilt = tilt
            if stops { command.values[Property(.holdPosition)] = .bool(true) }
            return command
        }
        let calibrated = try Self.cover(#"{"state": "open", "pos_control": true}"#, #"{"slat": {"enable": true}}"#)
        let plain = try Self.cover(#"{"state": "open", "pos_control": false}"#)
        for (cover, command, expected) in [
            (calibrated, command(40), #"Cover.GoToPosition {"id":0,"pos":40}"#),
            (calibrated, command(40, tilt: 0), #"Cover.GoToPosition {"id":0,"pos":40,"slat_pos":50}"#),
            (calibrated, command(tilt: 90), #"Cover.GoToPosition {"id":0,"slat_pos":100}"#),
            (calibrated, command(stops: true), #"Cover.Stop {"id":0}"#),
            (plain, command(90), #"Cover.Open {"id":0}"#), (plain, command(50), #"Cover.Stop {"id":0}"#),
            (plain, command(10), #"Cover.Close {"id":0}"#),
        ] {
            let call = cover.call(for: command)
            #expect("\(call.method) \(call.params.text)" == expected)
        }
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
