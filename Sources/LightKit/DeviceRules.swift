package import HAPModel

/// How the values of a kind of device behave, beyond what HAP's catalogue says of them.
///
/// The defaults are right for values that neither depend on each other nor have a range of their own.
package protocol DeviceRules: Sendable {
    /// The characteristic that switches the device on and off, which its values have as On.
    ///
    /// Values that are asked for together with "off" wait for the next "on".
    var power: CharacteristicType? { get }

    /// The functions as controllers see them: with the characteristics that HAP requires besides.
    func shown(_ functions: [AccessoryFunction]) -> [AccessoryFunction]

    /// Returns a value in its range and form; `nil` if no device of this kind can have it.
    func valid(_ value: CharacteristicValue, of property: Property, _ metadata: CharacteristicMetadata)
        -> CharacteristicValue?

    /// Returns whether a device that was asked for some values says that it has them, but for its rounding.
    ///
    /// - Parameters:
    ///   - reported: values of one ``Property/group``.
    ///   - wanted: values of the same group.
    /// - Returns: whether they are the same but for rounding.
    func resembles(_ reported: PropertyValues, _ wanted: PropertyValues) -> Bool

    /// Returns what written values ask for; all values of one request make one command.
    ///
    /// - Parameters:
    ///   - written: the values, within their limits.
    ///   - state: what the device is on its way to.
    /// - Returns: what is asked for.
    func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues

    /// Adapts values that depend on new ones.
    func reconcile(_ state: inout DeviceState, after new: PropertyValues)

    /// Returns the value of a characteristic that follows from others; `nil` if it doesn't.
    func derived(_ type: CharacteristicType, of function: AccessoryFunction, in state: DeviceState)
        -> CharacteristicValue?

    /// Returns whether a value from before a restart still says something.
    func isLasting(_ type: CharacteristicType) -> Bool
}

extension DeviceRules {
    package var power: CharacteristicType? { nil }

    package func shown(_ functions: [AccessoryFunction]) -> [AccessoryFunction] { functions }

    package func valid(
        _ value: CharacteristicValue, of property: Property, _ metadata: CharacteristicMetadata
    ) -> CharacteristicValue? { metadata.clamped(value) }

    package func resembles(_ reported: PropertyValues, _ wanted: PropertyValues) -> Bool { reported == wanted }

    package func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues { written }

    package func reconcile(_ state: inout DeviceState, after new: PropertyValues) {}

    package func derived(
        _ type: CharacteristicType, of function: AccessoryFunction, in state: DeviceState
    ) -> CharacteristicValue? { nil }

    package func isLasting(_ type: CharacteristicType) -> Bool { true }
}

/// All that the bridge knows of a device at a moment.
package struct DeviceState: Equatable, Sendable {
    /// The last value of each property, in its range and form.
    package var values: PropertyValues
    /// The properties of which the device has said that it doesn't know them at present.
    package private(set) var unknown: Set<Property> = []
    package var isReachable = false
    /// Whether a lamp shows a white, and not a color: hue and saturation are those of the white then.
    package var isWhite = true

    package init(_ values: PropertyValues = PropertyValues()) { self.values = values }

    /// Takes over new values, in their range and form.
    package mutating func apply(_ new: PropertyValues, _ rules: any DeviceRules) {
        guard !new.isEmpty else { return }
        for (property, value) in new {
            if let value {
                values[property] = value
                if !unknown.isEmpty { unknown.remove(property) }
            } else {
                unknown.insert(property)
            }
        }
        rules.reconcile(&self, after: new)
    }

    /// The value of a characteristic, whichever function has it.
    package subscript<Value>(key: CharacteristicKey<Value>) -> Value? { values.first(key.type).flatMap(Value.init) }
}
