internal import HAPCrypto
package import HAPModel
package import HAPProtocol
internal import Synchronization

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

/// A vault that forgets with the process.
package final class InMemoryPairingVault: PairingVault {
    private struct State {
        var identity: ControllerIdentity?
        var pairings: [AccessoryPairing] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func identity() -> ControllerIdentity {
        state.withLock { state in
            let identity = state.identity ?? .made()
            state.identity = identity
            return identity
        }
    }

    package func pairings() -> [AccessoryPairing] { state.withLock(\.pairings) }

    package func keep(_ pairing: AccessoryPairing) {
        state.withLock { state in
            if let index = state.pairings.firstIndex(where: { $0.deviceID == pairing.deviceID }) {
                state.pairings[index] = pairing
            } else {
                state.pairings.append(pairing)
            }
        }
    }

    package func forget(_ accessory: DeviceID) {
        state.withLock { $0.pairings.removeAll { $0.deviceID == accessory } }
    }
}

extension ControllerIdentity {
    /// A new identity: an identifier of the form that iOS uses, an upper-case UUID, and a fresh key.
    package static func made() -> ControllerIdentity {
        var bytes = RandomBytes.make(count: 16)
        // Version 4, variant 1 (RFC 9562).
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { hex[$0].joined() }
        guard let controller = ControllerID(Array(groups.joined(separator: "-").utf8)),
            let key = try? Ed25519KeyPair(seed: .random(count: Ed25519KeyPair.seedLength))
        else { preconditionFailure("36 bytes make an identifier, 32 a seed") }
        return ControllerIdentity(controller: controller, longTermKey: key)
    }
}
