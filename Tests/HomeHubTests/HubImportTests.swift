import AccessoryRole
import HAPController
import HAPCrypto
import HAPProtocol
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

@testable import HomeHub

@Suite("The hub during imports of pairings", .timeout)
struct HubImportTests {
    private let former = ControllerIdentity.random()

    private func pairedStore(isAdmin: Bool = true) -> InMemoryAccessoryServerStore {
        var stored = StoredServer.random()
        stored.pairings = PairingList([ControllerIdentity.random().pairing(), former.pairing(isAdmin: isAdmin)])
        return InMemoryAccessoryServerStore(stored)
    }

    private func addition(
        of store: InMemoryAccessoryServerStore, to home: Home.ID, as former: ControllerIdentity? = nil,
        key: [UInt8]? = nil
    ) -> AdditionRequest {
        let (former, accessory) = (former ?? self.former, store.stored.identity)
        return AdditionRequest(
            home: home, device: accessory.deviceID,
            pairing: ControllerPairing(
                accessoryKey: key ?? accessory.longTermKey.publicKey, controller: former.controller.description,
                seed: former.longTermKey.seed.copy))
    }

    @Test("adds an accessory with the pairing of another controller, which remains")
    func imports() async throws {
        try await withHouse { house, a in
            let (home, store) = (try await a.addHome(), pairedStore())
            let bridge = try await house.bridge(store: store)
            let ids = try await a.added(addition(of: store, to: home))
            try await eventually("the accessories are reachable") {
                try await house.home(a).accessories.allSatisfy(\.isReachable)
            }
            #expect(try await house.home(a).accessories.map(\.id) == ids)
            #expect(try await house.paired == [bridge.id])
            let pairings = store.stored.pairings
            let hub = try #require(try await pairings[house.vault.identity().controller])
            #expect(pairings.pairings.count == 3 && hub.isAdmin && pairings[former.controller] != nil)
            await expect(.objectAlreadyAssociatedToHome) { try await a.added(addition(of: store, to: home)) }
        }
    }

    @Test(
        "changes nothing if the accessory doesn't accept the pairing", arguments: ["unknown", "no admin", "other key"])
    func refused(problem: String) async throws {
        try await withHouse { house, a in
            let (home, store) = (try await a.addHome(), pairedStore(isAdmin: problem != "no admin"))
            _ = try await house.bridge(store: store)
            let before = store.stored.pairings
            let request = addition(
                of: store, to: home, as: problem == "unknown" ? .random() : nil,
                key: problem == "other key" ? ControllerIdentity.random().longTermKey.publicKey : nil)
            await expect(.accessoryPairingFailed) { try await a.added(request) }
            #expect(store.stored.pairings == before)
            #expect(try await house.paired.isEmpty)
        }
    }

    @Test("removes its new pairing if the change of the home can't be stored")
    func notStored() async throws {
        try await withHouse { house, a in
            let (home, store) = (try await a.addHome(), pairedStore())
            _ = try await house.bridge(store: store)
            let before = store.stored.pairings
            house.store.breakDown()
            await expect(.storageFailed) { try await a.added(addition(of: store, to: home)) }
            try await eventually("the pairing is removed") { store.stored.pairings == before }
        }
    }

    @Test("reports an accessory that isn't on the network, and rejects a pairing without a device")
    func missing() async throws {
        try await withHouse({ $0.labelSearchTimeout = .milliseconds(50) }) { house, a in
            let (home, store) = (try await a.addHome(), pairedStore())
            await expect(.notFound) { try await a.added(addition(of: store, to: home)) }
            var request = addition(of: store, to: home)
            request.device = nil
            await expect(.missingParameter) { try await a.added(request) }
        }
    }
}
