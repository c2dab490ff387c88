package import BoundedJSON
package import LightKit

/// A light as it was announced or written by hand: who it is and how it speaks.
package struct MQTTEntity: Equatable, Sendable {
    package var description: LightDescription
    package var settings: MQTTLightSettings
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
        self.settings = settings
        hasOwnID = true
        losses = []
        keysNotUnderstood = []
    }

    /// Reads an announcement with long keys.
    ///
    /// - Parameters:
    ///   - keys: the announcement.
    ///   - component: `light` or `switch`.
    ///   - fallbackID: what it is known by without a `unique_id`.
    ///   - fallbackName: what it is called without any name.
    /// - Throws: ``MQTTProblem`` if it cannot be served.
    package init(
        _ keys: JSONObject, component: String, fallbackID: String, fallbackName: String
    ) throws(MQTTProblem) {
        let reader = KeyReader(keys: keys)
        let own = try reader.string("unique_id")
        let id = own ?? fallbackID
        guard LightIDRule.accepts(id) else { throw .about("unique_id", "is \(LightIDRule.problem)") }
        hasOwnID = own != nil
        settings = try MQTTLightSettings(reader, isSwitch: component == "switch")
        losses = reader.losses.map(\.text)
        keysNotUnderstood = reader.losses.map(\.key)
        let device = KeyReader(keys: keys["device"]?.object ?? [:])
        description = LightDescription(
            id: LightID(id), name: Self.name(reader, device, fallbackName), kind: settings.kind,
            capabilities: settings.capabilities, manufacturer: Self.text(device, "manufacturer"),
            model: Self.text(device, "model"),
            serialNumber: Self.text(device, "serial_number") ?? Self.firstIdentifier(device),
            firmware: Self.text(device, "sw_version"), suggestedRoom: Self.text(device, "suggested_area"))
    }

    /// Whether the source of an announcement wants it hidden: a setting, a diagnosis, or switched off by default.
    static func isHidden(_ keys: JSONObject) throws(MQTTProblem) -> Bool {
        let reader = KeyReader(keys: keys)
        let isEnabled = try reader.bool("enabled_by_default") ?? true
        let category = try reader.string("entity_category")
        return category != nil || !isEnabled
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
