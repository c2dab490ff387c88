package import HAPModel

/// A kind of device, with the functions, value names and rules of its devices.
public struct LightKind: Sendable {
    /// The name in the configuration and the plugin protocol.
    public let rawValue: String
    /// The name in the configuration's `include` list.
    package let plural: String
    /// The display name, which is also used as the model name of devices that don't report a model.
    package let title: String
    package let rules: any DeviceRules
    /// The names of the values, in listing order.
    package let names: [PropertyName]
    /// A Boolean value that indicates whether devices are shown if the configuration names no kinds.
    package let isShownByDefault: Bool

    package init(
        _ name: String, plural: String, title: String, _ rules: any DeviceRules, _ names: [PropertyName],
        isShownByDefault: Bool = true
    ) {
        rawValue = name
        self.plural = plural
        self.title = title
        self.rules = rules
        self.names = names
        self.isShownByDefault = isShownByDefault
    }
}

extension LightKind {
    /// Returns the property of a characteristic.
    ///
    /// A characteristic that switches the device on and off becomes On.
    package func property(_ type: CharacteristicType, of function: String?) -> Property {
        Property(type == rules.power ? .on : type, of: function)
    }

    /// All functions that devices of this kind can have, with their initial values.
    package var possibleFunctions: [AccessoryFunction] { rules.functions(.all) + rules.otherFunctions }
}

extension LightKind: CaseIterable {
    /// All kinds.
    public static let allCases: [LightKind] = [
        .light, .switch, .outlet, .fan, .sensor, .cover, .button, .lock, .garageDoor, .securitySystem, .thermostat,
        .humidifier, .airPurifier, .valve, .meter, .scene,
    ]
}

extension LightKind: RawRepresentable, Hashable, CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }

    /// Returns the kind with the given name, or `nil` for an unknown name.
    public init?(rawValue: String) {
        guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    /// Returns whether two kinds are the same.
    public static func == (a: LightKind, b: LightKind) -> Bool { a.rawValue == b.rawValue }

    /// Adds the name to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
