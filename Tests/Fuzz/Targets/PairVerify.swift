internal import HAPCrypto
internal import HAPModel
internal import HAPProtocol

private let book = PairSetupByTheBook.one
private let pairings = PairingList([book.pairing])
private let accessorySecret = SecretBytes([UInt8](repeating: 3, count: 32))
private let controllerSecret = SecretBytes([UInt8](repeating: 4, count: 32))

/// Checks both ends of pair verify with the steps of an arbitrary peer.
@Sendable func checkPairVerify(_ input: [UInt8]) {
    let steps = input.steps.prefix(64)
    var accessory = Accessory()
    for (kind, content) in steps { accessory.take(kind, content) }
    // A failure has no lasting effect, so a valid procedure must then succeed on the same connection.
    accessory.take(1, [])
    accessory.take(2, [])
    promise(accessory.count > 0, "a controller that follows the protocol is verified, regardless of earlier messages")
    var controller = Controller()
    for (kind, content) in steps { controller.take(kind, content) }
}

/// The accessory's end.
///
/// A step's kind is one of:
/// - 0: an arbitrary body
/// - 1: an M1 with changes
/// - 2: the paired controller's M3 for the last M2, with changes
/// - 3: an M3 with arbitrary content under the correct key
/// - 4: an unknown controller's M3
/// - 5: an M1 with an arbitrary key
private struct Accessory {
    var machine = PairVerifyAccessory(identity: book.accessory)
    /// The controller that sent the last M1 and accepted its M2, if any.
    var controller: PairVerifyController?
    var m3: [UInt8]?
    /// Whether the accessory has received a message since the last M2.
    var isSpent = false
    /// The last M2.
    var m2: [UInt8] = []
    /// The number of verified sessions.
    var count = 0

    mutating func take(_ kind: UInt8, _ content: [UInt8]) {
        var isByTheBook = false
        let body: [UInt8]
        switch kind & 0x0F {
        case 1:
            controller = nil
            m3 = nil
            var controller = verifier(book.controller)
            guard case .send(let m1) = controller.start(ephemeral: controllerSecret) else { return }
            body = m1.altered(by: content)
            guard case .reply(let answer) = machine.received(body, ephemeral: accessorySecret, pairings: pairings)
            else { return promise(content.count > 2, "M1 is answered") }
            checkReply(answer)
            m2 = answer
            guard content.count <= 2 else { return }
            guard case .send(let m3) = controller.received(answer) else {
                return promise(false, "the controller accepts the accessory's M2")
            }
            self.controller = controller
            self.m3 = m3
            isSpent = false
            return
        case 2:
            isByTheBook = content.count <= 2 && m3 != nil && !isSpent
            body = (m3 ?? []).altered(by: content)
        case 3: body = sealed(3, content, "PV-Msg03", m2)
        case 4:
            var unknownPeer = verifier(.unknownPeer)
            _ = unknownPeer.start(ephemeral: controllerSecret)
            guard case .send(let m3) = unknownPeer.received(m2) else { return }
            body = m3
        case 5: body = PairingTLV.message(1, (.publicKey, content)).encoded
        default: body = content
        }
        let isProven = m3 != nil && !isSpent
        isSpent = true
        switch machine.received(body, ephemeral: accessorySecret, pairings: pairings) {
        case .reply(let answer):
            promise(!isByTheBook, "a controller that follows the protocol is verified")
            checkReply(answer)
            m2 = answer
        case .refuse: promise(!isByTheBook, "a peer that follows the protocol isn't rejected")
        case .finish(let answer, let id, let keys):
            promise(id == book.controller.controller, "a verified controller is paired")
            promise(isProven, "a verified controller has proven its identity, exactly once")
            guard var controller, case .verified(let theirs) = controller.received(answer) else {
                return promise(false, "the controller accepts the accessory's M4")
            }
            promise(theirs == keys && keys.read != keys.write, "both ends have the same keys")
            count += 1
        }
    }

    private func checkReply(_ body: [UInt8]) {
        guard let message = try? PairingTLV(parsing: body), let state = try? message.state() else {
            return promise(false, "a reply is a valid message")
        }
        promise(state == 2 || state == 4, "a reply has the state M2 or M4")
    }
}

