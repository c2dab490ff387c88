import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("A fan in Zigbee2MQTT's device list", .timeout)
struct Zigbee2MQTTFanTests {
    /// The features of three fans: one that uses the Zigbee standard's modes, an air purifier, and a fan with numeric
    /// levels.
    static let modes = #"["off","low","medium","high","on","auto"]"#
    static let purifier = fan(
        "fan_state",
        #"{"type":"enum","name":"mode","property":"fan_mode","access":7,"values":["off","auto","#
            + #""1","2","3","4","5","6","7","8","9"]}"#)
    static let leveled = fan(
        "state", #"{"type":"numeric","name":"speed","property":"speed","access":7,"value_min":1,"value_max":254}"#)

    static func standard(model: String = "X") -> String {
        fan(
            "fan_state", #"{"type":"enum","name":"mode","property":"fan_mode","access":7,"values":\#(modes)}"#,
            model: model)
    }

    static func fan(_ property: String, _ feature: String, model: String = "X", access: Int = 7) -> String {
        #"[{"ieee_address":"0x1","type":"Router","friendly_name":"loft","definition":{"vendor":"V","model":"\#(model)","#
            + #""exposes":[{"type":"fan","features":[{"type":"binary","name":"state","property":"\#(property)","access":"#
            + #"\#(access),"value_on":"ON","value_off":"OFF"},\#(feature)]},{"type":"light","features":[{"name":"state","#
            + #""property":"state","access":7}]}]}}]"#
    }

    static func house(_ list: String, kinds: Set<LightKind> = [.fan]) -> MQTTHouse {
        var house = MQTTHouse(MQTTDeviceRegistry(prefix: nil, zigbee2MQTT: "z", lights: []), kinds: kinds)
        house.receives("z/bridge/devices", list)
        house.receives("z/bridge/state", #"{"state":"online"}"#)
        return house
    }

    static let id: LightID = "0x1_fan_zigbee2mqtt"

    static func command(on: Bool? = nil, speed: Int) -> LightCommand {
        var command = LightCommand(on: on)
        command.speed = speed
        return command
    }

    @Test("maps modes to speeds as Zigbee2MQTT's announcements do")
    func modes() throws {
        var house = Self.house(Self.standard())
        let fan = try #require(house.fans.first)
        #expect(house.fans.count == 1 && fan.id == Self.id && fan.name == "loft" && fan.manufacturer == "V")
        #expect(fan.capabilities == .fan(speed: true))
        #expect(house.actions.contains(.publish(MQTTMessage(topic: "z/loft/get", text: #"{"fan_state":""}"#))))
        #expect(fan.functions[0].metadata(of: .rotationSpeed)?.step == 100 / 3.0)
        #expect(
            house.says(#"{"state":"OFF","fan_state":"ON","fan_mode":"medium"}"#)
                == LightReport.fan(true, 66, isAutomatic: false))
        #expect(
            try house.sends(Self.command(on: true, speed: 100))
                == [#"z/loft/set {"fan_state":"ON"}"#, #"z/loft/set {"fan_mode":"high"}"#])
        #expect(try house.sends(Self.command(speed: 20)) == [#"z/loft/set {"fan_mode":"low"}"#])
        #expect(try house.sends(LightCommand(on: false)) == [#"z/loft/set {"fan_state":"OFF"}"#])
        var auto = LightCommand()
        auto.values.blowsAutomatically = true
        #expect(house.says(#"{"fan_state":"ON"}"#)?.on == true)
        #expect(try house.sends(auto) == [#"z/loft/set {"fan_mode":"auto"}"#])
        // Modes that aren't speeds, and invalid messages, contain no speed.
        #expect(house.says(#"{"fan_state":"ON","fan_mode":"auto"}"#) == LightReport.fan(true, isAutomatic: true))
        #expect(house.says(#"{"fan_state":"OFF","fan_mode":"off"}"#) == LightReport(on: false))
        for text in [#"{"fan_mode":7}"#, #"{"fan_state":true}"#, "[]", "nonsense", #"{"speed":3}"#] {
            #expect(house.says(text) == nil, "\(text)")
        }
    }

    @Test("maps nine modes to nine speeds, and knows a fourth speed with an unusual name")
    func steps() throws {
        var house = Self.house(Self.purifier)
        #expect(house.says(#"{"fan_state":"ON"}"#)?.on == true)
        #expect(try house.sends(Self.command(speed: 50)) == [#"z/loft/set {"fan_mode":"5"}"#])
        #expect(house.says(#"{"fan_state":"ON","fan_mode":"9"}"#)?.speed == 100)
        house = Self.house(Self.standard(model: "99432"))
        #expect(house.says(#"{"fan_state":"ON"}"#)?.on == true)
        #expect(try house.sends(Self.command(speed: 100)) == [#"z/loft/set {"fan_mode":"on"}"#])
        #expect(house.says(#"{"fan_mode":"high"}"#)?.speed == 75)
    }

    @Test("sends a numeric speed as a number")
    func levels() throws {
        var house = Self.house(Self.leveled)
        #expect(
            try house.sends(Self.command(on: true, speed: 50))
                == [#"z/loft/set {"state":"ON"}"#, #"z/loft/set {"speed":127}"#])
        #expect(house.says(#"{"state":"ON","speed":254}"#) == LightReport.fan(true, 100))
        #expect(house.says(#"{"state":"OFF","speed":0}"#) == LightReport(on: false))
    }

    @Test(
        "skips fans that can't be switched or whose names could inject templates, and invalid speeds",
        arguments: [
            (fan("fan_state", "{}", access: 5), 0, false), (fan("s'] }}", "{}"), 0, false),
            (
                fan("fan_state", #"{"name":"speed","property":"speed","access":7,"value_min":9,"value_max":9}"#), 1,
                false
            ),
            (fan("fan_state", #"{"name":"mode","property":"fan_mode","access":7,"values":["auto",null]}"#), 1, false),
            (fan("fan_state", #"{"name":"mode","property":"x\" y","access":7,"values":["low"]}"#), 1, false),
            (fan("fan_state", #"{"name":"mode","property":"fan_mode","access":5,"values":["low","high"]}"#), 1, false),
        ])
    func odd(list: String, count: Int, hasSpeed: Bool) {
        let house = Self.house(list)
        #expect(house.fans.map(\.capabilities.speed) == Array(repeating: hasSpeed, count: count))
    }

    @Test("adds an excluded fan, but reads only its light")
    func unwanted() {
        var house = Self.house(Self.standard(), kinds: [.light])
        #expect(Set(house.added.map(\.id)) == ["0x1_light_zigbee2mqtt", "0x1_fan_zigbee2mqtt"])
        house.receives("z/fan", #"{"state":"ON","fan_state":"ON"}"#)
        #expect(house.states["0x1_fan_zigbee2mqtt"]?.on == nil)
    }
}

extension MQTTHouse {
    fileprivate var fans: [LightDescription] { added.filter { $0.kind == .fan } }

    /// Returns the report of the fan after a message, or `nil` if there is none.
    fileprivate mutating func says(_ text: String) -> LightReport? {
        for case .report(Zigbee2MQTTFanTests.id, let report) in receives("z/loft", text) { return report }
        return nil
    }

    fileprivate mutating func sends(_ command: LightCommand) throws -> [String] {
        try sends(command, to: Zigbee2MQTTFanTests.id)
    }
}

extension LightReport {
    fileprivate static func fan(_ on: Bool, _ speed: Int? = nil, isAutomatic: Bool? = nil) -> LightReport {
        var report = LightReport(on: on)
        report.speed = speed
        report.values.blowsAutomatically = isAutomatic
        return report
    }
}
