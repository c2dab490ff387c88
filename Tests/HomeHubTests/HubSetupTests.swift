import HAPTesting
import HomeHub
import HomeModel
import TestTimeouts
import Testing

@Suite("The hub and apps that set accessories up without seeing the home", .timeout)
struct HubSetupTests {
    /// An app about which the user decides, or not.
    private func app(
        _ decision: PermissionDecision?, in house: HouseUnderTest, _ system: TestApp
    ) async throws -> TestApp {
        let app = try await house.app("org.other", capabilities: [.home])
        if let decision {
            try await system.call(
                .setPermission(AppIdentity(app: "org.other", uid: 1, executable: "/org.other"), decision))
        }
        return app
    }

    @Test(
        "With the code an app that is denied or undecided adds, and learns the ids of what it added and nothing else",
        arguments: [nil, .deny] as [PermissionDecision?])
    func unseen(_ decision: PermissionDecision?) async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let system = try await house.app()
            let home = try await system.addHome("Secret")
            let other = try await app(decision, in: house, system)
            other.forget()
            let bridge = try await house.bridge()
            let json = try await other.call(.setUpAccessory(AdditionRequest(home: nil, payload: bridge.payload)))
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
            // No question was raised by that.
            let permissions = try [AppPermission](json: try await system.call(.permissions))
            #expect(permissions.allSatisfy { !$0.isPending })
            guard decision != nil else { return }
            await expect(.homeAccessNotAuthorized) { try await other.call(.homes) }
        }
    }

    @Test("No refusal tells such an app what is in the home")
    func refusals() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let system = try await house.app()
            let home = try await system.addHome()
            try await system.write(.addRoom(home, name: "Darkroom"))
            let other = try await app(.deny, in: house, system)
            let bridge = try await house.bridge()
            func setUp(_ name: String?) async throws -> AdditionReply {
                let request = AdditionRequest(home: nil, device: bridge.id, code: bridge.code, name: name)
                return try AdditionReply(json: try await other.call(.setUpAccessory(request)))
            }
            let refusal = await #expect(throws: HomeError.self) { _ = try await setUp("Darkroom!") }
            #expect(refusal?.code == .nameContainsProhibitedCharacters)
            // Which names could be had would tell which are taken.
            #expect(refusal?.suggestions == [] && refusal?.accessory == nil)
            let missing = AdditionRequest(home: nil, device: bridge.id)
            await expect(.missingParameter) { try await other.call(.setUpAccessory(missing)) }
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
            let other = try await app(.deny, in: house, system)
            let bridge = try await house.bridge()
            let before = house.store.stored
            bridge.store.hold([.pairings])
            let call = await other.begin(.setUpAccessory(AdditionRequest(home: nil, payload: bridge.payload)))
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
            let other = try await app(nil, in: house, system)
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
