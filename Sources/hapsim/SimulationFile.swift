import AccessoryRole
import ConfigurationKit
import HAPModel
import HAPProtocol
import TerminalKit

/// A file that describes an accessory, or a bridge with bridged accessories.
struct SimulationFile: Decodable, Equatable {
    /// HAP's limit for a bridge, without its own accessory (HAP 9.3).
    static let maximumBridged = AccessoryDatabase.maximumAccessories - 1

    /// An accessory in the file.
    struct Entry: Equatable {
        var information: AccessoryInformation
        /// The services.
        ///
        /// Their characteristics have no iids yet.
        var services: [ServiceEntry]
    }

    /// The accessory, or the bridge.
    var server: Entry
    var category: AccessoryCategory
    /// The setup code, or `nil` to create a random code on the first start.
    var code: SetupCode?
    /// The bridged accessories.
    var bridged: [Entry]

    private enum Key: String, CodingKey, CaseIterable {
        case name, manufacturer, model, serial, firmware, category, code, services, accessories
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        server = try Entry(from: container, Key.self)
        code = try container.setupCode(forKey: .code)
        bridged = try container.decodeIfPresent([BridgedEntry].self, forKey: .accessories)?.map(\.entry) ?? []
        guard bridged.count <= Self.maximumBridged else {
            throw ConfigurationProblem(
                "a bridge can have at most \(Self.maximumBridged) accessories",
                remedy: "put the others into a second file",
                at: decoder.codingPath + [Key.accessories])
        }
        let first = server.services.first(where: \.service.isPrimary) ?? server.services.first
        category = bridged.isEmpty ? (first?.service.type.usualCategory ?? .other) : .bridge
        if let written = try container.decodeIfPresent(UInt16.self, forKey: .category) {
            category = AccessoryCategory(rawValue: written)
        }
        if server.services.isEmpty, bridged.isEmpty {
            throw ConfigurationProblem(
                "the file describes no services", remedy: "add services: or accessories:", at: decoder.codingPath)
        }
    }

    private struct BridgedEntry: Decodable {
        let entry: Entry

        private enum Key: String, CodingKey, CaseIterable { case name, manufacturer, model, serial, firmware, services }

        init(from decoder: any Decoder) throws {
            entry = try Entry(from: decoder.container(keyedBy: Key.self), Key.self)
        }
    }
}

extension SimulationFile.Entry {
    fileprivate init<Key: CodingKey & CaseIterable & RawRepresentable<String>>(
        from container: KeyedDecodingContainer<Key>, _: Key.Type
    ) throws {
        func text(_ name: String) throws -> String? {
            guard let key = Key(rawValue: name) else { return nil }
            return try container.decodeIfPresent(String.self, forKey: key)
        }
        guard let key = Key(rawValue: "name"), let list = Key(rawValue: "services") else {
            preconditionFailure("entries of both kinds must have these keys")
        }
        let name = try container.decode(String.self, forKey: key)
        guard !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw ConfigurationProblem(
                "a name can't contain control characters", remedy: "use letters, digits and spaces",
                at: container.codingPath + [key])
        }
        guard (1...CharacteristicMetadata.defaultMaximumLength).contains(name.utf8.count) else {
            throw ConfigurationProblem(
                "a name must have 1 to \(CharacteristicMetadata.defaultMaximumLength) bytes",
                remedy: "choose a different name",
                at: container.codingPath + [key])
        }
        information = try AccessoryInformation(
            name: name, manufacturer: text("manufacturer") ?? "Lamplighter", model: text("model") ?? "Simulator",
            serialNumber: text("serial") ?? "SIM-1", firmware: text("firmware") ?? "1.0")
        services = try container.decodeIfPresent([ServiceEntry].self, forKey: list) ?? []
        guard services.count <= AccessoryObject.maximumParts - 2 else {
            throw ConfigurationProblem(
                "an accessory can have at most \(AccessoryObject.maximumParts - 2) services", remedy: "remove some",
                at: container.codingPath + [list])
        }
    }
}

/// A service in the file.
struct ServiceEntry: Decodable, Equatable {
    /// The ID by which other services of the accessory link to it.
    var id: String?
    /// The IDs of the linked services.
    var links: [String]
    /// The duration of a move from one end to the other, in seconds; `nil` for the default of the service type.
    var travel: Double?
    /// The service, without iids and links.
    var service: ServiceObject

