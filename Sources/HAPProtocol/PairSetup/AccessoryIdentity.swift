package import HAPCrypto
package import HAPModel

/// Who an accessory server is: its device id and its long-term key.
package struct AccessoryIdentity: Equatable, Sendable {
    package let deviceID: DeviceID
    package let longTermKey: Ed25519KeyPair
    /// The device id as it stands in messages and signatures: 17 bytes.
    package let identifier: [UInt8]

    package init(deviceID: DeviceID, longTermKey: Ed25519KeyPair) {
        self.deviceID = deviceID
        self.longTermKey = longTermKey
        identifier = Array(deviceID.description.utf8)
    }
}

/// Who a controller is: its pairing id and its long-term key.
package struct ControllerIdentity: Equatable, Sendable {
    package let controller: ControllerID
    package let longTermKey: Ed25519KeyPair

    package init(controller: ControllerID, longTermKey: Ed25519KeyPair) {
        self.controller = controller
        self.longTermKey = longTermKey
    }

    /// A new one: an identifier of the form that iOS uses, an upper-case UUID, and a fresh key.
    package static func random() -> ControllerIdentity {
        var generator = SystemRandomNumberGenerator()
        guard let controller = ControllerID(Array(UUIDBits(using: &generator).description.utf8)),
            let key = try? Ed25519KeyPair(seed: .random(count: Ed25519KeyPair.seedLength))
        else { preconditionFailure("36 bytes make an identifier, 32 a seed") }
        return ControllerIdentity(controller: controller, longTermKey: key)
    }
}
