import BoundedJSON
import DeviceKit
import HAPModel
import Jinja

/// A humidifier or a dehumidifier, whose power has the keys of a switch, with a target humidity (Lights 6.8).
struct MQTTHumidifier: MQTTComponent {
    static let names: Set = ["humidifier"]
    static let kind = LightKind.humidifier
    static let abbreviations = ["pl_rst_hum": "payload_reset_humidity"]
    static let keys = [
        "action_template", "action_topic", "current_humidity_template", "current_humidity_topic", "device_class",
        "max_humidity", "min_humidity", "payload_reset_humidity", "target_humidity_command_template",
        "target_humidity_command_topic", "target_humidity_state_template", "target_humidity_state_topic",
    ]

    private var features = HumidifierFeatures()
    private var target, current, action: MQTTLightSettings.Source?
    private var targetCommand: MQTTLightSettings.Command
    /// The payload that means that a humidity is unknown.
    private var reset = "None"

    var capabilities: LightCapabilities { LightCapabilities() }

    var functions: [AccessoryFunction] { [features.function] }

    var sources: [MQTTLightSettings.Source?] { [target, current, action] }

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        guard let topic = try reader.topic("command_topic") else { throw .about("command_topic", "is missing") }
        settings.commandTopic = topic
        settings.isOptimistic = try reader.bool("optimistic") ?? false
        settings.powerTemplate = try reader.known(
            "command_template", else: "on and off commands don't use the template")
        settings.power = try reader.source(topic: "state_topic", template: "state_value_template")
        guard let command = try reader.command("target_humidity", else: "the humidity can't be set") else {
            throw .about(
                "target_humidity_command_topic", reader.losses.isEmpty ? "is missing" : "has an invalid template")
        }
        targetCommand = command
        target = try reader.source(topic: "target_humidity_state_topic", template: "target_humidity_state_template")
        current = try reader.source(topic: "current_humidity_topic", template: "current_humidity_template")
        action = try reader.source(topic: "action_topic", template: "action_template")
        reset = try reader.string("payload_reset_humidity") ?? reset
        let low = try reader.number("min_humidity", in: 0...100) ?? 0
        let high = try reader.number("max_humidity", in: 0...100) ?? 100
        guard low < high else { throw .about("max_humidity", "must be greater than min_humidity") }
        features.humidities = low...high
        features.dehumidifies = try reader.string("device_class") == "dehumidifier"
        features.measuresHumidity = current != nil
        features.reportsActivity = action != nil
    }

    /// Returns `nil`, because Zigbee2MQTT has no type of exposes for humidifiers.
    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? { nil }

    // MARK: Messages

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        var report = LightReport()
        report.on = light.receivedPower(topic: topic, payload)
        func percentage(_ source: MQTTLightSettings.Source?) -> Double? {
            guard let text = light.text(source, topic, payload), text != reset else { return nil }
            return text.plainNumber.flatMap { 0...100 ~= $0 ? $0 : nil }
        }
        if let percent = percentage(target) { report.values[Property(features.target)] = .float(percent) }
        report.values[.currentRelativeHumidity] = percentage(current)
        switch light.text(action, topic, payload) {
        case "off": report.humidifierActivity = .inactive
        case "idle": report.humidifierActivity = .idle
        case "humidifying": report.humidifierActivity = .humidifying
        case "drying": report.humidifierActivity = .dehumidifying
        default: break
        }
        return report
    }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        if light.isUnreadablePower(topic: topic, payload) { return true }
        for source in [target, current] {
            if let text = light.text(source, topic, payload), text != reset, text.plainNumber == nil { return true }
        }
        return false
    }

    // MARK: Commands

    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        var messages: [MQTTMessage] = []
        if let on = command.on {
            messages.append(
                try light.powerMessage(on ? light.settings.payloadOn : light.settings.payloadOff))
            guard on else { return messages }
        }
        if let percent = wanted(command) {
            messages.append(try light.message(targetCommand, String(percent), ["value": .int(percent)]))
        }
        guard !messages.isEmpty else { throw .refused("the humidifier doesn't support this command") }
        return messages
    }

    /// Returns the target humidity of a command, clamped to the device's limits.
    private func wanted(_ command: LightCommand) -> Int? {
        guard let percent = command.values[Property(features.target)]?.number else { return nil }
        let limits = features.humidities
        return Int(min(max(percent, limits.lowerBound), limits.upperBound).rounded())
    }

    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport {
        var report = LightReport()
        if light.settings.powerIsOptimistic { report.on = command.on }
        guard command.on != false, light.settings.isOptimistic || target == nil, let percent = wanted(command) else {
            return report
        }
        report.values[Property(features.target)] = .float(Double(percent))
        return report
    }
}