/// The controller's end.
///
/// A step's kind is one of:
/// - 0: an arbitrary body
/// - 1: the accessory's next body, with changes
/// - 2: an M2 with arbitrary content under the correct key
/// - 3: the M2 of a different accessory
private struct Controller {
    var machine = verifier(book.controller)
    var accessory = PairVerifyAccessory(identity: book.accessory)
    var next: [UInt8] = []
    var m1: [UInt8] = []
    var keys: SessionKeys?
    var stage = 0
    var hasEnded = false

    init() {
        guard case .send(let m1) = machine.start(ephemeral: controllerSecret) else { return }
        self.m1 = m1
        answer(m1)
    }

    private mutating func answer(_ body: [UInt8]) {
        switch accessory.received(body, ephemeral: accessorySecret, pairings: pairings) {
        case .reply(let body): next = body
        case .finish(let body, _, let keys):
            next = body
            self.keys = keys
        case .refuse: next = []
        }
    }

    mutating func take(_ kind: UInt8, _ content: [UInt8]) {
        let body: [UInt8]
        var isByTheBook = false
        switch kind & 0x0F {
        case 1:
            isByTheBook = content.count <= 2 && !hasEnded
            body = next.altered(by: content)
        case 2: body = sealed(2, content, "PV-Msg02", next)
        case 3:
            var other = PairVerifyAccessory(identity: AccessoryIdentity(deviceID: .other, longTermKey: .other))
            guard case .reply(let m2) = other.received(m1, ephemeral: accessorySecret, pairings: pairings) else {
                return
            }
            body = m2
        default: body = content
        }
        switch machine.received(body) {
        case .send(let m3):
            promise(stage == 0 && !hasEnded, "M2 is accepted only once, and first")
            stage = 1
            answer(m3)
            promise(keys != nil, "a verified accessory accepts the controller's proof")
        case .verified(let theirs):
            promise(stage == 1 && !hasEnded, "M4 is accepted only after M2")
            promise(theirs == keys, "both ends have the same keys")
            hasEnded = true
        case .fail:
            promise(!isByTheBook, "an accessory that follows the protocol is accepted")
            hasEnded = true
        }
    }
}

private func verifier(_ identity: ControllerIdentity) -> PairVerifyController {
    PairVerifyController(
        identity: identity,
        accessory: PairSetupController.PairedAccessory(
            deviceID: book.accessory.deviceID, publicKey: book.accessory.longTermKey.publicKey))
}

/// Returns a message with the given encrypted content, as sent by a peer that knows the keys of the last M2.
private func sealed(_ state: UInt8, _ content: [UInt8], _ label: StaticString, _ m2: [UInt8]) -> [UInt8] {
    guard let message = try? PairingTLV(parsing: m2), let key = message[.publicKey], key.count == 32,
        let secret = try? Curve25519KeyPair(secret: controllerSecret).sharedSecret(with: key)
    else { return content }
    let cipher = ChaCha20Poly1305(
        key: HKDF.derive(from: secret, salt: "Pair-Verify-Encrypt-Salt", info: "Pair-Verify-Encrypt-Info"))
    let bytes = cipher.seal(content, nonce: .init(label: label))
    guard state == 2 else { return PairingTLV.message(state, (.encryptedData, bytes)).encoded }
    return PairingTLV.message(state, (.publicKey, key), (.encryptedData, bytes)).encoded
}

extension ControllerIdentity {
    /// An unpaired controller.
    fileprivate static let unknownPeer = {
        guard let id = ControllerID(Array("unknown controller".utf8)) else {
            preconditionFailure("the controller ID isn't valid")
        }
        return ControllerIdentity(controller: id, longTermKey: .other)
    }()
}

extension Ed25519KeyPair {
    fileprivate static let other = {
        guard let pair = try? Ed25519KeyPair(seed: SecretBytes([UInt8](repeating: 5, count: 32))) else {
            preconditionFailure("the seed isn't valid")
        }
        return pair
    }()
}

extension DeviceID {
    fileprivate static let other = {
        guard let id = DeviceID(octets: [2, 2, 2, 2, 2, 2]) else { preconditionFailure("the device ID isn't valid") }
        return id
    }()
}
