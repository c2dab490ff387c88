internal import HAPCrypto
internal import HAPModel
internal import HAPProtocol

/// The keys and messages of a valid pair setup.
///
/// They are computed only once, because exponentiations take milliseconds and an input may have many steps.
struct PairSetupByTheBook: Sendable {
    let code = SetupCode("031-45-154")
    let controller: ControllerIdentity
    let accessory: AccessoryIdentity
    let server: SRPServer
    let client: SRPClient
    let agreement: SRPServer.Agreement
    let token = [UInt8](repeating: 7, count: 16)
    let ownership: OwnershipRequirement

    static let one: PairSetupByTheBook = {
        guard let one = PairSetupByTheBook() else { preconditionFailure("the valid pair setup failed") }
        return one
    }()

    private init?() {
        guard let code, let id = ControllerID(Array("A1B2C3D4-0000-4E5F-8A6B-7C8D9E0F1A2B".utf8)),
            let deviceID = DeviceID("1A:2B:3C:4D:5E:FF"),
            let ownership = OwnershipRequirement(vendor: "org.example", token: token),
            let controllerKey = try? Ed25519KeyPair(seed: SecretBytes([UInt8](repeating: 1, count: 32))),
            let accessoryKey = try? Ed25519KeyPair(seed: SecretBytes([UInt8](repeating: 2, count: 32)))
        else { return nil }
        self.ownership = ownership
        controller = ControllerIdentity(controller: id, longTermKey: controllerKey)
        accessory = AccessoryIdentity(deviceID: deviceID, longTermKey: accessoryKey)
        server = SRPServer(SRPVerifier(setupCode: code.text))
        guard
            let client = try? SRPClient(setupCode: code.text, salt: server.salt, serverKey: server.publicKey),
            let agreement = try? server.check(clientKey: client.publicKey, proof: client.proof)
        else { return nil }
        self.client = client
        self.agreement = agreement
    }

    var pairing: Pairing {
        Pairing(controller: controller.controller, publicKey: controller.longTermKey.publicKey, isAdmin: true)
    }

    /// Returns the bodies M1 to M6 of a valid pair setup.
    ///
    /// `token` is the controller's ownership token; `nil` for a controller without a token.
    func messages(token: [UInt8]? = nil) -> [[UInt8]] {
        guard let code else { return [] }
        var accessory = PairSetupAccessory(identity: accessory)
        var controller = PairSetupController(
            identity: controller, setupCode: code, ownershipToken: token.map { SecretBytes($0) })
        var messages: [[UInt8]] = []
        var next = controller.start()
        while true {
            switch next {
            case .send(let body):
                messages.append(body)
                let action = accessory.received(body, conditions: PairSetupAccessory.Conditions(isPaired: false))
                let answer = finish(action, &accessory)
                messages.append(answer)
                next = controller.received(answer)
            case .compute: next = controller.computed(.success(client))
            case .paired: return messages
            case .fail: return []
            }
        }
    }

    private func finish(_ action: PairSetupAccessory.Action, _ machine: inout PairSetupAccessory) -> [UInt8] {
        switch action {
        case .start: finish(machine.started(server), &machine)
        case .check: finish(machine.checked(.success(agreement)), &machine)
        case .store: finish(machine.stored(.success(())), &machine)
        case .reply(let body), .clearFailures(let body), .finish(let body), .countFailure(let body),
            .refuseOwnership(let body):
            body
        case .refuse: []
        }
    }

    /// Returns a message with the given encrypted content, as sent by a peer that knows the setup code.
    func sealed(_ state: UInt8, _ content: [UInt8], _ label: StaticString) -> [UInt8] {
        let key = HKDF.derive(
            from: agreement.key, salt: "Pair-Setup-Encrypt-Salt", info: "Pair-Setup-Encrypt-Info")
        let bytes = ChaCha20Poly1305(key: key).seal(content, nonce: .init(label: label))
        return PairingTLV.message(state, (.encryptedData, bytes)).encoded
    }
}

private let book = PairSetupByTheBook.one
private let tokens: [[UInt8]?] = [nil, book.token, [UInt8](repeating: 8, count: 16)]
private let messages = tokens.map { book.messages(token: $0) }

