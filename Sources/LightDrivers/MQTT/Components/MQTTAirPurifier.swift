import BoundedJSON
import DeviceKit
import HAPModel
import Jinja

/// An air purifier, whose power has the keys of a switch, with an optional speed, automatic mode and filter (Lights
/// 6.9).
///
/// Home Assistant announces purifiers as fans, so only Zigbee2MQTT's list and the configuration describe them.
struct MQTTAirPurifier: MQTTComponent {
    static let names: Set = ["air_purifier"]
    static let kind = LightKind.airPurifier
    static let keys = [
        "filter_change_template", "filter_change_topic", "filter_life_template", "filter_life_topic",
        "payload_reset_percentage", "percentage_command_template", "percentage_command_topic",
        "percentage_state_topic", "percentage_value_template", "preset_mode_command_template",
        "preset_mode_command_topic", "preset_mode_state_topic", "preset_mode_value_template", "preset_modes",
        "speed_range_max", "speed_range_min",
    ]
    private static let maximumSpeed = 1_000_000
    /// The speed in percent for the manual mode of a purifier whose speed isn't known.
    private static let usualSpeed = 50
    /// The default lifetime of IKEA's filters in minutes.
    private static let filterMinutes = 259_200.0

    private var speedCommand, modeCommand: MQTTLightSettings.Command?
    private var speed, mode, life, change: MQTTLightSettings.Source?
    private var speeds = FanSpeeds(range: 1...100)
    /// The payload that means that the speed is unknown.
    private var resetSpeed = "None"
    /// The words for the automatic mode and for a manual mode.
    private var auto: String?
    private var manual: String?
    /// The minutes after which a filter is used up, if the device reports its age instead of its remaining life.
    private var filterMinutes: Double?

    var capabilities: LightCapabilities { LightCapabilities() }

    var functions: [AccessoryFunction] {
        var features = AirPurifierFeatures()
        features.hasSpeed = speedCommand != nil
        features.hasAuto = auto != nil
        features.reportsFilterLife = life != nil
        features.reportsFilterChange = change != nil
        return features.functions
    }

