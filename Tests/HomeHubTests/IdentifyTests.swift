import HAPController
import HAPTesting
import HomeHub
import HomeModel
import TestTimeouts
import Testing

@Suite("Accessories that show themselves", .timeout)
struct IdentifyTests {
    @Test("what is blocked is not asked to show itself, nor what stands behind it, and the app is told why")
    func blocked() async throws {
        let (store, vault) = (TestStore(), InMemoryPairingVault())
        let accessories = InMemoryAccessoryServerStore()
        let ids = try await HouseUnderTest(store: store, vault: vault).run { house in
            let app = try await house.app()
            return try await app.add(try await house.bridge(store: accessories), to: try await app.addHome())
        }
        #expect(ids.count > 1)
        var stored = store.stored
        _ = stored.graph.block(ids[0])
        try await HouseUnderTest(store: TestStore(stored), vault: vault).run { house in
            let app = try await house.app()
            let bridge = try await house.bridge(store: accessories)
            for id in ids { await expect(.accessoryIsBlocked) { try await app.call(.identify(id)) } }
            #expect(bridge.bridge.driver.identified.isEmpty)
            #expect(house.dialer.dialed.isEmpty)
        }
    }
}