/// Checks both ends of pair setup.
///
/// The first byte selects how the procedure starts. The remaining input contains the steps of an arbitrary peer.
@Sendable func checkPairSetup(_ input: [UInt8]) {
    guard let first = input.first else { return }
    promise(messages.allSatisfy { $0.count == 6 }, "two peers that follow the protocol pair")
    let steps = Array(input.dropFirst()).steps.prefix(64)
    var accessory = Accessory(wantsToken: first & 1 == 1)
    for (kind, content) in steps { accessory.take(kind, content) }
    var controller = Controller(withAuth: first & 2 == 2)
    for (kind, content) in steps { controller.take(kind, content) }
}

/// The accessory's end.
///
/// The low half of a step's kind is one of:
/// - 0: an arbitrary body
/// - 1 to 3: M1, M3 or M5 of a valid controller, with changes
/// - 4: an M5 with arbitrary content under the correct key
/// - 5: an M5 with a token
/// - 6: sets whether the store works
/// - 7: abandons the procedure
/// - 8: completes work that no controller is waiting for
///
/// The high half contains the other conditions of the server.
private struct Accessory {
    let wantsToken: Bool
    var machine: PairSetupAccessory
    /// The number of accepted bodies since the procedure started.
    var stage = 0
    var storeWorks = true
    /// The remaining number of proofs to check with real computations.
    var checks = 2

    init(wantsToken: Bool) {
        self.wantsToken = wantsToken
        machine = PairSetupAccessory(identity: book.accessory, ownership: wantsToken ? book.ownership : nil)
    }

    mutating func take(_ kind: UInt8, _ content: [UInt8]) {
        let conditions = PairSetupAccessory.Conditions(
            isPaired: kind & 0x10 != 0, triesExhausted: kind & 0x20 != 0, isBusy: kind & 0x40 != 0,
            isFull: kind & 0x80 != 0)
        var token = 0
        var isByTheBook = false
        let body: [UInt8]
        switch kind & 0x0F {
        case 1, 2, 3:
            let number = Int(kind & 0x0F) - 1
            isByTheBook = content.count <= 2 && number == stage && kind & 0xF0 == 0 && !(number == 2 && wantsToken)
            body = messages[0][2 * number].altered(by: content)
        case 4: body = book.sealed(5, content, "PS-Msg05")
        case 5:
            token = Int(content.first ?? 0) % tokens.count
            body = messages[token][4]
            isByTheBook = stage == 2 && kind & 0xF0 == 0 && (!wantsToken || token == 1)
        case 6:
            storeWorks = content.isEmpty
            return
        case 7:
            machine.abandon()
            stage = 0
            promise(!machine.isActive, "an abandoned attempt is not in progress")
            return
        case 8:
            promise(machine.started(book.server) == .refuse, "an attempt is refused if no controller waits")
            promise(machine.checked(.success(book.agreement)) == .refuse, "a proof is refused if no controller waits")
            promise(machine.stored(.success(())) == .refuse, "a stored pairing is refused if no controller waits")
            return
        default: body = content
        }
        perform(machine.received(body, conditions: conditions), conditions, token, isByTheBook)
    }

    private mutating func perform(
        _ first: PairSetupAccessory.Action, _ conditions: PairSetupAccessory.Conditions, _ token: Int,
        _ isByTheBook: Bool
    ) {
        let before = stage
        stage = 0
        var action = first
        while true {
            switch action {
            case .start:
                promise(
                    !conditions.isPaired && !conditions.triesExhausted && !conditions.isBusy,
                    "a rejected controller doesn't start a procedure")
                action = machine.started(book.server)
                guard case .reply(let body) = action else { return promise(false, "an attempt is answered") }
                promise(state(of: body) == 2, "M1 is answered by M2")
                stage = 1
                return
            case .check(let server, let key, let proof):
                promise(before == 1, "a proof is checked only after M2")
                promise(server == book.server, "a proof is checked against its attempt")
                action = machine.checked(outcome(key, proof))
            case .clearFailures(let body):
                promise(state(of: body) == 4, "M3 is answered by M4")
                promise(before == 1, "M3 is accepted only after M2")
                stage = 2
                return
            case .store(let pairing):
                promise(before == 2, "only a controller that has proven that it knows the setup code pairs")
                promise(pairing == book.pairing, "the pairing is that of the controller that signed")
                promise(!conditions.isPaired && !conditions.isFull, "a controller pairs only if there is room for it")
                promise(!wantsToken || token == 1, "a controller that pairs has the token")
                promise(machine.isActive, "the procedure is active while its pairing is being stored")
                action = machine.stored(storeWorks ? .success(()) : .failure(.maxPeers))
                if case .finish = action { promise(storeWorks, "a pairing is stored before it is confirmed") }
            case .countFailure(let body), .refuseOwnership(let body), .reply(let body), .finish(let body):
                promise([2, 4, 6].contains(state(of: body)), "a reply is a valid message")
                promise(!machine.isActive, "no procedure is active after its end")
                var isFinished = false
                if case .finish = action { isFinished = true }
                promise(
                    !isByTheBook || isFinished || before == 2 && !storeWorks,
                    "a controller that follows the protocol is paired")
                return
            case .refuse:
                promise(!isByTheBook, "a peer that follows the protocol isn't rejected")
                return promise(!machine.isActive, "a rejected procedure isn't active")
            }
        }
    }

