import BoundedJSON
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

@testable import HomeHub

@Suite("Consent to automations that unlock a lock", .timeout)
struct AutomationConsentTests {
    private static let identity = AppIdentity(app: "org.other", uid: 1, executable: "/org.other")

    private let house: AutomationHouse

    init() throws { house = try AutomationHouse() }

    private var unlock: TriggerDefinition { definition(.set(house.lock, .integer(0))) }

    private func definition(_ step: TriggerStep, end: TriggerEvent? = nil) -> TriggerDefinition {
        TriggerDefinition(
            events: [.characteristic(house.motion, value: .bool(true))], endEvents: end.map { [$0] } ?? [],
            steps: [step])
    }

    /// Runs a hub with the system app, which answers questions, and another app with permission.
    private func run(_ body: (HouseUnderTest, TestApp, TestApp) async throws -> Void) async throws {
        try await house.run { hub, system in
            try await system.call(.answerQuestions)
            let other = try await hub.app("org.other", capabilities: [.home])
            let call = await other.begin(.homes)
            try await eventually("the question") {
                system.notifications.contains { if case .permissionAsked = $0 { true } else { false } }
            }
            try await system.call(.setPermission(Self.identity, .allow))
            _ = try await other.result(call)
            try await body(hub, system, other)
        }
    }

    private func question(_ system: TestApp, after count: Int) async throws -> ConsentQuestion {
        try await eventually("the question") { system.consents.count > count }
        return try #require(system.consents.last)
    }

    @Test("asks before another app adds an automation that unlocks a lock", arguments: [true, false])
    func adding(isAllowed: Bool) async throws {
        try await run { hub, system, other in
            let call = await other.begin(.write(.addTrigger(house.home, name: "Open", unlock, isEnabled: true)))
            let question = try await question(system, after: 0)
            #expect(question.subject == .automation && question.name == "Open" && question.app == Self.identity)
            #expect(try await hub.home(system).triggers == [])
            try await system.call(.answerConsent(question.id, isAllowed: isAllowed))
            if isAllowed {
                _ = try await other.result(call)
            } else {
                await expect(.homeAccessNotAuthorized) { try await other.result(call) }
            }
            #expect(try await hub.home(system).triggers.count == (isAllowed ? 1 : 0))
        }
    }

    @Test("asks again if a scene gets an unlocking action while the question is open")
    func growingScene() async throws {
        try await run { hub, system, other in
            let scene = try await other.addScene(to: house.home)
            try await other.write(
                .setActions(scene, [CharacteristicWriteAction(characteristic: house.on, targetValue: .bool(true))]))
            var definition = definition(.set(house.lock, .integer(0)), end: .duration(.seconds(60)))
            definition.actionSets = [scene]
            let call = await other.begin(.write(.addTrigger(house.home, name: "Open", definition, isEnabled: true)))
            let first = try await question(system, after: 0)
            try await other.write(
                .setActions(scene, [CharacteristicWriteAction(characteristic: house.lock, targetValue: .integer(1))]))
            try await system.call(.answerConsent(first.id, isAllowed: true))
            let second = try await question(system, after: 1)
            #expect(try await hub.home(system).triggers == [])
            try await system.call(.answerConsent(second.id, isAllowed: true))
            _ = try await other.result(call)
            #expect(try await hub.home(system).triggers.count == 1)
        }
    }

    @Test("asks before a change that lets an automation unlock a lock, but not before other changes")
    func changes() async throws {
        try await run { hub, system, other in
            let harmless = definition(.set(house.on, .bool(true)))
            let lock = definition(.set(house.lock, .integer(1)))
            let id = try await house.add(harmless, by: other)
            try await other.write(.updateTrigger(id, lock))
            let scene = try await other.addScene(to: house.home)
            try await other.write(
                .setActions(scene, [CharacteristicWriteAction(characteristic: house.lock, targetValue: .integer(1))]))
            try await house.add(
                TriggerDefinition(events: harmless.events, actionSets: [scene]), named: "Scene", by: other)
            let dangerous = try await house.add(unlock, named: "Unlock", by: system)
            try await other.write(.enableTrigger(dangerous, false))
            try await other.write(.renameTrigger(dangerous, name: "Door"))
            #expect(system.consents == [])
            let writes: [HomeWrite] = [
                .updateTrigger(id, unlock),
                // At the end of the run, the hub may restore the unlocked state.
                .updateTrigger(id, definition(.set(house.lock, .integer(1)), end: .duration(.seconds(60)))),
                .setActions(scene, [CharacteristicWriteAction(characteristic: house.lock, targetValue: .integer(0))]),
                .enableTrigger(dangerous, true),
            ]
            for (index, write) in writes.enumerated() {
                let before = try await hub.home(system)
                let call = await other.begin(.write(write))
                let question = try await question(system, after: index)
                try await system.call(.answerConsent(question.id, isAllowed: false))
                await expect(.homeAccessNotAuthorized) { try await other.result(call) }
                #expect(try await hub.home(system) == before)
            }
        }
    }

