import HAPTesting
import Testing

@testable import HAPCrypto
@testable import HAPProtocol

@Suite("Pair setup with an ownership token")
struct OwnershipTests {
    private let golden: Golden
    private let token: [UInt8] = Array(0..<32)
    private let requirement: OwnershipRequirement

    init() throws {
        golden = try Golden.shared.get()
        requirement = try #require(OwnershipRequirement(vendor: "org.example.lamps", token: Array(0..<32)))
    }

    /// Returns an accessory that waits for M5.
    private func accessory(_ requirement: OwnershipRequirement?) throws -> PairSetupAccessory {
        let unpaired = PairSetupAccessory.Conditions(isPaired: false)
        var machine = PairSetupAccessory(identity: golden.accessory, ownership: requirement)
        _ = machine.received(try golden.setup["M1"].bytes, conditions: unpaired)
        _ = machine.started(golden.server)
        _ = machine.received(try golden.setup["M3"].bytes, conditions: unpaired)
        _ = machine.checked(.success(golden.agreement))
        return machine
    }

    /// Returns the M5 of a controller that sends the given token.
    private func m5(_ token: [UInt8]?) throws -> [UInt8] {
        var machine = PairSetupController(
            identity: golden.controller, setupCode: golden.setupCode, ownershipToken: token.map { SecretBytes($0) })
        _ = machine.start()
        _ = machine.received(try golden.setup["M2"].bytes)
        _ = machine.computed(.success(golden.client))
        guard case .send(let body) = machine.received(try golden.setup["M4"].bytes) else {
            Issue.record("no M5")
            return []
        }
        return body
    }

    @Test("appends the token to the sealed part of M5, and sends the golden M5 without a token")
    func message() throws {
        #expect(try m5(nil) == golden.setup["M5"].bytes)
        let sealed = try PairingTLV(parsing: m5(token)).required(.encryptedData, length: 16...1000)
        let opened = try golden.setupKeys.open(sealed, "PS-Msg05")
        #expect(opened == (try golden.setup["m5_sub_tlv"].bytes) + [0xD7, 32] + token)
        // The token is never sent unencrypted.
        #expect(try PairingTLV(parsing: m5(token))[.ownershipToken] == nil)
    }

    @Test("pairs with a controller that sends the required token", arguments: [16, 32, 255, 256, 512])
    func demanded(count: Int) throws {
        let token = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        var machine = try accessory(OwnershipRequirement(vendor: "v", token: token))
        let action = machine.received(try m5(token), conditions: .init(isPaired: false))
        #expect(action == .store(golden.pairing))
    }

    @Test("responds to a missing or wrong token with error 2 in M6, and then requires a new M1")
    func wrong() throws {
        var wrong: [[UInt8]?] = [
            nil, [], Array(token.dropLast()), Array(token.dropFirst()), token + [0], token + token,
            [UInt8](repeating: 0, count: 32), [UInt8](repeating: 7, count: 600),
        ]
        for bit in 0..<256 {
            var flipped = token
            flipped[bit / 8] ^= 1 << (bit % 8)
            wrong.append(flipped)
        }
        let error = try golden.setup["error_responses"]["M6_authentication"].bytes
        let before = try accessory(requirement)
        for shown in wrong {
            var machine = before
            let body = try m5(shown)
            #expect(machine.received(body, conditions: .init(isPaired: false)) == .refuseOwnership(error))
            #expect(!machine.isActive)
            #expect(machine.received(try m5(token), conditions: .init(isPaired: false)) == .refuse)
        }
    }

    @Test("rejects a token without the controller's proof, and an unencrypted token")
    func notAlone() throws {
        let error = try golden.setup["error_responses"]["M6_authentication"].bytes
        let key = golden.controller.longTermKey.publicKey
        let forged = SignedIdentity(
            identifier: golden.controller.controller.bytes, publicKey: key,
            signature: [UInt8](repeating: 1, count: 64), ownershipToken: token)
        var machine = try accessory(requirement)
        let body = PairingTLV.message(5, (.encryptedData, golden.setupKeys.seal(forged.body, "PS-Msg05"))).encoded
        #expect(machine.received(body, conditions: .init(isPaired: false)) == .reply(error))

        machine = try accessory(requirement)
        var clear = try PairingTLV(parsing: golden.setup["M5"].bytes)
        clear[.ownershipToken] = token
        #expect(machine.received(clear.encoded, conditions: .init(isPaired: false)) == .refuseOwnership(error))
    }

    @Test("ignores any token if no token is required", arguments: [0, 1, 32, 512, 2000])
    func ignored(count: Int) throws {
        var machine = try accessory(nil)
        let action = machine.received(
            try m5([UInt8](repeating: 9, count: count)), conditions: .init(isPaired: false))
        #expect(action == .store(golden.pairing))
    }

    @Test("responds to a late M5 with unavailable, without checking the token")
    func tooLate() throws {
        var machine = try accessory(requirement)
        let action = machine.received(try m5(nil), conditions: .init(isPaired: true))
        #expect(action == .reply(PairingTLV.failure(6, .unavailable).encoded))
    }

    @Test("accepts a vendor id of 1 to 64 printable ASCII characters and a token of 16 to 512 bytes")
    func bounds() {
        for vendor in ["", "a b", "é", "a\n", "a\u{7F}", String(repeating: "a", count: 65)] {
            #expect(OwnershipRequirement(vendor: vendor, token: token) == nil, "\(vendor)")
        }
        #expect(OwnershipRequirement(vendor: String(repeating: "a", count: 64), token: token) != nil)
        for count in [0, 15, 513] {
            #expect(OwnershipRequirement(vendor: "v", token: [UInt8](repeating: 1, count: count)) == nil)
        }
    }

    @Test("never prints a token")
    func quiet() throws {
        let controller = PairSetupController(
            identity: golden.controller, setupCode: golden.setupCode, ownershipToken: SecretBytes(token))
        var dumped = "\(requirement) \(controller)"
        dump(requirement, to: &dumped)
        dump(controller, to: &dumped)
        #expect(!dumped.contains("28, 29, 30, 31") && !dumped.contains("- 29") && dumped.contains("org.example.lamps"))
    }
}