    var sources: [MQTTLightSettings.Source?] { [speed, mode, life, change] }

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        guard let topic = try reader.topic("command_topic") else { throw .about("command_topic", "is missing") }
        settings.commandTopic = topic
        settings.isOptimistic = try reader.bool("optimistic") ?? false
        settings.powerTemplate = try reader.known(
            "command_template", else: "on and off commands don't use the template")
        settings.power = try reader.source(topic: "state_topic", template: "state_value_template")
        speedCommand = try reader.command("percentage", else: "the speed can't be set")
        speed = try reader.source("percentage")
        modeCommand = try reader.command("preset_mode", else: "the mode can't be set")
        mode = try reader.source("preset_mode")
        if modeCommand != nil {
            let names = try reader.words("preset_modes") ?? ["auto"]
            auto = names.first { $0.lowercased() == "auto" }
            manual = names.first { $0 != auto }
        }
        life = try reader.source(topic: "filter_life_topic", template: "filter_life_template")
        change = try reader.source(topic: "filter_change_topic", template: "filter_change_template")
        resetSpeed = try reader.string("payload_reset_percentage") ?? resetSpeed
        let slowest = try reader.integer("speed_range_min", in: 1...Self.maximumSpeed) ?? 1
        let fastest = try reader.integer("speed_range_max", in: 1...Self.maximumSpeed) ?? 100
        guard slowest < fastest else { throw .about("speed_range_max", "must be greater than speed_range_min") }
        speeds = FanSpeeds(range: slowest...fastest)
    }

    // MARK: Zigbee2MQTT

    /// Returns the purifier that an expose for a fan describes; `nil` if the device has no filter.
    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? {
        guard expose["type"]?.string == "fan" else { return nil }
        let others = device.json["definition"]?["exposes"]?.array ?? []
        func property(_ name: String) -> String? {
            others.first { $0["name"]?.string == name }.flatMap { device.property($0) }
        }
        let (age, change) = (property("filter_age"), property("replace_filter"))
        let features = (expose["features"]?.array ?? []).filter { ((($0["access"]?.int ?? 0) & 2) != 0) }
        func feature(_ name: String) -> JSONValue? { features.first { $0["name"]?.string == name } }
        guard age != nil || change != nil, let state = feature("state"), let power = device.property(state),
            let on = state["value_on"], let off = state["value_off"]
        else { return nil }
        var purifier = MQTTAirPurifier()
        var settings = try device.settings(.component(purifier), kind)
        if let mode = feature("mode"), let property = device.property(mode) {
            try purifier.read(modes: mode["values"]?.array ?? [], property, settings)
        }
        if let speed = property("fan_speed"), purifier.speedCommand != nil {
            purifier.speed = try settings.state("{{ value_json['\(speed)'] }}")
        }
        purifier.life = try age.map { (name) throws(MQTTProblem) in try settings.state("{{ value_json['\(name)'] }}") }
        purifier.filterMinutes = filterMinutes
        purifier.change = try change.map { (name) throws(MQTTProblem) in
            try settings.state("{{ value_json['\(name)'] }}")
        }
        settings.schema = .component(purifier)
        settings.power = try settings.state("{{ value_json['\(power)'] }}")
        settings.payloadOn = JSONValue.object([power: on]).text
        settings.payloadOff = JSONValue.object([power: off]).text
        (settings.stateOn, settings.stateOff) = try device.texts(on, off)
        settings.ask(for: power)
        // Use the id of the fan that Zigbee2MQTT announces for the device.
        return try device.entity("\(device.address)_fan_zigbee2mqtt", settings)
    }

    private mutating func read(
        modes: [JSONValue], _ property: String, _ settings: MQTTLightSettings
    ) throws(MQTTProblem) {
        let known = Set(modes.compactMap { $0.string ?? $0.int.map(String.init) })
        let steps = (1...9).map(String.init).filter(known.contains)
        mode = try settings.state("{{ value_json['\(property)'] }}")
        modeCommand = .init(
            topic: settings.commandTopic, template: try MessageTemplate(#"{"\#(property)":"{{ value }}"}"#))
        auto = known.contains("auto") ? "auto" : nil
        guard steps.count > 1 else { return }
        speeds = FanSpeeds(range: 1...steps.count)
        // Modes that aren't speeds get no value.
        let numbers = steps.enumerated().map { "'\($1)': \($0 + 1)" }.joined(separator: ", ")
        speed = try settings.state("{{ {\(numbers)}[value_json['\(property)']] | default('None') }}")
        speedCommand = modeCommand
    }

    private init() {}

    // MARK: Messages

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        var report = LightReport()
        report.on = light.receivedPower(topic: topic, payload)
        if let text = light.text(speed, topic, payload), text != resetSpeed,
            let value = text.plainNumber.flatMap({ Int(exactly: $0) }), value > 0
        {
            report.speed = light.asked(.rotationSpeed, whenTold: value) ?? speeds.percent(value)
            light.memory.speed = report.speed
        }
        if let auto, let word = light.text(mode, topic, payload) { report.purifiesAutomatically = word == auto }
        if let number = light.text(life, topic, payload)?.plainNumber, number >= 0 {
            let percent = filterMinutes.map { 100 - number / $0 * 100 } ?? number
            report.filterLife = min(max(percent, 0), 100).rounded()
        }
        if let text = light.text(change, topic, payload) {
            report.needsNewFilter = ["true", "on", "1", "yes"].contains(text.lowercased())
        }
        return report
    }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        light.isUnreadablePower(topic: topic, payload)
    }

    /// Returns the messages for a command, power first.
    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        var messages: [MQTTMessage] = []
        if let on = command.on {
            messages.append(
                try light.powerMessage(on ? light.settings.payloadOn : light.settings.payloadOff))
            guard on else { return messages }
        }
        var percent = command.speed
        switch command.purifiesAutomatically {
        case true?:
            if let auto, let modeCommand { messages.append(try light.message(modeCommand, auto, [:])) }
        case false?:
            // Setting a speed ends the automatic mode. If the device has no speeds, set another mode instead.
            if speedCommand == nil, let manual, let modeCommand {
                messages.append(try light.message(modeCommand, manual, [:]))
            }
            percent = percent ?? light.memory.speed ?? Self.usualSpeed
        case nil: break
        }
        if let percent, let speedCommand {
            let value = speeds.value(percent)
            light.remember(.rotationSpeed, asked: percent, told: value)
            messages.append(try light.message(speedCommand, String(value), ["value": .int(value)]))
        }
        guard !messages.isEmpty else { throw .refused("the air purifier doesn't support this command") }
        return messages
    }

    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport {
        var report = LightReport()
        let isOptimistic = light.settings.isOptimistic
        if light.settings.powerIsOptimistic { report.on = command.on }
        guard command.on != false else { return report }
        if speedCommand != nil, isOptimistic || speed == nil { report.speed = command.speed }
        if auto != nil, isOptimistic || mode == nil { report.purifiesAutomatically = command.purifiesAutomatically }
        return report
    }
}
