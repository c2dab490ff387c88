import HAPTesting
import HomeModel
import TestTimeouts
import Testing

@testable import HomeHub

@Suite("Answering for a vendor", .timeout)
struct VendorConsentTests {
    private static let identity = AppIdentity(app: "org.kilgo", uid: 1, executable: "/org.kilgo")
    private static let claim = VendorClaimID(app: identity, vendor: "kilgo")

    /// Opens a session of a vendor's app with permission and an undecided claim.
    private func maker(_ name: String = "org.kilgo", in house: HouseUnderTest, _ system: TestApp) async throws
        -> TestApp
    {
        let maker = try await house.app(name, capabilities: [.home, .vendor], vendor: "kilgo")
        try await system.call(.setPermission(AppIdentity(app: name, uid: 1, executable: "/\(name)"), .allow))
        return maker
    }

    private func claims(_ system: TestApp) async throws -> [VendorClaim]? {
        try [AppPermission](json: try await system.call(.permissions)).first { $0.app == Self.identity }?.vendors
    }

    private func add(_ bridge: TestBridge, to home: Home.ID, _ app: TestApp) async throws -> AdditionReply {
        try AdditionReply(
            json: try await app.call(.addAccessory(bridge.addition(to: home))))
    }

    @Test("asks the user once about a vendor's app, and sends it requests only after the user has confirmed its claim")
    func yes() async throws {
        try await withHouse { house, system in
            let home = try await system.addHome()
            try await system.call(.answerQuestions)
            let maker = try await maker(in: house, system)
            #expect(system.consents.isEmpty, "the user is asked too early")
            let bridge = try await house.bridge(vendor: "kilgo")
            #expect(try await add(bridge, to: home, system) == .handedOver(app: "kilgo"))
            try await eventually("the question") { system.consents.count == 1 }
            let question = try #require(system.consents.first)
            #expect(question.app == Self.identity && question.subject == .vendor && question.name == "kilgo")
            #expect(try await claims(system) == [VendorClaim(vendor: "kilgo", isAllowed: nil)])
            #expect(maker.questions.isEmpty)
            try await system.call(.answerConsent(question.id, isAllowed: true))
            try await eventually("the request") { maker.questions.count == 1 }
            #expect(house.store.stored.claims == [RememberedClaim(Self.claim, isAllowed: true)])
            #expect(try await claims(system) == [VendorClaim(vendor: "kilgo", isAllowed: true)])
            try await maker.call(.declineAddition(try #require(maker.questions.first).id))
            #expect(try await add(bridge, to: home, system) == .handedOver(app: "org.kilgo"))
            #expect(system.consents.count == 1)
        }
    }

    @Test("remembers a rejected claim and prefers the app with a confirmed one")
    func no() async throws {
        try await withHouse { house, system in
            let home = try await system.addHome()
            try await system.call(.answerQuestions)
            let maker = try await house.maker("org.kilgo", of: "kilgo")
            let robber = try await self.maker("org.robber", in: house, system)
            let bridge = try await house.bridge(vendor: "kilgo")
            #expect(try await add(bridge, to: home, system) == .handedOver(app: "org.kilgo"))
            try await eventually("the request, and the question") {
                maker.questions.count == 1 && system.consents.count == 1
            }
            try await system.call(.answerConsent(try #require(system.consents.first).id, isAllowed: false))
            try await maker.call(.declineAddition(try #require(maker.questions.first).id))
            await house.hub.close(maker.session)
            #expect(try await add(bridge, to: home, system) == .handedOver(app: "kilgo"))
            for _ in 1...3 { try await house.drain(robber) }
            #expect(robber.questions.isEmpty && system.consents.count == 1)
        }
    }

    @Test(
        "keeps a confirmed claim across a restart, for one user, until it is withdrawn",
        arguments: [PermissionDecision.deny, .forget])
    func restart(_ decision: PermissionDecision) async throws {
        let store = TestStore(
            StoredHomes(
                permissions: [RememberedPermission(app: Self.identity, isAllowed: true, usageDescription: "For it.")],
                claims: [RememberedClaim(Self.claim, isAllowed: true)]))
        let house = try HouseUnderTest(store: store)
        try await house.run { house in
            let system = try await house.app()
            let home = try await system.addHome()
            let maker = try await house.app("org.kilgo", capabilities: [.home, .vendor], vendor: "kilgo")
            // The same app ID of another user is a different app.
            let opening = SessionOpening(
                app: "org.kilgo", usageDescription: "For it.", capabilities: [.home, .vendor], vendor: "kilgo")
            let (session, _) = try await house.hub.open(
                opening, by: AppPeer(uid: 2, executable: "/org.kilgo", mayDecide: false))
            let other = AppIdentity(app: "org.kilgo", uid: 2, executable: "/org.kilgo")
            try await system.call(.setPermission(other, .allow))
            let bridge = try await house.bridge(vendor: "kilgo")
            #expect(try await add(bridge, to: home, system) == .handedOver(app: "org.kilgo"))
            try await eventually("the request") { maker.questions.count == 1 }
            await house.hub.close(session)
            try await system.call(.setVendor(Self.identity, vendor: "kilgo", decision))
            await expect(.notFound) { try await maker.call(.declineAddition(try #require(maker.questions.first).id)) }
            #expect(
                house.store.stored.claims
                    == (decision == .deny ? [RememberedClaim(Self.claim, isAllowed: false)] : []))
            await expect(.notFound) { try await system.call(.setVendor(Self.identity, vendor: "other", .allow)) }
            // Forgetting the app forgets its claim.
            try await system.call(.setVendor(Self.identity, vendor: "kilgo", .allow))
            try await system.call(.setPermission(Self.identity, .forget))
            #expect(house.store.stored.claims.isEmpty)
        }
    }

    @Test("notifies only the initiator when the vendor's app declines or doesn't answer", arguments: [true, false])
    func failure(isDeclined: Bool) async throws {
        try await withHouse({ if !isDeclined { $0.vendorTimeout = .milliseconds(50) } }) { house, a, b in
            let home = try await a.addHome()
            let bridge = try await house.bridge(vendor: "kilgo")
            let maker = isDeclined ? try await house.maker("org.kilgo", of: "kilgo") : nil
            _ = try await add(bridge, to: home, a)
            if let maker {
                try await eventually("the request") { maker.questions.count == 1 }
                try await maker.call(.declineAddition(try #require(maker.questions.first).id))
            }
            try await eventually("the end") { !a.failures.isEmpty }
            #expect(a.failures.map(\.error.code) == [.addAccessoryFailed])
            #expect(a.failures.first?.home == home && a.failures.first?.accessory == bridge.id)
            try await house.drain(b)
            #expect(b.failures.isEmpty)
        }
    }
}

extension TestApp {
    fileprivate var failures: [AccessoryAdditionFailure] {
        notifications.compactMap { if case .additionFailed(let failure) = $0 { failure } else { nil } }
    }
}
