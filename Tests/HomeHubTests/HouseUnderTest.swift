import AccessoryRole
import DeviceKit
import Discovery
import HAPController
import HAPProtocol
import HAPTesting
import HAPTransport
import HomeHub
import HomeModel
import Logging
import NIOCore
import NIOPosix
import Synchronization

import struct HAPModel.AccessoryCategory
import struct HAPModel.CharacteristicID
import struct HAPModel.CharacteristicType
import enum HAPModel.CharacteristicValue
import struct HAPModel.DeviceID
import struct HAPModel.SetupCode
import struct HAPModel.SetupPayload

/// A hub and its accessories on an in-memory network.
final class HouseUnderTest: Sendable {
    let store: TestStore
    let history = TestHistory()
    let vault: any PairingVault
    let network = InMemoryBrowser(ServiceSnapshot(isComplete: true))
    let dialer = InMemoryDialer()
    let clock: TestWallClock
    let messages = TestMessages()
    let hub: HomeHub
    private let shown = Mutex<[DeviceID: (service: DiscoveredService, order: Int)]>([:])
    private let hidden = Mutex<Set<DeviceID>>([])
    private let discoveryError = Mutex<String?>(nil)
    private let tasks = Mutex<[Task<Void, Never>]>([])

    /// A missing precondition of a test.
    struct Missing: Error { let what: String }

