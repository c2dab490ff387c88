import HAPController
import HAPProtocol
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

import enum HAPModel.CharacteristicValue

@testable import HomeHub

@Suite("The hub with a stalled disk", .timeout)
struct StalledStoreTests {
    /// The names of the added rooms in an app's events.
    private func rooms(_ app: TestApp) -> [String] {
        app.events.compactMap { if case .roomAdded(let room) = $0 { room.name } else { nil } }
    }

    private func addRoom(_ name: String, _ app: TestApp, _ home: Home.ID) async -> Call {
        await app.begin(.write(.addRoom(home, name: name)))
    }

    @Test("handles values, events and subscriptions while a change waits for the disk")
    func valuesGoOn() async throws {
        let device = try Device()
        try await device.whenReachable { writer, reader in
            let home = device.accessory.home
            device.house.store.stall()
            let change = await addRoom("Hall", writer, home)
            try await eventually("the store is asked to commit") { device.house.store.waitingCount == 1 }
            #expect(try await reader.observe(device.on) == nil)
            device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":8,"value":false}]}"#)
            try await eventually("the event") { reader.values == [.bool(false)] }
            #expect(try await reader.readValues(device.on).first?.value == .bool(true))
            #expect(
                try await reader.writeValues(ValueWrite(characteristic: device.on, value: .bool(false))).first?.error
                    == nil)
            try await reader.call(.startBrowsing)
            #expect(try await device.house.home(reader).rooms.isEmpty, "a change is visible before it is stored")
            let other = try await device.house.app()
            #expect(try await device.house.home(other).characteristic(device.on)?.value == .bool(false))
            // The watchdog depends on the status.
            #expect(await device.house.hub.status.homes == 1)
            // The answer and the event are sent only after the commit.
            #expect(writer.answer(change) == nil && rooms(reader) == [])
            device.house.store.resume()
            _ = try await writer.result(change)
            try await eventually("the event of the change") { rooms(reader) == ["Hall"] }
            // A value that was reported during the write is kept.
            #expect(try await device.house.home(reader).characteristic(device.on)?.value == .bool(false))
        }
    }

    @Test("stores the changes of several apps in the order of their requests")
    func order() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b, watcher) = (try await house.app(), try await house.app(), try await house.app())
            let home = try await a.addHome()
            watcher.forget()
            house.store.stall()
            let names = (1...8).map { "Room \($0)" }
            var calls: [(app: TestApp, call: Call)] = []
            for (index, name) in names.enumerated() {
                let app = index.isMultiple(of: 2) ? a : b
                calls.append((app, await addRoom(name, app, home)))
            }
            // A name that a waiting change uses is rejected when the change is planned.
            let taken = await addRoom("Room 1", b, home)
            try await eventually("the store is asked to commit the first change") { house.store.waitingCount == 1 }
            for (index, each) in calls.enumerated() {
                try await eventually("the store is asked to commit") { house.store.waitingCount == 1 }
                #expect(house.store.stored.graph.homes.first?.rooms.map(\.name) == Array(names.prefix(index)))
                #expect(each.app.answer(each.call) == nil)
                house.store.writeWaiting()
                let commit = try HomeCommit(json: try await each.app.result(each.call))
                #expect(commit.transaction?.revision == UInt64(index + 2))
            }
            await expect(.objectWithSimilarNameExistsInHome) { try await b.result(taken) }
            try await eventually("the events") { rooms(watcher) == names }
            #expect(house.store.stored.graph.homes == [try await house.home(a)])
        }
    }

    @Test("drops a canceled change unless its write has begun")
    func cancelled() async throws {
        try await withHouse { house, a in
            let home = try await a.addHome()
            house.store.stall()
            let first = await addRoom("Hall", a, home)
            try await eventually("the store is asked to commit") { house.store.waitingCount == 1 }
            let second = await addRoom("Attic", a, home)
            let third = await addRoom("Kitchen", a, home)
            await house.hub.cancel(second)
            await expect(.operationCancelled) { try await a.result(second) }
            await house.hub.cancel(first)
            try await house.drain(a)
            #expect(a.answer(first) == nil)
            house.store.resume()
            _ = try await a.result(first)
            _ = try await a.result(third)
            #expect(house.store.stored.graph.homes.first?.rooms.map(\.name) == ["Hall", "Kitchen"])
            #expect(try await house.home(a) == house.store.stored.graph.homes.first)
        }
    }

    @Test("refuses a change that waits too long, and changes nothing")
    func refusedInTime() async throws {
        try await withHouse({ $0.storeTimeout = .milliseconds(50) }) { house, a in
            let home = try await a.addHome()
            house.store.stall()
            let first = await addRoom("Hall", a, home)
            try await eventually("the store is asked to commit") { house.store.waitingCount == 1 }
            await expect(.operationTimedOut) { try await a.write(.addRoom(home, name: "Attic")) }
            #expect(a.answer(first) == nil)
            house.store.resume()
            _ = try await a.result(first)
            try await a.write(.addRoom(home, name: "Kitchen"))
            #expect(house.store.stored.graph.homes.first?.rooms.map(\.name) == ["Hall", "Kitchen"])
        }
    }

    @Test("limits the number of waiting changes")
    func tooMany() async throws {
        try await withHouse { house, a in
            let home = try await a.addHome()
            house.store.stall()
            var calls: [Call] = []
            for number in 1...HomeHub.changesThatWait { calls.append(await addRoom("Room \(number)", a, home)) }
            await expect(.maximumObjectLimitReached) { try await a.write(.addRoom(home, name: "Attic")) }
            house.store.resume()
            for call in calls { _ = try await a.result(call) }
            try await a.write(.addRoom(home, name: "Attic"))
            #expect(house.store.stored.graph.homes.first?.rooms.count == HomeHub.changesThatWait + 1)
        }
    }

    @Test("drops a change whose write fails, and writes the next change")
    func failure() async throws {
        try await withHouse { house, a, b in
            let home = try await a.addHome()
            house.store.stall()
            let first = await addRoom("Hall", a, home)
            let second = await addRoom("Hall", b, home)
            try await eventually("the store is asked to commit") { house.store.waitingCount == 1 }
            house.store.breakDown()
            house.store.writeWaiting()
            await expect(.storageFailed) { try await a.result(first) }
            try await eventually("the store is asked to commit again") { house.store.waitingCount == 1 }
            house.store.breakDown(false)
            house.store.resume()
            _ = try await b.result(second)
            #expect(try await house.home(a).rooms.map(\.name) == ["Hall"])
            #expect(rooms(b) == [] && a.events.contains { if case .roomAdded = $0 { true } else { false } })
        }
    }

    @Test("answers waiting changes and finishes the current write when the hub ends")
    func stop() async throws {
        let house = try HouseUnderTest()
        let running = Task { await house.hub.run() }
        defer {
            running.cancel()
            house.store.resume()
        }
        let a = try await house.app()
        let home = try await a.addHome()
        house.store.stall()
        let first = await addRoom("Hall", a, home)
        try await eventually("the store is asked to commit") { house.store.waitingCount == 1 }
        let second = await addRoom("Attic", a, home)
        try await house.drain(a)
        running.cancel()
        await expect(.daemonUnavailable) { try await a.result(second) }
        #expect(a.answer(first) == nil)
        house.store.resume()
        _ = try await a.result(first)
        await running.value
        #expect(house.store.stored.graph.homes.first?.rooms.map(\.name) == ["Hall"])
        await expect(.daemonUnavailable) { try await a.write(.addRoom(home, name: "Kitchen")) }
        await house.hub.close(a.session)
    }

    @Test("keeps a value that is reported while new services are stored")
    func refreshed() async throws {
        let described = soundDatabase.replacing(#""type":"25""#, with: #""description":"Night Glow","type":"25""#)
        let looks = Counter()
        let device = try Device { request in
            guard request.path == "/accessories" else { return nil }
            return .answer(.json(looks.next() == 1 ? soundDatabase : described))
        }
        try await device.whenReachable { a, b in
            #expect(try await a.observe(device.on) == nil)
            device.house.store.stall()
            let subscriptions = device.count(.put)
            device.change(to: 2)
            try await eventually("the store is asked to commit") { device.house.store.waitingCount == 1 }
            try await eventually("the hub subscribes again") { device.count(.put) > subscriptions }
            device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":8,"value":true}]}"#)
            try await eventually("the event") { a.values.last == .bool(true) }
            #expect(try await device.description(a) == nil)
            device.house.store.resume()
            try await eventually("the accessory's description") { try await device.description(a) == "Night Glow" }
            #expect(try await device.house.home(a).characteristic(device.on)?.value == .bool(true))
            try await eventually("the event of the accessory's services") {
                b.events.contains { if case .servicesUpdated = $0 { true } else { false } }
            }
            for case .servicesUpdated(_, let services) in b.events {
                let values = services.flatMap(\.characteristics).filter { $0.id == device.on }.map(\.value)
                #expect(values == [.bool(true)], "the copies of apps go back")
            }
        }
    }

    @Test("applies a denial immediately, and a permission after it is stored")
    func decisions() async throws {
        try await withHouse { house, system in
            _ = try await system.addHome()
            let app = try await house.app("org.other")
            let identity = AppIdentity(app: "org.other", uid: 1, executable: "/org.other")
            house.store.stall()
            let asks = await app.begin(.homes)
            let yes = await system.begin(.setPermission(identity, .allow))
            try await eventually("the store is asked to commit") { house.store.waitingCount == 1 }
            #expect(app.answer(asks) == nil && system.answer(yes) == nil)
            house.store.writeWaiting()
            _ = try await system.result(yes)
            _ = try await app.result(asks)
            let no = await system.begin(.setPermission(identity, .deny))
            await expect(.homeAccessNotAuthorized) { try await app.call(.homes) }
            #expect(system.answer(no) == nil)
            // A later denial overrides a stored permission.
            let again = await system.begin(.setPermission(identity, .allow))
            let last = await system.begin(.setPermission(identity, .deny))
            house.store.resume()
            for call in [no, again, last] { _ = try await system.result(call) }
            await expect(.homeAccessNotAuthorized) { try await app.call(.homes) }
            #expect(house.store.stored.permissions.map(\.isAllowed) == [false])
        }
    }

    @Test("keeps a change that is being written when its app loses permission, and drops waiting changes")
    func withdrawn() async throws {
        try await withHouse { house, system in
            let home = try await system.addHome()
            let app = try await house.app("org.other")
            let identity = AppIdentity(app: "org.other", uid: 1, executable: "/org.other")
            try await system.call(.setPermission(identity, .allow))
            house.store.stall()
            let first = await addRoom("Hall", app, home)
            try await eventually("the store is asked to commit") { house.store.waitingCount == 1 }
            let second = await addRoom("Attic", app, home)
            let no = await system.begin(.setPermission(identity, .deny))
            for call in [first, second] { await expect(.homeAccessNotAuthorized) { try await app.result(call) } }
            house.store.resume()
            _ = try await system.result(no)
            try await eventually("the event") { rooms(system) == ["Hall"] }
            try await system.write(.addRoom(home, name: "Kitchen"))
            #expect(house.store.stored.graph.homes.first?.rooms.map(\.name) == ["Hall", "Kitchen"])
        }
    }

    @Test("handles requests while values are stored, and stores newer values next")
    func values() async throws {
        let device = try Device(saveInterval: .milliseconds(10))
        try await device.whenReachable { a, _ in
            #expect(try await a.observe(device.on) == nil)
            device.house.store.stall()
            func report(_ value: Bool) async throws {
                device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":8,"value":\#(value)}]}"#)
                try await eventually("the value") {
                    try await device.house.home(a).characteristic(device.on)?.value == .bool(value)
                }
            }
            // One of the values differs from the initial one.
            for value in [true, false] { try await report(value) }
            try await eventually("the store is asked to commit") { device.house.store.waitingCount == 1 }
            try await report(true)
            #expect(device.house.store.waitingCount == 1)
            device.house.store.resume()
            try await eventually("the value is stored") {
                device.house.store.noted.compactMap { $0[device.on] }.last?.value == .bool(true)
            }
        }
    }
}
