import BoundedJSON
import DeviceKit
import HAPModel

/// A choice of one of several options: the `select` component (Lights 6.12).
struct MQTTChoice: MQTTComponent {
    static let names: Set = ["select"]
    static let kind = LightKind.scene
    static let abbreviations = ["ops": "options"]
    static let isPart = true

    private let id: String
    private let options: [String]
    private let command: MQTTLightSettings.Command

    var capabilities: LightCapabilities { LightCapabilities() }

    var functions: [AccessoryFunction] { AccessoryFunction.choice(id, options) }

    static func isShown(_ reader: KeyReader, component: String) throws(MQTTProblem) -> Bool {
        reader.keys["options"]?.array?.isEmpty != true && !reader.isOfZigbee2MQTT
    }

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        guard let list = reader.keys["options"]?.array else { throw .about("options", "isn't a list") }
        let options = list.compactMap(\.string)
        guard options.count == list.count, options.allSatisfy({ (1...64).contains($0.utf8.count) }) else {
            throw .about("options", "contains an option that isn't text of 1 to 64 bytes")
        }
        guard Set(options).count == options.count else { throw .about("options", "contains an option twice") }
        guard options.count <= AccessoryFunction.maximumOptions else {
            throw .about(
                "options", "has more than \(AccessoryFunction.maximumOptions) options, and each option becomes a switch"
            )
        }
        let command = try reader.command(
            topic: "command_topic", template: "command_template", else: "no option can be chosen")
        guard let command else { throw .about("command_topic", "is missing or has an invalid template") }
        self.options = options
        self.command = command
        settings.commandTopic = command.topic
        settings.isOptimistic = try reader.bool("optimistic") ?? false
        settings.power = try reader.source(topic: "state_topic", template: "value_template")
        id = try reader.partID(command.topic)
    }

    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? { nil }

    // MARK: Messages

    private func property(_ option: String) -> Property {
        Property(.on, of: AccessoryFunction.optionID(option, of: id))
    }

    private func report(_ option: String) -> LightReport {
        var report = LightReport()
        for other in options { report.values[property(other)] = .bool(other == option) }
        return report
    }

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        guard let option = light.text(light.settings.power, topic, payload), options.contains(option) else {
            return LightReport()
        }
        return report(option)
    }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        light.text(light.settings.power, topic, payload).map { !options.contains($0) } ?? false
    }

    /// Returns the option that a command selects, or the last one if the command has several options.
    private func option(_ command: LightCommand) -> String? {
        var chosen: String?
        for (property, value) in command.values where value?.bool == true {
            chosen = options.first { self.property($0) == property } ?? chosen
        }
        return chosen
    }

    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        guard let option = option(command) else { throw .refused("an option can only be switched on") }
        return [try light.message(self.command, option, [:])]
    }

    func handedOver(_ command: LightCommand, to light: inout MQTTLight) -> LightReport {
        guard light.settings.powerIsOptimistic, let option = option(command) else { return LightReport() }
        return report(option)
    }
}
