import AccessoryRole
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting

/// Measures pair setup and pair verify, including both ends.
struct Handshakes {
    private let accessory: AccessoryIdentity
    private let code: SetupCode
    private let verifier: SRPVerifier
    private let controller = ControllerIdentity.random()

    init() {
        let stored = StoredServer.random()
        accessory = stored.identity
        code = stored.setupCode
        verifier = SRPVerifier(setupCode: code.text)
    }

    func run() async throws {
        try await Timing { count in
            for _ in 0..<count { try pairSetup() }
        }.report("pair setup, both ends")
        try await Timing { count in
            for _ in 0..<count { blackHole(try pairVerify()) }
        }.report("pair verify, both ends")
    }

    private func pairSetup() throws {
        var server = PairSetupAccessory(identity: accessory)
        var client = PairSetupController(identity: controller, setupCode: code)
        var action = client.start()
        while true {
            switch action {
            case .send(let body): action = client.received(try answer(to: body, of: &server))
            case .compute(let code, let salt, let key):
                action = client.computed(
                    Result { () throws(CryptoError) in try SRPClient(setupCode: code, salt: salt, serverKey: key) })
            case .paired: return
            case .fail: throw Wrong()
            }
        }
    }

    private func answer(to body: [UInt8], of server: inout PairSetupAccessory) throws -> [UInt8] {
        var action = server.received(body, conditions: PairSetupAccessory.Conditions(isPaired: false))
        while true {
            switch action {
            case .start: action = server.started(SRPServer(verifier))
            case .check(let attempt, let key, let proof):
                action = server.checked(
                    Result { () throws(CryptoError) in try attempt.check(clientKey: key, proof: proof) })
            case .store: action = server.stored(.success(()))
            case .reply(let body), .clearFailures(let body), .finish(let body): return body
            case .refuse, .countFailure, .refuseOwnership: throw Wrong()
            }
        }
    }

    private func pairVerify() throws -> SessionKeys {
        let pairings = PairingList([controller.pairing()])
        var server = PairVerifyAccessory(identity: accessory)
        var client = PairVerifyController(identity: controller, accessory: accessory.asSeenByController)
        var action = client.start(ephemeral: .random(count: Curve25519KeyPair.publicKeyLength))
        while true {
            switch action {
            case .send(let body):
                switch server.received(
                    body, ephemeral: .random(count: Curve25519KeyPair.publicKeyLength), pairings: pairings)
                {
                case .reply(let body): action = client.received(body)
                case .finish(let body, _, _): action = client.received(body)
                case .refuse: throw Wrong()
                }
            case .verified(let keys): return keys
            case .fail: throw Wrong()
            }
        }
    }
}

extension AccessoryIdentity {
    /// The data that a paired controller stores.
    var asSeenByController: PairSetupController.PairedAccessory {
        PairSetupController.PairedAccessory(deviceID: deviceID, publicKey: longTermKey.publicKey)
    }
}
