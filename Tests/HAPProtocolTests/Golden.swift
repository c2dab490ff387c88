import HAPModel
import HAPTesting
import Testing

@testable import HAPCrypto
@testable import HAPProtocol

/// Both ends of the golden transcripts, with fixed secrets.
struct Golden: Sendable {
    let accessory: AccessoryIdentity
    let controller: ControllerIdentity
    let setupCode: SetupCode
    /// The accessory's side of the golden attempt, and the result of the correct proof.
    let server: SRPServer
    let agreement: SRPServer.Agreement
    /// The controller's side of the golden attempt.
    let client: SRPClient
    let setup: Vectors
    let verify: Vectors

    /// The shared instance, because SRP computations take milliseconds.
    static let shared = Result { try Golden() }

    private init() throws {
        let vectors = try Vectors.load()
        setup = try vectors["pair_setup_transcript"]
        verify = try vectors["pair_verify_transcript"]
        accessory = AccessoryIdentity(
            deviceID: try #require(DeviceID(try setup["accessory_id_text"].text)),
            longTermKey: try Ed25519KeyPair(seed: SecretBytes(try setup["accessory_ltsk_seed"].bytes)))
        controller = ControllerIdentity(
            controller: try #require(ControllerID(Array(try setup["controller_id_text"].text.utf8))),
            longTermKey: try Ed25519KeyPair(seed: SecretBytes(try setup["controller_ltsk_seed"].bytes)))
        setupCode = try #require(SetupCode(try setup["setup_code_text"].text))
        let numbers = try vectors["srp_pair_setup"]["cases"]["no_leading_zero"]
        let password = Array(setupCode.text.utf8)
        let verifier = try #require(SRPVerifier(password: password, salt: try numbers["salt"].bytes))
        server = try #require(SRPServer(verifier, secret: SecretBytes(try numbers["b"].bytes)))
        client = try #require(
            try SRPClient(
                password: password, salt: server.salt, serverKey: server.publicKey,
                secret: SecretBytes(try numbers["a"].bytes)))
        agreement = try server.check(clientKey: client.publicKey, proof: client.proof)
    }

    /// The pairing that pair setup creates.
    var pairing: Pairing {
        Pairing(controller: controller.controller, publicKey: controller.longTermKey.publicKey, isAdmin: true)
    }

    /// The result of pair setup for the controller.
    var pairedAccessory: PairSetupController.PairedAccessory {
        PairSetupController.PairedAccessory(
            deviceID: accessory.deviceID, publicKey: accessory.longTermKey.publicKey)
    }

    var setupKeys: PairSetupKeys { PairSetupKeys(key: agreement.key) }

    var sessionKeys: SessionKeys {
        get throws {
            SessionKeys(
                read: SecretBytes(try verify["accessory_to_controller_key"].bytes),
                write: SecretBytes(try verify["controller_to_accessory_key"].bytes))
        }
    }
}
