import AccessoryRole
import DeviceBridge
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import Synchronization
import TestTimeouts
import Testing

@Suite("Distribution over several bridges", .timeout)
struct FurtherBridgesTests {
    private struct Refused: Error {}

    private static func description(_ number: Int) -> LightDescription {
        LightDescription(id: LightID("\(number)"), name: "Lamp \(number)")
    }

    private static func start(
        _ store: InMemoryAccessoryServerStore, _ numbers: some Sequence<Int> = [],
        overrides: [LightKey: LightOverride] = [:], permit: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) async throws -> BridgeUnderTest {
        try await BridgeUnderTest(
            store, stored: store.bridge, lights: numbers.map(description), overrides: overrides,
            furtherBridges: permit)
    }

    /// Returns the bridge and the aid of each light.
    private static func places(_ bridge: BridgeUnderTest) async -> [LightID: [UInt64]] {
        Dictionary(
            uniqueKeysWithValues: await bridge.lights.snapshots().map {
                ($0.key.light, [UInt64($0.bridge), $0.aid.rawValue])
            })
    }

    @Test(
        "keeps the places of 400 lights on three bridges when any 50 are removed, even after a restart"
    )
    func stable() async throws {
        let store = InMemoryAccessoryServerStore()
        let bridge = try await Self.start(store, 0..<400)
        #expect(await bridge.lights.lightCounts == [1: 149, 2: 149, 3: 102])
        let before = await Self.places(bridge)
        #expect(Set(before.values.map(\.[1])).count == 400)
        let gone = Set((0..<400).shuffled().prefix(50))
        for number in gone { await bridge.host.removed(LightID("\(number)")) }
        let remaining = before.filter { light, _ in !gone.contains(Int(light.rawValue) ?? -1) }
        #expect(await Self.places(bridge) == remaining)
        let again = try await Self.start(store, (0..<400).filter { !gone.contains($0) })
        #expect(await Self.places(again) == remaining)
        // Lights that return get their previous places.
        for number in gone.shuffled() { await again.host.added(Self.description(number)) }
        #expect(await Self.places(again) == before)
    }

    @Test("reuses free places before it opens a bridge")
    func reuse() async throws {
        let opened = Mutex<[Int]>([])
        let store = InMemoryAccessoryServerStore()
        let bridge = try await Self.start(store, 0..<149) { number in opened.withLock { $0.append(number) } }
        for number in 0..<10 { await bridge.host.removed(LightID("\(number)")) }
        for number in 1000..<1010 { await bridge.host.added(Self.description(number)) }
        #expect(opened.withLock { $0 } == [])
        #expect(await bridge.lights.lightCounts == [1: 149])
        // Another light has taken this light's place, so it returns on another bridge with its previous aid.
        await bridge.host.added(Self.description(3))
        #expect(opened.withLock { $0 } == [2])
        #expect(await Self.places(bridge)["3"] == [2, 5])
        // The second bridge has room, so a new light doesn't get a place that is reserved on the first bridge.
        await bridge.host.removed("1001")
        await bridge.host.added(Self.description(2000))
        #expect(await Self.places(bridge)["2000"]?.first == 2)
        await bridge.host.added(Self.description(1001))
        #expect(await Self.places(bridge)["1001"]?.first == 1)
    }

    @Test("gives each server the lights of its bridge, and delivers their writes")
    func servers() async throws {
        let store = InMemoryAccessoryServerStore()
        let bridge = try await Self.start(store, 0..<200)
        #expect(await bridge.server.accessories.count == 150)
        let second = try #require(await bridge.lights.servers[2])
        #expect(await second.accessories.count == 52)
        let aid = try #require(await bridge.aid("180"))
        #expect(await second.accessories.contains { $0.aid == aid })
        #expect(await bridge.server.accessories.contains { $0.aid == aid } == false)
        await bridge.host.removed("180")
        #expect(await second.accessories.count == 51)
    }

    @Test("retries a bridge that couldn't be opened, and then adds the waiting light")
    func failing() async throws {
        let isBroken = Mutex(true)
        let store = InMemoryAccessoryServerStore()
        let bridge = try await Self.start(store, 0..<149) { _ in if isBroken.withLock({ $0 }) { throw Refused() } }
        await bridge.host.added(Self.description(149))
        await bridge.host.report(LightReport(on: true, reachable: true), from: "149")
        #expect(await bridge.lights.snapshots().count == 149)
        #expect(await bridge.lights.warnings().contains { $0.text.contains("no further bridge can be opened") })
        isBroken.withLock { $0 = false }
        await bridge.scheduler.advance(by: .seconds(10))
        await bridge.scheduler.drain()
        #expect(await bridge.lights.snapshots().last?.on == true)
        #expect(await bridge.lights.lightCounts == [1: 149, 2: 1])
        #expect(await bridge.lights.warnings() == [])
    }

    @Test("gives a hidden light a new place if another light has taken its place")
    func hidden() async throws {
        let store = InMemoryAccessoryServerStore()
        let key = LightKey(driver: BridgeUnderTest.driverID, light: "7")
        _ = try await Self.start(store, 0..<149)
        let hiding = [key: LightOverride(isHidden: true)]
        let bridge = try await Self.start(store, 0..<150, overrides: hiding)
        #expect(await bridge.lights.lightCounts == [1: 149])
        let again = try await Self.start(store, 0..<150)
        #expect(await again.lights.lightCounts == [1: 149, 2: 1])
    }

    @Test("opens at most ten bridges")
    func flood() async throws {
        let store = InMemoryAccessoryServerStore()
        let bridge = try await Self.start(store, 0..<1600)
        #expect(await bridge.lights.lightCounts.count == 10)
        #expect(await bridge.lights.snapshots().count == 1490)
        #expect(await bridge.lights.warnings().contains { $0.text.contains("10 bridges can have at most 1490 lights") })
    }
}
