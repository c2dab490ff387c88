package import BoundedJSON
internal import HAPCrypto
package import HAPModel

extension JSONWriter {
    /// Appends a characteristic's value in the form that iOS and all known controllers accept (HAP 9.4).
    package mutating func characteristicValue(_ value: CharacteristicValue) {
        switch value {
        case .bool(let flag): bool(flag)
        case .integer(let integer): self.integer(integer)
        case .unsigned(let integer): self.integer(integer)
        case .float(let number): self.number(number)
        case .string(let text): string(text)
        case .data(let bytes): string(Base64.encode(bytes))
        }
    }
}

extension CharacteristicValue {
    /// The value as a controller writes it.
    package var json: JSONValue {
        switch self {
        case .bool(let flag): .bool(flag)
        case .integer(let integer): .integer(integer)
        case .unsigned(let integer): .unsigned(integer)
        case .float(let number): .number(number)
        case .string(let text): .string(text)
        case .data(let bytes): .string(Base64.encode(bytes))
        }
    }
}

extension CharacteristicMetadata {
    /// Returns the value in a request, or `nil` if its JSON type doesn't match the format.
    ///
    /// The caller must check the limits.
    package func value(from json: JSONValue) -> CharacteristicValue? {
        switch format {
        case .string: return json.string.map { .string($0) }
        case .tlv8, .data: return json.string.flatMap(Base64.decode).map { .data($0) }
        case .bool, .uint8, .uint16, .uint32, .uint64, .int, .float:
            switch json {
            case .bool(let flag): return .bool(flag)
            case .integer(let integer): return .integer(integer)
            case .unsigned(let integer): return .unsigned(integer)
            case .number(let number): return .float(number)
            case .null, .string, .array, .object: return nil
            }
        }
    }

    /// Converts a value from an accessory to the characteristic's format, without checking the limits.
    ///
    /// - Returns: The value, or `nil` for `null` and for values that the format can't represent. Strings are truncated
    ///   to ``longestText`` bytes.
    package func reported(_ json: JSONValue) -> CharacteristicValue? {
        switch (format, json) {
        case (.bool, _): return value(from: json).flatMap { accepted($0) }
        case (.float, .bool): return nil
        case (.float, _): return json.double.map { .float($0) }
        case (.uint64, .unsigned(let integer)): return .unsigned(integer)
        case (.uint64, .number(let number)):
            return Int128(exactly: number).flatMap { CharacteristicValue(exactly: $0) }
        case (.uint8, _), (.uint16, _), (.uint32, _), (.uint64, _), (.int, _):
            switch json {
            case .bool(let flag): return .integer(flag ? 1 : 0)
            case .integer(let integer): return .integer(integer)
            case .number(let number): return Int64(exactly: number).map { .integer($0) }
            case .null, .unsigned, .string, .array, .object: return nil
            }
        case (.string, _): return json.string.map { .string($0.prefix(bytes: Self.longestText)) }
        case (.tlv8, _), (.data, _): return value(from: json)
        }
    }

    /// The maximum length of a string from an accessory, in bytes.
    ///
    /// HAP allows 256, but some accessories send more.
    static let longestText = 4096

    /// Appends the members with the characteristic's metadata, each preceded by a comma.
    package func appendMetadata(to json: inout JSONWriter) {
        json.raw(",\"format\":\"")
        json.raw(Array(format.rawValue.utf8))
        json.raw("\"")
        if let unit {
            json.raw(",\"unit\":\"")
            json.raw(Array(unit.rawValue.utf8))
            json.raw("\"")
        }
        for (name, limit) in [
            (",\"minValue\":" as StaticString, minimum), (",\"maxValue\":", maximum), (",\"minStep\":", step),
        ] {
            guard let limit, format.isNumeric else { continue }
            json.raw(name)
            if case .unsigned(let whole)? = wholeLimit(limit) { json.integer(whole) } else { json.number(limit) }
        }
        if format == .string, let maximumLength, maximumLength != Self.defaultMaximumLength {
            json.raw(",\"maxLen\":")
            json.integer(Int64(maximumLength))
        }
        if format == .data || format == .tlv8, let maximumDataLength, maximumDataLength != Self.defaultMaximumDataLength
        {
            json.raw(",\"maxDataLen\":")
            json.integer(Int64(maximumDataLength))
        }
        // Apple's reference implementation supports valid values only for this format (HAP 9.4).
        if format == .uint8, let validValues {
            json.raw(",\"valid-values\":[")
            for (index, value) in validValues.enumerated() {
                if index > 0 { json.raw(",") }
                json.integer(value)
            }
            json.raw("]")
        }
    }

    /// Appends a comma and the `perms` member.
    package func appendPermissions(to json: inout JSONWriter) {
        json.raw(",\"perms\":[")
        for (index, name) in permissions.names.enumerated() {
            if index > 0 { json.raw(",") }
            json.string(name)
        }
        json.raw("]")
    }
}
