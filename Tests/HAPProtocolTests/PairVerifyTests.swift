import HAPModel
import HAPTesting
import Testing

@testable import HAPCrypto
@testable import HAPProtocol

@Suite("PairVerifyAccessory")
struct PairVerifyAccessoryTests {
    private let golden: Golden
    private let ephemeral: SecretBytes
    private let pairings: PairingList
    private let denied: PairVerifyAccessory.Action

    init() throws {
        golden = try Golden.shared.get()
        ephemeral = SecretBytes(try golden.verify["accessory_x25519_secret"].bytes)
        pairings = PairingList([golden.pairing])
        denied = .reply(try golden.verify["negative"]["M3_expected_on_those"].bytes)
    }

    private func machine(awaitingM3: Bool = false) throws -> PairVerifyAccessory {
        var machine = PairVerifyAccessory(identity: golden.accessory)
        if awaitingM3 { _ = send(try golden.verify["M1"].bytes, &machine) }
        return machine
    }

    private func send(_ body: [UInt8], _ machine: inout PairVerifyAccessory) -> PairVerifyAccessory.Action {
        machine.received(body, ephemeral: ephemeral, pairings: pairings)
    }

    @Test("answers the golden transcript byte for byte")
    func transcript() throws {
        let verify = golden.verify
        var machine = try machine()
        #expect(send(try verify["M1"].bytes, &machine) == .reply(try verify["M2"].bytes))
        let finish = send(try verify["M3"].bytes, &machine)
        #expect(
            finish
                == .finish(
                    try verify["M4"].bytes, controller: golden.controller.controller, keys: try golden.sessionKeys))
        #expect(machine == (try self.machine()))
    }

    @Test("derives the golden keys, signed messages and sealed parts")
    func intermediates() throws {
        let verify = golden.verify
        let accessory = Curve25519KeyPair(secret: ephemeral)
        let controller = Curve25519KeyPair(secret: SecretBytes(try verify["controller_x25519_secret"].bytes))
        #expect(accessory.publicKey == (try verify["accessory_x25519_public"].bytes))
        #expect(controller.publicKey == (try verify["controller_x25519_public"].bytes))
        let shared = try accessory.sharedSecret(with: controller.publicKey)
        #expect(shared == (try controller.sharedSecret(with: accessory.publicKey)))
        #expect(shared.copy == (try verify["shared_secret"].bytes))
        let keys = PairVerifyKeys(
            accessoryKey: accessory.publicKey, controllerKey: controller.publicKey, sharedSecret: shared)
        let answered = keys.accessoryMessage(identifier: golden.accessory.identifier)
        #expect(answered == (try verify["accessory_signed_info"].bytes))
        #expect(golden.accessory.longTermKey.sign(answered) == (try verify["accessory_signature"].bytes))
        let signed = keys.controllerMessage(identifier: golden.controller.controller.bytes)
        #expect(signed == (try verify["controller_signed_info"].bytes))
        #expect(golden.controller.longTermKey.sign(signed) == (try verify["controller_signature"].bytes))
        let cipher = ChaCha20Poly1305(key: SecretBytes(try verify["encrypt_key"].bytes))
        let m2 = try PairingTLV(parsing: try verify["M2"].bytes).required(.encryptedData, length: 16...1000)
        #expect(try cipher.open(m2, nonce: .init(label: "PV-Msg02")) == verify["m2_sub_tlv"].bytes)
        let m3 = try PairingTLV(parsing: try verify["M3"].bytes).required(.encryptedData, length: 16...1000)
        #expect(try keys.open(m3, "PV-Msg03") == verify["m3_sub_tlv"].bytes)
    }

    @Test(
        "responds to M3 without a known controller's proof with error 2, and then accepts a new M1",
        arguments: [
            "M3_unknown_identifier", "M3_bad_signature", "M3_bad_tag", "M3_sub_tlv_without_signature",
            "M3_identifier_in_lower_case_with_valid_signature",
        ])
    func negative(name: String) throws {
        var machine = try machine(awaitingM3: true)
        #expect(send(try golden.verify["negative"][name].bytes, &machine) == denied)
        // The procedure has ended, so a new one must start.
        #expect(send(try golden.verify["M3"].bytes, &machine) == .refuse)
        #expect(send(try golden.verify["M1"].bytes, &machine) == .reply(try golden.verify["M2"].bytes))
        guard case .finish = send(try golden.verify["M3"].bytes, &machine) else {
            Issue.record("a clean attempt fails")
            return
        }
    }

    @Test(
        "rejects M1 with a short or low-order key",
        arguments: ["M1_public_key_31_bytes", "M1_public_key_all_zero"])
    func negativeFirstMessage(name: String) throws {
        for awaitingM3 in [false, true] {
            var machine = try machine(awaitingM3: awaitingM3)
            #expect(send(try golden.verify["negative"][name].bytes, &machine) == .refuse)
            #expect(send(try golden.verify["M3"].bytes, &machine) == .refuse)
        }
        let tested = [
            "M3_unknown_identifier", "M3_bad_signature", "M3_bad_tag", "M3_sub_tlv_without_signature",
            "M3_identifier_in_lower_case_with_valid_signature", "M3_expected_on_those", "M1_public_key_31_bytes",
            "M1_public_key_all_zero", "note",
        ]
        #expect(try golden.verify["negative"].names == tested)
    }

    @Test("starts again with new keys after M1 in both states")
    func firstMessageAnywhere() throws {
        var machine = try machine(awaitingM3: true)
        let other = machine.received(
            try golden.verify["M1"].bytes, ephemeral: SecretBytes([UInt8](repeating: 5, count: 32)), pairings: pairings)
        guard case .reply(let m2) = other else {
            Issue.record("M1 is not answered")
            return
        }
        #expect(m2 != (try golden.verify["M2"].bytes))
        // The controller's M3 belongs to the first M2, so it is rejected.
        #expect(send(try golden.verify["M3"].bytes, &machine) == denied)
    }

    @Test(
        "rejects the pair-resume method, and ignores all other methods",
        arguments: [0, 1, 2, 3, 5, 6, 7, 255] as [UInt8])
    func methods(method: UInt8) throws {
        var machine = try machine()
        var m1 = try PairingTLV(parsing: try golden.verify["M1"].bytes)
        m1[.method] = [method]
        let action = send(m1.encoded, &machine)
        #expect(action == (method == 6 ? .refuse : .reply(try golden.verify["M2"].bytes)))
    }

    @Test("rejects malformed and unexpected messages, and resets", arguments: [false, true])
    func malformed(awaitingM3: Bool) throws {
        let key = try golden.verify["controller_x25519_public"].bytes
        var bodies: [[UInt8]] = [
            [], [6], [6, 1], [6, 0], [6, 2, 1, 0], [6, 1, 0], [6, 1, 2], [6, 1, 4], [6, 1, 5], [6, 1, 1],
            PairingTLV.message(1, (.publicKey, [])).encoded,
            PairingTLV.message(1, (.publicKey, key + [0])).encoded,
            PairingTLV.message(1, (.publicKey, key), (.method, [])).encoded,
            PairingTLV.message(3).encoded,
            PairingTLV.message(3, (.encryptedData, [])).encoded,
            PairingTLV.message(3, (.encryptedData, [UInt8](repeating: 1, count: 15))).encoded,
            PairingTLV.message(5, (.publicKey, key)).encoded,
            try golden.verify["M2"].bytes, try golden.verify["M4"].bytes,
        ]
        if !awaitingM3 { bodies.append(try golden.verify["M3"].bytes) }
        for body in bodies {
            var machine = try machine(awaitingM3: awaitingM3)
            #expect(send(body, &machine) == .refuse, "\(body)")
            #expect(machine == (try self.machine()))
        }
    }

    @Test("responds to M1 without pairings as usual, and then to M3 with error 2")
    func unpaired() throws {
        var machine = PairVerifyAccessory(identity: golden.accessory)
        let none = PairingList()
        let m1 = machine.received(try golden.verify["M1"].bytes, ephemeral: ephemeral, pairings: none)
        #expect(m1 == .reply(try golden.verify["M2"].bytes))
        #expect(machine.received(try golden.verify["M3"].bytes, ephemeral: ephemeral, pairings: none) == denied)
    }

    @Test("responds to M3 with error 2 if a known controller uses a different key")
    func otherKey() throws {
        var machine = try machine(awaitingM3: true)
        var pairing = golden.pairing
        pairing.publicKey[5] ^= 1
        let action = machine.received(
            try golden.verify["M3"].bytes, ephemeral: ephemeral, pairings: PairingList([pairing]))
        #expect(action == denied)
    }
}

