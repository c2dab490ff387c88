import AccessoryRole
import DeviceKit
import HAPController
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import Synchronization
import TestTimeouts
import Testing

@Suite("AccessorySetup", .timeout)
struct SetupTests {
    private let vault = InMemoryPairingVault()
    private let dialer = InMemoryDialer()
    private var setup: AccessorySetup {
        AccessorySetup(dialer: dialer, vault: vault, timing: testTiming, logger: quietLogger)
    }

    private func bridge(
        pairedWith controllers: [ControllerIdentity] = []
    ) async throws -> (BridgeUnderTest, InMemoryAccessoryServerStore, AdvertisedAccessory) {
        let store = InMemoryAccessoryServerStore(.random(pairedWith: controllers))
        let bridge = try await BridgeUnderTest(store, lights: [LightDescription(id: "lamp", name: "Lamp")])
        dialer.listen(at: .test(1), bridge.listener())
        return (bridge, store, try .test(bridge.identity.deviceID, at: [.test(1)], isPaired: false))
    }

    private func wrong(_ code: SetupCode) -> SetupCode {
        SetupCode(number: code.number == 1 ? 2 : 1) ?? code
    }

    @Test("stores the pairing and returns the database if the code is right")
    func pairs() async throws {
        let (bridge, store, found) = try await bridge()
        let added = try await setup.pair(with: found, code: store.stored.setupCode)
        #expect(vault.pairings() == [added.pairing])
        #expect(added.pairing.publicKey == bridge.identity.longTermKey.publicKey)
        #expect(added.database.accessories.count == 2 && added.configurationNumber == 1)
        #expect(store.stored.pairings.pairings == [vault.identity().pairing()])
    }

    @Test("stores nothing after a wrong code, and then accepts the right code")
    func wrongCode() async throws {
        let (bridge, store, found) = try await bridge()
        let code = store.stored.setupCode
        await #expect(throws: SetupError.wrongCode) { try await setup.pair(with: found, code: wrong(code)) }
        #expect(vault.pairings().isEmpty)
        #expect(await !bridge.server.isPaired)
        _ = try await setup.pair(with: found, code: code)
    }

