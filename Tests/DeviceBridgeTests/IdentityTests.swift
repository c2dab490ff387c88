import AccessoryRole
import DeviceBridge
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import Logging
import TestTimeouts
import Testing

// The tests are serialized, because their four thousand steps take minutes under a sanitizer.
@Suite("Stable identity", .serialized, .timeout)
struct IdentityTests {
    @Test(
        "keeps every identity in a thousand steps, and raises c# whenever the database changes",
        arguments: [1, 2, 3, 4] as [UInt64])
    func walk(seed: UInt64) async throws {
        var stored = StoredServer.random()
        // The configuration number wraps around during the walk.
        stored.configuration.number = 65_500
        let store = InMemoryAccessoryServerStore(stored)
        var walk = IdentityWalk(seed: seed, disturb: { store.breakDown($0 ? [.light] : []) }) {
            (store, store.bridge)
        }
        for violation in try await walk.violations() { Issue.record("\(violation)") }
    }

    @Test("has an in-memory store that meets the store contract")
    func contract() async throws {
        let store = InMemoryAccessoryServerStore()
        for violation in try await StoreContract(open: { (store, store.bridge) }).violations() {
            Issue.record("\(violation)")
        }
    }
}

@Suite("The accessory structure", .timeout)
struct StructureTests {
    private func number(_ house: House) async -> UInt16 { await house.bridge.server.advertisement.configurationNumber }

    private func description(_ id: LightID, _ name: String = "Lamp") -> LightDescription {
        LightDescription(id: id, name: name)
    }

    @Test("raises c# once, a second after new lights, and keeps sessions and subscriptions")
    func appear() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write(#"{"aid":2,"iid":9,"ev":true}"#)
        let before = await number(house)
        for index in 0..<5 {
            await house.bridge.host.added(description(LightID("new \(index)"), "New \(index)"))
            await house.advance(.milliseconds(150))
        }
        #expect(await number(house) == before)
        await house.advance(.milliseconds(250))
        #expect(await number(house) == before + 1)
        #expect(house.store.stored.configuration.number == before + 1)
        await house.advance(.seconds(60))
        #expect(await number(house) == before + 1)
        #expect(try await session.get("/accessories").text.contains("New 4"))
        await house.report(LightReport(on: true))
        #expect(await session.events.count == 1)
    }

    @Test("never lowers a firmware revision, even after a restart")
    func firmware() async throws {
        let house = try await House()
        var lamp = LightDescription.lamp
        for (reported, shown) in [("1.9", "1.9"), ("1.10.1", "1.10.1"), ("1.10", "1.10.1"), ("0.9", "1.10.1")] {
            lamp.firmware = reported
            await house.bridge.host.added(lamp)
            #expect(await firmware(house.bridge) == shown)
        }
        lamp.firmware = nil
        await house.bridge.host.added(lamp)
        #expect(await firmware(house.bridge) == "1.10.1")
        lamp.firmware = "1.9"
        let again = try await BridgeUnderTest(house.store, stored: house.store.bridge, lights: [lamp])
        #expect(await firmware(again) == "1.10.1")
        lamp.firmware = "2"
        await again.host.added(lamp)
        #expect(await firmware(again) == "2")
    }

    private func firmware(_ bridge: BridgeUnderTest) async -> String? {
        let lamp = await bridge.server.accessories.first { $0.aid == 2 }
        return lamp?.services[0].characteristics.first { $0.type == .firmwareRevision }?.value?.string
    }

    @Test("keeps c# while the database doesn't change")
    func noChange() async throws {
        let house = try await House()
        let before = await number(house)
        await house.bridge.host.added(.lamp)
        await house.report(LightReport(on: true, brightness: 5, reachable: false))
        await house.report(LightReport(reachable: true))
        var other = LightDescription.lamp
        // Controllers can't see these properties.
        other.suggestedRoom = "Kitchen"
        other.capabilities.transition = true
        await house.bridge.host.added(other)
        await house.advance(.seconds(5))
        #expect(await number(house) == before)
        // Adding and removing a light within a second doesn't change the database.
        await house.bridge.host.added(description("guest"))
        await house.bridge.host.removed("guest")
        await house.advance(.seconds(5))
        #expect(await number(house) == before)
        // A restart doesn't change the database.
        let again = try await BridgeUnderTest(house.store)
        #expect(await again.server.advertisement.configurationNumber == before)
        // A new version of the program changes the database.
        let newer = try await BridgeUnderTest(house.store, stored: house.store.bridge, firmware: "2.0")
        #expect(await newer.server.advertisement.configurationNumber == before + 1)
    }

