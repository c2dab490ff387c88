package import BoundedJSON
package import DeviceKit

/// An announced or hand-written entity, such as a light: its description, and the settings of its protocol.
package struct MQTTEntity: Equatable, Sendable {
    package var description: LightDescription
    package var settings: MQTTLightSettings
    /// For a reading, a button or a water valve, the description of the accessory that it belongs to, without the
    /// accessory's functions; `nil` if it is shown as a separate accessory.
    package var device: LightDescription?
    /// The id of the device that the entity belongs to, or `nil` if it is unknown.
    package var deviceID: String?
    /// A Boolean value that indicates whether the entity has a unique id, so that it is still the same entity if it is
    /// announced on another topic.
    package var hasOwnID: Bool
    /// The messages for the operator about features that don't work, for example because their templates are invalid.
    package var losses: [String]
    /// The keys that caused the losses.
    var keysNotUnderstood: [String]

    private static let longestName = 256

    /// Creates an entity from a source other than Home Assistant's discovery.
    init(_ description: LightDescription, settings: MQTTLightSettings) {
        self.description = description
        self.description.name = Self.cut(description.name)
        self.description.manufacturer = description.manufacturer.map(Self.cut)
        self.description.model = description.model.map(Self.cut)
        self.description.firmware = description.firmware.map(Self.cut)
        self.description.isOptimistic = settings.powerIsOptimistic
        if let component = settings.component { self.description.functions = component.functions }
        self.settings = settings
        hasOwnID = true
        losses = []
        keysNotUnderstood = []
    }

    /// Parses an announcement whose keys are in their long forms.
    ///
    /// - Parameters:
    ///   - keys: The keys and values of the announcement.
    ///   - component: `light`, `switch`, or a component in ``MQTTComponents``.
    ///   - fallbackID: The id if the announcement has no `unique_id`.
    ///   - fallbackName: The name if neither the entity nor its device has a name.
    /// - Throws: ``MQTTProblem`` if the entity isn't supported.
    package init(
        _ keys: JSONObject, component: String, fallbackID: String, fallbackName: String
    ) throws(MQTTProblem) {
        let device = KeyReader(keys: keys["device"]?.object ?? [:])
        let reader = KeyReader(keys: keys)
        reader.entity = TemplateEntity(component: component, reader, device: device, fallback: fallbackName)
        let own = try reader.string("unique_id").flatMap { $0.isEmpty ? nil : $0 }
        let isPart = Self.isPart(component)
        // Add the component to the id of a sensor or a button, because a sensor and a light may have the same
        // unique_id.
        let id = own.map { isPart ? "\(component)/\($0)" : $0 } ?? fallbackID
        guard LightIDRule.accepts(id) else { throw .about("unique_id", "is \(LightIDRule.sentence)") }
        // A trigger has no unique_id.
        hasOwnID = own != nil || component == "device_automation"
        settings = try MQTTLightSettings(reader, component: component)
        if let encoding = try reader.string("encoding"), !["utf-8", "utf8"].contains(encoding.lowercased()) {
            reader.lose("encoding", "\"\(MQTTProblem.quoted(encoding))\" isn't supported; messages are read as UTF-8")
        }
        losses = reader.losses.map(\.text)
        keysNotUnderstood = reader.losses.map(\.key)
        description = LightDescription(
            id: LightID(id), name: Self.name(reader, device, fallbackName), kind: settings.kind,
            capabilities: settings.capabilities, manufacturer: Self.text(device, "manufacturer"),
            model: Self.text(device, "model"),
            serialNumber: Self.text(device, "serial_number") ?? Self.firstIdentifier(device),
            firmware: Self.text(device, "sw_version"), suggestedRoom: Self.text(device, "suggested_area"))
        description.isOptimistic = settings.powerIsOptimistic
        if let component = settings.component { description.functions = component.functions }
        deviceID = Self.deviceID(device)
        guard hasOwnID, let name = deviceID, LightIDRule.accepts("\(name)/sensors") else { return }
        if isPart {
            join(LightID("\(name)/sensors"), name: Self.text(device, "name"))
        } else {
            joinIrrigation(named: Self.text(device, "name"))
        }
    }

    /// Makes this entity a part of the device's irrigation system if it is a water valve.
    mutating func joinIrrigation(named name: String?) {
        guard let deviceID, (settings.component as? MQTTValve)?.canIrrigate == true,
            LightIDRule.accepts("\(deviceID)/valves")
        else { return }
        join(LightID("\(deviceID)/valves"), name: name)
    }

    /// Makes this reading or button a part of the accessory with the given id and name.
    ///
    /// If the name is `nil`, the accessory gets the reading's name.
    mutating func join(_ id: LightID, name: String? = nil) {
        var sensor = description
        sensor.id = id
        sensor.name = name ?? description.name
        sensor.capabilities = LightCapabilities()
        device = sensor
    }

    /// Returns whether entities of this component are parts of a device, such as readings.
    static func isPart(_ component: String) -> Bool { MQTTComponents.named(component)?.isPart == true }

    /// Returns the id of a device: its first identifier, or its first address if it has no identifiers.
    private static func deviceID(_ device: KeyReader) -> String? {
        firstIdentifier(device) ?? device.keys["connections"]?.array?.first?.array?.last?.string
    }

    /// Returns whether an announced entity is hidden.
    ///
    /// Settings, diagnostic entities, entities that are disabled by default, and sensors of unsupported classes are
    /// hidden. A battery, a tamper switch and a meter are shown although they are diagnostic entities.
    static func isHidden(_ keys: JSONObject, component: String) throws(MQTTProblem) -> Bool {
        let reader = KeyReader(keys: keys)
        let isEnabled = try reader.bool("enabled_by_default") ?? true
        let category = try reader.string("entity_category")
        let isUnwanted: Bool
        if isPart(component) {
            // Some publishers mark the power of an outlet as a diagnostic value.
            let deviceClass = try reader.string("device_class") ?? ""
            isUnwanted = category != nil && !["battery", "tamper", "power", "energy"].contains(deviceClass)
        } else {
            let identifiers = keys["device"]?["identifiers"]
            let isSetting = Zigbee2MQTTSettings.isSetting(
                commandTopic: try reader.string("command_topic"),
                device: (identifiers?.array ?? identifiers.map { [$0] } ?? []).compactMap(\.string))
            isUnwanted = category != nil || isSetting
        }
        guard isEnabled, !isUnwanted else { return true }
        guard MQTTComponents.named(component) != nil else { return false }
        return try MQTTComponents.type(of: component, reader) == nil
    }

    /// Returns the device's name, followed by the entity's name if it has one.
    private static func name(_ entity: KeyReader, _ device: KeyReader, _ fallback: String) -> String {
        let own = text(entity, "name")
        guard let name = text(device, "name") else { return own ?? fallback }
        guard let own, own != name else { return name }
        return own.hasPrefix(name + " ") ? own : "\(name) \(own)"
    }

    private static func firstIdentifier(_ device: KeyReader) -> String? {
        let value = device.keys["identifiers"]
        guard let text = value?.string ?? value?.array?.first?.string, !text.isEmpty else { return nil }
        return cut(text)
    }

    private static func text(_ reader: KeyReader, _ key: String) -> String? {
        guard let text = try? reader.string(key), !text.isEmpty else { return nil }
        return cut(text)
    }

    /// Returns the longest prefix of whole characters within the maximum number of bytes.
    private static func cut(_ text: String) -> String {
        guard text.utf8.count > longestName else { return text }
        var result = ""
        for character in text.prefix(longestName) {
            guard result.utf8.count + character.utf8.count <= longestName else { break }
            result.append(character)
        }
        return result
    }
}
