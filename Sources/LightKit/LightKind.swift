package import HAPModel

/// What stands behind an accessory: it decides what shows it, and how its values behave.
public struct LightKind: Sendable {
    /// Its name in the configuration and the plugin protocol.
    public let rawValue: String
    /// Its name as people read it, which stands for a model that isn't known.
    package let title: String
    package let rules: any DeviceRules
    /// What people call its values, in the order in which they are listed.
    package let names: [PropertyName]

    package init(_ name: String, title: String, _ rules: any DeviceRules, _ names: [PropertyName]) {
        rawValue = name
        self.title = title
        self.rules = rules
        self.names = names
    }
}

extension LightKind {
    /// What the values have a characteristic as: On stands for whatever switches a device on and off.
    package func property(_ type: CharacteristicType, of function: AccessoryFunction) -> Property {
        Property(type == rules.power ? .on : type, of: function.id)
    }
}

extension LightKind: CaseIterable {
    /// All kinds that there are.
    public static let allCases: [LightKind] = [.light, .switch, .outlet, .fan, .sensor]
}

extension LightKind: RawRepresentable, Hashable, CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }

    /// The kind of a name; `nil` if there is none.
    public init?(rawValue: String) {
        guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    /// Returns whether two kinds are the same.
    public static func == (a: LightKind, b: LightKind) -> Bool { a.rawValue == b.rawValue }

    /// Feeds the name into the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