    @Test("publishes c# only after it is stored, and retries a failed store")
    func durable() async throws {
        let house = try await House()
        let before = await number(house)
        house.store.breakDown([.configuration])
        await house.bridge.host.added(description("new"))
        await house.advance(.seconds(5))
        #expect(await number(house) == before)
        house.store.breakDown([])
        await house.advance(.seconds(10))
        #expect(await number(house) == before + 1)
        #expect(house.store.stored.configuration.number == before + 1)
    }

    @Test("raises c# in order even if the store is slow")
    func slowStore() async throws {
        let house = try await House()
        let before = await number(house)
        house.store.hold([.configuration])
        await house.bridge.host.added(description("a"))
        await house.advance(.seconds(2))
        await house.bridge.host.added(description("b"))
        await house.advance(.seconds(2))
        #expect(house.store.waitingCount == 1)
        #expect(await number(house) == before)
        house.store.release()
        try await house.drain { await number(house) == before + 2 }
        #expect(house.store.stored.configuration.number == before + 2)
    }

    @Test("keeps c# during a slow start")
    func slowStart() async throws {
        let house = try await House()
        let stored = house.store.stored
        let loop = house.bridge.loop
        let scheduler = ManualScheduler(loop)
        let profile = AccessoryProfile.deviceBridge(name: "Bridge", serialNumber: "0001", firmware: "1.0")
        let server = AccessoryServer(
            executor: house.bridge.executor, scheduler: scheduler, store: house.store, stored: stored,
            profile: profile, eventWindow: .zero, logger: .init(label: "test") { _ in SwiftLogNoOpLogHandler() })
        for accessory in await house.bridge.server.accessories {
            try await server.set(accessory, source: nil, isReachable: true)
            await scheduler.advance(by: .seconds(2))
        }
        await server.reconcileStructure()
        #expect(await server.configurationNumber == stored.configuration.number)
    }

    @Test("gives a light one aid if it is added twice while the store writes")
    func notifiedTwice() async throws {
        let house = try await House()
        house.store.hold([.light])
        async let first: Void = house.bridge.host.added(description("new", "One"))
        async let second: Void = house.bridge.host.added(description("new", "Two"))
        try await house.drain(until: { house.store.waitingCount > 0 })
        house.store.release()
        _ = await (first, second)
        #expect(await house.bridge.lights.snapshots().count == 3)
        #expect(await house.bridge.server.accessories.count == 4)
        #expect(house.store.lights.filter { $0.key.light == "new" }.count == 1)
    }

    @Test("doesn't show a light that is removed while it is being added")
    func removedMeanwhile() async throws {
        let house = try await House()
        house.store.hold([.light])
        async let added: Void = house.bridge.host.added(description("new"))
        try await house.drain(until: { house.store.waitingCount > 0 })
        async let removed: Void = house.bridge.host.removed("new")
        await house.drain()
        house.store.release()
        _ = await (added, removed)
        #expect(await house.bridge.lights.snapshots().count == 2)
        #expect(house.store.lights.first { $0.key.light == "new" }?.isRemoved == true)
    }

    @Test("hides a light that can't be stored, and shows it with its reserved aid later")
    func notStored() async throws {
        let house = try await House()
        house.store.breakDown([.light])
        await house.bridge.host.added(description("new"))
        #expect(await house.bridge.lights.snapshots().count == 2)
        #expect(await house.bridge.lights.warnings().map(\.text).joined().contains("can't be stored"))
        house.store.breakDown([])
        await house.bridge.host.added(description("other"))
        await house.bridge.host.added(description("new"))
        #expect(await house.bridge.aid("new") == 4)
        #expect(await house.bridge.aid("other") == 5)
        #expect(await !house.bridge.lights.warnings().map(\.text).joined().contains("can't be stored"))
    }

