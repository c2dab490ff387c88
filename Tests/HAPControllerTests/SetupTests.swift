import HAPAccessory
import HAPController
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import LightKit
import Synchronization
import Testing

@Suite("Pairing", .timeLimit(.minutes(1)))
struct SetupTests {
    private let vault = InMemoryPairingVault()
    private let dialer = InMemoryDialer()
    private var setup: AccessorySetup {
        AccessorySetup(dialer: dialer, vault: vault, timing: testTiming, logger: quietLogger)
    }

    private func bridge(
        pairedWith controllers: [ControllerIdentity] = []
    ) async throws -> (BridgeUnderTest, InMemoryAccessoryServerStore, DiscoveredAccessory) {
        let store = InMemoryAccessoryServerStore(.random(pairedWith: controllers))
        let bridge = try await BridgeUnderTest(store, lights: [LightDescription(id: "lamp", name: "Lamp")])
        dialer.listen(at: .test(1), bridge.listener())
        return (bridge, store, try .test(bridge.identity.deviceID, at: [.test(1)], isPaired: false))
    }

    private func wrong(_ code: SetupCode) -> SetupCode {
        SetupCode(number: code.number == 1 ? 2 : 1) ?? code
    }

    @Test("with the right code the pairing is kept and the database is there; both sides agree")
    func pairs() async throws {
        let (bridge, store, found) = try await bridge()
        let added = try await setup.pair(with: found, code: store.stored.setupCode)
        #expect(vault.pairings() == [added.pairing])
        #expect(added.pairing.publicKey == bridge.identity.longTermKey.publicKey)
        #expect(added.database.accessories.count == 2 && added.configurationNumber == 1)
        #expect(store.stored.pairings.pairings == [vault.identity().pairing()])
    }

    @Test("a wrong code leaves no trace, and the right one works after it")
    func wrongCode() async throws {
        let (bridge, store, found) = try await bridge()
        let code = store.stored.setupCode
        await #expect(throws: SetupError.wrongCode) { try await setup.pair(with: found, code: wrong(code)) }
        #expect(vault.pairings().isEmpty)
        #expect(await !bridge.server.isPaired)
        _ = try await setup.pair(with: found, code: code)
    }

    @Test("a paired accessory is not asked; one that only looks unpaired says so itself")
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

    @Test("somebody else is pairing at the moment")
    func busy() async throws {
        let (bridge, store, found) = try await bridge()
        let (other, _) = await bridge.connect()
        _ = try await other.beginPairSetup(store.stored.setupCode)
        await #expect(throws: SetupError.busy) { try await setup.pair(with: found, code: store.stored.setupCode) }
    }

    @Test(
        "every refusal has its own name",
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
        let found = try DiscoveredAccessory.test(id, at: [.test(1)], isPaired: false)
        await #expect(throws: error) { try await setup.pair(with: found, code: code) }
        // No message holds the code.
        #expect(!"\(error)".contains(code.text))
    }

    @Test("another accessory than the one that was found is told to forget us")
    func otherAccessory() async throws {
        let (bridge, store, _) = try await bridge()
        let id = try #require(DeviceID(octets: [1, 2, 3, 4, 5, 6]))
        let found = try DiscoveredAccessory.test(id, at: [.test(1)], isPaired: false)
        await #expect(throws: SetupError.otherAccessory) {
            try await setup.pair(with: found, code: store.stored.setupCode)
        }
        #expect(await !bridge.server.isPaired)
        #expect(vault.pairings().isEmpty)
    }

    @Test("a pairing that cannot be kept is taken back")
    func brokenVault() async throws {
        let (bridge, store, found) = try await bridge()
        let broken = AccessorySetup(dialer: dialer, vault: BrokenVault(), timing: testTiming, logger: quietLogger)
        await #expect(throws: SetupError.vaultFailed) {
            try await broken.pair(with: found, code: store.stored.setupCode)
        }
        #expect(await !bridge.server.isPaired)
    }

    @Test("identify before pairing, and not after")
    func identify() async throws {
        let (_, store, found) = try await bridge()
        try await setup.identify(found)
        _ = try await setup.pair(with: found, code: store.stored.setupCode)
        await #expect(throws: SetupError.alreadyPaired) { try await setup.identify(found) }
    }

    @Test("nobody at the address")
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
}
