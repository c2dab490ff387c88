package import HAPController
package import HAPModel
package import HAPProtocol
internal import Synchronization

package final class InMemoryPairingVault: PairingVault {
    private struct State {
        var identity: ControllerIdentity?
        var pairings: [AccessoryPairing] = []
    }

    private let state = Mutex(State())

    package init() {}

    package func identity() -> ControllerIdentity {
        state.withLock { state in
            let identity = state.identity ?? .random()
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
