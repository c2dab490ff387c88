import BoundedJSON
import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("A thermostat on MQTT", .timeout)
struct MQTTThermostatTests {
    private static func settings(_ keys: String, _ component: String = "climate") throws -> MQTTLightSettings {
        try MQTTLightSettings(
            KeyReader(keys: try JSONValue(parsing: "{\(keys)}").object ?? [:]), component: component)
    }

    private static func device(_ keys: String, _ component: String = "climate") throws -> MQTTLight {
        MQTTLight(try settings(keys, component))
    }

    private static let valve = #"""
        "mode_state_topic": "m", "mode_command_topic": "m/set", "modes": ["off", "heat", "fan_only"],
        "temperature_state_topic": "t", "temperature_command_topic": "t/set", "current_temperature_topic": "c"
        """#

    private static let range = #"""
        "mode_state_topic": "m", "mode_command_topic": "m/set", "modes": ["off", "heat", "cool", "auto", "heat_cool"],
        "temperature_low_state_topic": "l", "temperature_low_command_topic": "l/set",
        "temperature_high_state_topic": "h", "temperature_high_command_topic": "h/set"
        """#

    private func command(
        _ mode: HeatingCoolingMode? = nil, target: Double? = nil, low: Double? = nil, high: Double? = nil
    ) -> LightCommand {
        var command = LightCommand()
        command.thermostatMode = mode
        command.targetTemperature = target
        (command.heatingThreshold, command.coolingThreshold) = (low, high)
        return command
    }

    private func sent(_ device: inout MQTTLight, _ command: LightCommand) throws -> [String] {
        MQTTLightTests.text(try device.messages(for: command))
    }

    private func said(_ device: inout MQTTLight, _ topic: String, _ text: String) -> LightReport {
        device.received(topic: topic, payload: MQTTPayload(Array(text.utf8))).first ?? LightReport()
    }

    private func metadata(_ device: MQTTLight, _ type: CharacteristicType) -> CharacteristicMetadata? {
        device.settings.component?.functions[0].metadata(of: type)
    }

    @Test("sends the mode before the temperature, and keeps the shown mode while only the fan runs")
    func modes() throws {
        var valve = try Self.device(Self.valve)
        #expect(metadata(valve, .targetHeatingCoolingState)?.validValues == [0, 1])
        #expect(metadata(valve, .targetTemperature)?.range == 7...35)
        #expect(metadata(valve, .currentHeatingCoolingState) == nil)
        #expect(try sent(&valve, command(.heat, target: 21)) == ["m/set heat", "t/set 21.0"])
        #expect(said(&valve, "m", "heat").thermostatMode == .heat)
        let blowing = said(&valve, "m", "fan_only")
        #expect(blowing.thermostatMode == nil && blowing.values.contains(Property(.targetHeatingCoolingState)))
        #expect(said(&valve, "m", "dancing").isEmpty)
        #expect(said(&valve, "t", "19.5").targetTemperature == 19.5)
        #expect(said(&valve, "c", "18.44").values[.currentTemperature] == 18.44)
        for text in ["warm", "1e400", "[]"] {
            #expect(said(&valve, "c", text).isEmpty)
            #expect(valve.isUnreadable(topic: "c", MQTTPayload(Array(text.utf8))))
        }
        #expect(throws: LightError.refused("the thermostat doesn't support this mode")) {
            try sent(&valve, command(.cool))
        }
    }

    @Test("converts degrees Fahrenheit to the device's whole degrees and back")
    func fahrenheit() throws {
        var device = try Self.device(Self.valve + #", "temperature_unit": "F", "min_temp": 41, "max_temp": 86"#)
        #expect(metadata(device, .targetTemperature)?.range == 5...30)
        for fahrenheit in 60...80 {
            let celsius = (Double(fahrenheit - 32) / 1.8 * 10).rounded() / 10
            #expect(try sent(&device, command(target: celsius)) == ["t/set \(fahrenheit).0"])
            let target = said(&device, "t", "\(fahrenheit)").targetTemperature
            #expect(target.map { abs($0 - celsius) < 0.06 } == true)
        }
    }

    @Test("rounds a target to the device's step, and clamps it to the device's limits")
    func steps() throws {
        var device = try Self.device(Self.valve + #", "temp_step": 0.5, "min_temp": 5, "max_temp": 25.5"#)
        for (target, number) in [(22.8, "23.0"), (22.7, "22.5"), (5, "5.0"), (2, "5.0"), (99, "25.5")] {
            #expect(try sent(&device, command(target: target)) == ["t/set \(number)"])
        }
        var plain = try Self.device(Self.valve)
        #expect(try sent(&plain, command(target: 22.8)) == ["t/set 22.8"])
    }

    @Test("sets two thresholds in automatic mode, and the threshold of the mode otherwise")
    func twoSetPoints() throws {
        var device = try Self.device(Self.range)
        _ = said(&device, "m", "heat_cool")
        _ = said(&device, "l", "20")
        let report = said(&device, "h", "24")
        #expect(report.coolingThreshold == 24 && report.targetTemperature == 22)
        #expect(try sent(&device, command(low: 19)) == ["l/set 19.0"])
        #expect(try sent(&device, command(target: 21, low: 19, high: 25)) == ["l/set 19.0", "h/set 25.0"])
        // The middle of the two thresholds moves, and the distance between them stays the same.
        #expect(try sent(&device, command(target: 25)) == ["l/set 23.0", "h/set 27.0"])
        #expect(said(&device, "m", "cool").targetTemperature == 24)
        #expect(try sent(&device, command(target: 23)) == ["h/set 23.0"])
        #expect(try sent(&device, command(.heat, target: 18)) == ["m/set heat", "l/set 18.0"])
        #expect(try sent(&device, command(.auto)) == ["m/set heat_cool"])
        #expect(said(&device, "m", "auto").thermostatMode == .auto)
    }

    @Test("shows one target in automatic mode for a device with one set point")
    func oneSetPoint() throws {
        var device = try Self.device(
            #""mode_command_topic": "m", "modes": ["off", "auto"], "temperature_command_topic": "t""#)
        #expect(metadata(device, .targetHeatingCoolingState)?.validValues == [0, 3])
        #expect(metadata(device, .coolingThresholdTemperature) == nil)
        #expect(try sent(&device, command(.auto, target: 21)) == ["m auto", "t 21.0"])
        var lowOnly = try Self.device(#""temperature_low_command_topic": "l", "temperature_low_state_topic": "s""#)
        #expect(try sent(&lowOnly, command(target: 21)) == ["l 21.0"])
        #expect(said(&lowOnly, "s", "20").targetTemperature == 20)
    }

    /// Returns a command to the fan.
    private func fan(
        active: Bool? = nil, speed: Double? = nil, isAutomatic: Bool? = nil, swings: Bool? = nil
    ) -> LightCommand {
        var command = LightCommand()
        command.values[ThermostatFan.active] = active.map { .integer($0 ? 1 : 0) }
        command.values[ThermostatFan.speed] = speed.map { .float($0) }
        command.values[ThermostatFan.automatic] = isAutomatic.map { .integer($0 ? 1 : 0) }
        command.values[ThermostatFan.swing] = swings.map { .integer($0 ? 1 : 0) }
        return command
    }

    @Test("sets fan modes and swing modes with the publisher's words, and reads them")
    func fanModes() throws {
        // The words of mitsubishi2MQTT, and one that isn't a speed.
        var device = try Self.device(
            Self.valve + #", "fan_mode_command_topic": "f/set", "fan_mode_state_topic": "f","#
                + #""fan_modes": ["AUTO", "QUIET", "1", "2", "3", "FOCUS"], "swing_mode_command_topic": "s/set","#
                + #""swing_mode_state_topic": "s", "swing_modes": ["off", "vertical"]"#)
        let functions = try #require(device.settings.component?.functions)
        #expect(functions.map(\.type) == [.thermostat, .fanv2] && functions[0].linked == ["fan"])
        #expect(functions[1].metadata(of: .rotationSpeed)?.step == 25)
        for (command, message) in [
            (fan(speed: 25), "f/set QUIET"), (fan(speed: 50), "f/set 1"), (fan(speed: 60), "f/set 2"),
            (fan(speed: 100), "f/set 3"), (fan(isAutomatic: true), "f/set AUTO"),
            (fan(isAutomatic: false), "f/set 1"), (fan(swings: true), "s/set vertical"),
            (fan(swings: false), "s/set off"),
        ] { #expect(try sent(&device, command) == [message]) }
        #expect(said(&device, "f", "2").values == fan(speed: 75, isAutomatic: false).values)
        #expect(said(&device, "f", "AUTO").values == fan(isAutomatic: true).values)
        #expect(said(&device, "f", "FOCUS").values == fan(isAutomatic: false).values)
        #expect(said(&device, "s", "vertical").values == fan(swings: true).values)
        #expect(said(&device, "f", "dancing").isEmpty && said(&device, "s", "").isEmpty)
        #expect(device.handedOver(fan(speed: 50)) == nil)
        var silent = try Self.device(Self.valve + #", "fan_mode_command_topic": "f", "fan_modes": ["auto", "on"]"#)
        #expect(try sent(&silent, fan(isAutomatic: false)) == ["f on"])
        #expect(silent.handedOver(fan(isAutomatic: false))?.values == fan(isAutomatic: false).values)
        let useless = try Self.device(Self.valve + #", "fan_mode_command_topic": "f", "fan_modes": ["auto"]"#)
        #expect(useless.settings.component?.functions.count == 1)
    }

    @Test("sets the fan mode of Zigbee2MQTT, also to off")
    func zigbeeFan() throws {
        let more =
            #"{"name":"fan_mode","property":"fan_mode","access":7,"values":["off","low","medium","high","on","auto"]}"#
        var house = Self.house("\(Self.setPoint),\(Self.local),\(more)")
        house.receives("z/bath", #"{"fan_mode":"off"}"#)
        #expect(house.states[Self.id]?.values[ThermostatFan.active] == .integer(0))
        for (command, word) in [
            (fan(active: true), "medium"), (fan(active: false), "off"), (fan(speed: 100), "high"),
        ] {
            #expect(try house.sends(command, to: Self.id) == [#"z/bath/set {"fan_mode":"\#(word)"}"#])
        }
    }

    @Test("reads actions, and treats idle, drying and fan as idle")
    func actions() throws {
        var device = try Self.device(Self.valve + #", "action_topic": "a", "current_humidity_topic": "f""#)
        #expect(metadata(device, .currentHeatingCoolingState) != nil)
        for (word, activity) in [
            ("heating", HeatingCoolingMode.heat), ("preheating", .heat), ("cooling", .cool), ("idle", .off),
            ("off", .off), ("drying", .off), ("fan", .off),
        ] {
            #expect(said(&device, "a", word).thermostatActivity == activity)
        }
        #expect(said(&device, "a", "None").isEmpty && said(&device, "a", "dancing").isEmpty)
        #expect(said(&device, "f", "44.5").values[.currentRelativeHumidity] == 44.5)
        #expect(said(&device, "f", "130").isEmpty)
    }

    @Test("reports the commands of a device that reports nothing")
    func optimistic() throws {
        var device = try Self.device(
            #""mode_command_topic": "m", "temperature_command_topic": "t", "initial": 22, "optimistic": true"#)
        #expect(device.settings.component?.beginning?.targetTemperature == 22)
        let report = device.handedOver(command(.cool, target: 20))
        #expect(report?.thermostatMode == .cool && report?.targetTemperature == 20)
        var valve = try Self.device(Self.valve)
        #expect(valve.handedOver(command(.heat, target: 20)) == nil)
    }

    @Test("switches off a device without an off mode by its power")
    func power() throws {
        var device = try Self.device(
            #""power_command_topic": "p", "payload_off": "0", "payload_on": "1", "mode_command_topic": "m","#
                + #""mode_state_topic": "s", "modes": ["heat", "cool"], "temperature_command_topic": "t""#)
        #expect(metadata(device, .targetHeatingCoolingState)?.validValues == [0, 1, 2])
        _ = said(&device, "s", "heat")
        #expect(try sent(&device, command(.off)) == ["p 0"])
        #expect(device.handedOver(command(.off))?.thermostatMode == .off)
        #expect(said(&device, "s", "heat").thermostatMode == nil, "a device that is off repeats its mode")
        #expect(try sent(&device, command(.cool)) == ["p 1", "m cool"])
    }

    @Test("shows a water heater as heating or off, and returns to its last mode")
    func waterHeater() throws {
        var heater = try Self.device(
            #""mode_state_topic": "m", "mode_command_topic": "m/set", "temperature_command_topic": "t""#,
            "water_heater")
        #expect(metadata(heater, .targetHeatingCoolingState)?.validValues == [0, 1])
        #expect(metadata(heater, .targetTemperature)?.range == 43.3...60)
        #expect(said(&heater, "m", "gas").thermostatMode == .heat)
        #expect(said(&heater, "m", "off").thermostatMode == .off)
        #expect(try sent(&heater, command(.heat, target: 50)) == ["m/set gas", "t 50.0"])
        #expect(try sent(&heater, command(.off)) == ["m/set off"])
        var other = try Self.device(#""temperature_command_topic": "t", "power_command_topic": "p""#, "water_heater")
        #expect(try sent(&other, command(.heat)) == ["p ON"])
        #expect(try sent(&other, command(.off)) == ["p OFF"])
    }

    @Test("rejects a device that can't be set, and invalid limits")
    func refused() throws {
        for keys in [
            #""current_temperature_topic": "c""#, Self.valve + #", "min_temp": 30, "max_temp": 20"#,
            Self.valve + #", "min_temp": "cold""#, Self.valve + #", "temp_step": 0"#,
            Self.valve + #", "temperature_unit": "X""#, Self.valve + #", "min_humidity": 80, "max_humidity": 20"#,
            Self.valve + #", "min_temp": 1e300"#,
        ] {
            #expect(throws: MQTTProblem.self) { try Self.settings(keys) }
        }
    }

    @Test("shows a configured thermostat")
    func handWritten() throws {
        func configuration(_ keys: String) throws -> MQTTDriverConfiguration {
            let json = #"{"url": "mqtt://h", "lights": [{"id": "stat", \#(keys)}]}"#
            return try JSONValue(parsing: json).decoded(as: MQTTDriverConfiguration.self)
        }
        let entity = try #require(try configuration(#""kind": "thermostat", \#(Self.valve)"#).lights.first)
        let metadata = entity.description.functions[0].metadata(of: .targetHeatingCoolingState)
        #expect(entity.description.kind == .thermostat && metadata?.validValues == [0, 1])
        let error = #expect(throws: ConfigurationProblem.self) {
            try configuration(#""command_topic": "c", "mode_command_topic": "m""#)
        }
        #expect(error?.problem == "only for kind: thermostat, but the kind is light")
    }

    // MARK: Zigbee2MQTT

    private static func house(_ features: String) -> MQTTHouse {
        var house = MQTTHouse(MQTTDeviceRegistry(prefix: nil, zigbee2MQTT: "z", lights: []), kinds: [.thermostat])
        house.receives(
            "z/bridge/devices",
            #"[{"ieee_address":"0x1","type":"EndDevice","friendly_name":"bath","definition":{"vendor":"V","model":"X","#
                + #""exposes":[{"type":"climate","features":[\#(features)]}]}}]"#)
        house.receives("z/bridge/state", #"{"state":"online"}"#)
        return house
    }

    private static let setPoint =
        #"{"name":"occupied_heating_setpoint","property":"occupied_heating_setpoint","access":7,"value_min":5,"#
        + #""value_max":30,"value_step":0.5}"#
    private static let local = #"{"name":"local_temperature","property":"local_temperature","access":5}"#
    private static let id: LightID = "0x1_climate_zigbee2mqtt"

    @Test("reads a radiator valve in Zigbee2MQTT's list, which heats if it has no system mode")
    func zigbee() throws {
        var house = Self.house("\(Self.setPoint),\(Self.local)")
        let valve = try #require(house.added.first { $0.kind == .thermostat })
        #expect(valve.id == Self.id && valve.name == "bath")
        #expect(valve.functions[0].metadata(of: .targetHeatingCoolingState)?.validValues == [1])
        #expect(valve.functions[0].metadata(of: .targetTemperature)?.range == 5...30)
        house.receives("z/bath", #"{"occupied_heating_setpoint":20.5,"local_temperature":19.1}"#)
        #expect(house.states[Self.id]?.targetTemperature == 20.5)
        #expect(house.states[Self.id]?.values[.currentTemperature] == 19.1)
        #expect(
            try house.sends(command(target: 18), to: Self.id) == [#"z/bath/set {"occupied_heating_setpoint":18.0}"#])
    }

    @Test("reads the modes, the running state and two set points of Zigbee2MQTT")
    func zigbeeModes() throws {
        let more =
            #"{"name":"system_mode","property":"system_mode","access":7,"values":["off","heat","cool","auto","sleep"]},"#
            + #"{"name":"running_state","property":"running_state","access":5,"values":["idle","heat","cool"]},"#
            + #"{"name":"occupied_cooling_setpoint","property":"occupied_cooling_setpoint","access":7}"#
        var house = Self.house("\(Self.setPoint),\(Self.local),\(more)")
        let device = try #require(house.added.first { $0.kind == .thermostat })
        #expect(device.functions[0].metadata(of: .targetHeatingCoolingState)?.validValues == [0, 1, 2, 3])
        #expect(device.functions[0].has(.coolingThresholdTemperature))
        house.receives(
            "z/bath",
            #"{"occupied_heating_setpoint":20,"occupied_cooling_setpoint":25,"system_mode":"cool","running_state":"cool"}"#
        )
        let state = try #require(house.states[Self.id])
        #expect(state.thermostatMode == .cool && state.thermostatActivity == .cool && state.targetTemperature == 25)
        house.receives("z/bath", #"{"running_state":"idle"}"#)
        #expect(house.states[Self.id]?.thermostatActivity == .off)
        #expect(
            try house.sends(command(.auto, low: 19), to: Self.id)
                == [#"z/bath/set {"system_mode":"auto"}"#, #"z/bath/set {"occupied_heating_setpoint":19.0}"#])
    }

    // MARK: Publishers

    static let announced = AnnouncedThing.all.filter { $0.kind == "thermostat" }

    @Test(
        "adds a publisher's thermostat with its features, reads its messages and sends its commands as Home Assistant does",
        arguments: announced)
    func publishers(_ thing: AnnouncedThing) throws {
        var house = thing.announced(kinds: [.thermostat])
        let device = try #require(house.added.first, "\(house.warnings)")
        let function = try #require(device.functions.first)
        let names = ["off", "heat", "cool", "auto"]
        let values = function.metadata(of: .targetHeatingCoolingState)?.validValues
        #expect(values?.map { names[Int($0)] } == thing.expected["modes"]?.array?.compactMap(\.string))
        let range = function.metadata(of: .targetTemperature)?.range
        #expect(range.map { [$0.lowerBound, $0.upperBound] } == thing.expected["range"]?.array?.compactMap(\.double))
        thing.notified(&house)
        let state = try #require(house.states[device.id])
        let wanted = thing.expected["state"]
        if let mode = wanted?["mode"]?.string {
            #expect(state.thermostatMode.map { names[$0.rawValue] } == mode)
        }
        let numbers: [(String, Double?)] = [
            ("current", state.values[.currentTemperature]), ("target", state.targetTemperature),
            ("low", state.heatingThreshold), ("high", state.coolingThreshold),
            ("humidity", state.values[.currentRelativeHumidity]),
        ]
        for (name, number) in numbers {
            guard let expected = wanted?[name]?.double else { continue }
            #expect(number.map { abs($0 - expected) < 0.06 } == true, "\(name): \(number ?? -99)")
        }
        let activity = wanted?["action"]?.string.map {
            ["heating": HeatingCoolingMode.heat, "cooling": .cool][$0] ?? .off
        }
        #expect(state.thermostatActivity == activity)
        for member in thing.json["commands"]?.object?.members ?? [] {
            let words = member.name.split(separator: " ").map(String.init)
            var command = LightCommand()
            switch words[0] {
            case "mode":
                let index = try #require(names.firstIndex(of: words[1]))
                command.thermostatMode = HeatingCoolingMode(rawValue: index)
            case "range": (command.heatingThreshold, command.coolingThreshold) = (Double(words[1]), Double(words[2]))
            default: command.targetTemperature = Double(words[1])
            }
            let sent = try house.home.messages(for: command, to: device.id, now: .zero).map {
                [$0.topic, String(decoding: $0.payload, as: UTF8.self)]
            }
            #expect(sent == (member.value.array ?? []).map { ($0.array ?? []).compactMap(\.string) }, "\(member.name)")
        }
    }
}
