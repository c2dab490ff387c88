import AccessoryRole
import DeviceBridge
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("Light removal", .timeout)
struct RemovedLightsTests {
    private func description(_ id: LightID) -> LightDescription {
        LightDescription(id: id, name: "Lamp \(id)")
    }

    private func keys(_ lights: [StoredLight]) -> [LightID] { lights.map(\.key.light) }

    /// Restarts the bridge with a driver that has announced these lights.
    private func restart(_ house: House, _ lights: [LightDescription] = []) async throws -> BridgeUnderTest {
        try await BridgeUnderTest(house.store, stored: house.store.bridge, lights: lights)
    }

    @Test("keeps the last 300 removed lights, and never reuses the aids of the others")
    func limit() async throws {
        let house = try await House([description("first")])
        for number in 0..<301 {
            let light = LightID("\(number)")
            await house.bridge.host.added(description(light))
            await house.bridge.host.removed(light)
        }
        await house.bridge.host.removed("first")
        // The lights are remembered in the order of their removals, so the light with aid 2, which was removed last,
        // is kept.
        #expect(house.store.lights.map(\.aid) == [2] + (5..<304).map { AccessoryID($0) })
        for (light, aid) in [("300", 303), ("first", 2), ("0", 304), ("1", 305)] as [(LightID, AccessoryID)] {
            await house.bridge.host.added(description(light))
            #expect(await house.bridge.aid(light) == aid)
        }
        // Stored lights that exceed the limit are forgotten, too.
        for number in 1000..<1010 {
            let key = LightKey(driver: "gone", light: LightID("\(number)"))
            try await house.store.save(
                StoredLight(
                    key: key, aid: AccessoryID(UInt64(number)), instanceIDs: InstanceIDs(),
                    description: description(key.light), removal: number))
        }
        _ = try await restart(house)
        #expect(house.store.lights.count(where: \.isRemoved) == 300)
        #expect(house.store.lights.last?.aid == 1009)
    }

    @Test("allows a purge of removed lights, and never reuses their aids")
    func purge() async throws {
        let house = try await House()
        for light in ["a", "b"] as [LightID] { await house.bridge.host.added(description(light)) }
        for light in ["b", "a"] as [LightID] { await house.bridge.host.removed(light) }
        await house.report(LightReport(reachable: false), "plain")
        #expect(keys(try await house.bridge.lights.purge()) == ["a", "b"])
        #expect(keys(house.store.lights) == ["lamp", "plain"])
        #expect(try await house.bridge.lights.purge() == [])
        let again = try await restart(house, [.lamp, .plain, description("new")])
        #expect(await again.lights.snapshots().map(\.aid) == [2, 3, 6])
        await again.host.added(description("a"))
        #expect(await again.aid("a") == 7)
    }

    @Test("allows a purge of the lights of a removed driver")
    func unconfigured() async throws {
        let house = try await House()
        let session = try await house.session()
        let number = await house.bridge.server.configurationNumber
        await house.bridge.lights.detach(BridgeUnderTest.driverID)
        #expect(await house.bridge.lights.warnings().contains { $0.text.contains("lamplighter devices purge") })
        #expect(keys(try await house.bridge.lights.purge()) == ["lamp", "plain"])
        #expect(house.store.lights == [])
        #expect(await house.bridge.lights.warnings() == [])
        await house.advance(.seconds(2))
        #expect(await house.bridge.server.configurationNumber == number + 1)
        #expect(try await session.read("id=2.9").text.contains("-70409"))
    }

    @Test("doesn't purge a light that its driver hasn't announced since the start")
    func unannounced() async throws {
        let house = try await House()
        let again = try await restart(house, [.lamp])
        await again.host.report(LightReport(reachable: false), from: "lamp")
        await again.host.report(.running)
        await again.scheduler.advance(by: .seconds(3600))
        #expect(try await again.lights.purge() == [])
        #expect(keys(house.store.lights) == ["lamp", "plain"])
    }