@Suite("PairVerifyController")
struct PairVerifyControllerTests {
    private let golden: Golden
    private let ephemeral: SecretBytes

    init() throws {
        golden = try Golden.shared.get()
        ephemeral = SecretBytes(try golden.verify["controller_x25519_secret"].bytes)
    }

    enum Stage: String, CaseIterable, Sendable {
        case idle, awaitingM2, awaitingM4, ended
    }

    private func machine(
        at stage: Stage, accessory: PairSetupController.PairedAccessory? = nil
    ) throws -> PairVerifyController {
        var machine = PairVerifyController(
            identity: golden.controller, accessory: accessory ?? golden.pairedAccessory)
        let steps: [() throws -> Void] = [
            { _ = machine.start(ephemeral: ephemeral) }, { _ = machine.received(try golden.verify["M2"].bytes) },
            { _ = machine.received(try golden.verify["M4"].bytes) },
        ]
        for step in steps.prefix(Stage.allCases.firstIndex(of: stage) ?? 0) { try step() }
        return machine
    }

    @Test("sends the golden transcript byte for byte")
    func transcript() throws {
        let verify = golden.verify
        var machine = try machine(at: .idle)
        #expect(machine.start(ephemeral: ephemeral) == .send(try verify["M1"].bytes))
        #expect(machine.received(try verify["M2"].bytes) == .send(try verify["M3"].bytes))
        #expect(machine.received(try verify["M4"].bytes) == .verified(try golden.sessionKeys))
    }

