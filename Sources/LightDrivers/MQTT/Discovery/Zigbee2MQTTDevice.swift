import BoundedJSON
import DeviceKit

/// A device or a group in the lists of Zigbee2MQTT.
struct Zigbee2MQTTDevice {
    /// The template for availability messages.
    ///
    /// Newer versions of Zigbee2MQTT send `{"state": "online"}`, older versions `online`.
    private static let stateTemplate = "{{ value_json.state if value_json is mapping else value }}"

    let base: String
    let json: JSONValue
    /// The device's address; `nil` for a group.
    let serial: String?

    var address: String { serial ?? "" }

    /// Returns the name of the property that messages use for a feature, or `nil` if the name isn't safe within a
    /// template.
    func property(_ expose: JSONValue) -> String? {
        guard let property = expose["property"]?.string, (1...64).contains(property.utf8.count),
            property.unicodeScalars.allSatisfy({
                $0 == "_" || ($0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil))
            })
        else { return nil }
        return property
    }

    /// Returns the values for two states, such as on and off, in the text form that templates produce.
    func texts(_ on: JSONValue, _ off: JSONValue) throws(MQTTProblem) -> (on: String, off: String) {
        let values = KeyReader(keys: ["value_on": on, "value_off": off])
        return (try values.string("value_on") ?? "", try values.string("value_off") ?? "")
    }

    /// Returns the settings of one of the device's entities, with the device's topics.
    func settings(_ schema: MQTTLightSettings.Schema, _ kind: LightKind) throws(MQTTProblem) -> MQTTLightSettings {
        let topic = "\(base)/\(try name())"
        var settings = MQTTLightSettings(commandTopic: "\(topic)/set", schema: schema, kind: kind)
        settings.power = .init(topic: topic)
        settings.availability = Availability(
            sources: [
                .init(topic: "\(base)/bridge/state", template: try MessageTemplate(Self.stateTemplate)),
                // A device reports its availability only if that feature is enabled.
                .init(
                    topic: "\(topic)/availability", template: try MessageTemplate(Self.stateTemplate), isOptional: true),
            ], mode: .all)
        return settings
    }

    /// Returns an entity of the device with the given id and settings.
    ///
    /// Its name is the device's name, followed by `part` if that isn't `nil`.
    func entity(_ id: String, _ settings: MQTTLightSettings, part: String? = nil) throws(MQTTProblem) -> MQTTEntity {
        guard LightIDRule.accepts(id) else { throw .about("ieee_address", "is \(LightIDRule.sentence)") }
        let definition = json["definition"]
        let name = try name()
        var entity = MQTTEntity(
            LightDescription(
                id: LightID(id), name: part.map { "\(name) \($0)" } ?? name, kind: settings.kind,
                capabilities: settings.capabilities,
                manufacturer: definition?["vendor"]?.string ?? json["manufacturer"]?.string,
                model: definition?["model"]?.string ?? json["model_id"]?.string, serialNumber: serial,
                firmware: json["software_build_id"]?.string),
            settings: settings)
        // Use the identifier from the device's or group's Home Assistant announcements.
        entity.deviceID = serial.map { "zigbee2mqtt_\($0)" } ?? groupID
        return entity
    }

    /// The identifier of a group in Home Assistant announcements, which contains the Unicode code points of the base
    /// topic.
    private var groupID: String? {
        let code = base.unicodeScalars.map { String($0.value) }.joined()
        return json["id"]?.int.map { "zigbee2mqtt_\(code)_\($0)" }
    }

    /// Returns the friendly name, which is a part of topics.
    ///
    /// It may contain slashes, but no wildcards.
    private func name() throws(MQTTProblem) -> String {
        let keys = KeyReader(keys: ["friendly_name": json["friendly_name"] ?? .null])
        guard let name = try keys.topic("friendly_name") else { throw .about("friendly_name", "is missing") }
        return name
    }
}

extension MQTTLightSettings {
    /// Returns a source that uses a template to extract a value from the messages about the device's state.
    func state(_ template: String) throws(MQTTProblem) -> Source {
        var source = power ?? Source(topics: [])
        source.template = try MessageTemplate(template)
        return source
    }

    /// Adds a query for a property, which is sent to make the device report its state.
    mutating func ask(for property: String) {
        let topic = String(commandTopic.dropLast("/set".count)) + "/get"
        poll = MQTTMessage(topic: topic, text: JSONValue.object([property: ""]).text)
    }
}
