import AccessoryRole
import DeviceKit
import HAPController
import HAPProtocol
import HAPTesting
import HomeModel
import Synchronization
import TestTimeouts
import Testing

@testable import HomeHub

@Suite("The hub during repairs", .timeout)
struct HubRepairTests {
    private let store = TestStore()
    private let vault = InMemoryPairingVault()
    private let accessories = InMemoryAccessoryServerStore()

    /// Adds a home with a bridge and a renamed lamp.
    private func configured() async throws -> Home {
        store.vault.withLock { $0 = vault }
        return try await HouseUnderTest(store: store, vault: vault).run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let ids = try await a.add(try await house.bridge(store: accessories), to: home)
            try await a.write(.renameAccessory(ids[1], name: "Desk Lamp"))
            return try await house.home(a)
        }
    }

    /// The store of the bridge after a reset that keeps its device ID.
    private var reset: InMemoryAccessoryServerStore {
        var stored = accessories.stored
        stored.pairings = PairingList()
        return InMemoryAccessoryServerStore(stored)
    }

    private func repair(_ bridge: TestBridge, of home: Home, device: Bool, _ app: TestApp) async throws {
        try await app.call(
            .repairAccessory(
                RepairRequest(accessory: home.accessories[0].id, device: device ? bridge.id : nil, code: bridge.code)))
    }

    @Test("pairs again with a reset or replaced device and keeps names and identities", arguments: [false, true])
    func repairs(isReplaced: Bool) async throws {
        let home = try await configured()
        try await HouseUnderTest(store: store, vault: vault).run { house in
            let a = try await house.app()
            let bridge = try await house.bridge(store: isReplaced ? InMemoryAccessoryServerStore() : reset)
            try await repair(bridge, of: home, device: isReplaced, a)
            try await eventually("the accessories are reachable") {
                try await house.home(a).accessories.allSatisfy(\.isReachable)
            }
            let now = try await house.home(a)
            #expect(now.accessories.map(\.id) == home.accessories.map(\.id))
            #expect(now.accessories.map(\.name) == home.accessories.map(\.name))
            #expect(now.accessories.allSatisfy { $0.deviceID == bridge.id })
            #expect(try await house.paired.contains(bridge.id) && store.stored.candidates.isEmpty)
            #expect(await bridge.isPaired)
        }
        // The next start finds the same state.
        #expect(vault.pairings().contains { $0.deviceID == store.stored.graph.homes[0].accessories[0].deviceID })
    }

    @Test("unpairs a device of another shape and keeps the old pairing")
    func refuses() async throws {
        let home = try await configured()
        let before = (vault.pairings(), store.stored.graph)
        try await HouseUnderTest(store: store, vault: vault).run { house in
            let a = try await house.app()
            let bridge = try await house.bridge(lamps: [], store: reset)
            await expect(.incompatibleAccessory) { try await repair(bridge, of: home, device: false, a) }
            #expect(await !bridge.isPaired)
            #expect(vault.pairings() == before.0 && store.stored.graph == before.1)
            #expect(store.stored.candidates.isEmpty)
        }
    }

    @Test("unpairs the device and keeps the old state if the change can't be stored")
    func notStored() async throws {
        let home = try await configured()
        let before = (vault.pairings(), store.stored.graph)
        try await HouseUnderTest(store: store, vault: vault).run { house in
            let a = try await house.app()
            let bridge = try await house.bridge(store: reset)
            store.breakDown()
            await expect(.storageFailed) { try await repair(bridge, of: home, device: false, a) }
            store.breakDown(false)
            try await eventually("the bridge is unpaired") { await !bridge.isPaired }
            #expect(vault.pairings() == before.0 && store.stored.graph == before.1)
        }
    }

    @Test("unpairs the candidate of an interrupted repair at the next start")
    func interrupted() async throws {
        _ = try await configured()
        let before = vault.pairings()
        let other = InMemoryAccessoryServerStore()
        // The device was paired and kept as a candidate when the hub was killed.
        let candidate = try await HouseUnderTest(vault: vault).run { house in
            let a = try await house.app()
            let bridge = try await house.bridge(store: other)
            try await a.add(bridge, to: try await a.addHome())
            let pairing = try #require(vault.pairings().first { $0.deviceID == bridge.id })
            vault.forget(bridge.id)
            return pairing
        }
        try await store.keep(candidate: candidate)
        try await HouseUnderTest(store: store, vault: vault).run { house in
            let bridge = try await house.bridge(store: other)
            try await eventually("the bridge is unpaired") { await !bridge.isPaired }
            try await eventually("the candidate is removed") { store.stored.candidates.isEmpty }
            #expect(vault.pairings() == before)
        }
    }

    @Test("refuses to repair an accessory that responds")
    func healthy() async throws {
        try await withHouse { house, a in
            let lamp = try await house.lamp(a)
            try await eventually("the accessories are reachable") {
                try await house.home(a).accessories.allSatisfy(\.isReachable)
            }
            let home = try await house.home(a)
            await expect(.alreadyExists) { try await repair(lamp.bridge, of: home, device: false, a) }
            await expect(.operationNotSupported) {
                try await a.call(
                    .repairAccessory(RepairRequest(accessory: lamp.accessory, code: lamp.bridge.code)))
            }
        }
    }
}
