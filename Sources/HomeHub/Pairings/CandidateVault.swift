import HAPController
import HAPProtocol

import struct HAPModel.DeviceID

/// A vault that keeps the pairings that repairs create, in addition to the accessories' own pairings, until they are
/// promoted.
struct CandidateVault: PairingVault {
    let vault: any PairingVault
    let store: any HomeStore

    func identity() async throws -> ControllerIdentity { try await vault.identity() }
    func pairings() async throws -> [AccessoryPairing] { try await vault.pairings() }
    func keep(_ pairing: AccessoryPairing) async throws { try await store.keep(candidate: pairing) }
    func forget(_ accessory: DeviceID) async throws { try await store.forgetCandidate(accessory) }
}
