import BoundedJSON
import DeviceKit
import HAPModel
import Testing

@testable import LightDrivers

@Suite("A fan on MQTT")
struct MQTTFanTests {
    private static func fan(_ more: String = "") throws -> MQTTLight {
        let json = try JSONValue(
            parsing: """
                {"command_topic": "c", "state_topic": "s", "percentage_command_topic": "c/speed",
                 "percentage_state_topic": "s/speed", "direction_command_topic": "c/dir",
                 "direction_state_topic": "s/dir", "oscillation_command_topic": "c/osc",
                 "oscillation_state_topic": "s/osc", "speed_range_max": 4\(more)}
                """)
        return MQTTLight(try MQTTLightSettings(KeyReader(keys: json.object ?? [:]), component: "fan"))
    }

    private func sent(_ fan: inout MQTTLight, _ command: LightCommand) throws -> [String] {
        try fan.messages(for: command).map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
    }

    private func said(_ fan: inout MQTTLight, _ topic: String, _ text: String) -> LightReport? {
        fan.received(topic: topic, payload: MQTTPayload(Array(text.utf8))).first
    }

    @Test("sends power before the other attributes, and off alone")
    func commands() throws {
        var fan = try Self.fan()
        var command = LightCommand(on: true)
        command.speed = 50
        command.direction = .counterclockwise
        command.oscillates = true
        #expect(try sent(&fan, command) == ["c ON", "c/speed 2", "c/dir reverse", "c/osc oscillate_on"])
        command.on = false
        #expect(try sent(&fan, command) == ["c OFF"])
        #expect(said(&fan, "s", "ON")?.on == true)
        command.on = nil
        command.speed = nil
        command.oscillates = false
        #expect(try sent(&fan, command) == ["c/dir reverse", "c/osc oscillate_off"])
    }

    @Test(
        "rounds a speed up to the device's next step, as Home Assistant does",
        arguments: [
            (1, 1), (25, 1), (26, 2), (50, 2), (51, 3), (75, 3), (76, 4), (100, 4),
        ])
    func speeds(percent: Int, value: Int) {
        let speeds = FanSpeeds(range: 1...4)
        #expect(speeds.value(percent) == value)
        #expect(speeds.percent(value) == value * 25)
        let ring = FanSpeeds(range: 11...100)
        #expect(ring.percent(67) == 63 && ring.percent(0) == nil && ring.percent(101) == nil)
        #expect(FanSpeeds(range: 1...255).percent(1) == 1)
    }

    @Test("reports an echoed speed as it was requested")
    func rounding() throws {
        var fan = try Self.fan()
        var command = LightCommand(on: true)
        command.speed = 40
        #expect(try sent(&fan, command) == ["c ON", "c/speed 2"])
        #expect(said(&fan, "s/speed", "2")?.speed == 40)
        #expect(said(&fan, "s/speed", " 3\n")?.speed == 75)
    }

    @Test("holds back the speed of a fan that is off until it is switched on")
    func speedWhileOff() throws {
        var fan = try Self.fan()
        #expect(said(&fan, "s", "OFF")?.on == false)
        var command = LightCommand()
        command.speed = 40
        #expect(try sent(&fan, command) == [])
        #expect(fan.handedOver(command)?.speed == 40)
        #expect(try sent(&fan, LightCommand(on: true)) == ["c ON", "c/speed 2"])
    }

    @Test("reads the fan's states, and ignores invalid states")
    func states() throws {
        var fan = try Self.fan()
        #expect(said(&fan, "s", "ON") == LightReport(on: true))
        #expect(said(&fan, "s/dir", "reverse")?.direction == .counterclockwise)
        #expect(said(&fan, "s/dir", "forward")?.direction == .clockwise)
        #expect(said(&fan, "s/osc", "oscillate_on")?.oscillates == true)
        #expect(said(&fan, "s/osc", "oscillate_off")?.oscillates == false)
        for (topic, text) in [
            ("s", "on"), ("s/dir", "up"), ("s/osc", "ON"), ("s/speed", "0"), ("s/speed", "5"), ("s/speed", "None"),
            ("s/speed", "99999999999999999999"), ("s/speed", "2.5"), ("elsewhere", "ON"),
        ] {
            #expect(said(&fan, topic, text) == nil, "\(topic) \(text)")
        }
    }

    @Test("chooses presets as Home Assistant does, with short keys and a word for none")
    func presets() throws {
        var fan = try Self.fan(
            #", "preset_mode_command_topic": "c/mode", "preset_mode_state_topic": "s/mode", "#
                + #""preset_modes": ["auto", "sleep", "nature"], "payload_reset_preset_mode": "-""#)
        var command = LightCommand(on: true)
        command.values.blowsAutomatically = true
        #expect(try sent(&fan, command) == ["c ON", "c/mode auto"])
        #expect(said(&fan, "s", "ON")?.on == true)
        command = LightCommand()
        command.values[FanFeatures.preset("sleep")] = .bool(true)
        #expect(try sent(&fan, command) == ["c/mode sleep"])
        #expect(said(&fan, "s/mode", "auto")?.values.blowsAutomatically == true)
        let sleep = said(&fan, "s/mode", "sleep")?.values
        #expect(sleep?.blowsAutomatically == false && sleep?[FanFeatures.preset("sleep")] == .bool(true))
        #expect(said(&fan, "s/mode", "-")?.values[FanFeatures.preset("sleep")] == .bool(false))
        #expect(said(&fan, "s/mode", "None") == nil)
    }

    @Test("reports the commanded values of attributes without a state topic")
    func optimistic() throws {
        var all = LightCommand(on: true)
        all.speed = 30
        all.oscillates = true
        #expect(try Self.fan().handedOverNothing(all))
        var silent = try Self.fan(#", "optimistic": true"#)
        let report = silent.handedOver(all)
        #expect(report?.on == true && report?.speed == 30 && report?.oscillates == true)
    }

    @Test(
        "rejects an invalid range of speeds",
        arguments: [
            #", "speed_range_min": 4"#, #", "speed_range_min": 0"#, #", "speed_range_min": -5"#,
        ])
    func range(keys: String) { #expect(throws: MQTTProblem.self) { try Self.fan(keys) } }
}

extension MQTTLight {
    fileprivate func handedOverNothing(_ command: LightCommand) -> Bool {
        var copy = self
        return copy.handedOver(command) == nil
    }
}
