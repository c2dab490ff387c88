import HAPController
import HAPCrypto
import HAPProtocol
import HAPTesting
import HomeHub
import HomeModel
import Synchronization
import TestTimeouts
import Testing

import struct HAPModel.AccessoryID
import struct HAPModel.CharacteristicType
import enum HAPModel.CharacteristicValue
import struct HAPModel.DeviceID

/// A valid database of a button and a switch.
let soundDatabase = #"""
    {"accessories":[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[]},{"iid":7,"type":"43",
    "characteristics":[{"iid":8,"type":"25","format":"bool","perms":["pr","pw","ev"],"value":false},
    {"iid":12,"type":"73","format":"uint8","perms":["pr","ev"],"value":null}]}]}]}
    """#

/// A vault whose answers a test can delay.
final class SlowVault: PairingVault {
    let vault = InMemoryPairingVault()
    private let gate = Mutex<(isClosed: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    var isAsked: Bool { gate.withLock { !$0.waiting.isEmpty } }
    func close() { gate.withLock { $0.isClosed = true } }
    func open() {
        let waiting = gate.withLock { gate in
            defer { gate = (false, []) }
            return gate.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func identity() -> ControllerIdentity { vault.identity() }
    func pairings() async -> [AccessoryPairing] {
        let pairings = vault.pairings()
        await withCheckedContinuation { continuation in
            let isOpen = gate.withLock { gate in
                if gate.isClosed { gate.waiting.append(continuation) }
                return !gate.isClosed
            }
            if isOpen { continuation.resume() }
        }
        return pairings
    }
    func keep(_ pairing: AccessoryPairing) { vault.keep(pairing) }
    func forget(_ accessory: DeviceID) { vault.forget(accessory) }
}

/// A scripted accessory in a home.
final class Device: Sendable {
    let house: HouseUnderTest
    let accessory: Accessory
    let on: Characteristic.ID
    let button: Characteristic.ID
    let server: ScriptedAccessory
    let slowVault = SlowVault()

    typealias Reaction = @Sendable (HTTPRequest) -> ScriptedAccessory.Reaction?

    init(
        database: String = soundDatabase, timeout: Duration = .seconds(20), databaseInterval: Duration = .zero,
        saveInterval: Duration? = nil, targetPauses: [Duration]? = nil, pollInterval: Duration? = nil,
        _ reaction: @escaping Reaction = { _ in nil }
    ) throws {
        let vault = slowVault.vault
        let identity = AccessoryIdentity(
            deviceID: TestDevices.id(1), longTermKey: try Ed25519KeyPair(seed: .random(count: 32)))
        vault.keep(AccessoryPairing(deviceID: identity.deviceID, publicKey: identity.longTermKey.publicKey))
        var generator = SeededNumbers(seed: 1)
        var graph = HomeGraph()
        guard case .home(let home) = try graph.perform(.addHome(name: "Home"), using: &generator).result else {
            throw HouseUnderTest.Missing(what: "a home")
        }
        let consists = try AccessoryDatabase(parsing: Array(database.utf8))
        _ = try graph.add(
            AccessoryAddition(
                home: home, deviceID: identity.deviceID, category: .lightbulb, accessories: consists.accessories),
            using: &generator)
        accessory = try #require(graph.homes.first?.accessories.first)
        on = try #require(accessory.services.last?.characteristic(.on)?.id)
        button = try #require(accessory.services.last?.characteristic(.programmableSwitchEvent)?.id)
        house = try HouseUnderTest(store: TestStore(StoredHomes(graph: graph)), vault: slowVault) {
            $0.timing.request = timeout
            $0.databaseInterval = databaseInterval
            if let saveInterval { $0.saveInterval = saveInterval }
            if let targetPauses { $0.targetPauses = targetPauses }
            if let pollInterval { $0.pollInterval = pollInterval }
        }
        server = ScriptedAccessory(identity, pairedWith: [vault.identity().pairing()]) { request, _ in
            if let special = reaction(request) { return special }
            switch (request.method, request.path) {
            case (.get, "/accessories"): return .answer(.json(database))
            case (.get, _): return .answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"value":true}]}"#))
            default: return .answer(HTTPResponse(204))
            }
        }
        server.listen(house.dialer, at: .test(1))
        house.show(identity.deviceID, at: .test(1), isPaired: true)
    }

    /// Sends the response to an earlier request.
    func answer(_ response: HTTPResponse) { server.push(HTTPSerializer.bytes(of: .response(response))) }

    /// Advertises another configuration number.
    func change(to configurationNumber: UInt16) {
        house.show(accessory.deviceID, at: .test(1), isPaired: true, configurationNumber: configurationNumber)
    }

    /// Returns the number of requests with the given method.
    func count(_ method: HTTPRequest.Method) -> Int { server.requests.count { $0.method == method } }

    /// The number of requests that write values.
    var writes: Int { server.requests.count(where: \.writesValue) }

    /// Returns the switch's description in the home.
    func description(_ app: TestApp) async throws -> String? {
        try await house.home(app).characteristic(on)?.manufacturerDescription
    }

    /// The number of reads of the database.
    var looks: Int { server.requests.count { $0.path == "/accessories" } }

    func run(_ body: (TestApp, TestApp) async throws -> Void) async throws {
        try await house.run { house in try await body(try await house.app(), try await house.app()) }
    }

    /// Runs the house, and the body once the accessory is reachable.
    func whenReachable(_ body: (TestApp, TestApp) async throws -> Void) async throws {
        try await run { a, b in
            try await isThere(a)
            try await body(a, b)
        }
    }

    /// Waits until the accessory is reachable.
    func isThere(_ app: TestApp) async throws {
        try await eventually("the accessory is reachable") {
            try await house.home(app).accessories.first?.isReachable == true
        }
    }
}

extension HTTPRequest {
    private func hasEntry(where isMeant: (WriteRequest.Entry) -> Bool) -> Bool {
        method == .put && WriteRequest(parsing: body)?.entries.contains(where: isMeant) == true
    }

    /// A Boolean value that indicates whether the request writes a value.
    var writesValue: Bool { hasEntry { $0.value != nil } }
    /// A Boolean value that indicates whether the request subscribes to the button of a ``Device``.
    var subscribesToButton: Bool { hasEntry { $0.events == true && $0.id.iid.rawValue == 12 } }
    /// A Boolean value that indicates whether the request changes a subscription.
    var isSubscription: Bool { hasEntry { $0.events != nil } }
}

extension Device {
    /// Starts to switch the device on, directly or in a scene.
    func switchOn(_ app: TestApp, isScene: Bool) async throws -> Call {
        guard isScene else {
            return await app.begin(.writeValues([ValueWrite(characteristic: on, value: .bool(true))]))
        }
        let id = try await app.addScene(to: accessory.home)
        try await app.write(
            .setActions(id, [CharacteristicWriteAction(characteristic: on, targetValue: .bool(true))]))
        return await app.begin(.runActionSet(id))
    }
}
