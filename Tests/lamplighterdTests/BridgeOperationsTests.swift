import AccessoryRole
import BridgeControl
import DaemonKit
import DatabaseKit
import DeviceBridge
import DeviceKit
import Discovery
import GRDB
import HAPAccessory
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import LightDrivers
import TestTimeouts
import Testing

@testable import lamplighterd

/// The handler of operator commands, with scripted lights.
struct OperatorBench {
    let folder = StateFolder()
    let file: DatabaseFile
    let bridge: BridgeUnderTest
    let operations: BridgeOperations

    init(pairings: [ControllerIdentity] = [], failedAttempts: Int = 0) async throws {
        try folder.configure("bridge: {}\n")
        file = try folder.open()
        let database = BridgeDatabase(file.queue)
        _ = try await database.load()
        try await database.save(PairingList(pairings.map { $0.pairing() }))
        try await database.save(failedAttempts: failedAttempts)
        let stored = try await database.load()
        bridge = try await BridgeUnderTest(
            database, stored: stored,
            lights: [
                LightDescription(id: "desk", name: "Desk", capabilities: LightCapabilities(brightness: true)),
                LightDescription(id: "hall", name: "Hall"),
            ])
        let supervisor = DriverSupervisor(lights: bridge.lights, logger: silent)
        let shown = Bridge(
            number: 1, name: "Bridge", deviceID: stored.server.identity.deviceID, port: 1, server: bridge.server,
            publisher: nil, interfaces: .automatic, listener: nil)
        let reloader = ConfigurationReloader(
            path: folder.places.configuration, instance: folder.places.stateDirectory,
            configuration: try BridgeConfiguration.load(from: folder.places.configuration, drivers: []),
            useEventWindow: { _ in }, fault: nil, lights: bridge.lights, supervisor: supervisor, notifier: nil,
            logger: silent)
        operations = BridgeOperations(
            bridges: { [shown] }, lights: bridge.lights, supervisor: supervisor, reloader: reloader,
            editor: ConfigurationEditor(path: folder.places.configuration, instance: folder.places.stateDirectory) {
                try await reloader.reload()
            },
            hostFacts: HostFacts(interfaces: .automatic, file: file, writes: database.server.writes),
            memory: BridgeMemory(file: file, places: folder.places),
            search: LightSearch(logger: silent) { _ in InMemoryBrowser() })
    }
}

@Suite("BridgeOperations", .timeout)
struct BridgeOperationsTests {
    @Test("returns the setup code of a paired bridge only with force")
    func setupCode() async throws {
        var bench = try await OperatorBench()
        let listing = try await bench.operations.setup(force: false)
        #expect(!listing.paired)
        var code = await bench.bridge.server.setupPayload.code?.text
        #expect(listing.code == code)
        bench = try await OperatorBench(pairings: [.random()])
        let operations = bench.operations
        let error = await #expect(throws: BridgeControlError.self) { try await operations.setup(force: false) }
        #expect(error?.remedy?.contains("--force") == true)
        code = await bench.bridge.server.setupPayload.code?.text
        #expect(error?.description.contains(try #require(code)) == false)
        #expect(try await operations.setup(force: true).code == code)
    }

    @Test("keeps a warning in the log after the problem is over")
    func warningLog() async throws {
        let bench = try await OperatorBench(failedAttempts: 3)
        let current = try await bench.operations.warnings().records
        #expect(current.map(\.code) == [.setupAttempts] && current.allSatisfy { $0.until == nil })
        try await bench.operations.unlockPairing()
        let over = try await bench.operations.warnings().records
        #expect(over.map(\.message) == current.map(\.message) && over.allSatisfy { $0.until != nil })
    }