    @Test("stores the removal of a light as soon as the store works again")
    func goingStoredLater() async throws {
        let house = try await House()
        await house.bridge.host.added(description("new", "New"))
        house.store.breakDown([.light])
        await house.bridge.host.removed("new")
        #expect(await house.bridge.lights.snapshots().count == 2)
        #expect(await house.bridge.lights.warnings().map(\.text).joined().contains("can't be stored"))
        await house.advance(.seconds(25))
        house.store.breakDown([])
        await house.advance(.seconds(10))
        #expect(house.store.lights.first { $0.key.light == "new" }?.isRemoved == true)
        let warnings = await house.bridge.lights.warnings().map(\.text)
        #expect(warnings == [])
    }

    @Test(
        "keeps the aid of a light that returns before its removal is stored",
        arguments: [true, false])
    func backBeforeStored(isStorable: Bool) async throws {
        let house = try await House()
        await house.bridge.host.added(description("new", "New"))
        let aid = await house.bridge.aid("new")
        house.store.breakDown([.light])
        await house.bridge.host.removed("new")
        if isStorable { house.store.breakDown([]) }
        await house.bridge.host.added(description("new", "New"))
        house.store.breakDown([])
        await house.advance(.seconds(10))
        #expect(await house.bridge.aid("new") == aid)
        #expect(house.store.lights.first { $0.key.light == "new" }?.isRemoved == false)
        let warnings = await house.bridge.lights.warnings().map(\.text)
        #expect(warnings == [])
    }

    @Test("adds a light as soon as it can be stored, with its latest description")
    func storedLater() async throws {
        let house = try await House()
        house.store.breakDown([.light])
        await house.bridge.host.added(description("new", "New"))
        await house.bridge.host.added(description("gone", "Gone"))
        await house.report(LightReport(on: true, reachable: true), "new")
        await house.bridge.host.removed("gone")
        await house.advance(.seconds(25))
        #expect(await house.bridge.lights.snapshots().count == 2)
        house.store.breakDown([])
        await house.advance(.seconds(10))
        let shown = try #require(await house.bridge.lights.snapshots().first { $0.key.light == "new" })
        #expect(shown.on == true && shown.isReachable)
        #expect(await house.bridge.lights.snapshots().count == 3)
        let warnings = await house.bridge.lights.warnings().map(\.text)
        #expect(warnings == [])
    }

    @Test("keeps a light that changes back before the change could be stored")
    func changedBack() async throws {
        let house = try await House([])
        await house.bridge.host.added(description("a", "One"))
        house.store.breakDown([.light])
        await house.bridge.host.added(description("a", "Two"))
        await house.bridge.host.added(description("a", "One"))
        house.store.breakDown([])
        let warnings = await house.bridge.lights.warnings().map(\.text)
        #expect(warnings == [])
        await house.advance(.seconds(20))
        #expect(await house.bridge.lights.snapshots().map(\.name) == ["One"])
        #expect(house.store.lights.first { $0.key.light == "a" }?.description.name == "One")
    }

    @Test("drops unstored lights of a replaced driver")
    func storedNever() async throws {
        let house = try await House()
        house.store.breakDown([.light])
        await house.bridge.host.added(description("new"))
        await house.bridge.lights.attach(ScriptedLightDriver(), as: BridgeUnderTest.driverID)
        house.store.breakDown([])
        await house.advance(.seconds(20))
        #expect(await house.bridge.lights.snapshots().count == 2)
    }

    @Test(
        "never reuses the aid of a removed light, even the highest aid after a restart")
    func highestRemoved() async throws {
        let store = InMemoryAccessoryServerStore()
        for round in 0..<5 {
            let bridge = try await BridgeUnderTest(store)
            let light = LightID("light \(round)")
            await bridge.host.added(description(light, "Lamp \(round)"))
            #expect(await bridge.aid(light) == AccessoryID(UInt64(round + 2)))
            await bridge.host.removed(light)
        }
        // Each new light gets a new aid.
        let bridge = try await BridgeUnderTest(store)
        for round in (0..<5).reversed() {
            let light = LightID("light \(round)")
            await bridge.host.added(description(light, "Lamp \(round)"))
            #expect(await bridge.aid(light) == AccessoryID(UInt64(round + 2)))
        }
    }

