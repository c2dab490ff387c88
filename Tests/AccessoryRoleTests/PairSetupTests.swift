import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import Synchronization
import TestTimeouts
import Testing

@testable import AccessoryRole

@Suite("Pair setup through the server", .timeout)
struct PairSetupTests {
    /// A bridge without pairings.
    private struct Empty {
        let store: InMemoryAccessoryServerStore
        let bridge: ServerUnderTest
        let code: SetupCode

        init(failures: Int = 0) async throws {
            var stored = StoredServer.random()
            stored.failedAttempts = failures
            store = InMemoryAccessoryServerStore(stored)
            bridge = try await House(store, admin: .random()).bridge
            code = stored.setupCode
        }

        var wrongCode: SetupCode {
            SetupCode(number: code.number == 1 ? 2 : 1) ?? code
        }

        var isAdvertisedAsPaired: Bool { get async { await bridge.server.advertisement.isPaired } }
    }

    private func refused(_ error: PairingError) -> PairSetupController.Action { .fail(.refused(error)) }

    @Test("stores the pairing before sending M6 if the code is right, and allows a session on the same connection")
    func pairs() async throws {
        let empty = try await Empty()
        let (controller, _) = await empty.bridge.connect()
        guard case .paired(let accessory) = try await controller.pairSetup(empty.code) else {
            Issue.record("not paired")
            return
        }
        #expect(accessory.deviceID == empty.bridge.identity.deviceID)
        #expect(accessory.publicKey == empty.bridge.identity.longTermKey.publicKey)
        #expect(empty.store.stored.pairings == PairingList([controller.identity.pairing()]))
        #expect(await empty.bridge.server.isPaired)
        #expect(await empty.isAdvertisedAsPaired)
        #expect(try await controller.pairVerify(empty.bridge.identity) == nil)
        #expect(try await controller.get("/accessories").status == 200)
        // No other controller can pair after that.
        let (second, _) = await empty.bridge.connect()
        #expect(try await second.pairSetup(empty.code) == refused(.unavailable))
    }

    @Test("stores the count of failures before responding to a wrong code, and clears it after the right code")
    func counts() async throws {
        let empty = try await Empty()
        let (controller, _) = await empty.bridge.connect()
        empty.store.hold([.failedAttempts])
        async let answer = controller.pairSetup(empty.wrongCode)
        try await empty.bridge.scheduler.drain(until: { empty.store.waitingCount > 0 })
        // Only M2 has arrived, because M4 waits for the store.
        #expect(await controller.arrivals.count == 1)
        empty.store.release()
        #expect(try await answer == refused(.authentication))
        #expect(empty.store.stored.failedAttempts == 1)
        #expect(try await controller.pairSetup(empty.wrongCode) == refused(.authentication))
        #expect(empty.store.stored.failedAttempts == 2)
        #expect(try await controller.pairs(empty.code))
        #expect(empty.store.stored.failedAttempts == 0)
        #expect(await empty.bridge.server.failedAttempts == 0)
    }

    @Test("allows no attempt after the hundredth failure, even after a restart")
    func maximumTries() async throws {
        let empty = try await Empty(failures: 99)
        let (controller, _) = await empty.bridge.connect()
        #expect(try await controller.pairSetup(empty.wrongCode) == refused(.authentication))
        #expect(empty.store.stored.failedAttempts == 100)
        #expect(try await controller.pairSetup(empty.code) == refused(.maxTries))
        let restarted = try await House(empty.store, admin: .random()).bridge
        let (again, _) = await restarted.connect()
        #expect(try await again.pairSetup(empty.code) == refused(.maxTries))
    }

    @Test("counts a failure that can't be stored")
    func brokenCount() async throws {
        let empty = try await Empty(failures: 99)
        empty.store.breakDown([.failedAttempts])
        let (controller, _) = await empty.bridge.connect()
        #expect(try await controller.pairSetup(empty.wrongCode) == refused(.authentication))
        #expect(try await controller.pairSetup(empty.code) == refused(.maxTries))
    }

    @Test("sends an unknown error in M6 if the pairing can't be stored, and allows another attempt")
    func brokenStore() async throws {
        let empty = try await Empty()
        empty.store.breakDown([.pairings])
        let (controller, _) = await empty.bridge.connect()
        #expect(try await controller.pairSetup(empty.code) == refused(.unknown))
        #expect(await !empty.bridge.server.isPaired)
        #expect(await !empty.isAdvertisedAsPaired)
        #expect(try await controller.pairVerify(empty.bridge.identity) == .refused(.authentication))
        empty.store.breakDown([])
        #expect(try await controller.pairs(empty.code))
    }