    private enum Key: String, CodingKey, CaseIterable {
        case type, id, name, primary, hidden, linked, travel, characteristics
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let names = ServiceDefinition.all.map(\.name)
        let type = try container.decode(String.self, forKey: .type)
        let definition = ServiceDefinition.all.first { $0.name.squashed == type.squashed }
        guard let serviceType = definition?.type ?? HAPType(type).map(ServiceType.init) else {
            throw ConfigurationProblem(
                "unknown service type \(type)",
                remedy: type.nearest(in: names).map { "use \($0)" } ?? "use a name from HAP's catalog or a UUID",
                at: container.codingPath + [Key.type])
        }
        id = try container.decodeIfPresent(String.self, forKey: .id)
        links = try container.decodeIfPresent([String].self, forKey: .linked) ?? []
        travel = try container.decodeIfPresent(Double.self, forKey: .travel)
        guard (0...3600).contains(travel ?? 0) else {
            throw ConfigurationProblem(
                "a move must take 0 to 3600 seconds", remedy: "choose a number from 0 to 3600",
                at: container.codingPath + [Key.travel]
            )
        }
        var characteristics =
            try container.decodeIfPresent(CharacteristicList.self, forKey: .characteristics)?.list ?? []
        if let name = try container.decodeIfPresent(String.self, forKey: .name),
            !characteristics.contains(where: { $0.type == .name })
        {
            characteristics.insert(
                CharacteristicObject(
                    iid: InstanceID(0), type: .name, metadata: CharacteristicDefinition.metadata(of: .name),
                    value: .string(name.prefix(bytes: CharacteristicMetadata.defaultMaximumLength))), at: 0)
        }
        for type in definition?.required ?? [] where !characteristics.contains(where: { $0.type == type }) {
            let metadata = CharacteristicDefinition.metadata(of: type)
            let isReadable = metadata.permissions.contains(.pairedRead)
            characteristics.append(
                CharacteristicObject(
                    iid: InstanceID(0), type: type, metadata: metadata,
                    value: isReadable ? metadata.initialValue(of: type) : nil)
            )
        }
        guard !characteristics.isEmpty else {
            throw ConfigurationProblem(
                "the service has no characteristics", remedy: "add characteristics:", at: container.codingPath)
        }
        service = try ServiceObject(
            iid: InstanceID(0), type: serviceType,
            isPrimary: container.decodeIfPresent(Bool.self, forKey: .primary) ?? false,
            isHidden: container.decodeIfPresent(Bool.self, forKey: .hidden) ?? false,
            characteristics: characteristics)
    }
}

/// The characteristics of a service, by name or UUID: a value, or keys that describe them.
private struct CharacteristicList: Decodable {
    let list: [CharacteristicObject]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ConfigurationKey.self)
        var list: [CharacteristicObject] = []
        for key in container.allKeys {
            let definition = CharacteristicDefinition.all.first { $0.name.squashed == key.stringValue.squashed }
            guard let type = definition?.type ?? HAPType(key.stringValue).map(CharacteristicType.init) else {
                let nearest = key.stringValue.nearest(in: CharacteristicDefinition.all.map(\.name))
                throw ConfigurationProblem(
                    "unknown characteristic \(key.stringValue)",
                    remedy: nearest.map { "use \($0)" } ?? "use a name from HAP's catalog or a UUID",
                    at: container.codingPath + [key])
            }
            let entry = try container.decode(CharacteristicEntry.self, forKey: key)
            list.append(try entry.characteristic(type, definition, at: container.codingPath + [key]))
        }
        self.list = list
    }
}

private struct CharacteristicEntry: Decodable {
    var value: String?
    var keys: Keys?

    struct Keys: Decodable {
        var value: String?
        var format: String?
        var permissions: [String]?
        var unit: String?
        var minimum: Double?
        var maximum: Double?
        var step: Double?
        var values: [Int64]?
        var maximumLength: Int?
        var description: String?

        private enum CodingKeys: String, CodingKey, CaseIterable {
            case value, format, permissions, unit, minimum, maximum, step, values
            case maximumLength = "maximum_length"
            case description
        }
    }