    @Test("hides an accessory that controllers would reject")
    func refused() async throws {
        let house = try await House()
        let session = try await house.session()
        let before = try await session.get("/accessories").text
        var bad = AccessoryObject.gadget
        bad.services[1].characteristics[0].iid = 12
        await #expect(throws: ComplianceError.self) {
            try await house.bridge.server.set(bad, source: nil, isReachable: true)
        }
        await house.advance(.seconds(2))
        #expect(try await session.get("/accessories").text == before)
    }

    @Test("hides new parts of a light until they are stored")
    func changeNotStored() async throws {
        let house = try await House()
        let before = await house.bridge.server.accessories
        house.store.breakDown([.light])
        var more = LightDescription.plain
        more.capabilities.brightness = true
        await house.bridge.host.added(more)
        await house.advance(.seconds(5))
        #expect(await house.bridge.server.accessories == before)
        house.store.breakDown([])
        await house.advance(.seconds(10))
        let service = await house.bridge.server.accessories.last?.services.last
        #expect(service?.characteristics.map(\.iid) == [9, 10])
        #expect(house.store.lights.last?.instanceIDs.ids.count == 10)
    }

    @Test("numbers all lights with the same name except the oldest, even after a restart")
    func names() async throws {
        let house = try await House([])
        func names() async -> [String] { await house.bridge.lights.snapshots().map(\.name) }
        for id in ["a", "b", "c"] as [LightID] { await house.bridge.host.added(description(id)) }
        #expect(await names() == ["Lamp", "Lamp 2", "Lamp 3"])
        await house.bridge.host.added(description("a", "Desk"))
        #expect(await names() == ["Desk", "Lamp", "Lamp 2"])
        await house.bridge.host.removed("b")
        #expect(await names() == ["Desk", "Lamp"])
        await house.bridge.host.added(description("b"))
        #expect(await names() == ["Desk", "Lamp", "Lamp 2"])
        let again = try await BridgeUnderTest(house.store)
        #expect(await again.lights.snapshots().map(\.name) == ["Desk", "Lamp", "Lamp 2"])
        #expect(await again.lights.warnings().count == 1)
    }

    @Test("shows 149 lights, and warns about additional lights until there is room")
    func full() async throws {
        let house = try await House([])
        for index in 0..<149 { await house.bridge.host.added(description(LightID("\(index)"), "Lamp \(index)")) }
        await house.bridge.host.added(description("late"))
        #expect(await house.bridge.server.accessories.count == 150)
        #expect(await house.bridge.lights.warnings().contains { $0.text.contains("test/late isn't shown") })
        await house.bridge.host.removed("7")
        await house.bridge.host.added(description("late"))
        #expect(await house.bridge.aid("late") != nil)
        // One light is hidden, and another light takes its place. Then the first light is shown again.
        let key = LightKey(driver: BridgeUnderTest.driverID, light: "3")
        let hiding = try await BridgeUnderTest(
            house.store, stored: house.store.bridge, lights: [description("guest")],
            overrides: [key: LightOverride(isHidden: true)])
        #expect(await hiding.server.accessories.count == 150)
        #expect(await hiding.aid("3") == nil)
        let back = try await BridgeUnderTest(house.store)
        #expect(await back.server.accessories.count == 150)
        #expect(await back.aid("3") == 5)
        #expect(await back.aid("guest") == nil)
        #expect(await back.lights.warnings().contains { $0.text.contains("test/guest isn't shown") })
    }

    @Test(
        "ignores lights with ids that can't be stored", arguments: ["", "a\u{0}b", String(repeating: "x", count: 256)])
    func badIDs(id: String) async throws {
        let house = try await House([])
        await house.bridge.host.added(description(LightID(id)))
        #expect(await house.bridge.lights.snapshots().isEmpty)
        #expect(await house.bridge.lights.warnings().count == 1)
    }

    @Test("shows the lights of the last run as unreachable until their driver reports them")
    func restored() async throws {
        let house = try await House()
        await house.report(LightReport(on: true, brightness: 33, color: .hueSaturation(hue: 7, saturation: 8)))
        await house.advance(.seconds(10))
        let again = try await BridgeUnderTest(house.store)
        let session = try await again.session(house.admin)
        let database = try await session.get("/accessories").text
        #expect(database.contains(#""minStep":1,"value":33}"#))
        #expect(try await session.read("id=2.9").text.contains("-70402"))
        #expect(try await session.write(#"{"aid":2,"iid":9,"value":true}"#).text.contains("-70402"))
        #expect(await again.host.lastKnown("lamp")?.brightness == 33)
        await again.host.report(LightReport(reachable: true), from: "lamp")
        #expect(try await session.read("id=2.9").status == 200)
    }

    @Test("returns the kinds of a driver's devices after a restart, including hidden and removed devices")
    func knownKinds() async throws {
        let house = try await House([.lamp])
        await house.bridge.host.added(LightDescription(id: "fan", name: "Fan", kind: .fan))
        await house.bridge.host.added(description("gone"))
        await house.bridge.host.removed("gone")
        let kinds: [LightID: LightKind] = ["lamp": .light, "fan": .fan, "gone": .light]
        #expect(await house.bridge.host.knownKinds() == kinds)
        let again = try await BridgeUnderTest(house.store)
        #expect(await again.host.knownKinds() == kinds)
        await again.lights.use([:], kinds: [.light])
        #expect(await again.host.knownKinds() == kinds)
        #expect(await again.host.knownLights() == ["lamp"])
    }

    @Test("stores states 10 s after the first change, and retries a failed store")
    func states() async throws {
        let house = try await House()
        func brightness() -> Int? { house.store.lights[0].state?.brightness }
        await house.report(LightReport(brightness: 1))
        house.store.breakDown([.states])
        await house.advance(.seconds(9))
        await house.report(LightReport(brightness: 2))
        await house.advance(.seconds(2))
        #expect(brightness() != 2)
        house.store.breakDown([])
        await house.advance(.seconds(10))
        #expect(brightness() == 2)
    }

    @Test("marks the lights of an ended driver as unreachable, and warns with the reason")
    func driverEnded() async throws {
        let house = try await House()
        await house.bridge.lights.driverEnded(BridgeUnderTest.driverID, "it broke")
        let session = try await house.session()
        #expect(try await session.read("id=2.9,3.9").status == 207)
        #expect(await house.bridge.lights.warnings().contains { $0.text.contains("it broke") })
        #expect(await house.bridge.lights.driverStatistics().first?.state == .degraded("it broke"))
    }

    @Test("reports changes with their origin")
    func events() async throws {
        let house = try await House()
        var events = await house.bridge.lights.events().makeAsyncIterator()
        let session = try await house.session()
        _ = try await session.write(#"{"aid":3,"iid":9,"value":true}"#)
        let first = await events.next()
        #expect(first?.origin == .controller)
        #expect(first?.light.key.light == "plain")
        #expect(first?.light.on == true)
        await house.report(LightReport(brightness: 9))
        let second = await events.next()
        #expect(second?.origin == .device)
        #expect(second?.light.brightness == 9)
        let key = LightKey(driver: BridgeUnderTest.driverID, light: "lamp")
        #expect(await house.bridge.lights.command(LightCommand(color: .temperature(mired: 9999)), key) == .success)
        let third = await events.next()
        #expect(third?.origin == .operator)
        #expect(third?.light.mired == 500)
        let plain = LightKey(driver: BridgeUnderTest.driverID, light: "plain")
        #expect(await house.bridge.lights.command(LightCommand(brightness: 5), plain) == .invalidValue)
    }

    @Test("sends hue 360 to drivers as 0, and reads it as written")
    func hue360() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write(#"{"aid":2,"iid":11,"value":360},{"aid":2,"iid":12,"value":50}"#)
        #expect(
            house.bridge.driver.orders.last?.command == LightCommand(color: .hueSaturation(hue: 0, saturation: 50)))
        #expect(try await session.read("id=2.11").text.contains(#""value":360"#))
        await house.report(LightReport(color: .hueSaturation(hue: 0, saturation: 50)))
        #expect(try await session.read("id=2.11").text.contains(#""value":360"#))
    }
}
