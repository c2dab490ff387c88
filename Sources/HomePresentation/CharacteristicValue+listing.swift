package import BoundedJSON
package import HAPModel

extension CharacteristicValue {
    /// The value as JSON, with bytes as a string of hexadecimal digits.
    package var listing: JSONValue {
        switch self {
        case .bool(let flag): .bool(flag)
        case .integer(let number): .integer(number)
        case .unsigned(let number): .unsigned(number)
        case .float(let number): .number(number)
        case .string(let text): .string(text)
        case .data(let bytes): .string(Hex.encode(bytes).lowercased())
        }
    }
}

extension CharacteristicMetadata {
    /// Returns the limit as JSON; whole numbers are exact.
    package func listing(_ limit: Double) -> JSONValue { wholeLimit(limit)?.listing ?? .number(limit) }
}
