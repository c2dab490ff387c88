import BoundedJSON
import DeviceKit
import HAPModel
import Jinja

/// A fan, whose power has the keys of a switch, with an optional speed, direction, oscillation and presets (Lights 6.1).
struct MQTTFan: MQTTComponent {
    static let names: Set = ["fan"]
    static let kind = LightKind.fan
    static let abbreviations = [
        "pr_mode_cmd_t": "preset_mode_command_topic", "pr_mode_cmd_tpl": "preset_mode_command_template",
        "pr_mode_stat_t": "preset_mode_state_topic", "pr_mode_val_tpl": "preset_mode_value_template",
        "pr_modes": "preset_modes", "pl_rst_pr_mode": "payload_reset_preset_mode",
    ]
    private static let maximumSpeed = 1_000_000

    private var speedCommand, directionCommand, oscillationCommand, presetCommand: MQTTLightSettings.Command?
    private var speed, direction, oscillation, preset: MQTTLightSettings.Source?
    private var presets = FanPresets()
    /// The device's speeds.
    ///
    /// The lower bound is the slowest speed, and 0 means off.
    private var speeds = FanSpeeds(range: 1...100)
    /// The payload that means that the speed is unknown.
    private var resetSpeed = "None"
    /// The payload that means that the fan is in none of its presets.
    private var resetPreset = "None"
    private var oscillationOn = "oscillate_on"
    private var oscillationOff = "oscillate_off"

    var capabilities: LightCapabilities {
        .fan(
            speed: speedCommand != nil, direction: directionCommand != nil, oscillation: oscillationCommand != nil)
    }

    var functions: [AccessoryFunction] {
        var features = FanFeatures()
        features.speeds = speedCommand == nil ? 0 : 100
        features.hasDirection = directionCommand != nil
        features.oscillates = oscillationCommand != nil
        presets.add(to: &features)
        return features.functions
    }

