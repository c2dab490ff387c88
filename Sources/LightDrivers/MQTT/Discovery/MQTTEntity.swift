package import BoundedJSON
package import DeviceKit

/// A light as it was announced or written by hand: who it is and how it speaks.
package struct MQTTEntity: Equatable, Sendable {
    package var description: LightDescription
    package var settings: MQTTLightSettings
    /// The sensor that a reading is a part of, without its readings; `nil` if it is one of its own.
    package var device: LightDescription?
    /// Whether it has an id of its own and keeps it when it is announced elsewhere.
    package var hasOwnID: Bool
    /// Features that it lacks because their templates are not understood, for the operator.
    package var losses: [String]
    /// The keys of those templates.
    var keysNotUnderstood: [String]

    private static let longestName = 256

    /// A thing that was found in another way than by Home Assistant's discovery.
    init(_ description: LightDescription, settings: MQTTLightSettings) {
        self.description = description
        self.description.name = Self.cut(description.name)
        self.description.manufacturer = description.manufacturer.map(Self.cut)
        self.description.model = description.model.map(Self.cut)
        self.description.firmware = description.firmware.map(Self.cut)
        self.description.isOptimistic = settings.powerIsOptimistic
        self.settings = settings
        hasOwnID = true
        losses = []
        keysNotUnderstood = []
    }

    /// Reads an announcement with long keys.
    ///
    /// - Parameters:
    ///   - keys: the announcement.
    ///   - component: `light`, `switch`, or another that ``MQTTComponents`` has.
    ///   - fallbackID: what it is known by without a `unique_id`.
    ///   - fallbackName: what it is called without any name.
    /// - Throws: ``MQTTProblem`` if it cannot be served.
    package init(
        _ keys: JSONObject, component: String, fallbackID: String, fallbackName: String
    ) throws(MQTTProblem) {
        let device = KeyReader(keys: keys["device"]?.object ?? [:])
        let reader = KeyReader(keys: keys)
        reader.entity = TemplateEntity(component: component, reader, device: device, fallback: fallbackName)
        let own = try reader.string("unique_id").flatMap { $0.isEmpty ? nil : $0 }
        let isReading = Self.isReading(component)
        // The ids of sensors are their own: a sensor and a light may have the same unique_id.
        let id = own.map { isReading ? "\(component)/\($0)" : $0 } ?? fallbackID
        guard LightIDRule.accepts(id) else { throw .about("unique_id", "is \(LightIDRule.sentence)") }
        hasOwnID = own != nil
        settings = try MQTTLightSettings(reader, component: component)
        if let encoding = try reader.string("encoding"), !["utf-8", "utf8"].contains(encoding.lowercased()) {
            reader.lose("encoding", "\"\(MQTTProblem.quoted(encoding))\" is not supported; messages are read as UTF-8")
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
        guard isReading, hasOwnID, let name = Self.deviceID(device), LightIDRule.accepts("\(name)/sensors") else {
            return
        }
        join(LightID("\(name)/sensors"), name: Self.text(device, "name"))
    }

    /// Makes the reading a part of a sensor, by default with the reading's name.
    mutating func join(_ id: LightID, name: String? = nil) {
        var sensor = description
        sensor.id = id
        sensor.name = name ?? description.name
        sensor.capabilities = LightCapabilities()
        device = sensor
    }

    /// Whether things of this component are readings of sensors.
    static func isReading(_ component: String) -> Bool { MQTTComponents.named(component)?.kind == .sensor }

    /// What a device is known by: an identifier, or else an address.
    private static func deviceID(_ device: KeyReader) -> String? {
        firstIdentifier(device) ?? device.keys["connections"]?.array?.first?.array?.last?.string
    }

    /// Whether an announcement is of nothing to show.
    ///
    /// Its source wants it hidden (a setting, a diagnosis, switched off by default), or it is a sensor of something that is
    /// not shown. The battery of a sensor is a diagnosis and is shown.
    static func isHidden(_ keys: JSONObject, component: String) throws(MQTTProblem) -> Bool {
        let reader = KeyReader(keys: keys)
        let isEnabled = try reader.bool("enabled_by_default") ?? true
        let category = try reader.string("entity_category")
        let isUnwanted: Bool
        if isReading(component) {
            let isBattery = try reader.string("device_class") == "battery"
            isUnwanted = category != nil && !isBattery
        } else {
            let identifiers = keys["device"]?["identifiers"]
            let isSetting = Zigbee2MQTTSettings.isSetting(
                commandTopic: try reader.string("command_topic"),
                device: (identifiers?.array ?? identifiers.map { [$0] } ?? []).compactMap(\.string))
            isUnwanted = category != nil || isSetting
        }
        guard isEnabled, !isUnwanted else { return true }
        return try MQTTComponents.named(component)?.isShown(reader, component: component) == false
    }

    /// The device's name, and the thing's own behind it, if it has one.
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

    /// Whole characters up to a number of bytes, so that no name is without bounds.
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
