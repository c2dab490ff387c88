package import HAPModel
package import HAPProtocol

/// The proven identity of an accessory that the controller is paired with.
package typealias AccessoryPairing = PairSetupController.PairedAccessory

/// The storage of the controller's identity and pairings.
///
/// Once ``keep(_:)`` has returned, the pairing survives a power failure. If a pairing is lost, its accessory must be
/// reset. The long-term secret key leaves the vault only as part of the identity.
package protocol PairingVault: Sendable {
    /// Returns the controller's identity, which is created on first use and never changes.
    func identity() async throws -> ControllerIdentity

    /// Returns all pairings, the oldest first.
    func pairings() async throws -> [AccessoryPairing]

    /// Stores a pairing, replacing any older pairing with the same accessory.
    func keep(_ pairing: AccessoryPairing) async throws

    /// Removes the pairing with an accessory, if it exists.
    func forget(_ accessory: DeviceID) async throws
}
