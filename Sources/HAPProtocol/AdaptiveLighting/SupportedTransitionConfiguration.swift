package import HAPModel

/// The value of SupportedCharacteristicValueTransitionConfiguration (144): the characteristics that support
/// transitions.
package struct SupportedTransitionConfiguration: Equatable, Sendable {
    /// The Brightness characteristic that curves depend on.
    package var brightness: InstanceID
    /// The ColorTemperature characteristic that follows curves.
    package var colorTemperature: InstanceID

    private static let brightnessKind: UInt64 = 1
    private static let colorTemperatureKind: UInt64 = 2

    package init(brightness: InstanceID, colorTemperature: InstanceID) {
        self.brightness = brightness
        self.colorTemperature = colorTemperature
    }

    /// Parses the characteristic's value.
    ///
    /// - Throws: ``TransitionViolation``, for example if one of the two characteristics is missing.
    package init(parsing bytes: [UInt8]) throws(TransitionViolation) {
        var found: [UInt64: InstanceID] = [:]
        for record in try TransitionItems.list(parsing: bytes) {
            let entry = try TransitionItems(parsing: try record.required(1, .entry))
            guard let kind = try entry.number(2, .characteristicKind) else { throw .missing(.characteristicKind) }
            let instance = try entry.instanceID(1)
            guard found.updateValue(instance, forKey: kind) == nil else { throw .malformedTLV }
        }
        guard let brightness = found[Self.brightnessKind], let colorTemperature = found[Self.colorTemperatureKind]
        else { throw .missing(.characteristicKind) }
        self.init(brightness: brightness, colorTemperature: colorTemperature)
    }

    /// The characteristic's value.
    package var encoded: [UInt8] {
        func entry(_ instance: InstanceID, _ kind: UInt64) -> TLV8.Item {
            let items = [
                TLV8.Item(type: 1, shortest: instance.rawValue), TLV8.Item(type: 2, shortest: kind),
            ]
            return TLV8.Item(type: 1, value: TLV8.encode(items))
        }
        return TLV8.encode([
            entry(brightness, Self.brightnessKind), TransitionItems.separator,
            entry(colorTemperature, Self.colorTemperatureKind),
        ])
    }
}