    @Test("ends the procedure after a response that is malformed or out of order", arguments: Stage.allCases)
    func outOfOrder(stage: Stage) throws {
        let next = [Stage.awaitingM2: "M2", .awaitingM4: "M4"][stage]
        var bodies: [[UInt8]] = [
            [], [6], [6, 1], [6, 0], [6, 2, 4, 0], [6, 1, 0], [6, 1, 1], [6, 1, 3], [6, 1, 6], [7, 0], [7, 2, 1, 1],
            [1, 1, 65],
        ]
        bodies += try ["M1", "M2", "M3", "M4"].filter { $0 != next }.map { try golden.verify[$0].bytes }
        for body in bodies {
            var machine = try machine(at: stage)
            guard case .fail(.violation) = machine.received(body) else {
                Issue.record("\(body) at \(stage) is accepted")
                continue
            }
            #expect(machine == (try self.machine(at: .ended)))
        }
    }

    @Test("attributes an error to the accessory only after a genuine M2", arguments: Stage.allCases)
    func refused(stage: Stage) throws {
        for (code, error) in [(2, PairingError.authentication), (1, .unknown), (7, .busy), (99, .unknown)] {
            var machine = try machine(at: stage)
            let failure: PairVerifyController.Failure =
                stage == .awaitingM4 ? .refused(error) : .refusedWithoutProof(error)
            #expect(machine.received([6, 1, 4, 7, 1, UInt8(code)]) == .fail(failure))
            #expect(machine == (try self.machine(at: .ended)))
        }
    }

    @Test("tolerates a missing state in M2, but not in M4")
    func withoutState() throws {
        var machine = try machine(at: .awaitingM2)
        var m2 = try PairingTLV(parsing: try golden.verify["M2"].bytes)
        m2[.state] = nil
        #expect(machine.received(m2.encoded) == .send(try golden.verify["M3"].bytes))
        #expect(machine.received([]) == .fail(.violation(.badItem(.state))))
    }

    private func m2(
        _ identifier: String, signedBy key: Ed25519KeyPair? = nil, label: StaticString = "PV-Msg02",
        without missing: PairingItem? = nil
    ) throws -> [UInt8] {
        let verify = golden.verify
        let keys = PairVerifyKeys(
            accessoryKey: try verify["accessory_x25519_public"].bytes,
            controllerKey: try verify["controller_x25519_public"].bytes,
            sharedSecret: SecretBytes(try verify["shared_secret"].bytes))
        let message = keys.accessoryMessage(identifier: Array(identifier.utf8))
        var body = SignedIdentity(
            identifier: Array(identifier.utf8), signature: (key ?? golden.accessory.longTermKey).sign(message)
        ).body
        if let missing { body[missing] = nil }
        return PairingTLV.message(
            2, (.publicKey, keys.accessoryKey), (.encryptedData, keys.seal(body, label))
        ).encoded
    }

    @Test("accepts M2 only from the paired accessory")
    func identity() throws {
        let id = golden.accessory.deviceID.description
        let unknownPeer = try Ed25519KeyPair(seed: SecretBytes([UInt8](repeating: 3, count: 32)))
        let rows: [([UInt8], PairVerifyController.Failure?)] = [
            (try m2(id), nil), (try m2(id.lowercased()), nil), (try m2("00:11:22:33:44:55"), .otherAccessory),
            (try m2("no id"), .otherAccessory), (try m2(id, signedBy: unknownPeer), .badIdentity),
            (try m2(id, label: "PV-Msg03"), .badIdentity), (try m2(""), .badIdentity),
            (try m2(id, without: .signature), .badIdentity), (try m2(id, without: .identifier), .badIdentity),
        ]
        for (body, failure) in rows {
            var machine = try machine(at: .awaitingM2)
            let action = machine.received(body)
            if let failure {
                #expect(action == .fail(failure))
            } else {
                #expect(action == .send(try golden.verify["M3"].bytes))
            }
        }
    }

    @Test("ends the procedure after M2 with an invalid key or without room for a tag")
    func secondMessage() throws {
        let key = try golden.verify["accessory_x25519_public"].bytes
        let sealed = [UInt8](repeating: 1, count: 100)
        let rows: [([UInt8], [UInt8], PairingItem)] = [
            ([], sealed, .publicKey), (Array(key.dropLast()), sealed, .publicKey), (key + [0], sealed, .publicKey),
            ([UInt8](repeating: 0, count: 32), sealed, .publicKey), (key, [], .encryptedData),
            (key, Array(sealed.prefix(15)), .encryptedData),
        ]
        for (key, sealed, item) in rows {
            var machine = try machine(at: .awaitingM2)
            let body = PairingTLV.message(2, (.publicKey, key), (.encryptedData, sealed)).encoded
            #expect(machine.received(body) == .fail(.violation(.badItem(item))))
        }
    }

    @Test("starts again in every state", arguments: Stage.allCases)
    func again(stage: Stage) throws {
        var machine = try machine(at: stage)
        #expect(machine.start(ephemeral: ephemeral) == .send(try golden.verify["M1"].bytes))
        #expect(machine == (try self.machine(at: .awaitingM2)))
    }
}
