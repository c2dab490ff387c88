import BoundedJSON
import DeviceKit
import HAPModel
import Jinja

/// A fan, whose power has the keys of a switch, with an optional speed, direction and oscillation (Lights 6.1).
struct MQTTFan: MQTTComponent {
    static let names: Set = ["fan"]
    static let kind = LightKind.fan
    private static let maximumSpeed = 1_000_000

    private var speedCommand, directionCommand, oscillationCommand: MQTTLightSettings.Command?
    private var speed, direction, oscillation: MQTTLightSettings.Source?
    /// The device's speeds.
    ///
    /// The lower bound is the slowest speed, and 0 means off.
    private var speeds = FanSpeeds(range: 1...100)
    /// The payload that means that the speed is unknown.
    private var resetSpeed = "None"
    private var oscillationOn = "oscillate_on"
    private var oscillationOff = "oscillate_off"

    var capabilities: LightCapabilities {
        .fan(
            speed: speedCommand != nil, direction: directionCommand != nil, oscillation: oscillationCommand != nil)
    }

    var sources: [MQTTLightSettings.Source?] { [speed, direction, oscillation] }

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
    }

    // MARK: Zigbee2MQTT

    /// Returns the fan that an expose describes, which may have a numeric speed or speed modes.
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
        let steps = steps(feature("mode")?["values"]?.array ?? [], model: device.json["definition"]?["model"]?.string)
        if let speed = feature("speed"), let property = device.property(speed) {
            let slowest = speed["value_min"]?.int ?? 1
            let fastest = speed["value_max"]?.int ?? 254
            if slowest >= 1, slowest < fastest, fastest <= maximumSpeed {
                fan.speeds = FanSpeeds(range: slowest...fastest)
                fan.speed = try settings.state("{{ value_json['\(property)'] }}")
                fan.speedCommand = .init(
                    topic: topic, template: try MessageTemplate(#"{"\#(property)":{{ value }}}"#))
            }
        } else if let mode = feature("mode"), let property = device.property(mode), !steps.isEmpty {
            let numbers = steps.enumerated().map { "'\($1)': \($0 + 1)" }.joined(separator: ", ")
            let names = steps.enumerated().map { "\($0 + 1): '\($1)'" }.joined(separator: ", ")
            fan.speeds = FanSpeeds(range: 1...steps.count)
            // Modes that aren't speeds get no value.
            fan.speed = try settings.state("{{ {\(numbers)}[value_json['\(property)']] | default('None') }}")
            fan.speedCommand = .init(
                topic: topic, template: try MessageTemplate(#"{"\#(property)":"{{ {\#(names)}[value] }}"}"#))
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

    /// Returns the modes that are speeds, slowest first.
    ///
    /// Zigbee2MQTT announces the same modes to Home Assistant as speeds.
    private static func steps(_ values: [JSONValue], model: String?) -> [String] {
        let known = Set(values.compactMap { $0.string ?? $0.int.map(String.init) })
        var names = ["low", "medium", "high"] + (1...9).map(String.init)
        // The fourth speed of this model is called "on", which has a different meaning in other models.
        if model == "99432" { names.insert("on", at: 3) }
        return names.filter(known.contains)
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
        if directionCommand != nil, isOptimistic || direction == nil { report.direction = command.direction }
        if oscillationCommand != nil, isOptimistic || oscillation == nil { report.oscillates = command.oscillates }
        return report
    }
}
