package import HAPModel
package import HAPProtocol

/// One value that a controller has written, within its limits.
package struct CharacteristicWrite: Equatable, Sendable {
    package let iid: InstanceID
    package let service: ServiceType
    package let type: CharacteristicType
    package let value: CharacteristicValue
}

/// A characteristic that has a new value.
package struct CharacteristicChange: Equatable, Sendable {
    package let id: CharacteristicID
    package let value: CharacteristicValue
    /// The connection whose write it was; it needs no event.
    package let origin: ConnectionID?

    package init(id: CharacteristicID, value: CharacteristicValue, origin: ConnectionID?) {
        self.id = id
        self.value = value
        self.origin = origin
    }
}

/// What stands behind an accessory of the registry: the device, in HAP's own terms.
///
/// It runs on the registry's executor and must not block it.
package protocol AccessorySource: Sendable {
    /// Hands all values that one request writes to one accessory to the device, as one update.
    ///
    /// - Returns: `success` once the device has accepted them, else why not; within 2 s in any case.
    func write(_ values: [CharacteristicWrite], to accessory: AccessoryID) async -> HAPStatus

    /// Makes the device show which one it is.
    func identify(_ accessory: AccessoryID) async
}
