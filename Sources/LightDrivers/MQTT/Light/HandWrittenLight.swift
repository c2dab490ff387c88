import BoundedJSON
import DeviceKit
import SystemKit

/// A light in the configuration, for a device without announcements.
///
/// It has an id and the keys of an announcement in their long forms.
struct HandWrittenLight: Decodable {
    private(set) var entity: MQTTEntity

    struct CodingKeys: CodingKey, CaseIterable, Hashable {
        let stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }

        static let id = CodingKeys("id")
        static let kind = CodingKeys("kind")
        static let availability = CodingKeys("availability")
        static let modes = CodingKeys("supported_color_modes")

        private static let forms = ["hs", "xy", "rgb", "rgbw", "rgbww", "color_temp", "brightness"]

        /// The keys whose values are text, numbers or Booleans.
        static let scalars: [CodingKeys] =
            [
                "name", "schema", "command_topic", "state_topic", "state_value_template", "value_template",
                "payload_on", "payload_off", "state_on", "state_off", "on_command_type", "optimistic", "qos",
                "brightness", "brightness_scale", "white_scale", "white_command_topic", "min_mireds", "max_mireds",
                "min_kelvin", "max_kelvin", "color_temp_kelvin", "color_mode_state_topic",
                "color_mode_value_template", "availability_topic", "availability_template", "availability_mode",
                "payload_available", "payload_not_available", "retain", "command_template", "command_on_template",
                "command_off_template", "state_template", "brightness_template", "color_temp_template", "red_template",
                "green_template", "blue_template",
            ].map(CodingKeys.init)
            + forms.flatMap { form in
                ["command_topic", "state_topic", "value_template", "command_template"].map {
                    CodingKeys("\(form)_\($0)")
                }
            }

        /// The keys of all components, which only devices of the matching kind may have.
        static let components = Set(MQTTComponents.all.flatMap { $0.keys }).sorted().map(CodingKeys.init)

        static let allCases = [id, kind, availability, modes] + scalars + components
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let id = try container.decode(String.self, forKey: .id)
        guard LightIDRule.accepts(id) else {
            throw ConfigurationProblem(
                LightIDRule.problem, remedy: LightIDRule.remedy, forKey: .id, in: container)
        }
        var keys: JSONObject = ["unique_id": .string(id)]
        let kind = try container.decodeName(HandWrittenKind.self, forKey: .kind)?.kind ?? .light
        var codeFile: SecretFile?
        for key in CodingKeys.scalars + CodingKeys.components where container.contains(key) {
            let owners = MQTTComponents.owners(of: key.stringValue)
            if let owner = owners.first, !owners.contains(kind) {
                throw ConfigurationProblem(
                    "only for kind: \(owner), but the kind is \(kind)",
                    remedy: "omit it, or set kind to \(owner)", forKey: key, in: container)
            }
            guard key.stringValue != AccessCode.fileKey else {
                codeFile = try container.decodePath(forKey: key, example: "/etc/lamplighter/door.code")
                    .map { SecretFile($0, key: AccessCode.fileKey, of: "code") }
                continue
            }
            keys[key.stringValue] = try container.decode(Scalar.self, forKey: key).value
        }
        try container.checkName(keys["name"]?.string, forKey: CodingKeys("name"))
        if let modes = try container.decodeIfPresent([String].self, forKey: .modes) {
            keys["supported_color_modes"] = .array(modes.map(JSONValue.string))
        }
        if let sources = try container.decodeIfPresent([AvailabilityEntry].self, forKey: .availability) {
            keys["availability"] = .array(sources.map { .object($0.keys) })
        }
        if codeFile != nil, keys["code"] != nil {
            throw ConfigurationProblem(
                "can't be combined with code", remedy: "omit code", forKey: CodingKeys(AccessCode.fileKey),
                in: container)
        }
        if kind == .outlet { keys["device_class"] = "outlet" }
        if kind == .garageDoor, keys["device_class"] == nil { keys["device_class"] = "garage" }
        if keys["retain"]?.bool == true {
            throw ConfigurationProblem(
                "the light would repeat a retained command at each reconnect", remedy: "omit retain",
                forKey: CodingKeys("retain"), in: container)
        }
        do throws(MQTTProblem) {
            let component = MQTTComponents.component(of: kind)
            if MQTTComponents.named(component) != nil,
                try MQTTComponents.type(of: component, KeyReader(keys: keys))?.kind != kind
            {
                throw .about("device_class", "doesn't fit a \(kind)")
            }
            entity = try MQTTEntity(keys, component: component, fallbackID: id, fallbackName: id)
            entity.description.id = LightID(id)
            entity.settings.codeFile = codeFile
            // The author of the template can correct it, so report the error.
            if let key = entity.keysNotUnderstood.first { throw MQTTProblem(entity.losses[0], key: key) }
        } catch {
            let key = error.key.map(CodingKeys.init(_:)).flatMap { container.contains($0) ? $0 : nil }
            throw ConfigurationProblem(
                error.text, remedy: "configure it as for Home Assistant's MQTT lights, with the long keys",
                at: container.codingPath + (key.map { [$0] } ?? []))
        }
    }

    private struct Scalar: Decodable {
        let value: JSONValue

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let bool = try? container.decode(Bool.self) {
                value = .bool(bool)
            } else if let integer = try? container.decode(Int64.self) {
                value = .integer(integer)
            } else if let words = try? container.decode([String].self) {
                value = .array(words.map(JSONValue.string))
            } else {
                value = .string(try container.decode(String.self))
            }
        }
    }

    private struct AvailabilityEntry: Decodable {
        enum CodingKeys: String, CodingKey, CaseIterable {
            case topic
            case payloadAvailable = "payload_available"
            case payloadNotAvailable = "payload_not_available"
            case valueTemplate = "value_template"
        }

        let keys: JSONObject

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            var keys: JSONObject = ["topic": .string(try container.decode(String.self, forKey: .topic))]
            for key in [CodingKeys.payloadAvailable, .payloadNotAvailable, .valueTemplate] {
                if let value = try container.decodeIfPresent(Scalar.self, forKey: key)?.value {
                    keys[key.rawValue] = value
                }
            }
            self.keys = keys
        }
    }
}

/// The kinds of hand-written devices.
private struct HandWrittenKind: RawRepresentable, CaseIterable {
    static let allCases: [HandWrittenKind] = kinds.compactMap { HandWrittenKind(rawValue: $0.rawValue) }
    private static let kinds: [LightKind] =
        [.light, .switch, .outlet] + MQTTComponents.all.filter { !$0.keys.isEmpty }.map { $0.kind }

    let kind: LightKind
    var rawValue: String { kind.rawValue }

    init?(rawValue: String) {
        guard let kind = Self.kinds.first(where: { $0.rawValue == rawValue }) else { return nil }
        self.kind = kind
    }
}

extension MQTTComponents {
    /// Returns the kinds of devices that have a key; empty for a key that all devices have.
    fileprivate static func owners(of key: String) -> [LightKind] {
        let isShared = HandWrittenLight.CodingKeys.scalars.contains { $0.stringValue == key }
        return isShared ? [] : all.filter { $0.keys.contains(key) }.map { $0.kind }
    }

    /// Returns the component of a hand-written device.
    fileprivate static func component(of kind: LightKind) -> String {
        all.first { $0.kind == kind }?.names.min() ?? (kind == .light ? "light" : "switch")
    }
}
