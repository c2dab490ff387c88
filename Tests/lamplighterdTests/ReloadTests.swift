import AccessoryRole
import BridgeControl
import DaemonKit
import DeviceBridge
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import LightDrivers
import Synchronization
import TestTimeouts
import Testing
import YAMLKit

@testable import lamplighterd

@Suite("ConfigurationReloader", .timeout)
struct ReloadTests {
    /// The recorded notifications to the service manager.
    final class Notified: Sendable {
        private let messages = Mutex<[String]>([])
        var all: [String] { messages.withLock { $0.map { String($0.prefix(11)) } } }
        func take(_ message: String) { messages.withLock { $0.append(message) } }
    }

    /// A bridge with simulated lights, assembled as in the daemon.
    struct Bench {
        let folder = StateFolder()
        let bridge: BridgeUnderTest
        let supervisor: DriverSupervisor
        let reloader: ConfigurationReloader
        let notified = Notified()

        init(_ text: String, pairings: PairingList = PairingList()) async throws {
            try folder.configure(text)
            let configuration = try BridgeConfiguration.load(
                from: folder.places.configuration, drivers: DriverCatalog.drivers)
            let store = InMemoryAccessoryServerStore()
            try await store.save(pairings)
            bridge = try await BridgeUnderTest(
                store, stored: store.bridge, overrides: configuration.overrides,
                kinds: configuration.include.kinds, eventWindow: configuration.bridge.eventWindow)
            supervisor = DriverSupervisor(lights: bridge.lights, logger: silent)
            await supervisor.use(configuration.drivers)
            reloader = ConfigurationReloader(
                path: folder.places.configuration, instance: "", configuration: configuration,
                useEventWindow: { [bridge] in await bridge.server.use(eventWindow: $0) }, fault: nil,
                lights: bridge.lights, supervisor: supervisor,
                notifier: ServiceNotifier(watchdogInterval: nil, send: notified.take), logger: silent)
        }

        func reload(_ text: String) async throws -> ReloadListing {
            try folder.configure(text)
            return try await reloader.reload()
        }

        /// The keys of the lights that are shown and reachable.
        var lights: [String] {
            get async {
                await bridge.lights.snapshots().filter(\.isReachable).map(\.key.description).sorted()
            }
        }

        func shows(_ lights: [String]) async throws {
            try await eventually("\(lights) are shown") { await self.lights == lights }
        }

        func end() async { await supervisor.use([]) }
    }

    private static func file(_ lights: String, more: String = "") -> String {
        "drivers: [{driver: simulated, lights: [\(lights)]}]\n\(more)"
    }

    @Test("notifies the service manager before and after a reload, even if the file is invalid")
    func notified() async throws {
        let bench = try await Bench(Self.file("{id: a, name: A}"))
        _ = try await bench.reload(Self.file("{id: a, name: A}"))
        #expect(bench.notified.all == ["RELOADING=1", "READY=1"])
        await #expect(throws: ConfigurationError.self) { try await bench.reload("bridge: {nam: x}") }
        #expect(bench.notified.all == ["RELOADING=1", "READY=1", "RELOADING=1", "READY=1"])
        await bench.end()
    }

    @Test("keeps the configuration if the file is invalid, and warns until a valid file is loaded")
    func wrong() async throws {
        let bench = try await Bench(Self.file("{id: a, name: A}"))
        try await bench.shows(["simulated/a"])
        await #expect(throws: ConfigurationError.self) { try await bench.reload(Self.file("{id: a}, {id: a}")) }
        #expect(await bench.reloader.warnings.count == 1)
        #expect(await bench.reloader.warnings.first?.contains("already has the id a") == true)
        #expect(await bench.lights == ["simulated/a"])
        _ = try await bench.reload(Self.file("{id: a, name: A}"))
        #expect(await bench.reloader.warnings == [])
        await bench.end()
    }

