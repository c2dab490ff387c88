import BoundedJSON
import HAPController
import HAPCrypto
import HAPProtocol
import HAPTesting
import HomeModel
import Synchronization
import TestTimeouts
import Testing

import struct HAPModel.CharacteristicType
import enum HAPModel.CharacteristicValue

@testable import HomeHub

/// A home with a scripted accessory that survives restarts of the hub: a light, sensors, a button and a lock.
final class AutomationHouse: Sendable {
    /// The values of the accessory as JSON, by instance ID, and the values that the hub has written.
    private final class Values: Sendable {
        private let state = Mutex<(values: [UInt64: String], writes: [String])>(
            ([8: "false", 9: "100", 10: "20", 11: "false", 22: "1"], []))

        var writes: [String] { state.withLock(\.writes) }
        func set(_ iid: UInt64, _ value: String) { state.withLock { $0.values[iid] = value } }

        func react(to request: HTTPRequest) -> ScriptedAccessory.Reaction {
            switch (request.method, request.path) {
            case (.get, "/accessories"): return .answer(.json(database))
            case (.get, _):
                let ids = (request.query ?? "").split(separator: "&").first?.dropFirst(3).split(separator: ",") ?? []
                let entries = ids.compactMap { id -> String? in
                    guard let iid = UInt64(id.dropFirst(2)) else { return nil }
                    let value = state.withLock { $0.values[iid] } ?? "null"
                    return #"{"aid":1,"iid":\#(iid),"value":\#(value)}"#
                }
                return .answer(.json(#"{"characteristics":[\#(entries.joined(separator: ","))]}"#))
            default:
                for entry in WriteRequest(parsing: request.body)?.entries ?? [] {
                    guard let value = entry.value?.text else { continue }
                    state.withLock { state in
                        state.values[entry.id.iid.rawValue] = value
                        state.writes.append("\(entry.id.iid.rawValue)=\(value)")
                    }
                }
                return .answer(HTTPResponse(204))
            }
        }

        private var database: String {
            let values = state.withLock(\.values)
            func characteristic(_ iid: UInt64, _ type: String, _ format: String, _ permissions: String) -> String {
                #"{"iid":\#(iid),"type":"\#(type)","format":"\#(format)","perms":[\#(permissions)],"value":\#(values[iid] ?? "null")}"#
            }
            let (all, sensor) = (#""pr","pw","ev""#, #""pr","ev""#)
            let parts = [
                characteristic(8, "25", "bool", all), characteristic(9, "8", "int", all),
                characteristic(10, "11", "float", sensor), characteristic(11, "22", "bool", sensor),
                characteristic(12, "73", "uint8", sensor),
            ]
            return #"""
                {"accessories":[{"aid":1,"services":[{"iid":1,"type":"3E","characteristics":[]},
                {"iid":20,"type":"45","characteristics":[\#(characteristic(22, "1E", "uint8", all))]},
                {"iid":7,"type":"43","characteristics":[\#(parts.joined(separator: ","))]}]}]}
                """#
        }
    }

    let clock = TestWallClock()
    let store: TestStore
    let home: Home.ID
    let accessory: Accessory.ID
    let on, brightness, temperature, motion, button, lock: Characteristic.ID
    private let vault = InMemoryPairingVault()
    private let server: ScriptedAccessory
    private let identity: AccessoryIdentity
    private let values = Values()

    init() throws {
        identity = AccessoryIdentity(
            deviceID: TestDevices.id(1), longTermKey: try Ed25519KeyPair(seed: .random(count: 32)))
        vault.keep(AccessoryPairing(deviceID: identity.deviceID, publicKey: identity.longTermKey.publicKey))
        let values = values
        server = ScriptedAccessory(identity, pairedWith: [vault.identity().pairing()]) { request, _ in
            values.react(to: request)
        }
        var generator = SeededNumbers(seed: 1)
        var graph = HomeGraph()
        guard case .home(let home) = try graph.perform(.addHome(name: "Home"), using: &generator).result,
            case .answer(let response) = values.react(to: HTTPRequest(.get, "/accessories"))
        else { throw HouseUnderTest.Missing(what: "a home") }
        let database = try AccessoryDatabase(parsing: response.body)
        _ = try graph.add(
            AccessoryAddition(
                home: home, deviceID: identity.deviceID, category: .lightbulb, accessories: database.accessories),
            using: &generator)
        let accessory = try #require(graph.homes.first?.accessories.first)
        func characteristic(_ iid: UInt64) throws -> Characteristic.ID {
            try #require(accessory.services.flatMap(\.characteristics).first { $0.iid.rawValue == iid }?.id)
        }
        self.home = home
        self.accessory = accessory.id
        on = try characteristic(8)
        brightness = try characteristic(9)
        temperature = try characteristic(10)
        motion = try characteristic(11)
        button = try characteristic(12)
        lock = try characteristic(22)
        store = TestStore(StoredHomes(graph: graph))
    }

    /// Runs a hub with the stored state, and calls the body with an app once the accessory is reachable.
    func run(
        isReachable: Bool = true, _ change: (inout HomeHub.Configuration) -> Void = { _ in },
        _ body: (HouseUnderTest, TestApp) async throws -> Void
    ) async throws {
        let house = try HouseUnderTest(store: store, vault: vault, clock: clock) {
            // The tests advance the clock, and decide when accessories count as absent.
            $0.automationTiming.reachability = .seconds(3600)
            change(&$0)
        }
        if isReachable { plugIn(house) }
        house.show(identity.deviceID, at: .test(1), isPaired: true)
        try await house.run { house in
            let app = try await house.app()
            if isReachable { try await eventually("the accessory") { try await self.isReachable(house, app) } }
            try await body(house, app)
        }
    }

    func isReachable(_ house: HouseUnderTest, _ app: TestApp) async throws -> Bool {
        try await house.home(app).accessory(accessory)?.isReachable == true
    }

    // MARK: The accessory

    /// The number of attempts to connect.
    func attempts(_ house: HouseUnderTest) -> Int { house.dialer.dialed.count }

    func plugIn(_ house: HouseUnderTest) { server.listen(house.dialer, at: .test(1)) }

    func unplug(_ house: HouseUnderTest) {
        house.dialer.listen(at: .test(1), nil)
        server.connection?.end()
    }

    /// Returns a Boolean value that indicates whether the hub has subscribed to a characteristic.
    func isSubscribed(_ iid: UInt64) -> Bool {
        server.requests.contains { request in
            guard request.method == .put, let entries = WriteRequest(parsing: request.body)?.entries else {
                return false
            }
            return entries.contains { $0.events == true && $0.id.iid.rawValue == iid }
        }
    }

    /// The values that the hub has written, such as `8=true`.
    var writes: [String] { values.writes }

    /// Changes a value without an event.
    func set(_ iid: UInt64, _ value: String) { values.set(iid, value) }

    /// Changes a value and reports it.
    func report(_ iid: UInt64, _ value: String) {
        values.set(iid, value)
        server.sendEvent(#"{"characteristics":[{"aid":1,"iid":\#(iid),"value":\#(value)}]}"#)
    }

    /// Reports a value and waits until the hub has it.
    func report(
        _ iid: UInt64, _ value: String, as expected: CharacteristicValue, _ id: Characteristic.ID,
        _ house: HouseUnderTest, _ app: TestApp
    ) async throws {
        report(iid, value)
        try await eventually("\(value)") { try await house.home(app).characteristic(id)?.value == expected }
    }

    // MARK: Automations

    @discardableResult
    func add(
        _ definition: TriggerDefinition, named name: String = "Automation", by app: TestApp
    ) async throws -> Trigger.ID {
        let write = HomeWrite.addTrigger(home, name: name, definition, isEnabled: true)
        guard case .trigger(let id) = try await app.write(write).result else {
            throw HouseUnderTest.Missing(what: "an automation")
        }
        try await eventually("the stored state") { store.stored.triggerStates.contains { $0.trigger == id } }
        return id
    }

    /// Returns the history, oldest first.
    func records(_ app: TestApp) async throws -> [TriggerRecord] {
        try [TriggerRecord](json: try await app.call(.triggerRecords(home, nil))).reversed()
    }

    /// Advances the clock and notifies the hub.
    func advance(_ duration: Duration, _ house: HouseUnderTest) async {
        clock.advance(duration)
        await house.hub.checkClock()
    }
}

extension TriggerStep {
    /// Writes one value.
    static func set(_ id: Characteristic.ID, _ value: CharacteristicValue) -> TriggerStep {
        .write([CharacteristicWriteAction(characteristic: id, targetValue: value)])
    }
}

extension TestApp {
    /// The entries of the history in the order of the notifications, the last version of each.
    var records: [TriggerRecord] {
        var records: [TriggerRecord] = []
        var indexes: [TriggerRecord.ID: Int] = [:]
        for case .triggerFired(let record) in live {
            if let index = indexes[record.id] {
                records[index] = record
            } else {
                indexes[record.id] = records.count
                records.append(record)
            }
        }
        return records
    }

    /// The messages of automations.
    var messages: [String] {
        notifications.compactMap { if case .message(let message) = $0 { message.text } else { nil } }
    }
}
