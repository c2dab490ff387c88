import HAPModel
import HAPTesting
import Testing

@testable import HAPCrypto
@testable import HAPProtocol

@Suite("PairSetupController")
struct PairSetupControllerTests {
    private let golden: Golden

    init() throws { golden = try Golden.shared.get() }

    enum Stage: String, CaseIterable, Sendable {
        case idle, awaitingM2, computing, awaitingM4, awaitingM6, ended
    }

    private func machine(at stage: Stage) throws -> PairSetupController {
        var machine = PairSetupController(identity: golden.controller, setupCode: golden.setupCode)
        let steps: [() throws -> Void] = [
            { _ = machine.start() }, { _ = machine.received(try golden.setup["M2"].bytes) },
            { _ = machine.computed(.success(golden.client)) }, { _ = machine.received(try golden.setup["M4"].bytes) },
            { _ = machine.received(try golden.setup["M6"].bytes) },
        ]
        for step in steps.prefix(Stage.allCases.firstIndex(of: stage) ?? 0) { try step() }
        return machine
    }

    @Test("sends the golden transcript byte for byte")
    func transcript() throws {
        let setup = golden.setup
        var machine = PairSetupController(identity: golden.controller, setupCode: golden.setupCode)
        #expect(golden.controller.longTermKey.publicKey == (try setup["controller_ltpk"].bytes))
        #expect(machine.start() == .send(try setup["M1"].bytes))
        #expect(
            machine.received(try setup["M2"].bytes)
                == .compute(
                    setupCode: "031-45-154", salt: golden.server.salt, serverKey: golden.server.publicKey))
        #expect(machine.computed(.success(golden.client)) == .send(try setup["M3"].bytes))
        #expect(machine.received(try setup["M4"].bytes) == .send(try setup["M5"].bytes))
        #expect(machine.received(try setup["M6"].bytes) == .paired(golden.pairedAccessory))
    }

    @Test("uses method 1 for an accessory with an MFi chip")
    func withAuth() throws {
        var machine = PairSetupController(identity: golden.controller, setupCode: golden.setupCode)
        #expect(machine.start(withAuth: true) == .send(try golden.setup["M1_with_auth_method"].bytes))
    }

    @Test("ends the procedure after a response that is malformed or out of order", arguments: Stage.allCases)
    func outOfOrder(stage: Stage) throws {
        let next = [Stage.awaitingM2: "M2", .awaitingM4: "M4", .awaitingM6: "M6"][stage]
        let others = try ["M1", "M2", "M3", "M4", "M5", "M6"].filter { $0 != next }.map { try golden.setup[$0].bytes }
        let malformed: [[UInt8]] = [
            [6], [6, 1], [6, 2, 2, 0], [6, 0], [6, 1, 2, 6, 1, 2], [7, 0], [7, 2, 1, 1], [],
        ]
        for body in malformed + others {
            var machine = try machine(at: stage)
            guard case .fail(.violation) = machine.received(body) else {
                Issue.record("\(body) at \(stage) is accepted")
                continue
            }
            #expect(machine == (try self.machine(at: .ended)))
        }
    }

    @Test("reports the accessory's error, and unknown error codes as unknown", arguments: Stage.allCases)
    func refused(stage: Stage) throws {
        let errors = try golden.setup["error_responses"]
        let named: [(String, PairingError)] = [
            ("M2_unavailable", .unavailable), ("M2_max_tries", .maxTries), ("M2_busy", .busy),
            ("M4_authentication", .authentication), ("M6_authentication", .authentication), ("M6_max_peers", .maxPeers),
        ]
        #expect(try errors.names == named.map(\.0))
        for (name, error) in named {
            var machine = try machine(at: stage)
            #expect(machine.received(try errors[name].bytes) == .fail(.refused(error)))
        }
        for code in [0, 8, 255] as [UInt8] {
            var machine = try machine(at: stage)
            #expect(machine.received([6, 1, 2, 7, 1, code]) == .fail(.refused(.unknown)))
        }
    }

    @Test("tolerates a missing state, because some firmware omits it")
    func withoutState() throws {
        for (stage, name) in [(Stage.awaitingM2, "M2"), (.awaitingM4, "M4"), (.awaitingM6, "M6")] {
            var machine = try machine(at: stage)
            var stateless = try PairingTLV(parsing: try golden.setup[name].bytes)
            stateless[.state] = nil
            var other = try self.machine(at: stage)
            #expect(machine.received(stateless.encoded) == other.received(try golden.setup[name].bytes))
        }
    }

    @Test("ends the procedure after a response with the wrong state")
    func otherState() throws {
        for (stage, name) in [(Stage.awaitingM2, "M2"), (.awaitingM4, "M4"), (.awaitingM6, "M6")] {
            let due = try PairingTLV(parsing: try golden.setup[name].bytes)
            for state in [0, 1, 2, 3, 4, 5, 6, 7, 255] as [UInt8] where [state] != due[.state] {
                var machine = try machine(at: stage)
                var wrong = due
                wrong[.state] = [state]
                #expect(machine.received(wrong.encoded) == .fail(.violation(.unexpectedState)), "\(state) at \(stage)")
            }
        }
    }

    @Test("ends the procedure after M2 with a salt or key of the wrong length")
    func secondMessage() throws {
        let lengths: [(salt: Int, key: Int)] = [(0, 384), (15, 384), (17, 384), (16, 0), (16, 385)]
        for (salt, key) in lengths {
            var machine = try machine(at: .awaitingM2)
            let body = PairingTLV.message(
                2, (.publicKey, [UInt8](repeating: 1, count: key)), (.salt, [UInt8](repeating: 1, count: salt)))
            let item: PairingItem = salt == 16 ? .publicKey : .salt
            #expect(machine.received(body.encoded) == .fail(.violation(.badItem(item))))
        }
    }

    @Test("ends the procedure after an unusable key or an unexpected computation result")
    func computed() throws {
        for stage in Stage.allCases {
            var machine = try machine(at: stage)
            #expect(machine.computed(.failure(.badKey)) == .fail(.violation(.badItem(.publicKey))))
            #expect(machine == (try self.machine(at: .ended)))
            guard stage != .computing else { continue }
            machine = try self.machine(at: stage)
            #expect(machine.computed(.success(golden.client)) == .fail(.violation(.badItem(.publicKey))))
        }
    }

    @Test("reports a wrong proof in M4 as a mismatch")
    func fourthMessage() throws {
        let proof = golden.agreement.proof
        for index in proof.indices {
            var machine = try machine(at: .awaitingM4)
            var wrong = proof
            wrong[index] ^= 0x10
            #expect(machine.received(PairingTLV.message(4, (.proof, wrong)).encoded) == .fail(.proofMismatch))
        }
        for count in [0, 63, 65] {
            var machine = try machine(at: .awaitingM4)
            let body = PairingTLV.message(4, (.proof, [UInt8](repeating: 0, count: count))).encoded
            #expect(machine.received(body) == .fail(.violation(.badItem(.proof))))
        }
    }

    private func m6(
        _ deviceID: String, publicKey: [UInt8]? = nil, signedBy key: Ed25519KeyPair? = nil,
        label: StaticString = "PS-Msg06"
    ) -> [UInt8] {
        let keys = golden.setupKeys
        let publicKey = publicKey ?? golden.accessory.longTermKey.publicKey
        let message = keys.accessoryMessage(identifier: Array(deviceID.utf8), publicKey: publicKey)
        let identity = SignedIdentity(
            identifier: Array(deviceID.utf8), publicKey: publicKey,
            signature: (key ?? golden.accessory.longTermKey).sign(message))
        return PairingTLV.message(6, (.encryptedData, keys.seal(identity.body, label))).encoded
    }

    @Test("ends the procedure after M6 without a valid identity")
    func sixthMessage() throws {
        let unknownPeer = try Ed25519KeyPair(seed: SecretBytes([UInt8](repeating: 3, count: 32)))
        let id = golden.accessory.deviceID.description
        let wrong: [[UInt8]] = [
            m6("no device id"), m6(""), m6(id + ":00"), m6(id, publicKey: unknownPeer.publicKey),
            m6(id, signedBy: unknownPeer), m6(id, label: "PS-Msg05"),
            PairingTLV.message(6, (.encryptedData, [UInt8](repeating: 0, count: 16))).encoded,
            PairingTLV.message(6, (.encryptedData, golden.setupKeys.seal(PairingTLV(), "PS-Msg06"))).encoded,
        ]
        for body in wrong {
            var machine = try machine(at: .awaitingM6)
            #expect(machine.received(body) == .fail(.badIdentity))
        }
        var machine = try machine(at: .awaitingM6)
        #expect(
            machine.received(PairingTLV.message(6, (.encryptedData, [UInt8](repeating: 0, count: 15))).encoded)
                == .fail(.violation(.badItem(.encryptedData))))
    }

    @Test("accepts a device id in lower case in M6")
    func lowerCase() throws {
        var machine = try machine(at: .awaitingM6)
        #expect(
            machine.received(m6(golden.accessory.deviceID.description.lowercased())) == .paired(golden.pairedAccessory))
    }

    @Test("starts again in every state", arguments: Stage.allCases)
    func again(stage: Stage) throws {
        var machine = try machine(at: stage)
        #expect(machine.start() == .send(try golden.setup["M1"].bytes))
        #expect(machine == (try self.machine(at: .awaitingM2)))
    }
}
