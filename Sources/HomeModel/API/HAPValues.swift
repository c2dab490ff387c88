import BoundedJSON
public import HAPModel

// The JSON form of HAP values, for messages and storage.

/// A type that is encoded in JSON as a string, its text form.
protocol TextCodable: Codable, CustomStringConvertible {
    /// Parses the text form; returns `nil` if it's invalid.
    init?(_ text: String)
}

extension TextCodable {
    /// Decodes an instance from its text form.
    public init(from decoder: any Decoder) throws {
        guard let value = Self(try decoder.singleValueContainer().decode(String.self)) else {
            throw JSONDecodingError(.wrongType)
        }
        self = value
    }

    /// Encodes the instance as its text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension Identifier: TextCodable {}

extension DeviceID: TextCodable {}

extension ServiceType: TextCodable {
    init?(_ text: String) {
        guard let type = HAPType(text) else { return nil }
        self.init(type)
    }
}

extension CharacteristicType: TextCodable {
    init?(_ text: String) {
        guard let type = HAPType(text) else { return nil }
        self.init(type)
    }
}

extension AccessoryID: Codable {}

extension InstanceID: Codable {}

extension AccessoryCategory: Codable {}

extension CharacteristicFormat: Codable {}

extension CharacteristicUnit: Codable {}

extension CharacteristicValue: HomeMessage {
    /// Decodes a value.
    ///
    /// - Throws: ``HomeError`` with code 43 if the JSON isn't a value.
    public init(from decoder: any Decoder) throws {
        let value: CharacteristicValue? =
            switch try JSONValue(from: decoder) {
            case .bool(let flag): .bool(flag)
            case .integer(let integer): .integer(integer)
            // Another client may write a whole number with a decimal point.
            case .number(let number): .float(number)
            case .unsigned(let integer): .unsigned(integer)
            case .string(let text): .string(text)
            case .object(let object):
                if let text = object["float"]?.string, let number = Double(text), number.isFinite {
                    .float(number)
                } else if let text = object["data"]?.string, let bytes = Hex.decode(text) {
                    .data(bytes)
                } else {
                    nil
                }
            case .null, .array: nil
            }
        guard let value else { throw HomeError(.invalidValueType) }
        self = value
    }

    /// Encodes the value.
    ///
    /// Floats and bytes are wrapped in an object because JSON doesn't distinguish floats from integers and has no type
    /// for bytes: `{"float":"0.1"}`, `{"data":"00FF"}`.
    public func encode(to encoder: any Encoder) throws {
        let json: JSONValue =
            switch self {
            case .bool(let flag): .bool(flag)
            case .integer(let integer): .integer(integer)
            case .unsigned(let integer): .unsigned(integer)
            case .float(let number): ["float": .string(String(number))]
            case .string(let text): .string(text)
            case .data(let bytes): ["data": .string(Hex.encode(bytes))]
            }
        try json.encode(to: encoder)
    }
}

extension CharacteristicMetadata: HomeMessage {
    private enum CodingKeys: String, CodingKey {
        case format
        case permissions = "perms"
        case unit
        case minimum = "min"
        case maximum = "max"
        case step
        case maximumLength = "maxLength"
        case maximumDataLength = "maxDataLength"
        case validValues
    }

    /// Decodes metadata from an object; members other than the format and the permissions are optional.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard
            let permissions = CharacteristicPermissions(names: try values.decode([String].self, forKey: .permissions))
        else { throw JSONDecodingError(.wrongType, at: "perms") }
        self.init(
            format: try values.decode(CharacteristicFormat.self, forKey: .format), permissions: permissions,
            unit: try values.decodeIfPresent(CharacteristicUnit.self, forKey: .unit),
            minimum: try values.decodeIfPresent(ExactNumber.self, forKey: .minimum)?.value,
            maximum: try values.decodeIfPresent(ExactNumber.self, forKey: .maximum)?.value,
            step: try values.decodeIfPresent(ExactNumber.self, forKey: .step)?.value,
            maximumLength: try values.decodeIfPresent(Int.self, forKey: .maximumLength),
            maximumDataLength: try values.decodeIfPresent(Int.self, forKey: .maximumDataLength),
            validValues: try values.decodeIfPresent([Int64].self, forKey: .validValues))
    }

    /// Encodes the metadata as an object without `nil` members.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(format, forKey: .format)
        try values.encode(permissions.names, forKey: .permissions)
        try values.encodeIfPresent(unit, forKey: .unit)
        try values.encodeIfPresent(minimum.map(ExactNumber.init), forKey: .minimum)
        try values.encodeIfPresent(maximum.map(ExactNumber.init), forKey: .maximum)
        try values.encodeIfPresent(step.map(ExactNumber.init), forKey: .step)
        try values.encodeIfPresent(maximumLength, forKey: .maximumLength)
        try values.encodeIfPresent(maximumDataLength, forKey: .maximumDataLength)
        try values.encodeIfPresent(validValues, forKey: .validValues)
    }
}

/// A limit in metadata.
///
/// It's encoded as a JSON number if it's an integer, otherwise as a string, which preserves its exact value.
private struct ExactNumber: Codable {
    let value: Double

    init(_ value: Double) { self.value = value }

    init(from decoder: any Decoder) throws {
        let json = try JSONValue(from: decoder)
        guard let number = json.string.map({ Double($0) }) ?? json.double, number.isFinite else {
            throw JSONDecodingError(.wrongType)
        }
        value = number
    }

    func encode(to encoder: any Encoder) throws {
        let json = Int64(exactly: value).map(JSONValue.integer) ?? .string(String(value))
        try json.encode(to: encoder)
    }
}

/// Bytes that are encoded as hexadecimal digits in JSON.
struct HexBytes: TextCodable, Sendable, Hashable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init?(_ text: String) {
        guard let bytes = Hex.decode(text) else { return nil }
        self.bytes = bytes
    }

    var description: String { Hex.encode(bytes) }
}
