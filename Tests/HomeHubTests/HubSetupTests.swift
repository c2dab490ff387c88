import BoundedJSON
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

import struct HAPModel.SetupCode

@testable import HomeHub

@Suite("The hub and apps that set accessories up without seeing the home", .timeout)
struct HubSetupTests {
    private static let identity = AppIdentity(app: "org.other", uid: 1, executable: "/org.other")

    /// An app about which the user has not decided.
    private func app(in house: HouseUnderTest) async throws -> TestApp {
        try await house.app("org.other", capabilities: [.home])
    }

    /// The question that the system app is asked next.
    private func question(_ system: TestApp, after count: Int = 0) async throws -> ConsentQuestion {
        try await eventually("the question") { system.consents.count > count }
        return try #require(system.consents.last)
    }

    /// Asks to set an accessory up; the user says yes.
    private func setUp(_ addition: AdditionRequest, _ app: TestApp, _ system: TestApp) async throws -> JSONValue {
        let count = system.consents.count
        let call = await app.begin(.setUpAccessory(addition))
        try await system.call(.answerConsent(try await question(system, after: count).id, isAllowed: true))
        return try await app.result(call)
    }

    @Test(
        "An undecided app adds with the person's yes, this once, and learns the ids of what it added and nothing else")
    func unseen() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let system = try await house.app()
            let home = try await system.addHome("Secret")
            try await system.call(.answerQuestions)
            let other = try await app(in: house)
            let bridge = try await house.bridge()
            let call = await other.begin(.setUpAccessory(AdditionRequest(home: nil, payload: bridge.payload)))
            let question = try await question(system)
            #expect(question.app == Self.identity && question.subject == .addition)
            #expect(question.usageDescription == "For the test." && question.name == "Test \(bridge.id.suffix)")
            // Before that nothing happens.
            for _ in 1...3 { try await house.drain(system) }
            #expect(other.answer(call) == nil && house.dialer.dialed.isEmpty)
            try await system.call(.answerConsent(question.id, isAllowed: true))
            let json = try await other.result(call)
            guard case .setUp(let result) = try AdditionReply(json: json) else {
                throw HouseUnderTest.Missing(what: "a result")
            }
            let added = try await house.home(system).accessories
            #expect(result == AccessorySetupResult(home: home, accessories: added.map(\.id)) && added.count == 2)
            // Nothing else is in the answer.
            #expect(json == AdditionReply.setUp(result).json)
            try await eventually("the events") {
                system.events.count { if case .accessoryAdded = $0 { true } else { false } } == 2
            }
            #expect(other.notifications.isEmpty)
            // The homes were not asked for by that, and an answer counts once.
            let permissions = try [AppPermission](json: try await system.call(.permissions))
            #expect(permissions.allSatisfy { !$0.isPending && $0.status == [] })
            await expect(.notFound) { try await system.call(.answerConsent(question.id, isAllowed: true)) }
            // The next one is another question.
            let next = await other.begin(.setUpAccessory(AdditionRequest(home: nil, code: bridge.code)))
            try await eventually("the next question") { system.consents.count == 2 }
            await house.hub.cancel(next)
        }
    }

    @Test(
        "A no, an app that gives up and a time that passes end with 47, and nothing is added or seen",
        arguments: [0, 1, 2])
    func refused(_ how: Int) async throws {
        let house = try HouseUnderTest { if how == 2 { $0.permissionTimeout = .milliseconds(50) } }
        try await house.run { house in
            let system = try await house.app()
            _ = try await system.addHome()
            // No agent is there when the time passes.
            if how < 2 { try await system.call(.answerQuestions) }
            let other = try await app(in: house)
            let bridge = try await house.bridge()
            let before = house.store.stored
            let call = await other.begin(.setUpAccessory(AdditionRequest(home: nil, payload: bridge.payload)))
            if how < 2 {
                let question = try await question(system)
                if how == 0 { try await system.call(.answerConsent(question.id, isAllowed: false)) }
                if how == 1 { await house.hub.cancel(call) }
            }
            await expect(.homeAccessNotAuthorized) { try await other.result(call) }
            // A question that no call waits for is not put any more.
            let late = try await house.app()
            try await late.call(.answerQuestions)
            try await house.drain(late)
            #expect(late.consents.isEmpty)
            #expect(house.dialer.dialed.isEmpty && house.store.stored == before)
            #expect(await !bridge.isPaired)
        }
    }

    @Test("A denied app and a hostile program get nothing added, seen or claimed, and cannot answer for the person")
    func hostile() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let system = try await house.app()
            let home = try await system.addHome()
            try await system.call(.answerQuestions)
            let denied = try await house.app("org.denied", capabilities: Set(HomeCapability.allCases), vendor: "kilgo")
            let identity = AppIdentity(app: "org.denied", uid: 1, executable: "/org.denied")
            try await system.call(.setPermission(identity, .deny))
            // A program that gives the id of the system app, and not its path.
            let opening = SessionOpening(
                app: "system", usageDescription: "To rob.", capabilities: Set(HomeCapability.allCases), vendor: "kilgo")
            let (session, _) = try await house.hub.open(
                opening, by: AppPeer(uid: 1, executable: "/tmp/robber", mayDecide: true))
            let hostile = TestApp(session: session, hub: house.hub, reply: SessionReply(status: [], isSystemApp: false))
            house.keep(Task { await hostile.read() })
            let bridge = try await house.bridge(vendor: "kilgo")
            let before = house.store.stored
            denied.forget()
            let setUp = HomeRequest.setUpAccessory(AdditionRequest(home: home, payload: bridge.payload))
            await expect(.homeAccessNotAuthorized) { try await denied.call(setUp) }
            let call = await hostile.begin(setUp)
            let question = try await question(system)
            #expect(question.app.executable == "/tmp/robber" && system.consents.count == 1)
            for app in [denied, hostile] {
                await expect(.insufficientPrivileges) {
                    try await app.call(.answerConsent(question.id, isAllowed: true))
                }
                await expect(.insufficientPrivileges) {
                    try await app.call(.setVendor(question.app, vendor: "kilgo", .allow))
                }
                await expect(.insufficientPrivileges) { try await app.call(.answerQuestions) }
            }
            // The accessory is added by who may; its maker's request reaches neither.
            let request = HomeRequest.addAccessory(AdditionRequest(home: home, device: bridge.id, code: bridge.code))
            #expect(try AdditionReply(json: try await system.call(request)) == .handedOver(app: "kilgo"))
            for _ in 1...3 { try await house.drain(system) }
            #expect(denied.notifications.isEmpty && hostile.notifications.isEmpty)
            await house.hub.cancel(call)
            await expect(.homeAccessNotAuthorized) { try await hostile.result(call) }
            #expect(house.dialer.dialed.isEmpty && house.store.stored == before)
        }
    }

    @Test("One user's programs cannot ask to add without end")
    func bounded() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let system = try await house.app()
            _ = try await system.addHome()
            let other = try await app(in: house)
            let code = try #require(SetupCode(number: 1))
            let request = HomeRequest.setUpAccessory(AdditionRequest(home: nil, code: code))
            for _ in 1...Permissions.questionsOfUser { _ = await other.begin(request) }
            await expect(.maximumObjectLimitReached) { try await other.call(request) }
        }
    }

    @Test(
        "Who lets an app see the homes while it asks to add lets it add, too; who denies it does not",
        arguments: [true, false])
    func decidedMeanwhile(isAllowed: Bool) async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let system = try await house.app()
            _ = try await system.addHome()
            let other = try await app(in: house)
            let bridge = try await house.bridge()
            let call = await other.begin(.setUpAccessory(AdditionRequest(home: nil, payload: bridge.payload)))
            try await house.drain(system)
            try await system.call(.setPermission(Self.identity, isAllowed ? .allow : .deny))
            if isAllowed {
                guard case .added = try AdditionReply(json: try await other.result(call)) else {
                    throw HouseUnderTest.Missing(what: "accessories")
                }
            } else {
                await expect(.homeAccessNotAuthorized) { try await other.result(call) }
                #expect(house.dialer.dialed.isEmpty)
            }
        }
    }

    @Test("No refusal tells such an app what is in the home")
    func refusals() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let system = try await house.app()
            let home = try await system.addHome()
            try await system.write(.addRoom(home, name: "Darkroom"))
            try await system.call(.answerQuestions)
            let other = try await app(in: house)
            let bridge = try await house.bridge()
            func setUp(_ name: String?) async throws -> AdditionReply {
                let request = AdditionRequest(home: nil, device: bridge.id, code: bridge.code, name: name)
                return try AdditionReply(json: try await self.setUp(request, other, system))
            }
            let refusal = await #expect(throws: HomeError.self) { _ = try await setUp("Darkroom!") }
            #expect(refusal?.code == .nameContainsProhibitedCharacters)
            // Which names could be had would tell which are taken.
            #expect(refusal?.suggestions == [] && refusal?.accessory == nil)
            let missing = AdditionRequest(home: nil, device: bridge.id)
            await expect(.missingParameter) { try await self.setUp(missing, other, system) }
            // A name that is taken is passed over: to say so would tell of the room.
            guard case .setUp(let result) = try await setUp("darkroom") else {
                throw HouseUnderTest.Missing(what: "a result")
            }
            #expect(try await house.home(system).accessory(result.accessories[0])?.name != "darkroom")
            // Which home it is in is not said, and not as which accessory.
            await #expect(throws: HomeError(.objectAssociatedToAnotherHome)) { _ = try await setUp(nil) }
        }
    }

    @Test("What an app has begun to set up is not added once a policy keeps it out, and the accessory is let go")
    func keptOutMeanwhile() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let system = try await house.app()
            _ = try await system.addHome()
            try await system.call(.answerQuestions)
            let other = try await app(in: house)
            let bridge = try await house.bridge()
            let before = house.store.stored
            bridge.store.hold([.pairings])
            let call = await other.begin(.setUpAccessory(AdditionRequest(home: nil, payload: bridge.payload)))
            try await system.call(.answerConsent(try await question(system).id, isAllowed: true))
            try await eventually("the accessory keeps the pairing") { bridge.store.waitingCount == 1 }
            await house.hub.use(AppRestrictions(apps: ["org.other"]))
            bridge.store.release()
            await expect(.homeAccessNotAuthorized) { try await other.result(call) }
            try await eventually("it is let go") {
                let isPaired = await bridge.isPaired
                let isKept = try await !house.paired.isEmpty
                return !isPaired && !isKept
            }
            #expect(house.store.stored == before)
        }
    }

    @Test("Whom a policy keeps out sets nothing up, and one who may see the home is answered as ever")
    func permissions() async throws {
        let house = try HouseUnderTest { $0.restrictions.apps = ["org.other"] }
        try await house.run { house in
            let system = try await house.app("system", capabilities: [.home])
            let home = try await system.addHome()
            let bridge = try await house.bridge()
            let request = HomeRequest.setUpAccessory(AdditionRequest(home: home, payload: bridge.payload))
            let other = try await app(in: house)
            await expect(.homeAccessNotAuthorized) { try await other.call(request) }
            #expect(house.dialer.dialed.isEmpty)
            // The standard setup takes what people scan, also for an app that did not declare to have codes of its own.
            guard case .added(let commit) = try AdditionReply(json: try await system.call(request)) else {
                throw HouseUnderTest.Missing(what: "accessories")
            }
            #expect(commit.transaction != nil)
        }
    }
}

extension TestApp {
    var consents: [ConsentQuestion] {
        notifications.compactMap { if case .consentAsked(let question) = $0 { question } else { nil } }
    }
}
