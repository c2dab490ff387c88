import HAPTesting
import Testing

@testable import HAPCrypto
@testable import HAPProtocol

@Suite("PairSetupAccessory")
struct PairSetupAccessoryTests {
    private let golden: Golden
    private let unpaired = PairSetupAccessory.Conditions(isPaired: false)

    init() throws { golden = try Golden.shared.get() }

    /// The states of the state machine.
    enum Stage: String, CaseIterable, Sendable {
        case idle, starting, awaitingM3, checking, awaitingM5, storing
    }

    private func machine(at stage: Stage) throws -> PairSetupAccessory {
        var machine = PairSetupAccessory(identity: golden.accessory)
        let steps: [() throws -> Void] = [
            { _ = machine.received(try golden.setup["M1"].bytes, conditions: unpaired) },
            { _ = machine.started(golden.server) },
            { _ = machine.received(try golden.setup["M3"].bytes, conditions: unpaired) },
            { _ = machine.checked(.success(golden.agreement)) },
            { _ = machine.received(try golden.setup["M5"].bytes, conditions: unpaired) },
        ]
        for step in steps.prefix(Stage.allCases.firstIndex(of: stage) ?? 0) { try step() }
        return machine
    }

    // MARK: The transcript

    @Test("answers the golden transcript byte for byte")
    func transcript() throws {
        let setup = golden.setup
        var machine = PairSetupAccessory(identity: golden.accessory)
        #expect(golden.accessory.longTermKey.publicKey == (try setup["accessory_ltpk"].bytes))
        #expect(machine.received(try setup["M1"].bytes, conditions: unpaired) == .start)
        #expect(machine.started(golden.server) == .reply(try setup["M2"].bytes))
        #expect(
            machine.received(try setup["M3"].bytes, conditions: unpaired)
                == .check(golden.server, clientKey: golden.client.publicKey, proof: golden.client.proof))
        #expect(golden.agreement.key.copy == (try setup["K"].bytes))
        #expect(machine.checked(.success(golden.agreement)) == .clearFailures(try setup["M4"].bytes))
        #expect(machine.received(try setup["M5"].bytes, conditions: unpaired) == .store(golden.pairing))
        #expect(machine.isActive)
        #expect(machine.stored(.success(())) == .finish(try setup["M6"].bytes))
        #expect(!machine.isActive)
    }

    @Test("derives the golden keys, signed messages and sealed parts")
    func intermediates() throws {
        let setup = golden.setup
        let keys = golden.setupKeys
        let id = golden.controller.controller.bytes
        let signed = keys.controllerMessage(identifier: id, publicKey: golden.controller.longTermKey.publicKey)
        #expect(signed == (try setup["controller_signed_info"].bytes))
        #expect(signed.prefix(32).elementsEqual(try setup["controller_X"].bytes))
        #expect(golden.controller.longTermKey.sign(signed) == (try setup["controller_signature"].bytes))
        let answered = keys.accessoryMessage(
            identifier: golden.accessory.identifier, publicKey: golden.accessory.longTermKey.publicKey)
        #expect(answered == (try setup["accessory_signed_info"].bytes))
        #expect(answered.prefix(32).elementsEqual(try setup["accessory_X"].bytes))
        #expect(golden.accessory.longTermKey.sign(answered) == (try setup["accessory_signature"].bytes))
        let cipher = ChaCha20Poly1305(key: SecretBytes(try setup["encrypt_key"].bytes))
        let m5 = try PairingTLV(parsing: try setup["M5"].bytes).required(.encryptedData, length: 16...1000)
        #expect(try cipher.open(m5, nonce: .init(label: "PS-Msg05")) == setup["m5_sub_tlv"].bytes)
        #expect(try keys.open(m5, "PS-Msg05") == setup["m5_sub_tlv"].bytes)
        let m6 = try PairingTLV(parsing: try setup["M6"].bytes).required(.encryptedData, length: 16...1000)
        #expect(try keys.open(m6, "PS-Msg06") == setup["m6_sub_tlv"].bytes)
    }

    @Test(
        "treats method 1 and the transient flag like plain pair setup",
        arguments: ["M1_with_auth_method", "M1_transient_flags"])
    func otherFirstMessages(name: String) throws {
        var machine = PairSetupAccessory(identity: golden.accessory)
        #expect(machine.received(try golden.setup[name].bytes, conditions: unpaired) == .start)
        #expect(machine.started(golden.server) == .reply(try golden.setup["M2"].bytes))
    }

    @Test("derives the golden keys of a transient session, which accessories don't offer")
    func transientKeys() throws {
        let keys = try golden.setup["transient_keys"]
        let secret = golden.agreement.key
        #expect(
            HKDF.derive(from: secret, salt: "SplitSetupSalt", info: "AccessoryEncrypt-Control").copy
                == (try keys["accessory_to_controller"].bytes))
        #expect(
            HKDF.derive(from: secret, salt: "SplitSetupSalt", info: "ControllerEncrypt-Control").copy
                == (try keys["controller_to_accessory"].bytes))
    }

    // MARK: Any message in any state

    @Test("starts again with M1 in every state", arguments: Stage.allCases)
    func firstMessageAnywhere(stage: Stage) throws {
        var machine = try machine(at: stage)
        #expect(machine.received(try golden.setup["M1"].bytes, conditions: unpaired) == .start)
        #expect(machine.started(golden.server) == .reply(try golden.setup["M2"].bytes))
    }

    @Test("rejects every message except the next one and M1, and resets", arguments: Stage.allCases)
    func outOfOrder(stage: Stage) throws {
        let setup = golden.setup
        var bodies: [[UInt8]] = [
            [], [6], [6, 1], [6, 0], [6, 2, 3, 0], [0, 1, 0], [6, 1, 0], [6, 1, 2], [6, 1, 4], [6, 1, 6], [6, 1, 7],
            [6, 1, 255], [6, 1, 3, 6, 1, 3], [7, 1, 2],
            try setup["M2"].bytes, try setup["M4"].bytes, try setup["M6"].bytes,
        ]
        if stage != .awaitingM3 { bodies.append(try setup["M3"].bytes) }
        if stage != .awaitingM5 { bodies.append(try setup["M5"].bytes) }
        for body in bodies {
            var machine = try machine(at: stage)
            #expect(machine.received(body, conditions: unpaired) == .refuse, "\(body)")
            #expect(!machine.isActive)
            // The results of pending work no longer have an effect.
            #expect(machine.started(golden.server) == .refuse)
            #expect(machine.checked(.success(golden.agreement)) == .refuse)
            #expect(machine.stored(.success(())) == .refuse)
        }
    }

    @Test("ignores an unexpected result of a computation or the store", arguments: Stage.allCases)
    func outcomes(stage: Stage) throws {
        let before = try machine(at: stage)
        if stage != .starting {
            var machine = before
            #expect(machine.started(golden.server) == .refuse)
            #expect(machine == before)
        }
        if stage != .checking {
            var machine = before
            #expect(machine.checked(.success(golden.agreement)) == .refuse)
            #expect(machine.checked(.failure(.authenticationFailed)) == .refuse)
            #expect(machine == before)
        }
        if stage != .storing {
            var machine = before
            #expect(machine.stored(.success(())) == .refuse)
            #expect(machine.stored(.failure(.unknown)) == .refuse)
            #expect(machine == before)
        }
        #expect(before.isActive == (stage != .idle))
    }

    @Test("rejects every message except M1 after the procedure is abandoned", arguments: Stage.allCases)
    func abandoned(stage: Stage) throws {
        var machine = try machine(at: stage)
        machine.abandon()
        #expect(!machine.isActive)
        for name in ["M3", "M5"] {
            #expect(machine.received(try golden.setup[name].bytes, conditions: unpaired) == .refuse)
        }
        #expect(machine.started(golden.server) == .refuse)
    }

    // MARK: M1 (HAP 5.4)

    @Test(
        "rejects M1 with an unknown method or too many flags",
        arguments: [
            "060101", "0601010000", "060101000200 00", "060101000102", "060101000103", "060101000106", "0601010001ff",
            "060101000100 13050000000000",
        ])
    func badFirstMessage(hex: String) throws {
        let body = try #require([UInt8](hex: hex.filter { $0 != " " }))
        for stage in Stage.allCases {
            var machine = try machine(at: stage)
            #expect(machine.received(body, conditions: unpaired) == .refuse)
            #expect(!machine.isActive)
        }
    }

    @Test("ignores flags of up to four bytes", arguments: 0...4)
    func flags(count: Int) throws {
        var machine = PairSetupAccessory(identity: golden.accessory)
        let flags = [UInt8](repeating: 0xFF, count: count)
        let body = PairingTLV.message(1, (.method, [0]), (.flags, flags)).encoded
        #expect(machine.received(body, conditions: unpaired) == .start)
    }

    @Test("checks for pairings, exhausted tries and other procedures in the order of HAP 5.4", arguments: 0..<8)
    func conditions(bits: Int) throws {
        let conditions = PairSetupAccessory.Conditions(
            isPaired: bits & 1 != 0, triesExhausted: bits & 2 != 0, isBusy: bits & 4 != 0)
        let errors = try golden.setup["error_responses"]
        for stage in Stage.allCases {
            var machine = try machine(at: stage)
            let action = machine.received(try golden.setup["M1"].bytes, conditions: conditions)
            let name = bits & 1 != 0 ? "M2_unavailable" : bits & 2 != 0 ? "M2_max_tries" : "M2_busy"
            #expect(action == (bits == 0 ? .start : .reply(try errors[name].bytes)))
            #expect(machine.isActive == (bits == 0))
        }
    }

    // MARK: M3

    @Test("rejects M3 with a key or a proof of the wrong length")
    func thirdMessageLengths() throws {
        let keys = [nil, 0, 385, 400, 1000].map { $0.map { [UInt8](repeating: 1, count: $0) } }
        let proofs = [nil, 0, 1, 63, 65, 128].map { $0.map { [UInt8](repeating: 1, count: $0) } }
        let goodKey = [UInt8](repeating: 1, count: 384)
        let goodProof = [UInt8](repeating: 1, count: 64)
        for (key, proof) in keys.map({ ($0, goodProof) }) + proofs.map({ (goodKey, $0) }) {
            var machine = try machine(at: .awaitingM3)
            var message = PairingTLV.message(3)
            message[.publicKey] = key
            message[.proof] = proof
            #expect(machine.received(message.encoded, conditions: unpaired) == .refuse)
            #expect(!machine.isActive)
        }
    }

    @Test("checks M3 with a key of any length up to 384 bytes", arguments: [1, 2, 16, 255, 256, 383, 384])
    func thirdMessageShortKeys(count: Int) throws {
        var machine = try machine(at: .awaitingM3)
        let key = [UInt8](repeating: 1, count: count)
        let proof = [UInt8](repeating: 2, count: 64)
        let body = PairingTLV.message(3, (.publicKey, key), (.proof, proof)).encoded
        #expect(
            machine.received(body, conditions: unpaired) == .check(golden.server, clientKey: key, proof: proof))
    }

    @Test(
        "responds to a wrong proof, or a key that is a multiple of N, with error 2, and counts a failure",
        arguments: ["M3_wrong_proof", "M3_A_is_zero", "M3_A_is_N"])
    func wrongProof(name: String) throws {
        var machine = try machine(at: .awaitingM3)
        let body = try golden.setup[name].bytes
        guard case .check(let server, let key, let proof) = machine.received(body, conditions: unpaired) else {
            Issue.record("the proof is not checked")
            return
        }
        let outcome = Result { () throws(CryptoError) in try server.check(clientKey: key, proof: proof) }
        #expect(outcome == .failure(name == "M3_wrong_proof" ? .authenticationFailed : .badKey))
        #expect(
            machine.checked(outcome) == .countFailure(try golden.setup["error_responses"]["M4_authentication"].bytes))
        #expect(!machine.isActive)
        // The procedure needs a new M1.
        #expect(machine.received(try golden.setup["M3"].bytes, conditions: unpaired) == .refuse)
    }

    // MARK: M5

    @Test("rejects M5 without room for a tag", arguments: [nil, 0, 1, 15] as [Int?])
    func fifthMessageLengths(count: Int?) throws {
        var machine = try machine(at: .awaitingM5)
        var message = PairingTLV.message(5)
        message[.encryptedData] = count.map { [UInt8](repeating: 1, count: $0) }
        #expect(machine.received(message.encoded, conditions: unpaired) == .refuse)
        #expect(!machine.isActive)
    }

    private func m5(_ part: [UInt8], label: StaticString = "PS-Msg05") -> [UInt8] {
        let cipher = ChaCha20Poly1305(
            key: HKDF.derive(
                from: golden.agreement.key, salt: "Pair-Setup-Encrypt-Salt", info: "Pair-Setup-Encrypt-Info"))
        return PairingTLV.message(5, (.encryptedData, cipher.seal(part, nonce: .init(label: label)))).encoded
    }

    /// Returns the content of M5, with the given items replaced.
    private func identity(
        identifier: [UInt8]? = nil, publicKey: [UInt8]? = nil, signature: [UInt8]? = nil,
        without missing: PairingItem? = nil, signedBy keys: Ed25519KeyPair? = nil
    ) -> [UInt8] {
        let identifier = identifier ?? golden.controller.controller.bytes
        let publicKey = publicKey ?? golden.controller.longTermKey.publicKey
        let message = golden.setupKeys.controllerMessage(identifier: identifier, publicKey: publicKey)
        var body = SignedIdentity(
            identifier: identifier, publicKey: publicKey,
            signature: signature ?? (keys ?? golden.controller.longTermKey).sign(message)
        ).body
        if let missing { body[missing] = nil }
        return body.encoded
    }

    @Test("responds to M5 without a valid identity with error 2")
    func fifthMessageIdentity() throws {
        let unknownPeer = try Ed25519KeyPair(seed: SecretBytes([UInt8](repeating: 3, count: 32)))
        let good = identity()
        var wrongSignature = try golden.setup["controller_signature"].bytes
        wrongSignature[0] ^= 1
        let wrongParts: [[UInt8]] = [
            [], [1], [1, 0], good.dropLast(), good + [1, 1, 65], identity(without: .identifier),
            identity(without: .publicKey), identity(without: .signature), identity(identifier: []),
            identity(identifier: [UInt8](repeating: 65, count: 37)),
            identity(publicKey: [UInt8](repeating: 1, count: 31)),
            identity(publicKey: [UInt8](repeating: 1, count: 33)),
            identity(signature: [UInt8](repeating: 1, count: 63)),
            identity(signature: [UInt8](repeating: 1, count: 65)),
            identity(signature: wrongSignature), identity(signedBy: unknownPeer),
            identity(publicKey: unknownPeer.publicKey),
        ].map { Array($0) }
        let error = PairSetupAccessory.Action.reply(try golden.setup["error_responses"]["M6_authentication"].bytes)
        for body in wrongParts.map({ m5($0) }) + [m5(good, label: "PS-Msg06"), m5(good, label: "PV-Msg03")] {
            var machine = try machine(at: .awaitingM5)
            #expect(machine.received(body, conditions: unpaired) == error)
            #expect(!machine.isActive)
        }
    }

    @Test("keeps identifiers of 1 and 36 bytes unchanged", arguments: [1, 36])
    func identifierLengths(count: Int) throws {
        var machine = try machine(at: .awaitingM5)
        let identifier = [UInt8](repeating: 0xC3, count: count)
        let action = machine.received(m5(identity(identifier: identifier)), conditions: unpaired)
        let controller = try #require(ControllerID(identifier))
        #expect(
            action
                == .store(
                    Pairing(
                        controller: controller, publicKey: golden.controller.longTermKey.publicKey, isAdmin: true)))
    }

    @Test("responds to M5 with an error if the accessory is paired or full")
    func fifthMessageConditions() throws {
        let m5 = try golden.setup["M5"].bytes
        let full = try golden.setup["error_responses"]["M6_max_peers"].bytes
        let rows: [(isPaired: Bool, isFull: Bool, answer: [UInt8])] = [
            (true, false, PairingTLV.failure(6, .unavailable).encoded),
            (true, true, PairingTLV.failure(6, .unavailable).encoded), (false, true, full),
        ]
        for row in rows {
            var machine = try machine(at: .awaitingM5)
            let conditions = PairSetupAccessory.Conditions(isPaired: row.isPaired, isFull: row.isFull)
            #expect(machine.received(m5, conditions: conditions) == .reply(row.answer))
            #expect(!machine.isActive)
        }
        // A procedure in progress ignores conditions that apply only to new procedures.
        var machine = try machine(at: .awaitingM5)
        let others = PairSetupAccessory.Conditions(isPaired: false, triesExhausted: true, isBusy: true)
        #expect(machine.received(m5, conditions: others) == .store(golden.pairing))
    }

    @Test(
        "responds with an error if the pairing can't be stored",
        arguments: [PairingError.unknown, .unavailable, .maxPeers])
    func notStored(error: PairingError) throws {
        var machine = try machine(at: .storing)
        #expect(machine.stored(.failure(error)) == .reply(PairingTLV.failure(6, error).encoded))
        #expect(!machine.isActive)
    }
}