    @Test("adds, removes, hides and shows lights without a restart")
    func lights() async throws {
        let both = "{id: a, name: A}, {id: b, name: B}"
        let hidden = "lights: {simulated/a: {hidden: true}}"
        let bench = try await Bench(Self.file(both, more: hidden))
        try await bench.shows(["simulated/b"])
        #expect(try await bench.reload(Self.file(both)).lights == ["simulated/a"])
        try await bench.shows(["simulated/a", "simulated/b"])
        #expect(try await bench.reload(Self.file(both, more: hidden)).lights == ["simulated/a"])
        try await bench.shows(["simulated/b"])
        // A second reload has the same effect.
        #expect(try await bench.reload(Self.file(both)).lights == ["simulated/a"])
        try await bench.shows(["simulated/a", "simulated/b"])
        let listing = try await bench.reload(Self.file("{id: b, name: B}, {id: c, name: C}"))
        #expect(listing.drivers.changed == ["simulated"])
        try await bench.shows(["simulated/b", "simulated/c"])
        #expect(try await bench.reload("drivers: []").drivers.removed == ["simulated"])
        #expect(await bench.lights == [])
        await bench.end()
    }

    @Test(
        "hides an excluded kind, and restores its aids, iids and values")
    func include() async throws {
        let lights = "{id: a, name: A}, {id: s, name: S, kind: sensor, readings: [temperature]}"
        let all = "include: [lights, sensors]"
        let bench = try await Bench(Self.file(lights, more: "include: [lights]"))
        try await bench.shows(["simulated/a"])
        #expect(await bench.bridge.lights.excludedCounts == [.sensor: 1])
        _ = try await bench.reload(Self.file(lights, more: all))
        try await bench.shows(["simulated/a", "simulated/s"])
        #expect(await bench.bridge.lights.excludedCounts.isEmpty)
        let shown = await bench.bridge.server.accessories
        _ = try await bench.reload(Self.file(lights, more: "include: []"))
        try await bench.shows([])
        _ = try await bench.reload(Self.file(lights, more: all))
        try await bench.shows(["simulated/a", "simulated/s"])
        try await eventually("aids, iids and values are back") { await bench.bridge.server.accessories == shown }
        await bench.end()
    }

    @Test("applies a new event window")
    func eventWindow() async throws {
        let phone = ControllerIdentity.random()
        let bench = try await Bench("bridge: {event-window: 10s}", pairings: PairingList([phone.pairing()]))
        await bench.bridge.host.added(LightDescription(id: "l", name: "L"))
        await bench.bridge.host.report(LightReport(on: false, reachable: true), from: "l")
        await bench.bridge.server.reconcileStructure()
        let place = try #require(await bench.bridge.place(.on, of: "l"))
        let session = try await bench.bridge.session(phone)
        _ = try await session.write(#"{"aid":\#(place.aid),"iid":\#(place.iid),"ev":true}"#)
        func messages(after changes: Int) async throws -> UInt64 {
            for number in 0..<changes {
                await bench.bridge.host.report(LightReport(on: number.isMultiple(of: 2)), from: "l")
            }
            await bench.bridge.scheduler.advance(by: .seconds(1))
            return await bench.bridge.server.statistics.eventMessages
        }
        #expect(try await messages(after: 2) == 1)
        await bench.bridge.scheduler.advance(by: .seconds(20))
        let before = await bench.bridge.server.statistics.eventMessages
        _ = try await bench.reload("bridge: {event-window: 100ms}")
        #expect(try await messages(after: 2) == before + 2)
        await bench.end()
    }

    @Test("reports each key that requires a restart")
    func waiting() async throws {
        func keys(_ text: String) async throws -> [String] {
            let bench = try await Bench("bridge: {}")
            let keys = try await bench.reload(text).needsRestart
            #expect(await bench.reloader.warnings.isEmpty == keys.isEmpty)
            return keys
        }
        let files = [
            "name: X": "name", "port: 1": "port", "setup-code: 415-27-893": "setup-code",
            "interfaces: [eth0]": "interfaces", "advertise: none": "advertise",
            "ownership: {vendor: a, token-file: f}": "ownership",
        ]
        for (text, key) in files { #expect(try await keys("bridge: {\(text)}") == ["bridge.\(key)"]) }
        #expect(try await keys("metrics: {listen: 127.0.0.1:9251}") == ["metrics"])
        #expect(try await keys("bridge: {event-window: 1s}") == [])
    }
}
