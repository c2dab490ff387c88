package import HAPCrypto
package import HAPModel

/// The controller's side of pair setup, the counterpart of ``PairSetupAccessory``.
package struct PairSetupController: Equatable, Sendable {
    /// The caller's next action.
    package enum Action: Equatable, Sendable {
        /// Send this body to `/pair-setup`.
        case send([UInt8])
        /// Compute the response to the accessory's key (``SRPClient/init(setupCode:salt:serverKey:)``, outside any
        /// event loop) and call ``computed(_:)``.
        case compute(setupCode: String, salt: [UInt8], serverKey: [UInt8])
        /// The accessory is paired.
        ///
        /// Store its identity and the controller's.
        case paired(PairedAccessory)
        /// The procedure has failed.
        case fail(Failure)
    }

    /// The identity that the accessory has proven.
    package struct PairedAccessory: Equatable, Sendable {
        /// The device id, which should equal the advertised device id.
        package let deviceID: DeviceID
        /// The accessory's LTPK, 32 bytes.
        package let publicKey: [UInt8]

        package init(deviceID: DeviceID, publicKey: [UInt8]) {
            self.deviceID = deviceID
            self.publicKey = publicKey
        }
    }

    /// The reason why the procedure failed.
    package enum Failure: Equatable, Sendable {
        /// The accessory reported an error.
        case refused(PairingError)
        /// The accessory doesn't know its own setup code, so it is an impostor.
        case proofMismatch
        /// The accessory's signature or its encrypted message is invalid.
        case badIdentity
        /// The accessory violates the protocol.
        case violation(ProtocolViolation)
    }

    private enum State: Equatable, Sendable {
        /// Nothing has been sent.
        case idle
        /// M1 has been sent, and the controller waits for M2.
        case awaitingM2
        /// M2 has been received, and the response is being computed.
        case computing
        /// M3 has been sent, and the controller waits for M4.
        case awaitingM4(SRPClient)
        /// M5 has been sent, and the controller waits for M6.
        case awaitingM6(PairSetupKeys)
        /// The procedure has ended.
        case ended
    }

    private let identity: ControllerIdentity
    private let setupCode: SetupCode
    private let ownershipToken: SecretBytes?
    private var state = State.idle

    /// Creates the state machine.
    ///
    /// The ownership token is sent only after the accessory has proven that it knows its setup code. Accessories that
    /// don't require a token ignore it (see ``OwnershipRequirement``).
    package init(identity: ControllerIdentity, setupCode: SetupCode, ownershipToken: SecretBytes? = nil) {
        self.identity = identity
        self.setupCode = setupCode
        self.ownershipToken = ownershipToken
    }

    /// Returns M1 to send.
    ///
    /// `withAuth` requests method 1, for an accessory that advertises feature flag 1.
    package mutating func start(withAuth: Bool = false) -> Action {
        state = .awaitingM2
        let method: PairingMethod = withAuth ? .pairSetupWithAuth : .pairSetup
        return .send(PairingTLV.message(1, (.method, [method.rawValue])).encoded)
    }

    /// Handles a response from `/pair-setup`.
    package mutating func received(_ body: [UInt8]) -> Action {
        let current = state
        state = .ended
        do throws(ProtocolViolation) {
            let message = try PairingTLV(parsing: body)
            if let error = try message.byte(.error) {
                return .fail(.refused(PairingError(rawValue: error) ?? .unknown))
            }
            // Some firmware omits the state from its responses (HAP 15).
            let number = try message.byte(.state)
            switch current {
            case .awaitingM2:
                guard number ?? 2 == 2 else { throw .unexpectedState }
                let salt = try message.required(.salt, length: SRP.saltLength...SRP.saltLength)
                let key = try message.required(.publicKey, length: 1...SRP.length)
                state = .computing
                return .compute(setupCode: setupCode.text, salt: salt, serverKey: key)
            case .awaitingM4(let client):
                guard number ?? 4 == 4 else { throw .unexpectedState }
                let proof = try message.required(.proof, length: SRP.proofLength...SRP.proofLength)
                guard client.accepts(serverProof: proof) else { return .fail(.proofMismatch) }
                return sendM5(PairSetupKeys(key: client.key))
            case .awaitingM6(let keys):
                guard number ?? 6 == 6 else { throw .unexpectedState }
                let sealed = try message.required(.encryptedData, length: ChaCha20Poly1305.tagLength...Int.max)
                return receivedM6(sealed, keys)
            case .idle, .computing, .ended: throw .unexpectedState
            }
        } catch {
            return .fail(.violation(error))
        }
    }

    /// Handles the computed SRP response, and returns M3 to send.
    package mutating func computed(_ outcome: Result<SRPClient, CryptoError>) -> Action {
        guard case .computing = state, case .success(let client) = outcome else {
            state = .ended
            return .fail(.violation(.badItem(.publicKey)))
        }
        state = .awaitingM4(client)
        return .send(PairingTLV.message(3, (.publicKey, client.publicKey), (.proof, client.proof)).encoded)
    }

    private mutating func sendM5(_ keys: PairSetupKeys) -> Action {
        let identifier = identity.controller.bytes
        let publicKey = identity.longTermKey.publicKey
        let signature = identity.longTermKey.sign(
            keys.controllerMessage(identifier: identifier, publicKey: publicKey))
        let signed = SignedIdentity(
            identifier: identifier, publicKey: publicKey, signature: signature, ownershipToken: ownershipToken?.copy)
        state = .awaitingM6(keys)
        return .send(PairingTLV.message(5, (.encryptedData, keys.seal(signed.body, "PS-Msg05"))).encoded)
    }

    private func receivedM6(_ sealed: [UInt8], _ keys: PairSetupKeys) -> Action {
        guard let opened = try? keys.open(sealed, "PS-Msg06"),
            let peer = try? SignedIdentity(parsing: opened, withPublicKey: true),
            let deviceID = DeviceID(String(decoding: peer.identifier, as: UTF8.self)),
            Ed25519.isValid(
                peer.signature,
                of: keys.accessoryMessage(identifier: peer.identifier, publicKey: peer.publicKey), by: peer.publicKey)
        else { return .fail(.badIdentity) }
        return .paired(PairedAccessory(deviceID: deviceID, publicKey: peer.publicKey))
    }
}