    @Test("rejects a controller without the ownership token, but doesn't count a failure")
    func ownership() async throws {
        let store = InMemoryAccessoryServerStore()
        let code = store.stored.setupCode
        let token = [UInt8](repeating: 7, count: 32)
        let bridge = try await House(
            store, admin: .random(), ownership: OwnershipRequirement(vendor: "org.example.lamps", token: token)
        ).bridge
        let (controller, _) = await bridge.connect()
        for shown in [nil, token.dropLast() + [8], Array(token.dropLast())] {
            #expect(try await controller.pairSetup(code, ownershipToken: shown) == refused(.authentication))
            #expect(await !bridge.server.isPaired)
            #expect(store.saved.allSatisfy { $0 != .pairings } && store.stored.failedAttempts == 0)
            #expect(try await controller.pairVerify(bridge.identity) == .refused(.authentication))
        }
        // Other controllers can still start the procedure.
        let (second, _) = await bridge.connect()
        #expect(try await second.pairs(code, ownershipToken: token))
        #expect(store.stored.pairings == PairingList([second.identity.pairing()]))
    }

    // MARK: Changes of `sf`

    @Test("changes `sf` only after M6 is written")
    func statusFlag() async throws {
        let empty = try await Empty()
        let (controller, link) = await empty.bridge.connect()
        var action = try await controller.beginPairSetup(empty.code)
        action = try await controller.step(action)
        action = try await controller.step(action)
        await link.connection.setTakesBytes(false)
        async let last = controller.step(action)
        try await empty.bridge.scheduler.drain(until: { await empty.bridge.server.isPaired })
        await empty.bridge.scheduler.drain()
        #expect(await !empty.isAdvertisedAsPaired)
        await link.connection.setTakesBytes(true)
        guard case .paired = try await last else {
            Issue.record("not paired")
            return
        }
        #expect(await empty.isAdvertisedAsPaired)
    }

    @Test("changes `sf` if the controller disconnects before M6 is written", arguments: [true, false])
    func vanishes(storing: Bool) async throws {
        let empty = try await Empty()
        let (controller, link) = await empty.bridge.connect()
        var action = try await controller.beginPairSetup(empty.code)
        action = try await controller.step(action)
        action = try await controller.step(action)
        if storing { empty.store.hold([.pairings]) } else { await link.connection.setTakesBytes(false) }
        async let last = controller.step(action)
        if storing {
            try await empty.bridge.scheduler.drain(until: { empty.store.waitingCount > 0 })
            await link.connection.vanish()
            empty.store.release()
        } else {
            try await empty.bridge.scheduler.drain(until: { await empty.bridge.server.isPaired })
            await link.connection.vanish()
        }
        _ = try? await last
        await empty.bridge.scheduler.drain()
        #expect(await empty.bridge.server.isPaired)
        #expect(await empty.isAdvertisedAsPaired)
    }

    // MARK: The owner of the procedure (HAP 5.5)

    @Test("refuses pair setup on other connections with busy, and serves their other requests")
    func busy() async throws {
        let empty = try await Empty()
        let (owner, _) = await empty.bridge.connect()
        let (other, _) = await empty.bridge.connect()
        let action = try await owner.beginPairSetup(empty.code)
        #expect(try await other.pairSetup(empty.code) == refused(.busy))
        #expect(try await other.post("/identify").status == 204)
        await empty.bridge.scheduler.advance(by: .milliseconds(29_999))
        #expect(try await other.pairSetup(empty.code) == refused(.busy))
        // None of these requests disturbs the owner.
        guard case .send = try await owner.step(action) else {
            Issue.record("the owner can't continue")
            return
        }
    }

    @Test("ends the turn of a connection that is silent for 30 s, and rejects its next message with 400")
    func steal() async throws {
        let empty = try await Empty()
        let (owner, _) = await empty.bridge.connect()
        let (thief, _) = await empty.bridge.connect()
        var action = try await owner.beginPairSetup(empty.code)
        action = try await owner.step(action)
        await empty.bridge.scheduler.advance(by: .seconds(30))
        let thiefs = try await thief.beginPairSetup(empty.code)
        await #expect(throws: TestController.UnexpectedStatus(status: 400)) { try await owner.step(action) }
        // The status 400 doesn't end the procedure of the new owner.
        #expect(try await owner.pairSetup(empty.code) == refused(.busy))
        guard case .send = try await thief.step(thiefs) else {
            Issue.record("the new owner can't continue")
            return
        }
    }

    @Test("doesn't count the time of a slow store as silence")
    func slowStoreIsNoSilence() async throws {
        let empty = try await Empty()
        let (owner, _) = await empty.bridge.connect()
        let (thief, _) = await empty.bridge.connect()
        empty.store.hold([.pairings])
        async let paired = owner.pairSetup(empty.code)
        try await empty.bridge.scheduler.drain(until: { empty.store.waitingCount > 0 })
        await empty.bridge.scheduler.advance(by: .seconds(31))
        #expect(try await thief.pairSetup(empty.code) == refused(.busy))
        empty.store.release()
        guard case .paired = try await paired else {
            Issue.record("not paired")
            return
        }
        #expect(await empty.isAdvertisedAsPaired)
    }

