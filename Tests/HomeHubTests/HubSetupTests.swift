import BoundedJSON
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

import struct HAPModel.SetupCode

@testable import HomeHub

@Suite("The hub with apps that add accessories without access to the home", .timeout)
struct HubSetupTests {
    private static let identity = AppIdentity(app: "org.other", uid: 1, executable: "/org.other")

    /// An undecided app.
    private func app(in house: HouseUnderTest) async throws -> TestApp {
        try await house.app("org.other", capabilities: [.home])
    }

    /// Waits for the next question to the system app.
    private func question(_ system: TestApp, after count: Int = 0) async throws -> ConsentQuestion {
        try await eventually("the question") { system.consents.count > count }
        return try #require(system.consents.last)
    }

    /// Requests the setup of an accessory and allows it as the user.
    private func setUp(_ addition: AdditionRequest, _ app: TestApp, _ system: TestApp) async throws -> JSONValue {
        let count = system.consents.count
        let call = await app.begin(.setUpAccessory(addition))
        try await system.call(.answerConsent(try await question(system, after: count).id, isAllowed: true))
        return try await app.result(call)
    }

    @Test("adds an accessory for an undecided app after consent, and returns only the IDs")
    func unseen() async throws {
        try await withHouse { house, system in
            let home = try await system.addHome("Secret")
            try await system.call(.answerQuestions)
            let other = try await app(in: house)
            let bridge = try await house.bridge()
            let call = await other.begin(.setUpAccessory(AdditionRequest(home: nil, payload: bridge.payload)))
            let question = try await question(system)
            #expect(question.app == Self.identity && question.subject == .addition)
            #expect(question.usageDescription == "For the test." && question.name == "Test \(bridge.id.suffix)")
            for _ in 1...3 { try await house.drain(system) }
            #expect(other.answer(call) == nil && house.dialer.dialed.isEmpty)
            try await system.call(.answerConsent(question.id, isAllowed: true))
            let json = try await other.result(call)
            guard case .setUp(let result) = try AdditionReply(json: json) else {
                throw HouseUnderTest.Missing(what: "a result")
            }
            let added = try await house.home(system).accessories
            #expect(result == AccessorySetupResult(home: home, accessories: added.map(\.id)) && added.count == 2)
            #expect(json == AdditionReply.setUp(result).json)
            try await eventually("the events") {
                system.events.count { if case .accessoryAdded = $0 { true } else { false } } == 2
            }
            #expect(other.notifications.isEmpty)
            // The answer doesn't grant access to the homes, and is valid once.
            let permissions = try [AppPermission](json: try await system.call(.permissions))
            #expect(permissions.allSatisfy { !$0.isPending && $0.status == [] })
            await expect(.notFound) { try await system.call(.answerConsent(question.id, isAllowed: true)) }
            // The next addition needs another answer.
            let next = await other.begin(.setUpAccessory(AdditionRequest(home: nil, code: bridge.code)))
            try await eventually("the next question") { system.consents.count == 2 }
            await house.hub.cancel(next)
        }
    }

    @Test(
        "refuses an addition after a denial, a cancellation or a timeout, without a visible effect",
        arguments: [0, 1, 2])
    func refused(_ how: Int) async throws {
        try await withHouse({ if how == 2 { $0.permissionTimeout = .milliseconds(50) } }) { house, system in
            _ = try await system.addHome()
            // No agent answers before the deadline.
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
            // The question ends with its call.
            let late = try await house.app()
            try await late.call(.answerQuestions)
            try await house.drain(late)
            #expect(late.consents.isEmpty)
            #expect(house.dialer.dialed.isEmpty && house.store.stored == before)
            #expect(await !bridge.isPaired)
        }
    }

    @Test("refuses additions, claims and answers from denied apps and from impostors of the system app")
    func hostile() async throws {
        try await withHouse { house, system in
            let home = try await system.addHome()
            try await system.call(.answerQuestions)
            let denied = try await house.app("org.denied", capabilities: Set(HomeCapability.allCases), vendor: "kilgo")
            let identity = AppIdentity(app: "org.denied", uid: 1, executable: "/org.denied")
            try await system.call(.setPermission(identity, .deny))
            // A program with the id of the system app at another path.
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
            // Neither receives the request to the vendor.
            let request = HomeRequest.addAccessory(bridge.addition(to: home))
            #expect(try AdditionReply(json: try await system.call(request)) == .handedOver(app: "kilgo"))
            for _ in 1...3 { try await house.drain(system) }
            #expect(denied.notifications.isEmpty && hostile.notifications.isEmpty)
            await house.hub.cancel(call)
            await expect(.homeAccessNotAuthorized) { try await hostile.result(call) }
            #expect(house.dialer.dialed.isEmpty && house.store.stored == before)
        }
    }

    @Test("limits the pending questions about the apps of one user")
    func bounded() async throws {
        try await withHouse { house, system in
            _ = try await system.addHome()
            let other = try await app(in: house)
            let code = try #require(SetupCode(number: 1))
            let request = HomeRequest.setUpAccessory(AdditionRequest(home: nil, code: code))
            for _ in 1...Permissions.questionsOfUser { _ = await other.begin(request) }
            await expect(.maximumObjectLimitReached) { try await other.call(request) }
        }
    }

    @Test("applies a decision about the app to its pending question", arguments: [true, false])
    func decidedMeanwhile(isAllowed: Bool) async throws {
        try await withHouse { house, system in
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

    @Test("reveals nothing about the home in refusals")
    func refusals() async throws {
        try await withHouse { house, system in
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
            // Suggestions would reveal names in use.
            #expect(refusal?.suggestions == [] && refusal?.accessory == nil)
            let missing = AdditionRequest(home: nil, device: bridge.id)
            await expect(.missingParameter) { try await self.setUp(missing, other, system) }
            // A rejection would reveal the room, so the requested name is dropped.
            guard case .setUp(let result) = try await setUp("darkroom") else {
                throw HouseUnderTest.Missing(what: "a result")
            }
            #expect(try await house.home(system).accessory(result.accessories[0])?.name != "darkroom")
            // The error contains neither the home's nor the accessory's name.
            await #expect(throws: HomeError(.objectAssociatedToAnotherHome)) { _ = try await setUp(nil) }
        }
    }

    @Test("unpairs an accessory if a policy restricts the app during pairing")
    func keptOutMeanwhile() async throws {
        try await withHouse { house, system in
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
            try await eventually("the bridge is unpaired") {
                let isPaired = await bridge.isPaired
                let isKept = try await !house.paired.isEmpty
                return !isPaired && !isKept
            }
            #expect(house.store.stored == before)
        }
    }

    @Test("accepts a scanned label from an app without the setup payload capability")
    func permissions() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let system = try await house.app("system", capabilities: [.home])
            let home = try await system.addHome()
            let bridge = try await house.bridge()
            let request = HomeRequest.setUpAccessory(AdditionRequest(home: home, payload: bridge.payload))
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
