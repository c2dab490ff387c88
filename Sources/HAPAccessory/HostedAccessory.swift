internal import AccessoryRole
public import HAPModel

/// An accessory that a host serves, for its handler to report to.
///
/// A handler may keep it: it doesn't keep the host. Without the host it does nothing.
public struct HostedAccessory: Sendable {
    private weak let values: HostedValues?

    /// The ``BridgedAccessory/id`` of an accessory of a bridge; `nil` for a stand-alone accessory.
    public let id: String?

    init(_ values: HostedValues, id: String?) {
        self.values = values
        self.id = id
    }

    /// Reports the current value of a characteristic; subscribers get an event if it differs from the last one.
    ///
    /// Each call for a button is a press.
    ///
    /// - Parameters:
    ///   - type: A characteristic of the accessory's functions.
    ///   - function: The `AccessoryFunction.id` of the function; `nil` for the first that has the characteristic.
    ///   - value: The value. Numbers are clamped to the characteristic's limits.
    public func update(
        _ type: CharacteristicType, in function: String? = nil, to value: CharacteristicValue
    ) async { await values?.update(type, of: id, in: function, to: value) }

    /// Reports whether the device is reachable; until it is, controllers that read or write get `unableToCommunicate`.
    public func setReachable(_ isReachable: Bool) async { await values?.setReachable(isReachable, of: id) }

    /// Returns the value of a characteristic as controllers see it.
    ///
    /// - Parameters:
    ///   - type: A characteristic of the accessory's functions.
    ///   - function: The `AccessoryFunction.id` of the function; `nil` for the first that has the characteristic.
    /// - Returns: The value; `nil` if there is no such characteristic, or it can't be read.
    public func value(_ type: CharacteristicType, in function: String? = nil) async -> CharacteristicValue? {
        await values?.value(type, of: id, in: function)
    }
}
