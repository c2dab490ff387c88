package import HAPModel

/// A measured value that HAP doesn't define, in the form of Eve's accessories, which other manufacturers have adopted.
package enum EveReading: String {
    case voltage = "E863F10A-079E-48FF-8F27-9C2605A29F52"
    case current = "E863F126-079E-48FF-8F27-9C2605A29F52"
    case power = "E863F10D-079E-48FF-8F27-9C2605A29F52"
    case energy = "E863F10C-079E-48FF-8F27-9C2605A29F52"

    /// Creates the reading of a characteristic type; `nil` for other types.
    package init?(_ type: CharacteristicType) { self.init(rawValue: type.description) }

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
