package import HAPCrypto
internal import HAPModel

/// The controller's side of pair verify, the counterpart of ``PairVerifyAccessory``.
package struct PairVerifyController: Equatable, Sendable {
    /// The caller's next action.
    package enum Action: Equatable, Sendable {
        /// Send this body to `/pair-verify`.
        case send([UInt8])
        /// The connection has become a session.
        ///
        /// Encrypt both directions from now on.
        case verified(SessionKeys)
        /// The procedure has failed.
        case fail(Failure)
    }

    /// The reason why the procedure failed.
    package enum Failure: Equatable, Sendable {
        /// The accessory reported an error after proving its identity.
        ///
        /// `authentication` means that the pairing was removed.
        case refused(PairingError)
        /// A peer that hasn't proven its identity reported an error.
        ///
        /// The peer may be a different device.
        case refusedWithoutProof(PairingError)
        /// A different accessory responded at this address.
        case otherAccessory
        /// The accessory's signature or its encrypted message is invalid.
        case badIdentity
        /// The accessory violates the protocol.
        case violation(ProtocolViolation)
    }

    private enum State: Equatable, Sendable {
        case idle
        /// M1 has been sent, and the controller waits for M2.
        case awaitingM2(Curve25519KeyPair)
        /// M3 has been sent, and the controller waits for M4.
        case awaitingM4(PairVerifyKeys)
        case ended
    }

    private let identity: ControllerIdentity
    private let accessory: PairSetupController.PairedAccessory
    private var state = State.idle

    package init(identity: ControllerIdentity, accessory: PairSetupController.PairedAccessory) {
        self.identity = identity
        self.accessory = accessory
    }

    /// Returns M1 to send, created from 32 new random bytes.
    package mutating func start(ephemeral: SecretBytes) -> Action {
        let pair = Curve25519KeyPair(secret: ephemeral)
        state = .awaitingM2(pair)
        return .send(PairingTLV.message(1, (.publicKey, pair.publicKey)).encoded)
    }

    /// Handles a response from `/pair-verify`.
    package mutating func received(_ body: [UInt8]) -> Action {
        let current = state
        state = .ended
        do throws(ProtocolViolation) {
            let message = try PairingTLV(parsing: body)
            if let error = try message.byte(.error) {
                let error = PairingError(rawValue: error) ?? .unknown
                guard case .awaitingM4 = current else { return .fail(.refusedWithoutProof(error)) }
                return .fail(.refused(error))
            }
            let number = try message.byte(.state)
            switch current {
            case .awaitingM2(let pair):
                guard number ?? 2 == 2 else { throw .unexpectedState }
                return try receivedM2(message, pair)
            case .awaitingM4(let keys):
                // The state is required: M4 contains nothing else, so an empty error response would look like success.
                guard let number else { throw .badItem(.state) }
                guard number == 4 else { throw .unexpectedState }
                return .verified(keys.sessionKeys)
            case .idle, .ended: throw .unexpectedState
            }
        } catch {
            return .fail(.violation(error))
        }
    }

    private mutating func receivedM2(
        _ message: PairingTLV, _ pair: Curve25519KeyPair
    ) throws(ProtocolViolation) -> Action {
        let length = Curve25519KeyPair.publicKeyLength
        let accessoryKey = try message.required(.publicKey, length: length...length)
        let sealed = try message.required(.encryptedData, length: ChaCha20Poly1305.tagLength...Int.max)
        guard let secret = try? pair.sharedSecret(with: accessoryKey) else { throw .badItem(.publicKey) }
        let keys = PairVerifyKeys(
            accessoryKey: accessoryKey, controllerKey: pair.publicKey, sharedSecret: secret)
        guard let opened = try? keys.open(sealed, "PV-Msg02"),
            let peer = try? SignedIdentity(parsing: opened, withPublicKey: false)
        else { return .fail(.badIdentity) }
        // The comparison ignores case, as in pair setup.
        guard DeviceID(String(decoding: peer.identifier, as: UTF8.self)) == accessory.deviceID else {
            return .fail(.otherAccessory)
        }
        guard
            Ed25519.isValid(
                peer.signature, of: keys.accessoryMessage(identifier: peer.identifier), by: accessory.publicKey)
        else { return .fail(.badIdentity) }
        let identifier = identity.controller.bytes
        let signature = identity.longTermKey.sign(keys.controllerMessage(identifier: identifier))
        let signed = SignedIdentity(identifier: identifier, signature: signature)
        state = .awaitingM4(keys)
        return .send(PairingTLV.message(3, (.encryptedData, keys.seal(signed.body, "PV-Msg03"))).encoded)
    }
}
