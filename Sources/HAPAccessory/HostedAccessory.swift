internal import AccessoryRole
public import HAPModel

/// An accessory of a host; a handler uses it to report values.
///
/// A handler may store a hosted accessory, because it doesn't retain the host. After the host is released, its methods
/// do nothing.
public struct HostedAccessory: Sendable {
    private weak let values: HostedValues?

    /// The ``BridgedAccessory/id`` of an accessory of a bridge; `nil` for a stand-alone accessory.
    public let id: String?

    init(_ values: HostedValues, id: String?) {
        self.values = values
        self.id = id
    }

    /// Reports the current value of a characteristic.
    ///
    /// Subscribers get an event if the value differs from the previous one. For a button, each call is a press.
    ///
    /// - Parameters:
    ///   - type: A characteristic of the accessory's functions.
    ///   - function: The `AccessoryFunction.id` of the function; `nil` for the first function with the characteristic.
    ///   - value: The value. Numbers are clamped to the characteristic's limits.
    public func update(
        _ type: CharacteristicType, in function: String? = nil, to value: CharacteristicValue
    ) async { await values?.update(type, of: id, in: function, to: value) }

    /// Reports whether the device is reachable.
    ///
    /// While the device is unreachable, controllers that read or write get `unableToCommunicate`.
    public func setReachable(_ isReachable: Bool) async { await values?.setReachable(isReachable, of: id) }

    /// Returns the value of a characteristic as controllers see it.
    ///
    /// - Parameters:
    ///   - type: A characteristic of the accessory's functions.
    ///   - function: The `AccessoryFunction.id` of the function; `nil` for the first function with the characteristic.
    /// - Returns: The value; `nil` if the characteristic doesn't exist or can't be read.
    public func value(_ type: CharacteristicType, in function: String? = nil) async -> CharacteristicValue? {
        await values?.value(type, of: id, in: function)
    }
}
