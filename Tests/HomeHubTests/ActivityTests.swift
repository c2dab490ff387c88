import BoundedJSON
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

import enum HAPModel.CharacteristicValue

@testable import HomeHub

@Suite("The activity", .timeout)
struct ActivityTests {
    private let device: Device

    init() throws {
        device = try Device { request in
            guard request.method == .get, request.path.hasPrefix("/characteristics") else { return nil }
            return .answer(.json(#"{"characteristics":[{"aid":1,"iid":8,"value":false}]}"#))
        }
    }

    /// Runs the body once the accessory is reachable and reports its value.
    private func run(_ body: (TestApp, TestApp) async throws -> Void) async throws {
        try await device.whenReachable { app, other in
            try await eventually("a subscription") { device.count(.put) > 0 }
            try await body(app, other)
        }
    }

    private func entries(_ app: TestApp, _ change: (inout ActivityRequest) -> Void = { _ in }) async throws
        -> [ActivityEntry]
    {
        var request = ActivityRequest(home: device.accessory.home)
        change(&request)
        return try [ActivityEntry](json: try await app.call(.activity(request)))
    }

    private func report(_ value: Bool) {
        device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":8,"value":\#(value)}]}"#)
    }

    private func change(_ new: Bool) -> ActivityChange {
        .value(accessory: device.accessory.id, characteristic: device.on, old: .bool(!new), new: .bool(new))
    }

    private func write(_ value: Bool) -> HomeRequest {
        .writeValues([ValueWrite(characteristic: device.on, value: .bool(value))])
    }

    @Test("names the app and its user for a write, and no cause for a change by the accessory")
    func causes() async throws {
        try await run { app, _ in
            let call = Call(app.session, 1000)
            await device.house.hub.receive(write(true), as: call, for: "Anna")
            _ = try await app.result(call)
            report(false)
            try await eventually("two entries") { try await entries(app).count == 2 }
            let all = try await entries(app)
            #expect(all.map(\.changes) == [[change(false)], [change(true)]])
            #expect(all[0].cause == ActivityCause())
            #expect(all[1].cause.person == "Anna" && all[1].cause.app != nil)
        }
    }

    @Test("contains no entry for a write that changes nothing")
    func unchanged() async throws {
        try await run { app, _ in
            _ = try await app.call(write(true))
            _ = try await app.call(write(true))
            #expect(try await entries(app).map(\.changes) == [[change(true)]])
        }
    }

    @Test("contains the run of a scene with its changes, also if it changed nothing")
    func scenes() async throws {
        try await run { app, _ in
            let scene = try await app.addScene(to: device.accessory.home)
            let action = CharacteristicWriteAction(characteristic: device.on, targetValue: .bool(true))
            _ = try await app.write(.setActions(scene, [action]))
            _ = try await app.call(.runActionSet(scene))
            _ = try await app.call(.runActionSet(scene))
            let runs = try await entries(app).filter { $0.cause.actionSet == scene }
            #expect(runs.map(\.changes) == [[], [change(true)]])
            #expect(runs.allSatisfy { $0.cause.name == "Evening" })
            // With a filter, only changes of its accessories are returned.
            let ofAccessory = try await entries(app) { $0.accessories = [device.accessory.id] }
            #expect(ofAccessory.map(\.changes) == [[change(true)]])
        }
    }

    @Test("notifies an app once of changes since it loaded the activity")
    func notifications() async throws {
        try await run { app, other in
            _ = try await entries(other)
            for index in 0..<6 { _ = try await app.call(write(index % 2 == 0)) }
            let updates = { other.notifications.count { $0 == .activityUpdated(device.accessory.home) } }
            try await eventually("a notification") { updates() == 1 }
            _ = try await entries(other)
            _ = try await app.call(write(true))
            try await eventually("another notification") { updates() == 2 }
            #expect(app.notifications.allSatisfy { $0 != .activityUpdated(device.accessory.home) })
        }
    }

    @Test("returns pages, periods, and changes of rooms")
    func pages() async throws {
        try await run { app, _ in
            for index in 0..<5 { _ = try await app.call(write(index % 2 == 0)) }
            let all = try await entries(app)
            #expect(all.count == 5)
            let first = try await entries(app) { $0.count = 2 }
            let second = try await entries(app) { ($0.count, $0.before) = (3, first.last?.id) }
            #expect(first + second == all)
            #expect(try await entries(app) { $0.since = .now }.isEmpty)
            #expect(try await entries(app) { $0.rooms = [device.accessory.room] } == all)
            #expect(try await entries(app) { $0.rooms = [] }.isEmpty)
            await #expect(throws: HomeError.self) { try await entries(app) { $0.count = 0 } }
        }
    }

    @Test("keeps changes of the home, and removes the changes of a removed accessory")
    func removal() async throws {
        try await run { app, _ in
            let house = device.house
            _ = try await app.call(write(true))
            _ = try await app.write(.addRoom(device.accessory.home, name: "Attic"))
            await house.hub.saveHistory()
            _ = try await app.call(.write(.removeAccessory(device.accessory.home, device.accessory.id)))
            let changes = try await entries(app).flatMap(\.changes)
            #expect(changes.contains(.added(object: .room, name: "Attic", accessory: nil)))
            #expect(changes.contains(.removed(object: .accessory, name: device.accessory.name)))
            #expect(changes.allSatisfy { $0.accessory == nil })
        }
    }

    @Test("removes the activity of a removed home")
    func removedHome() async throws {
        try await run { app, _ in
            let house = device.house
            let other = try await app.addHome("Cabin")
            _ = try await app.write(.renameHome(other, name: "Lake House"))
            await house.hub.saveHistory()
            let of = { (home: Home.ID) in
                ActivityQuery(
                    home: home, accessories: nil, ids: ActivityEntry.ID(number: 0)..<ActivityEntry.ID(number: .max),
                    count: 100)
            }
            #expect(try await !house.history.activity(of(other)).isEmpty)
            _ = try await app.write(.renameHome(other, name: "Cabin"))
            _ = try await app.write(.removeHome(other))
            await #expect(throws: HomeError.self) { try await app.call(.activity(ActivityRequest(home: other))) }
            await house.hub.saveHistory()
            #expect(try await house.history.activity(of(other)).isEmpty)
        }
    }

    @Test("keeps all activity while the store fails, answers apps, and stores it later")
    func brokenStore() async throws {
        try await run { app, _ in
            let house = device.house
            let batches = house.history.batches
            house.history.breakDown(true)
            _ = try await app.call(write(true))
            await house.hub.saveHistory()
            _ = try await app.call(write(false))
            await house.hub.saveHistory()
            #expect(try await entries(app).map(\.changes) == [[change(false)], [change(true)]])
            #expect(house.history.batches == batches)
            house.history.breakDown(false)
            await house.hub.saveHistory()
            #expect(house.history.batches == batches + 1)
            #expect(try await entries(app).map(\.changes) == [[change(false)], [change(true)]])
        }
    }

    @Test("deletes stored and recent activity and past values on request", arguments: [true, false])
    func deletion(ofAccessory: Bool) async throws {
        try await run { app, _ in
            let house = device.house
            _ = try await app.call(write(true))
            await house.hub.saveHistory()
            _ = try await app.call(write(false))
            let accessory = ofAccessory ? device.accessory.id : nil
            _ = try await app.call(.removeHistory(device.accessory.home, accessory))
            #expect(
                try await entries(app).map(\.changes) == [
                    [.historyRemoved(name: ofAccessory ? device.accessory.name : nil)]
                ])
            let past = HistoryRequest(
                characteristic: device.on, since: Timestamp(millisecondsSince1970: 0), until: .now)
            #expect(try await house.history.entries(past).isEmpty)
        }
    }

    @Test("deletes values and activity that are being stored, even if that fails")
    func deletionDuringWrite() async throws {
        try await run { app, _ in
            let house = device.house
            _ = try await app.call(write(true))
            house.history.breakDown(true)
            house.history.gate.close()
            async let save: Void = house.hub.saveHistory()
            try await eventually("a write to the store") { house.history.gate.waitingCount == 1 }
            _ = try await app.call(.removeHistory(device.accessory.home, device.accessory.id))
            house.history.gate.open()
            await save
            house.history.breakDown(false)
            await house.hub.saveHistory()
            #expect(try await entries(app).map(\.changes) == [[.historyRemoved(name: device.accessory.name)]])
            let past = HistoryRequest(
                characteristic: device.on, since: Timestamp(millisecondsSince1970: 0), until: .now)
            #expect(try await house.history.entries(past).isEmpty)
        }
    }

    @Test("returns as many entries as requested, although the store still has those of a removed accessory")
    func removedAccessoryInStore() async throws {
        try await run { app, _ in
            let (house, home) = (device.house, device.accessory.home)
            _ = try await app.write(.addRoom(home, name: "Attic"))
            for value in [true, false, true] { _ = try await app.call(write(value)) }
            await house.hub.saveHistory()
            house.history.keepRemovedAccessories()
            _ = try await app.call(.write(.removeAccessory(home, device.accessory.id)))
            let latest = try await entries(app) { $0.count = 2 }
            #expect(latest.count == 2)
            #expect(latest.last?.changes == [.added(object: .room, name: "Attic", accessory: nil)])
        }
    }

    @Test("never contains strings and bytes, which may be codes")
    func secrets() throws {
        let characteristics = try #require(device.accessory.services.last).characteristics
        for characteristic in characteristics {
            #expect(
                device.accessory.services.allSatisfy { service in
                    var secret = characteristic
                    secret.metadata.format = .string
                    return !service.isActivity(secret, .string("1234")) || secret.type.isMomentary
                })
        }
    }
}
