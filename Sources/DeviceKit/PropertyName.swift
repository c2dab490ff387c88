package import HAPModel

/// The name of a property in commands and listings, with the type of its values.
package struct PropertyName: Sendable {
    /// The type of a value.
    package enum Form: Sendable {
        /// True or false, with a phrase for each.
        case flag(yes: String, no: String)
        /// An integer.
        case whole(ClosedRange<Double>, unit: String)
        /// A floating-point number.
        ///
        /// `symbol` follows the number in a sentence.
        case number(ClosedRange<Double>, unit: String, symbol: String = "")
        /// One of several words, whose index from 0 is HAP's value.
        case choice([String])
    }

    /// The name, such as `brightness`.
    package let name: String
    /// The characteristic.
    package let type: CharacteristicType
    /// The characteristic that a controller writes to change the value, or `nil` if it's `type`.
    package let target: CharacteristicType?
    package let form: Form
    /// A Boolean value that indicates whether HAP's value for true is 0, as for a closed contact.
    let isInverted: Bool

    package init(
        _ name: String, _ type: CharacteristicType, _ form: Form, isInverted: Bool = false,
        target: CharacteristicType? = nil
    ) {
        self.name = name
        self.type = type
        self.target = target
        self.form = form
        self.isInverted = isInverted
    }

    /// The names of all kinds, grouped by kind.
    ///
    /// Several kinds can share a name.
    package static let all = LightKind.allCases.flatMap(\.names)

    /// Returns the name of a characteristic.
    ///
    /// If no kind names it, the result is its name in HAP's catalog or its type.
    package static func name(of type: CharacteristicType) -> String {
        all.first { $0.type == type }?.name ?? CharacteristicDefinition.of(type)?.name ?? type.description
    }

    /// A Boolean value that indicates whether a controller can change the value.
    package var isSettable: Bool {
        CharacteristicDefinition.of(target ?? type)?.metadata.permissions.contains(.pairedWrite) == true
    }

    /// The range and the unit of a number, or `nil` for other values.
    package var range: (limits: ClosedRange<Double>, unit: String)? {
        switch form {
        case .whole(let range, let unit), .number(let range, let unit, _): (range, unit)
        case .flag, .choice: nil
        }
    }

    /// Returns the characteristic's value for true or false.
    package func value(_ flag: Bool) -> CharacteristicValue {
        CharacteristicDefinition.of(type)?.metadata.format == .bool
            ? .bool(flag != isInverted) : .integer(flag != isInverted ? 1 : 0)
    }

    /// Returns whether a characteristic's value means true, or `nil` if it isn't a Boolean value.
    package func flag(_ value: CharacteristicValue) -> Bool? { Bool(value).map { $0 != isInverted } }
}

extension LightKind {
    /// Returns the name of a characteristic, or `nil` if this kind doesn't name it.
    package func name(of type: CharacteristicType) -> PropertyName? { names.first { $0.type == type } }

    /// Returns the property with the given name.
    package func property(named name: String) -> PropertyName? { names.first { $0.name == name } }
}
