package import HAPAccessory
internal import HAPCrypto
internal import HAPModel
package import HAPProtocol

extension StoredServer {
    /// A server of a new identity.
    ///
    /// - Parameter controllers: who is paired, all admins.
    /// - Returns: what a store would hold before the first start.
    package static func random(pairedWith controllers: [ControllerIdentity] = []) -> StoredServer {
        guard let deviceID = DeviceID(octets: RandomBytes.make(count: 6)),
            let key = try? Ed25519KeyPair(seed: .random(count: Ed25519KeyPair.seedLength))
        else { preconditionFailure("six octets make an id, 32 bytes a seed") }
        return StoredServer(
            identity: AccessoryIdentity(deviceID: deviceID, longTermKey: key),
            setupCode: .random(using: RandomBytes.uniform), setupID: .random(using: RandomBytes.uniform),
            pairings: PairingList(controllers.map { $0.pairing() }))
    }
}
