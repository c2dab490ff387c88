package import HAPCrypto

/// The accessory's side of pair verify.
///
/// It receives M1, sends M2, receives M3 and sends M4; then the connection becomes a session (HAP 6).
///
/// A failure never closes the connection, because hubs try several identities on one connection.
package struct PairVerifyAccessory: Equatable, Sendable {
    /// The caller's next action.
    package enum Action: Equatable, Sendable {
        /// Respond with 200 and this body.
        case reply([UInt8])
        /// Respond with 400 and no body; the procedure has been reset.
        case refuse
        /// Respond with 200 and this body, and encrypt both directions after the last byte of the response.
        case finish([UInt8], controller: ControllerID, keys: SessionKeys)
    }

    private enum State: Equatable, Sendable {
        /// The accessory waits for M1.
        case idle
        /// M2 has been sent, and the accessory waits for M3.
        case awaitingM3(PairVerifyKeys)
    }

    private let identity: AccessoryIdentity
    private var state = State.idle

    package init(identity: AccessoryIdentity) { self.identity = identity }

    /// Handles a request to `/pair-verify`.
    ///
    /// `ephemeral` provides 32 new random bytes for M2.
    package mutating func received(
        _ body: [UInt8], ephemeral: @autoclosure () -> SecretBytes, pairings: PairingList
    ) -> Action {
        do throws(ProtocolViolation) {
            let message = try PairingTLV(parsing: body)
            switch (try message.state(), state) {
            case (1, _):
                state = .idle
                return try receivedM1(message, ephemeral: ephemeral())
            case (3, .awaitingM3(let keys)):
                state = .idle
                let length = ChaCha20Poly1305.tagLength...Int.max
                return receivedM3(try message.required(.encryptedData, length: length), keys, pairings)
            case (_, .idle), (_, .awaitingM3): throw .unexpectedState
            }
        } catch {
            state = .idle
            return .refuse
        }
    }

    private mutating func receivedM1(
        _ message: PairingTLV, ephemeral: SecretBytes
    ) throws(ProtocolViolation) -> Action {
        // Pair resume exists only in HAP over Bluetooth LE.
        if try message.byte(.method) == PairingMethod.pairResume.rawValue { throw .badItem(.method) }
        let length = Curve25519KeyPair.publicKeyLength
        let controllerKey = try message.required(.publicKey, length: length...length)
        let pair = Curve25519KeyPair(secret: ephemeral)
        guard let secret = try? pair.sharedSecret(with: controllerKey) else { throw .badItem(.publicKey) }
        let keys = PairVerifyKeys(
            accessoryKey: pair.publicKey, controllerKey: controllerKey, sharedSecret: secret)
        let signature = identity.longTermKey.sign(keys.accessoryMessage(identifier: identity.identifier))
        let signed = SignedIdentity(identifier: identity.identifier, signature: signature)
        state = .awaitingM3(keys)
        return .reply(
            PairingTLV.message(2, (.publicKey, pair.publicKey), (.encryptedData, keys.seal(signed.body, "PV-Msg02")))
                .encoded)
    }

    private func receivedM3(_ sealed: [UInt8], _ keys: PairVerifyKeys, _ pairings: PairingList) -> Action {
        guard let opened = try? keys.open(sealed, "PV-Msg03"),
            let peer = try? SignedIdentity(parsing: opened, withPublicKey: false),
            let controller = ControllerID(peer.identifier), let pairing = pairings[controller],
            Ed25519.isValid(
                peer.signature, of: keys.controllerMessage(identifier: peer.identifier), by: pairing.publicKey)
        else { return .reply(PairingTLV.failure(4, .authentication).encoded) }
        return .finish(PairingTLV.message(4).encoded, controller: controller, keys: keys.sessionKeys)
    }
}