    private mutating func outcome(
        _ key: [UInt8], _ proof: [UInt8]
    ) -> Result<SRPServer.Agreement, CryptoError> {
        if key == book.client.publicKey, proof == book.client.proof { return .success(book.agreement) }
        guard checks > 0 else { return .failure(.authenticationFailed) }
        checks -= 1
        let outcome = Result { () throws(CryptoError) in try book.server.check(clientKey: key, proof: proof) }
        if case .success = outcome { promise(false, "a proof requires the setup code") }
        return outcome
    }
}

private func state(of body: [UInt8]) -> UInt8? { try? PairingTLV(parsing: body).state() }

/// The controller's end.
///
/// A step's kind is one of:
/// - 0: an arbitrary body
/// - 1: the accessory's next body, with changes
/// - 2: an M6 with arbitrary content under the correct key
private struct Controller {
    var machine: PairSetupController
    /// The number of accepted bodies.
    var stage = 0
    var hasEnded = false
    /// Whether the key in M2 belongs to the accessory's attempt.
    var isOwnAttempt = true
    /// The remaining number of foreign keys for which a response is computed.
    var computations = 1

    init(withAuth: Bool) {
        guard let code = book.code else { preconditionFailure("the setup code isn't valid") }
        machine = PairSetupController(identity: book.controller, setupCode: code)
        if case .send(let body) = machine.start(withAuth: withAuth) {
            promise(state(of: body) == 1, "a controller begins with M1")
        }
    }

    mutating func take(_ kind: UInt8, _ content: [UInt8]) {
        let body: [UInt8]
        var isByTheBook = false
        switch kind & 0x0F {
        case 1:
            isByTheBook = content.count <= 2 && isOwnAttempt && !hasEnded
            body = messages[0][2 * min(stage, 2) + 1].altered(by: content)
        case 2: body = book.sealed(6, content, "PS-Msg06")
        default: body = content
        }
        var action = machine.received(body)
        if case .compute(let code, let salt, let key) = action {
            promise(stage == 0 && !hasEnded, "the accessory's key arrives in M2")
            promise(code == book.code?.text, "the proof is computed with the user's setup code")
            action = machine.computed(answer(salt, key))
        }
        switch action {
        case .compute: promise(false, "a key is computed only once")
        case .send(let body):
            stage += 1
            promise(!hasEnded && stage <= 2, "a controller sends three messages")
            promise(state(of: body) == UInt8(2 * stage + 1), "M2 is answered by M3, and M4 by M5")
        case .paired(let accessory):
            promise(!hasEnded && stage == 2, "M6 is accepted only after M4")
            promise(
                accessory.deviceID == book.accessory.deviceID
                    && accessory.publicKey == book.accessory.longTermKey.publicKey, "the signer is paired")
            hasEnded = true
        case .fail:
            promise(!isByTheBook, "an accessory that follows the protocol is paired")
            hasEnded = true
        }
    }

    private mutating func answer(_ salt: [UInt8], _ key: [UInt8]) -> Result<SRPClient, CryptoError> {
        if salt == book.server.salt, key == book.server.publicKey { return .success(book.client) }
        isOwnAttempt = false
        guard computations > 0, let code = book.code else { return .failure(.badKey) }
        computations -= 1
        return Result { () throws(CryptoError) in
            try SRPClient(setupCode: code.text, salt: salt, serverKey: key)
        }
    }
}