    @Test(
        "reports a paired accessory, without contacting it if it is advertised as paired"
    )
    func alreadyPaired() async throws {
        let (_, store, found) = try await bridge(pairedWith: [.random()])
        await #expect(throws: SetupError.alreadyPaired) {
            try await setup.pair(with: found, code: store.stored.setupCode)
        }
        #expect(dialer.dialed.count == 1)
        await #expect(throws: SetupError.alreadyPaired) {
            try await setup.pair(
                with: .test(found.id, at: [.test(1)], isPaired: true), code: store.stored.setupCode)
        }
        #expect(dialer.dialed.count == 1)
    }

    @Test(
        "reports each refusal with a separate error",
        arguments: [
            (PairingError.unknown, SetupError.refused), (.authentication, .wrongCode), (.backoff, .backOff),
            (.maxPeers, .full), (.maxTries, .tooManyTries), (.unavailable, .alreadyPaired), (.busy, .busy),
        ])
    func refusals(_ refusal: PairingError, _ error: SetupError) async throws {
        let id = try #require(DeviceID(octets: [1, 2, 3, 4, 5, 6]))
        let code = try #require(SetupCode(number: 1))
        ScriptedAccessory { _, _ in
            .answer(HTTPResponse(200, .pairingTLV8, body: PairingTLV.failure(2, refusal).encoded))
        }
        .listen(dialer, at: .test(1))
        let found = try AdvertisedAccessory.test(id, at: [.test(1)], isPaired: false)
        await #expect(throws: error) { try await setup.pair(with: found, code: code) }
        // No message contains the code.
        #expect(!"\(error)".contains(code.text))
    }

    @Test(
        "uses method 1 for an accessory that advertises Apple's chip, and 0 otherwise", arguments: [true, false])
    func method(_ hasChip: Bool) async throws {
        let accessory = ScriptedAccessory { _, _ in .hangUp }
        accessory.listen(dialer, at: .test(1))
        let id = try #require(DeviceID(octets: [1, 2, 3, 4, 5, 6]))
        var found = try AdvertisedAccessory.test(id, at: [.test(1)], isPaired: false)
        found.features = hasChip ? [.hardwareAuthentication] : [.softwareAuthentication]
        let code = try #require(SetupCode(number: 1))
        await #expect(throws: SetupError.ended(.lost, mayBePaired: false)) {
            try await setup.pair(with: found, code: code)
        }
        let first = try #require(accessory.requests.first)
        #expect(try PairingTLV(parsing: first.body).byte(.method) == (hasChip ? 1 : 0))
    }

    @Test("reports that the accessory may be paired if the connection is lost after M5", arguments: 1...3)
    func lostAnswer(_ message: Int) async throws {
        let (bridge, store, found) = try await bridge()
        let listener = bridge.listener()
        dialer.listen(at: .test(1)) {
            guard let far = listener() else { return nil }
            let count = Mutex(0)
            let near = Mutex<InMemoryByteConnection?>(nil)
            let connection = InMemoryByteConnection(
                onSend: { bytes in
                    // This message is never answered.
                    if count.withLock({
                        $0 += 1; return $0
                    }) == message {
                        near.withLock(\.self)?.end()
                    }
                    far.send(bytes)
                }, onClose: { far.close() })
            near.withLock { $0 = connection }
            Task { while let bytes = await far.receive() { connection.deliver(bytes) } }
            return connection
        }
        await #expect(throws: SetupError.ended(.lost, mayBePaired: message == 3)) {
            try await setup.pair(with: found, code: store.stored.setupCode)
        }
        #expect(vault.pairings().isEmpty)
    }

    @Test("asks an accessory with an unexpected id to remove the pairing")
    func otherAccessory() async throws {
        let (bridge, store, _) = try await bridge()
        let id = try #require(DeviceID(octets: [1, 2, 3, 4, 5, 6]))
        let found = try AdvertisedAccessory.test(id, at: [.test(1)], isPaired: false)
        await #expect(throws: SetupError.otherAccessory) {
            try await setup.pair(with: found, code: store.stored.setupCode)
        }
        #expect(await !bridge.server.isPaired)
        #expect(vault.pairings().isEmpty)
    }

    @Test("keeps the pairing of an accessory whose id an impostor claims")
    func claimedID() async throws {
        let (bridge, store, _) = try await bridge()
        let victim = AccessoryPairing(
            deviceID: bridge.identity.deviceID, publicKey: Array(repeating: 7, count: Ed25519.publicKeyLength))
        vault.keep(victim)
        let id = try #require(DeviceID(octets: [1, 2, 3, 4, 5, 6]))
        let found = try AdvertisedAccessory.test(id, at: [.test(1)], isPaired: false)
        await #expect(throws: SetupError.otherAccessory) {
            try await setup.pair(with: found, code: store.stored.setupCode)
        }
        #expect(vault.pairings() == [victim])
        #expect(await !bridge.server.isPaired)
    }

    @Test("removes a pairing from the accessory if the pairing can't be stored")
    func brokenVault() async throws {
        let (bridge, store, found) = try await bridge()
        let broken = AccessorySetup(dialer: dialer, vault: BrokenVault(), timing: testTiming, logger: quietLogger)
        await #expect(throws: SetupError.vaultFailed) {
            try await broken.pair(with: found, code: store.stored.setupCode)
        }
        #expect(await !bridge.server.isPaired)
    }

    @Test("keeps the pairing if it is canceled before the accessory has removed the pairing")
    func cancelled() async throws {
        let (bridge, store, found) = try await bridge()
        let cancelling = AccessorySetup(
            dialer: dialer, vault: CancellingVault(vault: vault), timing: testTiming, logger: quietLogger)
        await #expect(throws: SetupError.self) {
            try await withThrowingTaskGroup { group in
                group.addTask { _ = try await cancelling.pair(with: found, code: store.stored.setupCode) }
                try await group.next()
            }
        }
        #expect(await vault.pairings().isEmpty == !bridge.server.isPaired)
        #expect(!vault.pairings().isEmpty)
    }

    @Test("pairs with an ownership token")
    func ownership() async throws {
        let (bridge, store, found) = try await demandingBridge()
        let added = try await setup.pair(with: found, code: store.stored.setupCode, ownershipToken: token)
        #expect(vault.pairings() == [added.pairing])
        #expect(store.stored.pairings.pairings == [vault.identity().pairing()])
        #expect(await bridge.server.advertisement.txt.allSatisfy { $0.key != "lv" })
    }

    @Test("stores nothing without the right token, and reports the reason")
    func ownershipFailure() async throws {
        let (bridge, store, found) = try await demandingBridge()
        let code = store.stored.setupCode
        for shown in [nil, [UInt8](repeating: 8, count: 32), Array(token.dropLast()), [], token + token] {
            await #expect(throws: SetupError.ownership) {
                try await setup.pair(with: found, code: code, ownershipToken: shown)
            }
            #expect(vault.pairings().isEmpty && store.stored.pairings.isEmpty)
            #expect(await !bridge.server.isPaired)
        }
        // The code is checked before the token.
        await #expect(throws: SetupError.wrongCode) {
            try await setup.pair(with: found, code: wrong(code), ownershipToken: token)
        }
        _ = try await setup.pair(with: found, code: code, ownershipToken: token)
    }

    @Test("doesn't send an invalid token")
    func noToken() async throws {
        let (_, store, found) = try await demandingBridge()
        await #expect(throws: SetupError.ownership) {
            try await setup.pair(
                with: found, code: store.stored.setupCode, ownershipToken: [UInt8](repeating: 8, count: 513))
        }
        #expect(dialer.dialed.isEmpty)
    }

    @Test("reports an authentication error in M6 as refused if the accessory advertises no vendor")
    func refusedAtTheEnd() async throws {
        let (_, store, found) = try await demandingBridge()
        var silent = found
        silent.vendor = nil
        await #expect(throws: SetupError.refused) {
            try await setup.pair(with: silent, code: store.stored.setupCode)
        }
    }

    private let token = [UInt8](repeating: 7, count: 32)

    private func demandingBridge() async throws -> (BridgeUnderTest, InMemoryAccessoryServerStore, AdvertisedAccessory)
    {
        let store = InMemoryAccessoryServerStore()
        let bridge = try await BridgeUnderTest(
            store, ownership: OwnershipRequirement(vendor: "org.example.lamps", token: token))
        dialer.listen(at: .test(1), bridge.listener())
        let txt = await bridge.server.advertisement.txt
        let vendor = txt.first { $0.key == "lv" }?.value
        #expect(vendor == "org.example.lamps")
        return (bridge, store, try .test(bridge.identity.deviceID, at: [.test(1)], isPaired: false, vendor: vendor))
    }

    @Test("identifies an accessory only before pairing")
    func identify() async throws {
        let (_, store, found) = try await bridge()
        try await setup.identify(found)
        _ = try await setup.pair(with: found, code: store.stored.setupCode)
        await #expect(throws: SetupError.alreadyPaired) { try await setup.identify(found) }
    }

    @Test("reports an unreachable accessory if nothing listens at its address")
    func unreachable() async throws {
        let (_, store, found) = try await bridge()
        dialer.listen(at: .test(1), nil)
        await #expect(throws: SetupError.unreachable) {
            try await setup.pair(with: found, code: store.stored.setupCode)
        }
    }

    private struct BrokenVault: PairingVault {
        struct Broken: Error {}
        let own = ControllerIdentity.random()
        func identity() -> ControllerIdentity { own }
        func pairings() throws -> [AccessoryPairing] { throw Broken() }
        func keep(_ pairing: AccessoryPairing) throws { throw Broken() }
        func forget(_ accessory: DeviceID) throws { throw Broken() }
    }

    /// Cancels the current task after it keeps a pairing.
    private struct CancellingVault: PairingVault {
        let vault: InMemoryPairingVault
        func identity() -> ControllerIdentity { vault.identity() }
        func pairings() -> [AccessoryPairing] { vault.pairings() }
        func keep(_ pairing: AccessoryPairing) {
            vault.keep(pairing)
            withUnsafeCurrentTask { $0?.cancel() }
        }
        func forget(_ accessory: DeviceID) { vault.forget(accessory) }
    }
}