    @Test("ends the turn of a connection that disconnects, fails or finishes")
    func released() async throws {
        let empty = try await Empty()
        let (first, link) = await empty.bridge.connect()
        let (second, _) = await empty.bridge.connect()
        _ = try await first.beginPairSetup(empty.code)
        await link.connection.vanish()
        await first.waitForClose()
        // Pair setup is free after the owner's procedure has ended.
        #expect(try await second.pairSetup(empty.wrongCode) == refused(.authentication))
        // Pair setup is free after an error.
        let (third, _) = await empty.bridge.connect()
        _ = try await third.beginPairSetup(empty.code)
        #expect(try await third.post("/pair-setup", [1, 2, 3]) == HTTPResponse(400))
        // Pair setup is free after a malformed message.
        #expect(try await second.pairs(empty.code))
    }

    @Test("pairs only the first of two controllers that finish pair setup at the same time")
    func twoAtOnce() async throws {
        let empty = try await Empty()
        let (first, link) = await empty.bridge.connect()
        var action = try await first.beginPairSetup(empty.code)
        action = try await first.step(action)
        action = try await first.step(action)
        empty.store.hold([.pairings])
        async let lost = first.step(action)
        try await empty.bridge.scheduler.drain(until: { empty.store.waitingCount > 0 })
        // Closing the connection lets another controller start pair setup while the first pairing is still being
        // stored.
        await link.connection.vanish()
        _ = try? await lost
        let (second, _) = await empty.bridge.connect()
        async let answer = second.pairSetup(empty.code)
        try await empty.bridge.scheduler.drain(until: { await empty.bridge.server.isLastSetupStoring })
        empty.store.release()
        #expect(try await answer == refused(.unavailable))
        #expect(empty.store.stored.pairings == PairingList([first.identity.pairing()]))
        #expect(await empty.isAdvertisedAsPaired)
    }

    @Test("waits for a pairing to be stored when the server stops, even if the connection is closed")
    func stopWhileStoring() async throws {
        let empty = try await Empty()
        let (controller, link) = await empty.bridge.connect()
        var action = try await controller.beginPairSetup(empty.code)
        action = try await controller.step(action)
        action = try await controller.step(action)
        empty.store.hold([.pairings])
        async let lost = controller.step(action)
        try await empty.bridge.scheduler.drain(until: { empty.store.waitingCount > 0 })
        await link.connection.vanish()
        _ = try? await lost
        let server = empty.bridge.server
        let hasStopped = Mutex(false)
        let stopping = Task {
            await server.stop()
            hasStopped.withLock { $0 = true }
        }
        try await empty.bridge.scheduler.drain(until: { await server.isStopping })
        #expect(!hasStopped.withLock { $0 })
        empty.store.release()
        await stopping.value
        #expect(empty.store.stored.pairings == PairingList([controller.identity.pairing()]))
    }

    @Test("allows attempts after the operator unlocks pairing, unless the unlocking can't be stored")
    func unlock() async throws {
        let empty = try await Empty(failures: 100)
        let (controller, _) = await empty.bridge.connect()
        empty.store.breakDown([.failedAttempts])
        await #expect(throws: InMemoryAccessoryServerStore.Broken.self) {
            try await empty.bridge.server.unlockPairing()
        }
        #expect(try await controller.pairSetup(empty.code) == refused(.maxTries))
        empty.store.breakDown([])
        try await empty.bridge.server.unlockPairing()
        #expect(empty.store.stored.failedAttempts == 0)
        #expect(try await controller.pairSetup(empty.wrongCode) == refused(.authentication))
        #expect(await empty.bridge.server.failedAttempts == 1)
        #expect(try await controller.pairs(empty.code))
    }

    @Test("drops the stored pairings at startup if none is an admin")
    func noAdmin() async throws {
        let controller = ControllerIdentity.random()
        var stored = StoredServer.random()
        stored.pairings = PairingList([controller.pairing(isAdmin: false)])
        let store = InMemoryAccessoryServerStore(stored)
        let bridge = try await House(store, admin: .random()).bridge
        #expect(store.stored.pairings.isEmpty)
        let (connection, _) = await bridge.connect(controller)
        #expect(try await connection.pairVerify(bridge.identity) == .refused(.authentication))
    }
}

@Suite("Pair verify through the server", .timeout)
struct PairVerifyTests {
    @Test("rejects an unknown controller with error 2, and keeps the connection for its next identity")
    func unknown() async throws {
        let house = try await House()
        let (unknownPeer, _) = await house.bridge.connect()
        for _ in 0..<3 {
            #expect(try await unknownPeer.pairVerify(house.bridge.identity) == .refused(.authentication))
        }
        #expect(
            await unknownPeer.arrivals.allSatisfy { if case .response(let r) = $0 { r.status == 200 } else { false } })
        #expect(try await unknownPeer.post("/identify").status == 400)
    }
}

extension AccessoryServer {
    /// A Boolean value that indicates whether both procedures have received M2 and M4, and one is waiting for M6.
    fileprivate var isLastSetupStoring: Bool {
        statistics.requests[.pairSetup]?.outcomes[200] == 4 && sessions.values.contains(where: \.isAnswering)
    }
}