    init(
        store: TestStore = TestStore(), vault: any PairingVault = InMemoryPairingVault(),
        clock: TestWallClock = TestWallClock(),
        _ change: (inout HomeHub.Configuration) -> Void = { _ in }
    ) throws {
        self.store = store
        self.vault = vault
        self.clock = clock
        var configuration = HomeHub.Configuration(systemApp: SystemApp(app: "system", executable: "/system"))
        configuration.timing.request = .seconds(20)
        configuration.timing.reconnect.shortest = .milliseconds(10)
        configuration.timing.reconnect.longest = .milliseconds(50)
        configuration.timing.reconnect.refused = .milliseconds(50)
        configuration.searchTimeout = .milliseconds(200)
        configuration.databaseInterval = .zero
        configuration.admissionTime = .zero
        configuration.automationTiming.firstCheck = .zero
        change(&configuration)
        hub = try HomeHub(
            executor: EventLoopExecutor(MultiThreadedEventLoopGroup.singleton.next()), store: store,
            history: history, vault: vault, browser: AccessoryServerBrowser(network), dialer: dialer,
            configuration: configuration, timeZones: { clock.rules(of: $0) }, systemTimeZone: { "Etc/UTC" },
            clock: { clock.reading },
            messageReceiver: messages,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// Runs the hub and all tasks of the house while the body runs.
    func run<Outcome>(_ body: (HouseUnderTest) async throws -> Outcome) async throws -> Outcome {
        let running = Task { await hub.run() }
        let outcome: Result<Outcome, any Error>
        do {
            outcome = .success(try await body(self))
        } catch {
            outcome = .failure(error)
        }
        running.cancel()
        // A hub that ends waits for its store, so a stalled store must be resumed.
        store.resume()
        await running.value
        for task in tasks.withLock({ $0 }) {
            task.cancel()
            await task.value
        }
        return try outcome.get()
    }

    /// Runs a task until the house ends.
    func keep(_ task: Task<Void, Never>) { tasks.withLock { $0.append(task) } }

    // MARK: Accessories

    /// Advertises an accessory.
    func show(
        _ id: DeviceID, at endpoint: AccessoryEndpoint, isPaired: Bool, configurationNumber: UInt16 = 1,
        setupHash: String? = nil, vendor: String? = nil
    ) {
        var keys = [
            ("id", id.description), ("c#", "\(configurationNumber)"), ("sf", isPaired ? "0" : "1"), ("md", "Test"),
            ("pv", "1.1"), ("s#", "1"), ("ff", "0"), ("ci", "2"),
        ]
        if let setupHash { keys.append(("sh", setupHash)) }
        if let vendor { keys.append(("lv", vendor)) }
        guard let address = ServiceAddress(bytes: endpoint.address, interface: 1, interfaceName: "eth0") else { return }
        let service = DiscoveredService(
            id: .init(name: "Test \(id.suffix)", host: "test.local"), port: endpoint.port, txt: TXTRecord(keys),
            addresses: [address])
        shown.withLock { $0[id] = (service, $0[id]?.order ?? $0.count) }
        publish()
    }

    /// Removes an accessory from the network.
    func hide(_ id: DeviceID) {
        hidden.withLock { _ = $0.insert(id) }
        publish()
    }

    /// Sets or clears a discovery error.
    func obstruct(_ reason: String?) {
        discoveryError.withLock { $0 = reason }
        publish()
    }

    private func publish() {
        let gone = hidden.withLock { $0 }
        let there = shown.withLock { shown in shown.filter { !gone.contains($0.key) }.values }
        let services = there.sorted { $0.order < $1.order }.map(\.service)
        var snapshot = ServiceSnapshot(services: services, isComplete: true)
        snapshot.discoveryError = discoveryError.withLock { $0 }
        network.show(snapshot)
    }

    /// Starts a bridge with lamps that advertises itself.
    func bridge(
        _ number: UInt8 = 1, lamps: [String] = ["lamp"], vendor: String? = nil,
        eventWindow: Duration = .zero, store: InMemoryAccessoryServerStore = InMemoryAccessoryServerStore(),
        ownership: OwnershipRequirement? = nil
    ) async throws -> TestBridge {
        let bridge = try await BridgeUnderTest(
            store, stored: store.bridge, ownership: ownership,
            lights: lamps.map { LightDescription(id: LightID($0), name: "Lamp \($0)") }, eventWindow: eventWindow)
        let result = TestBridge(bridge: bridge, store: store, endpoint: .test(number))
        result.plugIn(dialer)
        let first = await bridge.server.advertisement
        show(
            first.deviceID, at: result.endpoint, isPaired: first.isPaired,
            configurationNumber: first.configurationNumber, setupHash: first.setupHash, vendor: vendor)
        keep(
            Task {
                for await advertisement in bridge.server.advertisements {
                    show(
                        advertisement.deviceID, at: result.endpoint, isPaired: advertisement.isPaired,
                        configurationNumber: advertisement.configurationNumber, setupHash: advertisement.setupHash,
                        vendor: vendor)
                }
            })
        return result
    }

    /// The accessories that the hub is paired with.
    var paired: [DeviceID] { get async throws { try await vault.pairings().map(\.deviceID) } }

    // MARK: Apps

    /// Opens a session of an app.
    func app(
        _ name: String = "system", capabilities: Set<HomeCapability> = [.home, .setupPayload], vendor: String? = nil
    ) async throws -> TestApp {
        let peer = AppPeer(uid: 1, executable: "/\(name)", mayDecide: name == "system")
        let opening = SessionOpening(
            app: name, usageDescription: "For the test.", capabilities: capabilities, vendor: vendor)
        let (session, reply) = try await hub.open(opening, by: peer)
        let app = TestApp(session: session, hub: hub, reply: reply)
        keep(Task { await app.read() })
        return app
    }

    /// Returns the hub's home.
    ///
    /// The pages are requested again if the home changes in between.
    func home(_ app: TestApp) async throws -> Home {
        while true {
            do {
                return try await readHome(app)
            } catch let error as HomeError where error.code == .operationInProgress {
                continue
            }
        }
    }

    private func readHome(_ app: TestApp) async throws -> Home {
        let homes = try HomesReply(json: try await app.call(.homes)).homes
        guard var home = homes.first else { throw Missing(what: "a home") }
        var offset: Int? = 0
        while let next = offset {
            let page = try AccessoryBatch(
                json: try await app.call(
                    .accessories(AccessoryBatchRequest(home: home.id, revision: home.revision, offset: next))))
            home.accessories += page.accessories
            offset = page.next
        }
        return home
    }
}

/// A bridge on the network of a house.
struct TestBridge: Sendable {
    let bridge: BridgeUnderTest
    let store: InMemoryAccessoryServerStore
    let endpoint: AccessoryEndpoint
    let connections = Connections()

    var id: DeviceID { bridge.identity.deviceID }
    var isPaired: Bool { get async { await bridge.server.isPaired } }
    var code: SetupCode { store.stored.setupCode }

    /// The setup payload on the bridge's label.
    var payload: AccessorySetupPayload? {
        AccessorySetupPayload(
            setup: SetupPayload(category: .bridge, code: code, setupID: store.stored.setupID), token: nil, request: nil)
    }

    func addition(to home: Home.ID, name: String? = nil) -> AdditionRequest {
        AdditionRequest(home: home, device: id, code: code, name: name)
    }

    func plugIn(_ dialer: InMemoryDialer) { dialer.listen(at: endpoint, bridge.listener { connections.add($0) }) }

    /// Makes the bridge unreachable.
    func unplug(_ dialer: InMemoryDialer) {
        dialer.listen(at: endpoint, nil)
        connections.endAll()
    }
}

final class Connections: Sendable {
    private let all = Mutex<[InMemoryByteConnection]>([])

    func add(_ connection: InMemoryByteConnection) { all.withLock { $0.append(connection) } }
    func endAll() { for connection in all.withLock({ $0 }) { connection.close() } }
}

extension AccessoryEndpoint {
    /// An endpoint in a network that is reserved for documentation.
    static func test(_ number: UInt8, port: UInt16 = 8080) -> AccessoryEndpoint {
        guard let endpoint = AccessoryEndpoint(address: [192, 0, 2, number], port: port) else {
            preconditionFailure("four bytes and a port make an endpoint")
        }
        return endpoint
    }
}

/// A bridged lamp in a home.
struct TestLamp {
    var bridge: TestBridge
    var home: Home.ID
    var bridgeAccessory: Accessory.ID
    var accessory: Accessory.ID
    var on: Characteristic.ID
    /// The lamp's address at the bridge.
    var place: CharacteristicID

    var light: LightID { "lamp" }

    /// Switches the lamp at the wall.
    func turn(_ isOn: Bool) async {
        await bridge.bridge.host.report(LightReport(on: isOn), from: light)
    }

    func plug(_ isReachable: Bool) async {
        await bridge.bridge.host.report(LightReport(reachable: isReachable), from: light)
    }
}

extension Accessory {
    var on: Characteristic.ID? { services.compactMap { $0.characteristic(.on) }.first?.id }
}

/// Runs a hub with one app while the body runs.
func withHouse(
    _ change: (inout HomeHub.Configuration) -> Void = { _ in }, _ body: (HouseUnderTest, TestApp) async throws -> Void
) async throws {
    try await HouseUnderTest(change).run { house in try await body(house, try await house.app()) }
}

/// Runs a hub with two apps while the body runs.
func withHouse(
    _ change: (inout HomeHub.Configuration) -> Void = { _ in },
    _ body: (HouseUnderTest, TestApp, TestApp) async throws -> Void
) async throws {
    try await withHouse(change) { house, a in try await body(house, a, try await house.app()) }
}

extension HouseUnderTest {
    /// The hub's value of a lamp.
    func value(_ lamp: TestLamp, _ app: TestApp) async throws -> CharacteristicValue? {
        try await home(app).characteristic(lamp.on)?.value
    }

    /// Waits until all pending deliveries have arrived.
    func drain(_ app: TestApp) async throws { try await app.call(.homes) }

    /// Adds a home with a bridge and a lamp.
    func lamp(
        _ app: TestApp, eventWindow: Duration = .zero,
        store: InMemoryAccessoryServerStore = InMemoryAccessoryServerStore()
    ) async throws -> TestLamp {
        let home = try await app.addHome()
        let bridge = try await bridge(eventWindow: eventWindow, store: store)
        let ids = try await app.add(bridge, to: home)
        let accessory = try await self.home(app).accessory(ids[1])
        guard let on = accessory?.on,
            let place = await bridge.bridge.place(.on, of: "lamp")
        else { throw Missing(what: "a lamp") }
        return TestLamp(
            bridge: bridge, home: home, bridgeAccessory: ids[0], accessory: ids[1], on: on, place: place)
    }
}

extension HomeHub {
    /// Runs a closure isolated to the hub, so that nothing else runs between its synchronous calls.
    func turn<Outcome: Sendable>(_ body: @Sendable (isolated HomeHub) async -> Outcome) async -> Outcome {
        await body(self)
    }
}
