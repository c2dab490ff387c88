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

    @Test("an app that lost its permission while the accessory was being connected to makes nothing blink")
    func withdrawnWhileConnecting() async throws {
        let (store, vault) = (TestStore(), InMemoryPairingVault())
        let accessories = InMemoryAccessoryServerStore()
        let lamp = try await HouseUnderTest(store: store, vault: vault).run { house in
            try await house.lamp(try await house.app(), store: accessories)
        }
        try await HouseUnderTest(store: store, vault: vault).run { house in
            let (system, app) = (try await house.app(), try await house.app("app"))
            let identity = AppIdentity(app: "app", uid: 1, executable: "/app")
            try await system.call(.setPermission(identity, .allow))
            house.dialer.hold()
            let bridge = try await house.bridge(store: accessories)
            try await eventually("it is dialed") { !house.dialer.dialed.isEmpty }
            let call = await app.begin(.identify(lamp.accessory))
            try await house.drain(system)
            try await system.call(.setPermission(identity, .deny))
            await expect(.homeAccessNotAuthorized) { try await app.result(call) }
            house.dialer.release()
            try await eventually("it is there") { try await house.home(system).accessories.allSatisfy(\.isReachable) }
            // Whatever the app had begun would be on its way before these.
            for _ in 1...10 { _ = try await system.readValues(lamp.on) }
            #expect(bridge.bridge.driver.identified.isEmpty)
            try await system.call(.identify(lamp.accessory))
            #expect(bridge.bridge.driver.identified == [lamp.light])
        }
    }
}
