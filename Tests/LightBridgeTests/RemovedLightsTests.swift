import AccessoryRole
import HAPModel
import HAPProtocol
import HAPTesting
import LightBridge
import LightKit
import TestTimeouts
import Testing

@Suite("Lights that their sources have removed", .timeout)
struct RemovedLightsTests {
    private func description(_ id: LightID) -> LightDescription {
        LightDescription(id: id, name: "Lamp \(id)")
    }

    private func keys(_ lights: [StoredLight]) -> [LightID] { lights.map(\.key.light) }

    /// The first start after another one, with a driver that has announced these lights.
    private func restart(_ house: House, _ lights: [LightDescription] = []) async throws -> BridgeUnderTest {
        try await BridgeUnderTest(house.store, stored: house.store.bridge, lights: lights)
    }

    @Test("300 removed lights are remembered, the last to go; the aids of the others are given to none, ever")
    func limit() async throws {
        let house = try await House([description("first")])
        for number in 0..<301 {
            let light = LightID("\(number)")
            await house.bridge.host.added(description(light))
            await house.bridge.host.removed(light)
        }
        await house.bridge.host.removed("first")
        // By when they went, not by when they came: the light of aid 2 went last.
        #expect(house.store.lights.map(\.aid) == [2] + (5..<304).map { AccessoryID($0) })
        for (light, aid) in [("300", 303), ("first", 2), ("0", 304), ("1", 305)] as [(LightID, AccessoryID)] {
            await house.bridge.host.added(description(light))
            #expect(await house.bridge.aid(light) == aid)
        }
        // Also of a file from before there was a limit.
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

    @Test("a purge forgets what was removed, for good: no other light ever gets its aid, also after a restart")
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

    @Test("a purge forgets the lights of a driver that is not configured any more, and makes no other wait")
    func unconfigured() async throws {
        let house = try await House()
        let session = try await house.session()
        let number = await house.bridge.server.configurationNumber
        await house.bridge.lights.detach(BridgeUnderTest.driverID)
        #expect(await house.bridge.lights.warnings().contains { $0.text.contains("lamplighter lights purge") })
        #expect(keys(try await house.bridge.lights.purge()) == ["lamp", "plain"])
        #expect(house.store.lights == [])
        #expect(await house.bridge.lights.warnings() == [])
        await house.advance(.seconds(2))
        #expect(await house.bridge.server.configurationNumber == number + 1)
        #expect(try await session.read("id=2.9").text.contains("-70409"))
    }

    @Test("a light that its driver has not announced since the start may be unplugged, and no purge forgets it")
    func unannounced() async throws {
        let house = try await House()
        let again = try await restart(house, [.lamp])
        await again.host.report(LightReport(reachable: false), from: "lamp")
        await again.host.report(.running)
        await again.scheduler.advance(by: .seconds(3600))
        #expect(try await again.lights.purge() == [])
        #expect(keys(house.store.lights) == ["lamp", "plain"])
    }

    @Test("a purge forgets the hidden lights of a driver that is gone, too")
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

    @Test("while nothing can be stored, lights that come and go leave nothing behind, and no aid is given twice")
    func fullDisk() async throws {
        let house = try await House()
        house.store.breakDown([.light])
        for number in 0..<400 {
            await house.bridge.host.added(description(LightID("\(number)")))
            await house.bridge.host.removed(LightID("\(number)"))
        }
        #expect(await house.bridge.lights.warnings() == [])
        // It would fail if there were anything to forget.
        #expect(try await house.bridge.lights.purge() == [])
        for number in 0..<400 { await house.bridge.host.added(description(LightID("\(number)"))) }
        house.store.breakDown([])
        await house.advance(.seconds(60))
        let aids = await house.bridge.lights.snapshots().map(\.aid)
        #expect(aids.count == 149 && Set(aids).count == 149)
        #expect(aids.filter { $0 > 3 }.allSatisfy { $0 > 400 })
    }

    @Test("a purge that cannot be stored changes nothing, and is said to have failed")
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

    @Test("a light whose going could not be stored is forgotten by a purge, and not stored after it")
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
        "lights that are not announced keep their places until one is forgotten; then one that waits comes in"
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
        #expect(warnings[0].contains("test/late is left out") && warnings[0].contains("lamplighter lights forget"))
        #expect(await again.aid("0") == 2)
        await again.lights.forget(try #require(LightKey("test/0")))
        let late = try #require(await again.lights.snapshots().last)
        #expect(late.key.light == "late" && late.on == true && late.isReachable)
        #expect(await again.server.accessories.count == 150)
        #expect(await again.lights.warnings() == [])
    }

    @Test("of lights that wait for room 149 are kept; one that has none of its own to come back to is kept, too")
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
