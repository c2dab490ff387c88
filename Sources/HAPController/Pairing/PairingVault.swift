package import HAPModel
package import HAPProtocol

/// An accessory that the controller is paired with, by its proven identity.
package typealias AccessoryPairing = PairSetupController.PairedAccessory

/// The storage of the controller's identity and pairings.
///
/// Once ``keep(_:)`` has returned, a pairing survives a power cut. If a pairing is lost, its accessory must be reset.
/// The long-term secret key leaves the vault only as part of the identity.
package protocol PairingVault: Sendable {
    /// Returns the controller's identity, which is created on first use and never changes.
    func identity() async throws -> ControllerIdentity

    /// Returns all pairings, the oldest first.
    func pairings() async throws -> [AccessoryPairing]

    /// Stores a pairing, and replaces an older one with the same accessory.
    func keep(_ pairing: AccessoryPairing) async throws

    /// Removes the pairing with an accessory, if it exists.
    func forget(_ accessory: DeviceID) async throws
}
