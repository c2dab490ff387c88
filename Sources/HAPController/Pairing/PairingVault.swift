package import HAPModel
package import HAPProtocol

/// An accessory that we are paired with: who it has proven to be.
package typealias AccessoryPairing = PairSetupController.PairedAccessory

/// Where our own identity and the accessories that we are paired with are kept.
///
/// A pairing that ``keep(_:)`` has returned from survives a power cut; losing one means that its accessory must be reset.
/// The long-term secret key never leaves the vault but within the identity.
package protocol PairingVault: Sendable {
    /// Who we are; made when it is asked for the first time, and the same for ever after.
    func identity() async throws -> ControllerIdentity

    /// Everything that is kept, the oldest first.
    func pairings() async throws -> [AccessoryPairing]

    /// Keeps a pairing, in the place of an older one with the same accessory.
    func keep(_ pairing: AccessoryPairing) async throws

    /// Forgets a pairing; harmless where there is none.
    func forget(_ accessory: DeviceID) async throws
}
