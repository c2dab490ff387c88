import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import AccessoryRole

@Suite("Managing pairings through the server", .timeout)
struct PairingsTests {
    /// A bridge with an admin, a second admin and a guest.
    private struct Family {
        let admin = ControllerIdentity.random()
        let second = ControllerIdentity.random()
        let guest = ControllerIdentity.random()
        let store: InMemoryAccessoryServerStore
        let bridge: ServerUnderTest
        let devices: ScriptedAccessorySource

        init() async throws {
            var stored = StoredServer.random(pairedWith: [admin, second])
            var list = stored.pairings
            list.set(guest.pairing(isAdmin: false))
            stored.pairings = list
            store = InMemoryAccessoryServerStore(stored)
            let house = try await House(store, admin: .random())
            bridge = house.bridge
            devices = house.devices
        }

        var stored: [Pairing] { store.stored.pairings.pairings }
    }

    @Test("lists all pairings in order")
    func list() async throws {
        let family = try await Family()
        let answer = try await family.bridge.session(family.admin).pairings(.list)
        #expect(
            answer
                == .list([family.admin.pairing(), family.second.pairing(), family.guest.pairing(isAdmin: false)]))
    }

    @Test("rejects all requests of a non-admin with error 2")
    func guest() async throws {
        let family = try await Family()
        let session = try await family.bridge.session(family.guest)
        for request in [
            PairingsRequest.list, .add(ControllerIdentity.random().pairing()), .remove(family.guest.controller),
        ] {
            #expect(try await session.pairings(request) == .failed(.authentication))
        }
        #expect(family.stored.count == 3)
        #expect(try await session.get("/accessories").status == 200)
    }

    @Test("stores an added controller before the response, and admits it immediately")
    func add() async throws {
        let family = try await Family()
        let added = ControllerIdentity.random()
        let session = try await family.bridge.session(family.admin)
        #expect(try await session.pairings(.add(added.pairing(isAdmin: false))) == .done)
        #expect(family.stored.last == added.pairing(isAdmin: false))
        _ = try await family.bridge.session(added)
    }

    @Test("changes the permission of a known controller, but refuses a different key")
    func addKnown() async throws {
        let family = try await Family()
        let session = try await family.bridge.session(family.admin)
        let guest = try await family.bridge.session(family.guest)
        #expect(try await session.pairings(.add(family.guest.pairing())) == .done)
        // The new permission applies to the open session.
        #expect(try await guest.pairings(.list) != .failed(.authentication))
        var impostor = family.guest.pairing()
        impostor.publicKey = ControllerIdentity.random().longTermKey.publicKey
        #expect(try await session.pairings(.add(impostor)) == .failed(.unknown))
        #expect(family.stored[2] == family.guest.pairing())
    }

    @Test("keeps 64 pairings, refuses more with MaxPeers, and still changes an existing pairing")
    func full() async throws {
        let family = try await Family()
        let session = try await family.bridge.session(family.admin)
        for _ in 3..<64 {
            #expect(try await session.pairings(.add(ControllerIdentity.random().pairing(isAdmin: false))) == .done)
        }
        #expect(try await session.pairings(.add(ControllerIdentity.random().pairing())) == .failed(.maxPeers))
        #expect(try await session.pairings(.add(family.guest.pairing())) == .done)
        #expect(family.stored.count == 64)
    }

    @Test("responds with error 1 and changes nothing if the store fails")
    func brokenStore() async throws {
        let family = try await Family()
        let session = try await family.bridge.session(family.admin)
        let guest = try await family.bridge.session(family.guest)
        family.store.breakDown([.pairings])
        #expect(try await session.pairings(.remove(family.guest.controller)) == .failed(.unknown))
        #expect(try await guest.get("/accessories").status == 200)
        let added = ControllerIdentity.random()
        #expect(try await session.pairings(.add(added.pairing())) == .failed(.unknown))
        await #expect(throws: ServerUnderTest.Refused.self) { try await family.bridge.session(added) }
    }

    @Test("closes only the sessions of a removed controller, and accepts the removal of an unknown controller")
    func remove() async throws {
        let family = try await Family()
        let session = try await family.bridge.session(family.admin)
        let first = try await family.bridge.session(family.guest)
        let second = try await family.bridge.session(family.guest)
        let bystander = try await family.bridge.session(family.second)
        #expect(try await session.pairings(.remove(family.guest.controller)) == .done)
        #expect(await first.isClosed)
        #expect(await second.isClosed)
        #expect(try await bystander.get("/accessories").status == 200)
        await #expect(throws: ServerUnderTest.Refused.self) { try await family.bridge.session(family.guest) }
        #expect(try await session.pairings(.remove(ControllerIdentity.random().controller)) == .done)
        #expect(await family.bridge.server.advertisement.isPaired)
    }

    @Test("responds to a controller that removes itself, then closes its connections")
    func removeSelf() async throws {
        let family = try await Family()
        let session = try await family.bridge.session(family.admin)
        let twin = try await family.bridge.session(family.admin)
        let bystander = try await family.bridge.session(family.second)
        #expect(try await session.pairings(.remove(family.admin.controller)) == .done)
        await session.waitForClose()
        await twin.waitForClose()
        #expect(try await bystander.get("/accessories").status == 200)
        #expect(family.stored.map(\.controller) == [family.second.controller, family.guest.controller])
    }

    @Test("executes no more requests of a controller that has removed itself")
    func nothingAfterRemovingSelf() async throws {
        let family = try await Family()
        let session = try await family.bridge.session(family.admin)
        family.store.hold([.pairings])
        let removal = try await session.bytes(
            of: HTTPRequest(.post, "/pairings", body: PairingsRequest.remove(family.admin.controller).encoded))
        let write = try await session.bytes(
            of: HTTPRequest(
                .put, "/characteristics", body: Array(#"{"characteristics":[{"aid":2,"iid":9,"value":true}]}"#.utf8)))
        await session.send(bytes: removal + write)
        try await family.bridge.scheduler.drain(until: { family.store.waitingCount > 0 })
        family.store.release()
        await session.waitForClose()
        #expect(family.devices.written.isEmpty)
    }

    @Test("removes all other pairings together with the last admin, sets `sf` and closes all sessions")
    func lastAdmin() async throws {
        let family = try await Family()
        let session = try await family.bridge.session(family.admin)
        #expect(try await session.pairings(.remove(family.second.controller)) == .done)
        let guest = try await family.bridge.session(family.guest)
        #expect(try await session.pairings(.remove(family.admin.controller)) == .done)
        await session.waitForClose()
        #expect(await guest.isClosed)
        #expect(family.stored.isEmpty)
        #expect(await !family.bridge.server.isPaired)
        #expect(await !family.bridge.server.advertisement.isPaired)
        #expect(await family.bridge.server.controllerCount == 0)
        // The same controller can be paired again.
        let (again, _) = await family.bridge.connect()
        let action = try await again.pairSetup(family.store.stored.setupCode)
        guard case .paired(let accessory) = action else {
            Issue.record("not paired: \(action)")
            return
        }
        #expect(accessory.publicKey == family.bridge.identity.longTermKey.publicKey)
    }

    @Test("treats the demotion of the last admin as a removal")
    func demotion() async throws {
        let family = try await Family()
        let session = try await family.bridge.session(family.admin)
        #expect(try await session.pairings(.add(family.second.pairing(isAdmin: false))) == .done)
        #expect(try await session.pairings(.add(family.admin.pairing(isAdmin: false))) == .done)
        await session.waitForClose()
        #expect(family.stored.isEmpty)
        #expect(await !family.bridge.server.advertisement.isPaired)
    }

    @Test("keeps the session of an admin that demotes itself, but removes the admin's rights")
    func demotedSelf() async throws {
        let family = try await Family()
        let session = try await family.bridge.session(family.admin)
        #expect(try await session.pairings(.add(family.admin.pairing(isAdmin: false))) == .done)
        #expect(try await session.pairings(.list) == .failed(.authentication))
        #expect(try await session.get("/accessories").status == 200)
    }

    @Test("executes only the first removal if two admins remove each other")
    func duel() async throws {
        let family = try await Family()
        let first = try await family.bridge.session(family.admin)
        let second = try await family.bridge.session(family.second)
        family.store.hold([.pairings])
        async let one = first.pairings(.remove(family.second.controller))
        try await family.bridge.scheduler.drain(until: { family.store.waitingCount > 0 })
        async let other = try? second.pairings(.remove(family.admin.controller))
        try await family.bridge.scheduler.drain(until: { await family.bridge.server.answeringCount == 2 })
        family.store.release()
        #expect(try await one == .done)
        _ = await other
        await family.bridge.scheduler.drain()
        #expect(family.stored.map(\.controller) == [family.admin.controller, family.guest.controller])
        #expect(try await first.get("/accessories").status == 200)
        #expect(await second.isClosed)
    }

    @Test("keeps the pairings that two admins add at the same time")
    func adding() async throws {
        let family = try await Family()
        let first = try await family.bridge.session(family.admin)
        let second = try await family.bridge.session(family.second)
        family.store.hold([.pairings])
        let children = [ControllerIdentity.random(), .random()]
        async let one = first.pairings(.add(children[0].pairing(isAdmin: false)))
        async let other = second.pairings(.add(children[1].pairing(isAdmin: false)))
        try await family.bridge.scheduler.drain(until: { family.store.waitingCount > 0 })
        family.store.release()
        #expect(try await one == .done)
        #expect(try await other == .done)
        #expect(Set(family.stored.map(\.controller)).isSuperset(of: children.map(\.controller)))
        #expect(family.stored.count == 5)
    }

    @Test("rejects a waiting request of an admin that is demoted in the meantime")
    func demotedWhileWaiting() async throws {
        let family = try await Family()
        let first = try await family.bridge.session(family.admin)
        let second = try await family.bridge.session(family.second)
        family.store.hold([.pairings])
        async let one = first.pairings(.add(family.second.pairing(isAdmin: false)))
        try await family.bridge.scheduler.drain(until: { family.store.waitingCount > 0 })
        async let other = second.pairings(.remove(family.guest.controller))
        try await family.bridge.scheduler.drain(until: { await family.bridge.server.answeringCount == 2 })
        family.store.release()
        #expect(try await one == .done)
        #expect(try await other == .failed(.authentication))
        #expect(family.stored.count == 3)
    }

    @Test("removes pairings for the operator, closes sessions and updates `sf`")
    func byOperator() async throws {
        let family = try await Family()
        let guest = try await family.bridge.session(family.guest)
        let admin = try await family.bridge.session(family.admin)
        #expect(await family.bridge.server.pairingReports().map { $0.connectedFor != nil } == [true, false, true])
        #expect(try await family.bridge.server.removePairing(family.guest.controller))
        #expect(try await !family.bridge.server.removePairing(family.guest.controller))
        #expect(await guest.isClosed)
        #expect(try await admin.get("/accessories").status == 200)
        family.store.breakDown([.pairings])
        await #expect(throws: PairingError.unknown) { try await family.bridge.server.removeAllPairings() }
        #expect(try await admin.get("/accessories").status == 200)
        family.store.breakDown([])
        try await family.bridge.server.removeAllPairings()
        #expect(await admin.isClosed)
        #expect(await !family.bridge.server.advertisement.isPaired)
        #expect(family.stored.isEmpty)
    }
}

extension AccessoryServer {
    /// The number of sessions whose request hasn't been answered.
    fileprivate var answeringCount: Int { sessions.values.count(where: \.isAnswering) }
}
