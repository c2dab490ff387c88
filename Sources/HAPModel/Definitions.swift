/// A characteristic type's definition in Apple's catalog.
public struct CharacteristicDefinition: Sendable {
    /// The name, such as `Brightness`.
    public let name: String
    /// The characteristic type.
    public let type: CharacteristicType
    /// The format, the permissions and the default limits; a device may narrow the limits.
    public let metadata: CharacteristicMetadata

    private static let byType = Dictionary(uniqueKeysWithValues: all.map { ($0.type, $0) })

    /// Returns the definition of a type, or `nil` for types that Apple doesn't define.
    public static func of(_ type: CharacteristicType) -> CharacteristicDefinition? { byType[type] }
}

extension CharacteristicType {
    /// Apple's names for the values of an enumeration, without spaces, such as `StayArm`.
    ///
    /// The dictionary is empty for other types.
    public var valueNames: [Int64: String] { Self.valueNames[self] ?? [:] }
}

/// A service type's definition in Apple's catalog.
public struct ServiceDefinition: Sendable {
    /// The name, such as `Lightbulb`.
    public let name: String
    /// The service type.
    public let type: ServiceType
    /// The required characteristics.
    public let required: [CharacteristicType]
    /// The optional characteristics.
    public let optional: [CharacteristicType]
}

/// The category of an accessory, which determines the icon shown before pairing (HAP 1.2, `ci` key).
public struct AccessoryCategory: RawRepresentable, Hashable, Sendable {
    /// The advertised number.
    public let rawValue: UInt16

    /// Creates a category from its number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }
}
