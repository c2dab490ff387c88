import HAPController
import HAPTesting
import HomeHub
import HomeModel
import TestTimeouts
import Testing

import enum HAPModel.CharacteristicValue

@Suite("The hub with sessions and permissions", .timeout)
struct HubSessionTests {
    private func identity(_ app: String) -> AppIdentity { AppIdentity(app: app, uid: 1, executable: "/\(app)") }

    @Test("asks one question for the first calls, and sends the status and the homes when the user allows the app")
    func deniedThenAllowed() async throws {
        try await withHouse { house, system in
            let app = try await house.app("app")
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

    @Test("keeps a decision across a restart, unless it couldn't be stored")
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

    @Test("ends observations, searches and calls of an app that loses permission, with one notification")
    func revocation() async throws {
        try await withHouse { house, system in
            let app = try await house.app("app")
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
            // The write itself completes.
            try await eventually("the value is written") { try await house.value(lamp, system) == .bool(true) }
            house.show(TestDevices.id(9), at: .test(9), isPaired: false)
            await lamp.turn(false)
            await lamp.turn(true)
            // The answer arrives after the lamp's events.
            _ = try await system.readValues(lamp.on)
            try await system.write(.renameHome(lamp.home, name: "Other"))
            await expect(.homeAccessNotAuthorized) { try await app.call(.homes) }
            #expect(app.notifications == [.authorizationStatusUpdated(.determined)])
        }
    }

    @Test("ends a search when permission is withdrawn, even if it is granted again")
    func searchAfterWithdrawal() async throws {
        try await withHouse { house, system in
            let app = try await house.app("app")
            try await system.call(.setPermission(identity("app"), .allow))
            try await app.call(.startBrowsing)
            for decision in [PermissionDecision.deny, .allow] {
                try await system.call(.setPermission(identity("app"), decision))
            }
            try await system.call(.startBrowsing)
            house.show(TestDevices.id(9), at: .test(9), isPaired: false)
            try await eventually("the accessory is found") { system.found == [TestDevices.id(9)] }
            try await house.drain(app)
            #expect(app.found == [])
            try await app.call(.startBrowsing)
            try await eventually("the accessory is found") { app.found == [TestDevices.id(9)] }
        }
    }

    @Test("ends the reader of a closed session and ignores its later requests")
    func closing() async throws {
        try await withHouse { house, a, b in
            let lamp = try await house.lamp(a)
            #expect(try await a.observe(lamp.on) == nil)
            await house.hub.close(a.session)
            try await eventually("the end") { a.hasEnded }
            await house.hub.receive(.write(.addHome(name: "Late")), as: Call(a.session, 99))
            #expect(try HomesReply(json: try await b.call(.homes)).homes.map(\.name) == ["Home"])
            #expect(await house.hub.nextDelivery(for: a.session) == nil)
        }
    }

    @Test("gives the next delivery to another reader when a reader is canceled")
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
            // A canceled reader still receives an available answer.
            await house.hub.receive(.homes, as: Call(session, 3))
            let late = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await house.hub.nextDelivery(for: session)
            }
            #expect(await late.value == .answer(Call(session, 3), .success(HomesReply(homes: []).json)))
            await house.hub.receive(.open(opening), as: Call(session, 2))
            guard case .answer(_, .failure(let error))? = await house.hub.nextDelivery(for: session) else {
                Issue.record("no error")
                return
            }
            #expect(error.code == .invalidParameter)
        }
    }

    @Test("doesn't identify an accessory for an app that loses permission during the connection attempt")
    func withdrawnWhileConnecting() async throws {
        let (store, vault) = (TestStore(), InMemoryPairingVault())
        let accessories = InMemoryAccessoryServerStore()
        let lamp = try await HouseUnderTest(store: store, vault: vault).run { house in
            try await house.lamp(try await house.app(), store: accessories)
        }
        try await HouseUnderTest(store: store, vault: vault).run { house in
            let (system, app) = (try await house.app(), try await house.app("app"))
            let identity = AppIdentity(app: "app", uid: 1, executable: "/app")
            try await system.call(.setPermission(identity, .allow))
            house.dialer.hold()
            let bridge = try await house.bridge(store: accessories)
            try await eventually("the hub connects to the accessory") { !house.dialer.dialed.isEmpty }
            let call = await app.begin(.identify(lamp.accessory))
            try await house.drain(system)
            try await system.call(.setPermission(identity, .deny))
            await expect(.homeAccessNotAuthorized) { try await app.result(call) }
            house.dialer.release()
            try await eventually("the accessories are reachable") {
                try await house.home(system).accessories.allSatisfy(\.isReachable)
            }
            // The app's request would arrive before these.
            for _ in 1...10 { _ = try await system.readValues(lamp.on) }
            #expect(bridge.bridge.driver.identified.isEmpty)
            try await system.call(.identify(lamp.accessory))
            // The bridge answers before its driver has identified the light.
            try await eventually("only the system's app identifies") {
                bridge.bridge.driver.identified == [lamp.light]
            }
        }
    }
}

extension TestApp {
    var asked: [AppPermission] {
        notifications.compactMap { if case .permissionAsked(let permission) = $0 { permission } else { nil } }
    }
}