    @Test("allows a purge of a removed driver's hidden lights")
    func hidden() async throws {
        let key = LightKey(driver: BridgeUnderTest.driverID, light: "plain")
        let house = try await House(overrides: [:])
        let again = try await BridgeUnderTest(
            house.store, stored: house.store.bridge, overrides: [key: LightOverride(isHidden: true)])
        #expect(try await again.lights.purge() == [])
        await again.lights.detach(BridgeUnderTest.driverID)
        #expect(keys(try await again.lights.purge()) == ["lamp", "plain"])
        #expect(house.store.lights == [])
    }

    @Test("keeps no lights that are added and removed while the store fails, and reuses no aid")
    func fullDisk() async throws {
        let house = try await House()
        house.store.breakDown([.light])
        for number in 0..<400 {
            await house.bridge.host.added(description(LightID("\(number)")))
            await house.bridge.host.removed(LightID("\(number)"))
        }
        #expect(await house.bridge.lights.warnings() == [])
        // The store fails, so this would throw if there were lights to forget.
        #expect(try await house.bridge.lights.purge() == [])
        for number in 0..<400 { await house.bridge.host.added(description(LightID("\(number)"))) }
        house.store.breakDown([])
        await house.advance(.seconds(60))
        let aids = await house.bridge.lights.snapshots().map(\.aid)
        #expect(aids.count == 149 && Set(aids).count == 149)
        #expect(aids.filter { $0 > 3 }.allSatisfy { $0 > 400 })
    }

    @Test("changes nothing if a purge can't be stored, and reports the failure")
    func notStored() async throws {
        let house = try await House()
        await house.bridge.host.removed("plain")
        await house.bridge.lights.detach(BridgeUnderTest.driverID)
        house.store.breakDown([.light])
        await #expect(throws: InMemoryAccessoryServerStore.Broken.self) { try await house.bridge.lights.purge() }
        #expect(await house.bridge.aid("lamp") == 2)
        house.store.breakDown([])
        await house.bridge.lights.attach(house.bridge.driver, as: BridgeUnderTest.driverID)
        await house.bridge.host.added(.plain)
        #expect(await house.bridge.aid("plain") == 3)
    }

    @Test("allows a purge of a light whose removal couldn't be stored")
    func goingNotStored() async throws {
        let house = try await House()
        house.store.breakDown([.light])
        await house.bridge.host.removed("plain")
        house.store.breakDown([])
        #expect(keys(try await house.bridge.lights.purge()) == ["plain"])
        await house.advance(.seconds(60))
        #expect(keys(house.store.lights) == ["lamp"])
        #expect(await house.bridge.lights.warnings() == [])
    }

    @Test(
        "gives a waiting light the place of an unannounced light only after the latter is forgotten"
    )
    func room() async throws {
        let house = try await House([])
        for number in 0..<149 { await house.bridge.host.added(description(LightID("\(number)"))) }
        let all = (1..<149).map { description(LightID("\($0)")) }
        let again = try await restart(house, all + [description("late"), description("gone")])
        await again.host.report(.running)
        await again.host.report(LightReport(on: true, reachable: true), from: "late")
        await again.host.removed("gone")
        let warnings = await again.lights.warnings().map(\.text)
        #expect(warnings.count == 1)
        #expect(warnings[0].contains("test/late isn't shown") && warnings[0].contains("lamplighter devices forget"))
        #expect(await again.aid("0") == 2)
        await again.lights.forget(try #require(LightKey("test/0")))
        let late = try #require(await again.lights.snapshots().last)
        #expect(late.key.light == "late" && late.on == true && late.isReachable)
        #expect(await again.server.accessories.count == 150)
        #expect(await again.lights.warnings() == [])
    }

    @Test("doesn't count a light that still has a free place toward the limit of 149 waiting lights")
    func waiting() async throws {
        let house = try await House([])
        for number in 0..<149 { await house.bridge.host.added(description(LightID("\(number)"))) }
        await house.bridge.host.removed("7")
        for number in 149..<320 { await house.bridge.host.added(description(LightID("\(number)"))) }
        await house.bridge.host.added(description("7"))
        for number in 0..<320 where number != 7 { await house.bridge.host.removed(LightID("\(number)")) }
        #expect(await house.bridge.lights.snapshots().isEmpty)
        await house.bridge.host.added(description("7"))
        #expect(await house.bridge.aid("7") == 9)
    }
}
