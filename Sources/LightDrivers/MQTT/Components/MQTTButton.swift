import BoundedJSON
import DeviceKit
import HAPModel

/// Buttons: an `event` entity or a trigger of Home Assistant's discovery, or the actions of Zigbee2MQTT and Tasmota
/// (Lights 6.4).
struct MQTTButton: MQTTComponent {
    /// The kinds of announcements, in ascending order of preference: a publisher may announce its buttons several
    /// times.
    enum Form: Int, Comparable, Sendable {
        case event, trigger, list

        static func < (a: Form, b: Form) -> Bool { a.rawValue < b.rawValue }
    }

    static let names: Set = ["device_automation", "event"]
    static let kind = LightKind.button
    static let abbreviations = [
        "atype": "automation_type", "evt_typ": "event_types", "pl": "payload", "stype": "subtype", "t": "topic",
    ]
    static let isPart = true
    private static let surplusText = "only the first \(ButtonWords.maximumButtons) buttons are shown"

    let form: Form
    let words: ButtonWords
    /// The payload of a trigger, or `nil` if every message is a press.
    private var payload: String?

    var capabilities: LightCapabilities {
        var capabilities = LightCapabilities()
        capabilities.buttons = words.buttons
        return capabilities
    }

    /// Creates buttons that are found without Home Assistant's discovery.
    init(_ words: ButtonWords) {
        form = .list
        self.words = words
    }

    // MARK: Home Assistant

    static func isShown(_ reader: KeyReader, component: String) throws(MQTTProblem) -> Bool {
        if component == "device_automation", try reader.string("automation_type") != "trigger" { return false }
        return try !words(reader, component).buttons.isEmpty
    }

    private static func words(_ reader: KeyReader, _ component: String) throws(MQTTProblem) -> ButtonWords {
        guard component == "event" else {
            return ButtonWords(
                type: try reader.string("type") ?? "", subtype: try reader.string("subtype") ?? "")
        }
        let name = try reader.string("device_class")
        // Events of other classes, such as motion, aren't presses.
        guard name == nil || name == "button" || name == "doorbell" else { return ButtonWords([]) }
        guard let types = reader.keys["event_types"]?.array else { throw .about("event_types", "isn't a list") }
        let title = name == "doorbell" ? "Doorbell" : "Button"
        return ButtonWords(
            types.compactMap(\.string), isStrict: name == nil, isDoorbell: name == "doorbell",
            of: .init(
                id: try reader.string("unique_id").flatMap { $0.isEmpty ? nil : $0 } ?? "button",
                name: try reader.string("name").flatMap { $0.isEmpty ? nil : $0 } ?? title))
    }

    init(_ reader: KeyReader, component: String, _ settings: inout MQTTLightSettings) throws(MQTTProblem) {
        words = try Self.words(reader, component)
        if component == "event" {
            form = .event
            settings.power = try reader.source(topic: "state_topic", template: "value_template")
        } else {
            form = .trigger
            payload = try reader.string("payload").flatMap { $0.isEmpty ? nil : $0 }
            settings.power = try reader.source(topic: "topic", template: "value_template")
        }
        if words.surplus > 0 { reader.lose("event_types", Self.surplusText) }
        guard settings.power != nil else {
            throw .about(component == "event" ? "state_topic" : "topic", "is missing or has an invalid template")
        }
    }

    // MARK: Zigbee2MQTT

    static func entity(_ expose: JSONValue, of device: Zigbee2MQTTDevice) throws(MQTTProblem) -> MQTTEntity? {
        guard expose["name"]?.string == "action", expose["type"]?.string == "enum",
            let property = device.property(expose)
        else { return nil }
        let words = ButtonWords((expose["values"]?.array ?? []).compactMap(\.string))
        guard !words.buttons.isEmpty else { return nil }
        var settings = try device.settings(.component(MQTTButton(words)), kind)
        settings.power = try settings.state("{{ value_json['\(property)'] }}")
        let endpoint = expose["endpoint"]?.string.map { "_\($0)" } ?? ""
        var entity = try device.entity("event/\(device.address)_action\(endpoint)_zigbee2mqtt", settings)
        if words.surplus > 0 { entity.losses.append("action: \(surplusText)") }
        entity.join(LightID("zigbee2mqtt_\(device.address)/sensors"))
        return entity
    }

    // MARK: Messages

    func received(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight, now: Duration) -> LightReport {
        LightReport()
    }

    func events(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> PropertyValues {
        guard let text = light.text(light.settings.power, topic, payload) else { return PropertyValues() }
        switch form {
        case .list: return words.events(text)
        case .event: return Self.eventType(text).map(words.events) ?? PropertyValues()
        case .trigger: return self.payload == nil || self.payload == text ? words.events("") : PropertyValues()
        }
    }

    private static func eventType(_ text: String) -> String? {
        MQTTPayload(Array(text.utf8)).json?["event_type"]?.string
    }

    func isUnreadable(topic: String, _ payload: MQTTPayload, by light: inout MQTTLight) -> Bool {
        guard form == .event, !payload.isRetained, let text = light.text(light.settings.power, topic, payload) else {
            return false
        }
        // Home Assistant ignores an empty object, too.
        return text != "{}" && Self.eventType(text) == nil
    }

    func messages(for command: LightCommand, to light: inout MQTTLight) throws(LightError) -> [MQTTMessage] {
        throw .refused("a button accepts no commands")
    }
}