    init(from decoder: any Decoder) throws {
        // In the short form, there is only the value.
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            value = text
        } else {
            let keys = try Keys(from: decoder)
            (self.keys, value) = (keys, keys.value)
        }
    }

    func characteristic(
        _ type: CharacteristicType, _ definition: CharacteristicDefinition?, at path: [any CodingKey]
    ) throws -> CharacteristicObject {
        func refusal(_ problem: String, _ remedy: String, _ key: String? = nil) -> ConfigurationProblem {
            ConfigurationProblem(problem, remedy: remedy, at: path + (key.map { [ConfigurationKey($0)] } ?? []))
        }
        var metadata: CharacteristicMetadata
        if let definition {
            metadata = definition.metadata
        } else {
            metadata = CharacteristicMetadata(format: .string, permissions: [.pairedRead, .notify])
            guard keys?.format != nil else {
                throw refusal(
                    "the format is missing",
                    "set format to bool, uint8, uint16, uint32, uint64, int, float, string, tlv8 or data")
            }
        }
        if let format = keys?.format {
            guard let known = CharacteristicFormat(rawValue: format) else {
                throw refusal(
                    "unknown format \(format)",
                    "use one of \(CharacteristicFormat.allCases.map(\.rawValue).joined(separator: ", "))", "format")
            }
            metadata.format = known
        }
        if let names = keys?.permissions {
            guard let permissions = CharacteristicPermissions(names: names) else {
                throw refusal("unknown permissions", "choose from pr, pw, ev, aa, tw, wr and hd", "permissions")
            }
            metadata.permissions = permissions
        }
        if let unit = keys?.unit {
            guard let known = CharacteristicUnit(rawValue: unit) else {
                throw refusal(
                    "HAP has no unit \(unit)", "use celsius, percentage, arcdegrees, lux or seconds", "unit")
            }
            metadata.unit = known
        }
        if let keys {
            metadata.minimum = keys.minimum ?? metadata.minimum
            metadata.maximum = keys.maximum ?? metadata.maximum
            metadata.step = keys.step ?? metadata.step
            metadata.validValues = keys.values?.sorted() ?? metadata.validValues
            metadata.maximumLength = keys.maximumLength ?? metadata.maximumLength
        }
        if let low = metadata.minimum, let high = metadata.maximum, low > high {
            throw refusal("the minimum is greater than the maximum", "use a smaller minimum", "minimum")
        }
        var made = CharacteristicObject(
            iid: InstanceID(0), type: type, metadata: metadata, value: nil, manufacturerDescription: keys?.description)
        guard metadata.permissions.contains(.pairedRead) else { return made }
        if let value {
            guard let known = made.value(reading: value) else {
                throw refusal(
                    "\(value) isn't a valid value for \(made.name)", "use \(made.expectation)",
                    keys == nil ? nil : "value")
            }
            made.value = known
        } else {
            made.value = metadata.initialValue(of: type)
        }
        return made
    }
}

extension CharacteristicDefinition {
    /// Returns the catalog's metadata of a type that the catalog itself refers to.
    fileprivate static func metadata(of type: CharacteristicType) -> CharacteristicMetadata {
        guard let definition = of(type) else {
            preconditionFailure("the catalog must define every type that it refers to")
        }
        return definition.metadata
    }
}

extension KeyedDecodingContainer {
    /// Decodes a setup code.
    fileprivate func setupCode(forKey key: Key) throws -> SetupCode? {
        guard let text = try decodeIfPresent(String.self, forKey: key) else { return nil }
        if let code = SetupCode(text) { return code }
        let shape = text.map { $0.isASCII && $0.isWholeNumber ? "0" : $0 }
        // A code of this form is invalid only if it is trivial. Controllers reject trivial codes.
        throw ConfigurationProblem(
            String(shape) == "000-00-000" ? "\(text) is too easy to guess" : "not a valid setup code",
            remedy: "use eight digits, such as 416-27-893", at: codingPath + [key])
    }
}

extension CharacteristicMetadata {
    /// Returns the default value of a characteristic without a value in the file: positions are stopped, and all other
    /// values are zero or empty.
    fileprivate func initialValue(of type: CharacteristicType) -> CharacteristicValue {
        type == .positionState ? clamped(.integer(2)) ?? defaultValue : defaultValue
    }
}
