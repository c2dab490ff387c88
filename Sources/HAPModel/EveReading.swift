/// A measured value that HAP doesn't define, encoded as in Eve's accessories.
///
/// Other manufacturers use the same encoding.
///
/// The raw value is the first eight hex digits of the type's UUID. The remaining digits are the same for all of Eve's
/// characteristics.
package enum EveReading: UInt32, CaseIterable, Sendable {
    case voltage = 0xE863_F10A
    case current = 0xE863_F126
    case power = 0xE863_F10D
    case energy = 0xE863_F10C

    /// The service for a meter that has no other function.
    package static let service = ServiceType(HAPType(bits: UUIDBits(high: 0x1_0000_1777, low: 0x8000_775D_67EC_4377)))

    /// The format and the permissions of all readings; HAP has no symbols for their units.
    package static let metadata = CharacteristicMetadata(format: .float, permissions: [.pairedRead, .notify])

    private static let byType = Dictionary(uniqueKeysWithValues: allCases.map { ($0.type, $0) })

    /// Creates the reading with the given characteristic type, or returns `nil` for other types.
    package init?(_ type: CharacteristicType) {
        guard !type.type.isApple, let reading = Self.byType[type] else { return nil }
        self = reading
    }

    package var type: CharacteristicType {
        CharacteristicType(
            HAPType(bits: UUIDBits(high: UInt64(rawValue) << 32 | 0x079E_48FF, low: 0x8F27_9C26_05A2_9F52)))
    }

    /// The name in English.
    package var localizedDescription: String {
        switch self {
        case .voltage: "Voltage"
        case .current: "Current"
        case .power: "Power"
        case .energy: "Energy"
        }
    }

    /// The symbol of the unit.
    package var unit: String {
        switch self {
        case .voltage: "V"
        case .current: "A"
        case .power: "W"
        case .energy: "kWh"
        }
    }
}