    @Test("switches a light off for brightness 0, and keeps its level")
    func brightnessZero() async throws {
        let bench = try await OperatorBench()
        try await bench.operations.setLight("test/desk", LightChange(brightness: 40))
        try await bench.operations.setLight("test/desk", LightChange(brightness: 0))
        #expect(
            bench.bridge.driver.orders == [
                .init("desk", LightCommand(brightness: 40)), .init("desk", LightCommand(on: false)),
            ])
    }

    @Test("reports a light's refusal and a missing light as errors")
    func refused() async throws {
        let bench = try await OperatorBench()
        bench.bridge.driver.set("desk", .refuses(.busy))
        let operations = bench.operations
        let busy = await #expect(throws: BridgeControlError.self) {
            try await operations.setLight("test/desk", LightChange(on: true))
        }
        #expect(busy == BridgeControlError(code: 69, message: "test/desk is busy", remedy: "try again"))
        for key in ["test/none", "none", "other/desk", ""] {
            await #expect(throws: BridgeControlError.self) { try await operations.setLight(key, LightChange(on: true)) }
        }
    }

    @Test("reports warnings with their driver and light")
    func warnings() async throws {
        let bench = try await OperatorBench()
        await bench.bridge.host.warn("desk/config: the template is not understood", about: "desk")
        await bench.bridge.host.warn("the topic x can't be read", about: "x")
        #expect(
            try await bench.operations.status().lightWarnings == [
                BridgeWarning(
                    .lights, "desk/config: the template is not understood",
                    about: .init(driver: "test", light: "test/desk")),
                BridgeWarning(.lights, "the topic x can't be read", about: .init(driver: "test")),
            ])
        let listed = try await bench.operations.lights()
        #expect(listed.map(\.key) == ["test/desk", "test/hall"])
        #expect(listed.map(\.warnings) == [["desk/config: the template is not understood"], nil])
    }

    @Test("rejects an invalid configuration, and reports the position and the remedy")
    func wrongConfiguration() async throws {
        let bench = try await OperatorBench()
        try bench.folder.configure("bridge: {port: 0}\n")
        let operations = bench.operations
        let error = await #expect(throws: BridgeControlError.self) { try await operations.reload() }
        #expect(error?.code == 78)
        #expect(error?.message == "\(bench.folder.places.configuration):1:16: bridge.port: not a valid port")
        #expect(error?.remedy == "use 1 to 65535, or auto")
    }

    @Test("forgets an unreachable light, but not a reachable light")
    func forgotten() async throws {
        let bench = try await OperatorBench()
        let operations = bench.operations
        await #expect(throws: BridgeControlError.self) { try await operations.forgetLight("test/desk") }
        await bench.bridge.host.report(LightReport(reachable: false), from: "desk")
        try await operations.forgetLight("test/desk")
        #expect(try await operations.lights().map(\.key) == ["test/hall"])
    }

    @Test("purges removed lights permanently, but keeps unreachable lights")
    func purged() async throws {
        let bench = try await OperatorBench()
        let operations = bench.operations
        await bench.bridge.host.report(LightReport(reachable: false), from: "desk")
        await bench.bridge.host.removed("hall")
        #expect(try await operations.purgeLights() == [ForgottenLight(key: "test/hall", name: "Hall")])
        #expect(try await operations.purgeLights() == [])
        let stored = try await BridgeDatabase(bench.file.queue).load()
        #expect(stored.lights.map(\.key.light) == ["desk"])
        #expect(stored.highestAID == AccessoryID(3))
        try await bench.file.queue.write { db in
            try db.execute(
                sql: "CREATE TRIGGER full BEFORE DELETE ON light BEGIN SELECT RAISE(ABORT, 'the disk is full'); END")
        }
        await bench.bridge.host.removed("desk")
        let error = await #expect(throws: BridgeControlError.self) { try await operations.purgeLights() }
        #expect(error?.code == 74)
    }

    @Test("removes only the named pairing")
    func removedPairing() async throws {
        let identities = (0..<3).map { _ in ControllerIdentity.random() }
        let bench = try await OperatorBench(pairings: identities)
        let operations = bench.operations
        let ids = identities.map(\.controller.description)
        try await operations.removePairing(ids[1])
        #expect(try await operations.pairings().map(\.id) == [ids[0], ids[2]])
        await #expect(throws: BridgeControlError.self) { try await operations.removePairing(ids[1]) }
        #expect(try await operations.pairings().map(\.id) == [ids[0], ids[2]])
        try await operations.removeAllPairings()
        #expect(try await operations.pairings().isEmpty)
        #expect(try await BridgeDatabase(bench.file.queue).load().server.pairings.isEmpty)
    }

    @Test("counts wrong setup codes, and resets the count permanently when pairing is unlocked")
    func unlocked() async throws {
        let bench = try await OperatorBench(failedAttempts: 100)
        #expect(
            try await bench.operations.status().warnings == ["100 of 100 attempts to pair with a wrong setup code"])
        try await bench.operations.unlockPairing()
        #expect(try await bench.operations.status().warnings == [])
        #expect(try await BridgeDatabase(bench.file.queue).load().server.failedAttempts == 0)
    }

    @Test("sends only changed values to a watcher")
    func watched() async throws {
        let bench = try await OperatorBench()
        var events = try await bench.operations.watch().makeAsyncIterator()
        await bench.bridge.host.report(LightReport(on: true), from: "desk")
        await bench.bridge.host.report(LightReport(brightness: 30), from: "desk")
        let (first, second) = (await events.next(), await events.next())
        #expect(first?.changes == LightChange(on: true))
        #expect(second?.changes == LightChange(brightness: 30))
        #expect(second?.key == "test/desk")
    }

    @Test("ends the stream of a watcher that doesn't read")
    func slowWatcher() async throws {
        let bench = try await OperatorBench()
        let events = try await bench.operations.watch()
        var quick = try await bench.operations.watch().makeAsyncIterator()
        for _ in 0..<30 {
            for number in 0..<100 {
                await bench.bridge.host.report(LightReport(on: number.isMultiple(of: 2)), from: "hall")
            }
            // A fast reader keeps up, and isn't affected by the slow reader.
            for _ in 0..<100 { #expect(await quick.next() != nil) }
        }
        var count = 0
        for await _ in events { count += 1 }
        #expect((1...256).contains(count))
    }
}
