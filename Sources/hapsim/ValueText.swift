import BoundedJSON
import HAPModel
import TerminalKit

// The text form of values.
extension CharacteristicObject {
    /// Parses a value of this characteristic within its limits.
    ///
    /// The text is a number, `true` or `false`, the catalog's name for a value, text, or Base64 for bytes.
    func value(reading text: String) -> CharacteristicValue? {
        guard let value = kind(of: text), metadata.clamped(value) == value else { return nil }
        return value
    }

    private func kind(of text: String) -> CharacteristicValue? {
        if let number = type.valueNames.first(where: { $0.value.squashed == text.squashed })?.key {
            return metadata.format == .bool ? .bool(number != 0) : .integer(number)
        }
        switch metadata.format {
        case .bool:
            switch text.lowercased() {
            case "true", "on", "yes", "1": return .bool(true)
            case "false", "off", "no", "0": return .bool(false)
            default: return nil
            }
        case .uint8, .uint16, .uint32, .uint64, .int:
            return Int128(text).flatMap { CharacteristicValue(exactly: $0) }
        case .float: return Double(text).map { .float($0) }
        case .string: return .string(text)
        case .tlv8, .data: return Base64.decode(text).map { .data($0) }
        }
    }

    /// Returns the text to show for a value, such as `0 (Unsecured)`.
    func text(of value: CharacteristicValue) -> String {
        switch value {
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): type.valueNames[number].map { "\(number) (\($0))" } ?? "\(number)"
        case .unsigned(let number): "\(number)"
        case .float(let number): "\(number)"
        case .string(let text): text
        case .data(let bytes): Base64.encode(bytes)
        }
    }

    /// A description of the valid values, for error messages.
    var expectation: String {
        let names = type.valueNames.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
        if !names.isEmpty { return "one of \(names.joined(separator: ", "))" }
        switch metadata.format {
        case .bool: return "true or false"
        case .string:
            return "at most \(metadata.maximumLength ?? CharacteristicMetadata.defaultMaximumLength) bytes of text"
        case .tlv8, .data: return "Base64"
        case .uint8, .uint16, .uint32, .uint64, .int, .float:
            if let values = metadata.validValues { return "one of \(values.map(String.init).joined(separator: ", "))" }
            let (low, high) = (metadata.minimum.map(Self.number), metadata.maximum.map(Self.number))
            let range = [low.map { "from \($0)" }, high.map { "to \($0)" }].compactMap { $0 }
            let step = metadata.step.map { " in steps of \(Self.number($0))" } ?? ""
            return (["a number"] + range).joined(separator: " ") + step
        }
    }

    private static func number(_ number: Double) -> String { Int64(exactly: number).map { "\($0)" } ?? "\(number)" }

    /// The name in the catalog, the manufacturer's description, or the UUID.
    var name: String {
        CharacteristicDefinition.of(type)?.name ?? manufacturerDescription ?? type.description
    }
}

extension ServiceObject {
    /// The value of the Name characteristic, the name in the catalog, or the UUID.
    var name: String {
        characteristics.first { $0.type == .name }?.value?.string
            ?? ServiceDefinition.all.first { $0.type == type }?.name ?? type.description
    }
}

extension AccessoryObject {
    /// The name in the Accessory Information service.
    var name: String { services.first?.name ?? "\(aid)" }
}