    var sources: [MQTTLightSettings.Source?] { [speed, direction, oscillation, preset] }

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        guard let topic = try reader.topic("command_topic") else { throw .about("command_topic", "is missing") }
        settings.commandTopic = topic
        settings.isOptimistic = try reader.bool("optimistic") ?? false
        settings.powerTemplate = try reader.known(
            "command_template", else: "on and off commands don't use the template")
        settings.power = try reader.source(topic: "state_topic", template: "state_value_template")
        speedCommand = try reader.command("percentage", else: "the speed can't be set")
        speed = try reader.source("percentage")
        directionCommand = try reader.command("direction", else: "the direction can't be set")
        direction = try reader.source("direction")
        oscillationCommand = try reader.command("oscillation", else: "the oscillation can't be set")
        oscillation = try reader.source("oscillation")
        let slowest = try reader.integer("speed_range_min", in: 1...Self.maximumSpeed) ?? 1
        let fastest = try reader.integer("speed_range_max", in: 1...Self.maximumSpeed) ?? 100
        guard slowest < fastest else { throw .about("speed_range_max", "must be greater than speed_range_min") }
        speeds = FanSpeeds(range: slowest...fastest)
        resetSpeed = try reader.string("payload_reset_percentage") ?? resetSpeed
        oscillationOn = try reader.string("payload_oscillation_on") ?? oscillationOn
        oscillationOff = try reader.string("payload_oscillation_off") ?? oscillationOff
        presetCommand = try reader.command("preset_mode", else: "the presets can't be chosen")
        preset = try reader.source("preset_mode")
        resetPreset = try reader.string("payload_reset_preset_mode") ?? resetPreset
        if presetCommand != nil {
            presets = FanPresets(try reader.words("preset_modes") ?? [], hasSpeed: speedCommand != nil)
        }
    }

    // MARK: Zigbee2MQTT

    /// Returns the fan that an expose describes, which may have a numeric speed and modes.
    ///
    /// Returns `nil` if the expose isn't a fan or can't be switched.
    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? {
        guard expose["type"]?.string == "fan" else { return nil }
        let features = (expose["features"]?.array ?? []).filter { ((($0["access"]?.int ?? 0) & 2) != 0) }
        func feature(_ name: String) -> JSONValue? { features.first { $0["name"]?.string == name } }
        guard let state = feature("state"), let power = device.property(state),
            let on = state["value_on"], let off = state["value_off"]
        else { return nil }
        var fan = MQTTFan()
        var settings = try device.settings(.component(fan), kind)
        let topic = settings.commandTopic
        if let speed = feature("speed"), let property = device.property(speed) {
            let slowest = speed["value_min"]?.int ?? 1
            let fastest = speed["value_max"]?.int ?? 254
            if slowest >= 1, slowest < fastest, fastest <= maximumSpeed {
                fan.speeds = FanSpeeds(range: slowest...fastest)
                fan.speed = try settings.state("{{ value_json['\(property)'] }}")
                fan.speedCommand = .init(
                    topic: topic, template: try MessageTemplate(#"{"\#(property)":{{ value }}}"#))
            }
        }
        if let mode = feature("mode"), let property = device.property(mode) {
            let names = (mode["values"]?.array ?? []).prefix(32).compactMap { $0.string ?? $0.int.map(String.init) }
            // The fourth speed of this model is called "on", which has a different meaning in other models.
            let isOdd = device.json["definition"]?["model"]?.string == "99432"
            fan.presets = FanPresets(
                names.filter(isSafe), hasSpeed: fan.speedCommand != nil, fastest: isOdd ? "on" : nil)
            fan.preset = try settings.state("{{ value_json['\(property)'] }}")
            fan.presetCommand = .init(
                topic: topic, template: try MessageTemplate(#"{"\#(property)":"{{ value }}"}"#))
        }
        settings.schema = .component(fan)
        settings.power = try settings.state("{{ value_json['\(power)'] }}")
        settings.payloadOn = JSONValue.object([power: on]).text
        settings.payloadOff = JSONValue.object([power: off]).text
        (settings.stateOn, settings.stateOff) = try device.texts(on, off)
        settings.ask(for: power)
        return try device.entity("\(device.address)_fan_zigbee2mqtt", settings)
    }

    private init() {}

    /// Returns whether a mode can be written between the quotation marks of a JSON string.
    private static func isSafe(_ mode: String) -> Bool {
        mode.unicodeScalars.allSatisfy { $0 != "\"" && $0 != "\\" && $0.properties.generalCategory != .control }
    }

    // MARK: Messages

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        var report = LightReport()
        report.on = light.receivedPower(topic: topic, payload)
        if let text = light.text(speed, topic, payload), text != resetSpeed,
            let value = text.plainNumber.flatMap({ Int(exactly: $0) })
        {
            report.speed = light.asked(.rotationSpeed, whenTold: value) ?? speeds.percent(value)
        }
        switch light.text(direction, topic, payload) {
        case "forward": report.direction = .clockwise
        case "reverse": report.direction = .counterclockwise
        default: break
        }
        if let text = light.text(preset, topic, payload) {
            report.values.merge(presets.values(text == resetPreset ? nil : text))
        }
        if let text = light.text(oscillation, topic, payload) {
            report.oscillates = text == oscillationOn ? true : text == oscillationOff ? false : nil
        }
        return report
    }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        light.isUnreadablePower(topic: topic, payload)
    }

    /// Returns the messages for a command in the same order as Home Assistant, power first.
    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        var messages: [MQTTMessage] = []
        if let on = command.on {
            messages.append(
                try light.powerMessage(on ? light.settings.payloadOn : light.settings.payloadOff))
            guard on else { return messages }
        }
        if let percent = command.speed, let speedCommand {
            let value = speeds.value(percent)
            light.remember(.rotationSpeed, asked: percent, told: value)
            messages.append(try light.message(speedCommand, String(value), ["value": .int(value)]))
        }
        if let mode = presets.mode(of: command), let presetCommand {
            messages.append(try light.message(presetCommand, mode, [:]))
        }
        if let direction = command.direction, let directionCommand {
            messages.append(
                try light.message(directionCommand, direction == .clockwise ? "forward" : "reverse", [:]))
        }
        if let oscillates = command.oscillates, let oscillationCommand {
            messages.append(try light.message(oscillationCommand, oscillates ? oscillationOn : oscillationOff, [:]))
        }
        guard !messages.isEmpty else { throw .refused("the fan doesn't support this command") }
        return messages
    }

    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport {
        var report = LightReport()
        let isOptimistic = light.settings.isOptimistic
        if light.settings.powerIsOptimistic { report.on = command.on }
        guard command.on != false else { return report }
        if speedCommand != nil, isOptimistic || speed == nil { report.speed = command.speed }
        if isOptimistic || preset == nil, let mode = presets.mode(of: command) {
            report.values.merge(presets.values(mode))
        }
        if directionCommand != nil, isOptimistic || direction == nil { report.direction = command.direction }
        if oscillationCommand != nil, isOptimistic || oscillation == nil { report.oscillates = command.oscillates }
        return report
    }
}
