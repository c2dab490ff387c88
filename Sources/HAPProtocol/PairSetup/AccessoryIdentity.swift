package import HAPCrypto
package import HAPModel

/// The identity of an accessory server: its device id and its long-term key.
package struct AccessoryIdentity: Equatable, Sendable {
    package let deviceID: DeviceID
    package let longTermKey: Ed25519KeyPair
    /// The device id in messages and signatures, 17 bytes.
    package let identifier: [UInt8]

    package init(deviceID: DeviceID, longTermKey: Ed25519KeyPair) {
        self.deviceID = deviceID
        self.longTermKey = longTermKey
        identifier = Array(deviceID.description.utf8)
    }
}

/// The identity of a controller: its pairing id and its long-term key.
package struct ControllerIdentity: Equatable, Sendable {
    package let controller: ControllerID
    package let longTermKey: Ed25519KeyPair

    package init(controller: ControllerID, longTermKey: Ed25519KeyPair) {
        self.controller = controller
        self.longTermKey = longTermKey
    }

    /// Returns a new identity: an uppercase UUID, as on iOS, and a new random key.
    package static func random() -> ControllerIdentity {
        var generator = SystemRandomNumberGenerator()
        guard let controller = ControllerID(Array(UUIDBits(using: &generator).description.utf8)),
            let key = try? Ed25519KeyPair(seed: .random(count: Ed25519KeyPair.seedLength))
        else { preconditionFailure("36 bytes are a valid identifier, and 32 bytes a valid seed") }
        return ControllerIdentity(controller: controller, longTermKey: key)
    }
}
