import HAPController
import HAPTesting
import HomeHub
import HomeModel
import TestTimeouts
import Testing

import enum HAPModel.CharacteristicValue

@Suite("The hub, sessions and permission", .timeout)
struct HubSessionTests {
    private func identity(_ app: String) -> AppIdentity { AppIdentity(app: app, uid: 1, executable: "/\(app)") }

    @Test("Without a purpose there is no session")
    func purpose() async throws {
        let house = try HouseUnderTest()
        let peer = AppPeer(uid: 1, executable: "/a", mayDecide: false)
        await #expect(throws: HomeError(.usageDescriptionMissing)) {
            try await house.hub.open(SessionOpening(app: "a", usageDescription: " ", capabilities: [.home]), by: peer)
        }
    }

    @Test("The first call raises one question; no means 47 now and later, a later yes brings status and homes")
    func deniedThenAllowed() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (system, app) = (try await house.app(), try await house.app("app"))
            _ = try await system.addHome()
            try await system.call(.answerQuestions)
            #expect(app.reply.status == [])
            let (first, second) = (await app.begin(.homes), await app.begin(.startBrowsing))
            try await eventually("the question") { system.asked.map(\.app.app) == ["app"] }
            #expect(app.answer(first) == nil)
            try await system.call(.setPermission(identity("app"), .deny))
            await expect(.homeAccessNotAuthorized) { try await app.result(first) }
            await expect(.homeAccessNotAuthorized) { try await app.result(second) }
            await expect(.homeAccessNotAuthorized) { try await app.call(.homes) }
            #expect(system.asked.count == 1)
            app.forget()
            try await system.call(.setPermission(identity("app"), .allow))
            try await eventually("the homes") { app.notifications.count == 2 }
            #expect(app.notifications == [.authorizationStatusUpdated([.determined, .authorized]), .homesUpdated])
            #expect(try HomesReply(json: try await app.call(.homes)).homes.count == 1)
            await expect(.insufficientPrivileges) { try await app.call(.permissions) }
            #expect(try [AppPermission](json: try await system.call(.permissions)).map(\.app) == [identity("app")])
        }
    }

    @Test("A decision outlives the hub; one that cannot be stored is none")
    func remembering() async throws {
        let store = TestStore()
        try await HouseUnderTest(store: store).run { house in
            let (system, app) = (try await house.app(), try await house.app("app"))
            let call = await app.begin(.homes)
            store.breakDown()
            await expect(.storageFailed) { try await system.call(.setPermission(identity("app"), .allow)) }
            #expect(app.answer(call) == nil)
            store.breakDown(false)
            try await system.call(.setPermission(identity("app"), .allow))
            _ = try await app.result(call)
        }
        try await HouseUnderTest(store: store).run { house in
            let (system, app) = (try await house.app(), try await house.app("app"))
            #expect(app.reply.status == [.determined, .authorized])
            _ = try await app.call(.homes)
            try await system.call(.setPermission(identity("app"), .forget))
            #expect(store.stored.permissions == [])
            try await system.call(.setPermission(identity("app"), .deny))
            #expect(store.stored.permissions.map(\.isAllowed) == [false])
        }
    }

    @Test("A call that no app answers for is refused in time, and the question stays")
    func timeout() async throws {
        let house = try HouseUnderTest { $0.permissionTimeout = .milliseconds(20) }
        try await house.run { house in
            let (system, app) = (try await house.app(), try await house.app("app"))
            await expect(.homeAccessNotAuthorized) { try await app.call(.homes) }
            try await system.call(.answerQuestions)
            try await eventually("the question") { system.asked.map(\.app) == [identity("app")] }
        }
    }

    @Test("Who loses permission is notified once and then nothing: no values, no search, and calls under way fail")
    func revocation() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (system, app) = (try await house.app(), try await house.app("app"))
            let lamp = try await house.lamp(system)
            try await system.call(.setPermission(identity("app"), .allow))
            #expect(try await app.observe(lamp.on) == nil)
            try await app.call(.startBrowsing)
            lamp.bridge.bridge.driver.set(lamp.light, .waits)
            let call = await app.begin(.writeValues([ValueWrite(characteristic: lamp.on, value: .bool(true))]))
            try await eventually("the lamp is asked") { lamp.bridge.bridge.driver.waitingCount == 1 }
            try await house.drain(app)
            app.forget()
            try await system.call(.setPermission(identity("app"), .deny))
            await expect(.homeAccessNotAuthorized) { try await app.result(call) }
            try await eventually("the status") { !app.notifications.isEmpty }
            lamp.bridge.bridge.driver.answer(lamp.light)
            // The lamp was asked; that its app is not notified any more changes nothing.
            try await eventually("it is written") { try await house.value(lamp, system) == .bool(true) }
            house.show(TestDevices.id(9), at: .test(9), isPaired: false)
            await lamp.turn(false)
            await lamp.turn(true)
            // Behind all that it has told by itself.
            _ = try await system.readValues(lamp.on)
            try await system.write(.renameHome(lamp.home, name: "Other"))
            await expect(.homeAccessNotAuthorized) { try await app.call(.homes) }
            #expect(app.notifications == [.authorizationStatusUpdated(.determined)])
        }
    }

    @Test(
        "A search does not outlive its app's permission: who is allowed again receives nothing before it searches anew")
    func searchAfterWithdrawal() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (system, app) = (try await house.app(), try await house.app("app"))
            try await system.call(.setPermission(identity("app"), .allow))
            try await app.call(.startBrowsing)
            for decision in [PermissionDecision.deny, .allow] {
                try await system.call(.setPermission(identity("app"), decision))
            }
            try await system.call(.startBrowsing)
            house.show(TestDevices.id(9), at: .test(9), isPaired: false)
            try await eventually("it is found") { system.found == [TestDevices.id(9)] }
            try await house.drain(app)
            #expect(app.found == [])
            try await app.call(.startBrowsing)
            try await eventually("it is found") { app.found == [TestDevices.id(9)] }
        }
    }

    @Test("Who gives up waiting gets 47 without permission; what an accessory was asked for, or is done, is answered")
    func cancelling() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (system, app) = (try await house.app(), try await house.app("app"))
            let waiting = await app.begin(.homes)
            await house.hub.cancel(waiting)
            await expect(.homeAccessNotAuthorized) { try await app.result(waiting) }
            let lamp = try await house.lamp(system)
            lamp.bridge.bridge.driver.set(lamp.light, .waits)
            let call = await system.begin(.writeValues([ValueWrite(characteristic: lamp.on, value: .bool(true))]))
            try await eventually("the lamp is asked") { lamp.bridge.bridge.driver.waitingCount == 1 }
            await house.hub.cancel(call)
            lamp.bridge.bridge.driver.answer(lamp.light)
            #expect(try [ValueResult](json: try await system.result(call)).map(\.value) == [.bool(true)])
            // The home has changed; only the unpairing to the accessory goes on.
            lamp.bridge.store.hold([.pairings])
            let removal = await system.begin(.write(.removeHome(lamp.home)))
            try await eventually("the accessory forgets") { lamp.bridge.store.waitingCount == 1 }
            await house.hub.cancel(removal)
            lamp.bridge.store.release()
            #expect(try HomeCommit(json: try await system.result(removal)).transaction != nil)
        }
    }

    @Test("The reader of a session that is closed is notified, and what was asked is not done")
    func closing() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let lamp = try await house.lamp(a)
            #expect(try await a.observe(lamp.on) == nil)
            await house.hub.close(a.session)
            try await eventually("the end") { a.hasEnded }
            await house.hub.receive(.write(.addHome(name: "Late")), as: Call(a.session, 99))
            #expect(try HomesReply(json: try await b.call(.homes)).homes.map(\.name) == ["Home"])
            #expect(await house.hub.nextDelivery(for: a.session) == nil)
        }
    }

    @Test("A hub that ends answers what is under way, and all that comes later, with daemonUnavailable")
    func hubEnds() async throws {
        let house = try HouseUnderTest()
        let running = Task { await house.hub.run() }
        let (system, other) = (try await house.app(), try await house.app("org.other"))
        let lamp = try await house.lamp(system)
        lamp.bridge.bridge.driver.set(lamp.light, .waits)
        let write = await system.begin(.writeValues([ValueWrite(characteristic: lamp.on, value: .bool(true))]))
        try await eventually("the lamp is asked") { lamp.bridge.bridge.driver.waitingCount == 1 }
        let waiting = await other.begin(.homes)
        running.cancel()
        await running.value
        await expect(.daemonUnavailable) { try await other.result(waiting) }
        await expect(.daemonUnavailable) { try await system.call(.readValues([lamp.on])) }
        // The write fails for itself, or with the hub: but it is answered.
        try await eventually("an answer") { system.answer(write) != nil }
        await #expect(throws: Never.self) { try await house.run { _ in } }
    }

    @Test("A reader that is cancelled ends, and the next takes what there is")
    func cancelledReader() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let opening = SessionOpening(app: "system", usageDescription: "For it.", capabilities: [.home])
            let peer = AppPeer(uid: 0, executable: "/system", mayDecide: true)
            let session = try await house.hub.open(opening, by: peer).session
            let reader = Task { await house.hub.nextDelivery(for: session) }
            reader.cancel()
            #expect(await reader.value == nil)
            await house.hub.receive(.homes, as: Call(session, 1))
            #expect(
                await house.hub.nextDelivery(for: session)
                    == .answer(Call(session, 1), .success(HomesReply(homes: []).json)))
            // What is there is had even then: a hub that ends hands over what it has answered.
            await house.hub.receive(.homes, as: Call(session, 3))
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await house.hub.nextDelivery(for: session)
            }
            #expect(await late.value == .answer(Call(session, 3), .success(HomesReply(homes: []).json)))
            // The number again is nothing to answer twice.
            await house.hub.receive(.open(opening), as: Call(session, 2))
            guard case .answer(_, .failure(let error))? = await house.hub.nextDelivery(for: session) else {
                Issue.record("no error")
                return
            }
            #expect(error.code == .invalidParameter)
        }
    }

    @Test("A session that does not read delays no other app, and gets one homesUpdated in place of what it missed")
    func stalled() async throws {
        let house = try HouseUnderTest { $0.feedLimit = 4 }
        try await house.run { house in
            let a = try await house.app()
            let opening = SessionOpening(app: "system", usageDescription: "For it.", capabilities: [.home])
            let peer = AppPeer(uid: 1, executable: "/system", mayDecide: true)
            let session = try await house.hub.open(opening, by: peer).session
            let home = try await a.addHome()
            for number in 1...20 { try await a.write(.addRoom(home, name: "Room \(number)")) }
            #expect(await house.hub.nextDelivery(for: session) == .notification(.homesUpdated))
            try await a.write(.addRoom(home, name: "Hall"))
            guard case .notification(.transaction(let transaction))? = await house.hub.nextDelivery(for: session) else {
                Issue.record("no transaction")
                return
            }
            #expect(transaction.revision == 22)
        }
    }
}

extension TestApp {
    var asked: [AppPermission] {
        notifications.compactMap { if case .permissionAsked(let permission) = $0 { permission } else { nil } }
    }
}
