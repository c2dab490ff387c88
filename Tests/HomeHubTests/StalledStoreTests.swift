import HAPController
import HAPProtocol
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

import enum HAPModel.CharacteristicValue

@testable import HomeHub

@Suite("The hub and a disk that stands still", .timeout)
struct StalledStoreTests {
    /// The names of the rooms that were added, as an app was told.
    private func rooms(_ app: TestApp) -> [String] {
        app.events.compactMap { if case .roomAdded(let room) = $0 { room.name } else { nil } }
    }

    private func addRoom(_ name: String, _ app: TestApp, _ home: Home.ID) async -> Call {
        await app.begin(.write(.addRoom(home, name: name)))
    }

    @Test("While one app's change waits for the disk, values, events and subscriptions of another go on")
    func valuesGoOn() async throws {
        let device = try Device()
        try await device.run { writer, reader in
            try await device.isThere(reader)
            let home = device.accessory.home
            device.house.store.stall()
            let change = await addRoom("Hall", writer, home)
            try await eventually("the store has it") { device.house.store.waitingCount == 1 }
            // Everything that is no change of the home.
            #expect(try await reader.observe(device.on) == nil)
            device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":8,"value":false}]}"#)
            try await eventually("the event") { reader.values == [.bool(false)] }
            #expect(try await reader.readValues(device.on).first?.value == .bool(true))
            #expect(
                try await reader.writeValues(ValueWrite(characteristic: device.on, value: .bool(false))).first?.error
                    == nil)
            try await reader.call(.startBrowsing)
            #expect(try await device.house.home(reader).rooms.isEmpty, "nothing of it is seen before it is stored")
            let other = try await device.house.app()
            #expect(try await device.house.home(other).characteristic(device.on)?.value == .bool(false))
            // What feeds the watchdog.
            #expect(await device.house.hub.status.homes == 1)
            // The completion comes after the commit, the event too.
            #expect(writer.answer(change) == nil && rooms(reader) == [])
            device.house.store.resume()
            _ = try await writer.result(change)
            try await eventually("the event of the change") { rooms(reader) == ["Hall"] }
            // What was reported while the store was writing is not forgotten with the change.
            #expect(try await device.house.home(reader).characteristic(device.on)?.value == .bool(false))
        }
    }

    @Test("Changes of several apps are stored in the order in which they were asked for, each on top of the one before")
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
            // A name that is taken by one that waits is refused when its turn has come.
            let taken = await addRoom("Room 1", b, home)
            try await eventually("the store has the first") { house.store.waitingCount == 1 }
            for (index, each) in calls.enumerated() {
                try await eventually("the store has it") { house.store.waitingCount == 1 }
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

    @Test("A change that waits can be given up, and nothing of it happens; what the disk has begun with is done")
    func cancelled() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            house.store.stall()
            let first = await addRoom("Hall", a, home)
            try await eventually("the store has it") { house.store.waitingCount == 1 }
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

    @Test("A change does not wait without end: it is refused in time, and nothing of it has happened")
    func refusedInTime() async throws {
        let house = try HouseUnderTest { $0.storeTimeout = .milliseconds(50) }
        try await house.run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            house.store.stall()
            let first = await addRoom("Hall", a, home)
            try await eventually("the store has it") { house.store.waitingCount == 1 }
            await expect(.operationTimedOut) { try await a.write(.addRoom(home, name: "Attic")) }
            #expect(a.answer(first) == nil)
            house.store.resume()
            _ = try await a.result(first)
            try await a.write(.addRoom(home, name: "Kitchen"))
            #expect(house.store.stored.graph.homes.first?.rooms.map(\.name) == ["Hall", "Kitchen"])
        }
    }

    @Test("Only so many changes wait; one more is refused at once")
    func tooMany() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
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

    @Test("A disk that fails after it stood still has stored nothing, and what waited is tried all the same")
    func failure() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let home = try await a.addHome()
            house.store.stall()
            let first = await addRoom("Hall", a, home)
            let second = await addRoom("Hall", b, home)
            try await eventually("the store has it") { house.store.waitingCount == 1 }
            house.store.breakDown()
            house.store.writeWaiting()
            await expect(.storageFailed) { try await a.result(first) }
            try await eventually("the store has the next") { house.store.waitingCount == 1 }
            house.store.breakDown(false)
            house.store.resume()
            _ = try await b.result(second)
            #expect(try await house.home(a).rooms.map(\.name) == ["Hall"])
            #expect(rooms(b) == [] && a.events.contains { if case .roomAdded = $0 { true } else { false } })
        }
    }

    @Test("A hub that ends answers what waits, stores it not, and finishes what the disk has begun with")
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
        try await eventually("the store has it") { house.store.waitingCount == 1 }
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

    @Test("What an accessory reports while the disk has its new services is newer than what they were stored with")
    func refreshed() async throws {
        let described = soundDatabase.replacing(#""type":"25""#, with: #""description":"Night Glow","type":"25""#)
        let looks = Counter()
        let device = try Device { request in
            guard request.path == "/accessories" else { return nil }
            return .answer(.json(looks.next() == 1 ? soundDatabase : described))
        }
        try await device.run { a, b in
            try await device.isThere(a)
            #expect(try await a.observe(device.on) == nil)
            device.house.store.stall()
            let subscriptions = device.count(.put)
            device.change(to: 2)
            try await eventually("the store has it") { device.house.store.waitingCount == 1 }
            try await eventually("it is asked to report again") { device.count(.put) > subscriptions }
            device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":8,"value":true}]}"#)
            try await eventually("the event") { a.values.last == .bool(true) }
            #expect(try await device.description(a) == nil)
            device.house.store.resume()
            try await eventually("its description") { try await device.description(a) == "Night Glow" }
            #expect(try await device.house.home(a).characteristic(device.on)?.value == .bool(true))
            try await eventually("the event of its services") {
                b.events.contains { if case .servicesUpdated = $0 { true } else { false } }
            }
            for case .servicesUpdated(_, let services) in b.events {
                let values = services.flatMap(\.characteristics).filter { $0.id == device.on }.map(\.value)
                #expect(values == [.bool(true)], "the copies of apps go back")
            }
        }
    }

    @Test(
        "A person's no counts at once, whatever the disk does; a yes counts once it is stored, and the last one counts")
    func decisions() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let system = try await house.app()
            _ = try await system.addHome()
            let app = try await house.app("org.other")
            let identity = AppIdentity(app: "org.other", uid: 1, executable: "/org.other")
            house.store.stall()
            let asks = await app.begin(.homes)
            let yes = await system.begin(.setPermission(identity, .allow))
            try await eventually("the store has it") { house.store.waitingCount == 1 }
            #expect(app.answer(asks) == nil && system.answer(yes) == nil)
            house.store.writeWaiting()
            _ = try await system.result(yes)
            _ = try await app.result(asks)
            let no = await system.begin(.setPermission(identity, .deny))
            await expect(.homeAccessNotAuthorized) { try await app.call(.homes) }
            #expect(system.answer(no) == nil)
            // A yes that is overtaken by a no does not count, be it stored before.
            let again = await system.begin(.setPermission(identity, .allow))
            let last = await system.begin(.setPermission(identity, .deny))
            house.store.resume()
            for call in [no, again, last] { _ = try await system.result(call) }
            await expect(.homeAccessNotAuthorized) { try await app.call(.homes) }
            #expect(house.store.stored.permissions.map(\.isAllowed) == [false])
        }
    }

    @Test(
        "What an app has changed when it loses its permission stays if the disk had begun with it; what waited does not happen"
    )
    func withdrawn() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let system = try await house.app()
            let home = try await system.addHome()
            let app = try await house.app("org.other")
            let identity = AppIdentity(app: "org.other", uid: 1, executable: "/org.other")
            try await system.call(.setPermission(identity, .allow))
            house.store.stall()
            let first = await addRoom("Hall", app, home)
            try await eventually("the store has it") { house.store.waitingCount == 1 }
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

    @Test("Values that are being stored do not hold up the hub, and what is reported meanwhile is stored next")
    func values() async throws {
        let device = try Device(saveInterval: .milliseconds(10))
        try await device.run { a, _ in
            try await device.isThere(a)
            #expect(try await a.observe(device.on) == nil)
            device.house.store.stall()
            func report(_ value: Bool) async throws {
                device.server.sendEvent(#"{"characteristics":[{"aid":1,"iid":8,"value":\#(value)}]}"#)
                try await eventually("the value") {
                    try await device.house.home(a).characteristic(device.on)?.value == .bool(value)
                }
            }
            // Whatever it was before, one of them is another value.
            for value in [true, false] { try await report(value) }
            try await eventually("the store has it") { device.house.store.waitingCount == 1 }
            try await report(true)
            #expect(device.house.store.waitingCount == 1)
            device.house.store.resume()
            try await eventually("it is stored") {
                device.house.store.noted.compactMap { $0[device.on] }.last?.value == .bool(true)
            }
        }
    }
}