    @Test("lists an app's automations, and stops them while the app has no permission")
    func revoked() async throws {
        try await run { hub, system, other in
            let id = try await house.add(definition(.set(house.on, .bool(true))), named: "Its", by: other)
            func listed() async throws -> AppPermission? {
                try [AppPermission](json: try await system.call(.permissions)).first { $0.app == Self.identity }
            }
            try await house.add(definition(.set(house.brightness, .integer(7))), named: "Own", by: system)
            try await system.call(.setPermission(Self.identity, .deny))
            house.report(11, "true")
            try await eventually("the other automation") { house.writes == ["9=7"] }
            #expect(try await listed()?.status == .determined)
            #expect(try await listed()?.automations?.map(\.id) == [id])
            #expect(try await listed()?.automations?.map(\.name) == ["Its"])
            try await system.call(.setPermission(Self.identity, .allow))
            try await house.report(11, "false", as: .bool(false), house.motion, hub, system)
            house.report(11, "true")
            try await eventually("both automations") { house.writes.sorted() == ["8=true", "9=7", "9=7"] }
            // The app is listed after a reset, too, even if it isn't connected.
            await hub.hub.close(other.session)
            try await system.call(.setPermission(Self.identity, .forget))
            #expect(try await listed()?.status == [])
            try await system.call(.setPermission(Self.identity, .allow))
            #expect(try await listed()?.status == [.determined, .authorized])
            // It isn't listed without automations, because it has never asked.
            try await system.call(.setPermission(Self.identity, .forget))
            try await system.write(.removeTrigger(id))
            #expect(try await listed() == nil)
        }
    }

    @Test("stops an automation while the app that made its scene unlock a lock has no permission")
    func revokedScene() async throws {
        try await run { hub, system, other in
            let scene = try await system.addScene(to: house.home)
            func set(_ lock: Int64) -> HomeWrite {
                .setActions(
                    scene,
                    [
                        CharacteristicWriteAction(characteristic: house.lock, targetValue: .integer(lock)),
                        CharacteristicWriteAction(characteristic: house.on, targetValue: .bool(true)),
                    ])
            }
            func motion() async throws {
                try await house.report(11, "false", as: .bool(false), house.motion, hub, system)
                try await house.report(11, "true", as: .bool(true), house.motion, hub, system)
            }
            func openers() async throws -> [AppIdentity] {
                await hub.hub.turn { $0.graph.homes[0].triggers[0].openers }
            }
            try await system.write(set(1))
            let id = try await house.add(
                TriggerDefinition(
                    events: [.characteristic(house.motion, value: .bool(true))], actionSets: [scene]), named: "Scene",
                by: system)
            try await house.add(definition(.set(house.brightness, .integer(7))), named: "Other", by: system)
            let call = await other.begin(.write(set(0)))
            try await system.call(.answerConsent(try await question(system, after: 0).id, isAllowed: true))
            _ = try await other.result(call)
            #expect(try await openers() == [Self.identity])
            try await motion()
            try await eventually("both automations") { house.writes.sorted() == ["22=0", "8=true", "9=7"] }

            try await system.call(.setPermission(Self.identity, .deny))
            try await motion()
            try await eventually("the other automation") { house.writes.count == 4 }
            #expect(house.writes.last == "9=7")
            // By enabling the automation again, the user consents to it.
            try await system.write(.enableTrigger(id, false))
            try await system.write(.enableTrigger(id, true))
            #expect(try await openers() == [])
            try await motion()
            try await eventually("both automations again") { house.writes.count == 7 }
        }
    }

    @Test("lets an automation run again when its scene no longer unlocks a lock") func repairedScene() async throws {
        try await run { hub, system, other in
            let scene = try await system.addScene(to: house.home)
            func set(_ lock: Int64) -> HomeWrite {
                .setActions(scene, [CharacteristicWriteAction(characteristic: house.lock, targetValue: .integer(lock))])
            }
            try await system.write(set(1))
            try await house.add(
                TriggerDefinition(
                    events: [.characteristic(house.motion, value: .bool(true))], actionSets: [scene]), by: system)
            let call = await other.begin(.write(set(0)))
            try await system.call(.answerConsent(try await question(system, after: 0).id, isAllowed: true))
            _ = try await other.result(call)
            try await system.call(.setPermission(Self.identity, .deny))
            try await system.write(set(1))
            try await house.report(11, "false", as: .bool(false), house.motion, hub, system)
            house.report(11, "true")
            try await eventually("the lock") { house.writes == ["22=1"] }
        }
    }
}
