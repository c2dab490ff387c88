/// What Apple's catalogue says of a kind of characteristic.
public struct CharacteristicDefinition: Sendable {
    /// Its name, such as `Brightness`.
    public let name: String
    /// Its type.
    public let type: CharacteristicType
    /// Its format, permissions and default limits; a device may narrow the limits.
    public let metadata: CharacteristicMetadata

    private static let byType = Dictionary(uniqueKeysWithValues: all.map { ($0.type, $0) })

    /// The definition of a type; `nil` for types that Apple does not define.
    public static func of(_ type: CharacteristicType) -> CharacteristicDefinition? { byType[type] }
}

extension CharacteristicType {
    /// What the numbers of an enumeration mean, in Apple's words without spaces, such as `StayArm`; else nothing.
    public var valueNames: [Int64: String] { Self.valueNames[self] ?? [:] }
}

/// What Apple's catalogue says of a kind of service.
public struct ServiceDefinition: Sendable {
    /// Its name, such as `Lightbulb`.
    public let name: String
    /// Its type.
    public let type: ServiceType
    /// The characteristics that it must have.
    public let required: [CharacteristicType]
    /// The characteristics that it may have.
    public let optional: [CharacteristicType]
}

/// What an accessory is to users: it decides the icon before pairing (HAP 1.2, key `ci`).
public struct AccessoryCategory: RawRepresentable, Hashable, Sendable {
    /// The number that is advertised.
    public let rawValue: UInt16

    /// Makes a category of its number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}
