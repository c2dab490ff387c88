package import HAPCrypto

/// The accessory's side of pair setup.
///
/// It receives M1, sends M2, receives M3, sends M4, receives M5 and sends M6 (HAP 5).
///
/// One state machine serves one connection. It determines the response, and the work that must precede the response.
/// The caller performs this work: the modular exponentiations, which take milliseconds, and storing the pairing, which
/// must be durable before M6 is sent. The caller then reports the result and gets the next action.
///
/// The caller passes the state of the whole server as ``Conditions``: other connections that are pairing, existing
/// admins and the number of wrong proofs.
package struct PairSetupAccessory: Equatable, Sendable {
    /// The state of the server when a message arrives.
    package struct Conditions: Equatable, Sendable {
        /// A Boolean value that indicates whether an admin pairing exists.
        ///
        /// If so, no controller can pair until all admin pairings are removed.
        package var isPaired: Bool
        /// A Boolean value that indicates whether 100 proofs have been wrong since the last correct one.
        package var triesExhausted: Bool
        /// A Boolean value that indicates whether another connection is performing pair setup.
        package var isBusy: Bool
        /// A Boolean value that indicates whether the maximum number of pairings is reached.
        package var isFull: Bool

        package init(isPaired: Bool, triesExhausted: Bool = false, isBusy: Bool = false, isFull: Bool = false) {
            self.isPaired = isPaired
            self.triesExhausted = triesExhausted
            self.isBusy = isBusy
            self.isFull = isFull
        }
    }

    /// The caller's next action.
    package enum Action: Equatable, Sendable {
        /// Respond with 200 and this body.
        case reply([UInt8])
        /// Respond with 400 and no body; the procedure has been reset.
        case refuse
        /// Start an attempt (``SRPServer/init(setupCode:)``, outside the event loop) and call ``started(_:)``.
        case start
        /// Check a proof (``SRPServer/check(clientKey:proof:)``, outside the event loop) and call ``checked(_:)``.
        case check(SRPServer, clientKey: [UInt8], proof: [UInt8])
        /// The proof was wrong.
        ///
        /// Count the failure and store the count; then respond with 200 and this body.
        case countFailure([UInt8])
        /// The proof was correct.
        ///
        /// Reset the count of failures; then respond with 200 and this body.
        case clearFailures([UInt8])
        /// The setup code was correct, but the ownership token is missing or wrong.
        ///
        /// Respond with 200 and this body.
        ///
        /// A missing or wrong token doesn't count as a wrong proof. Otherwise, every controller without support for
        /// tokens would bring the accessory closer to locking out its owner. Guessing is hopeless anyway: it requires
        /// the setup code and a whole procedure per guess, and a token has at least 16 bytes.
        case refuseOwnership([UInt8])
        /// Store this pairing durably and call ``stored(_:)``.
        case store(Pairing)
        /// The pairing is complete.
        ///
        /// Respond with 200 and this body; then advertise the server as paired.
        case finish([UInt8])
    }

    private enum State: Equatable, Sendable {
        /// Nothing has been received, or the procedure has ended.
        ///
        /// The accessory waits for M1.
        case idle
        /// M1 has been received, and the attempt is being prepared.
        ///
        /// M2 hasn't been sent.
        case starting
        /// M2 has been sent, and the accessory waits for M3.
        case awaitingM3(SRPServer)
        /// M3 has been received, and its proof is being checked.
        ///
        /// M4 hasn't been sent.
        case checking
        /// M4 has been sent, and the accessory waits for M5.
        case awaitingM5(PairSetupKeys)
        /// M5 has been received, and the pairing is being stored.
        ///
        /// M6 hasn't been sent.
        case storing(PairSetupKeys)
    }

    private let identity: AccessoryIdentity
    private let ownership: OwnershipRequirement?
    private var state = State.idle

    /// Creates the state machine.
    ///
    /// Without an ownership requirement, the setup code is sufficient, as in HAP.
    package init(identity: AccessoryIdentity, ownership: OwnershipRequirement? = nil) {
        self.identity = identity
        self.ownership = ownership
    }

    /// A Boolean value that indicates whether the procedure is in progress.
    package var isActive: Bool { state != .idle }

    /// Handles a request to `/pair-setup`.
    package mutating func received(_ body: [UInt8], conditions: Conditions) -> Action {
        do throws(ProtocolViolation) {
            let message = try PairingTLV(parsing: body)
            switch (try message.state(), state) {
            case (1, _):
                // A controller may start over at any time, as iOS does.
                state = .idle
                return try receivedM1(message, conditions)
            case (3, .awaitingM3(let server)):
                return try receivedM3(message, server)
            case (5, .awaitingM5(let keys)):
                return try receivedM5(message, keys, conditions)
            case (_, .idle), (_, .starting), (_, .awaitingM3), (_, .checking), (_, .awaitingM5), (_, .storing):
                throw .unexpectedState
            }
        } catch {
            state = .idle
            return .refuse
        }
    }

    private mutating func receivedM1(
        _ message: PairingTLV, _ conditions: Conditions
    ) throws(ProtocolViolation) -> Action {
        // Treat method 1, which requires an MFi chip, like method 0, because older controllers send it to all
        // accessories.
        guard let method = try message.byte(.method),
            method == PairingMethod.pairSetup.rawValue || method == PairingMethod.pairSetupWithAuth.rawValue
        else { throw .badItem(.method) }
        // Flags request transient or split setup. Neither is supported, so ignore them.
        if let flags = message[.flags], flags.count > 4 { throw .badItem(.flags) }
        if conditions.isPaired { return .reply(PairingTLV.failure(2, .unavailable).encoded) }
        if conditions.triesExhausted { return .reply(PairingTLV.failure(2, .maxTries).encoded) }
        if conditions.isBusy { return .reply(PairingTLV.failure(2, .busy).encoded) }
        state = .starting
        return .start
    }

    /// Handles a prepared attempt, and returns M2 to send.
    package mutating func started(_ server: SRPServer) -> Action {
        guard case .starting = state else { return .refuse }
        state = .awaitingM3(server)
        return .reply(
            PairingTLV.message(2, (.publicKey, server.publicKey), (.salt, server.salt)).encoded)
    }

    private mutating func receivedM3(
        _ message: PairingTLV, _ server: SRPServer
    ) throws(ProtocolViolation) -> Action {
        let clientKey = try message.required(.publicKey, length: 1...SRP.length)
        let proof = try message.required(.proof, length: SRP.proofLength...SRP.proofLength)
        state = .checking
        return .check(server, clientKey: clientKey, proof: proof)
    }

    /// Handles the result of checking the proof in M3, and returns M4 to send.
    package mutating func checked(_ outcome: Result<SRPServer.Agreement, CryptoError>) -> Action {
        guard case .checking = state else { return .refuse }
        switch outcome {
        case .success(let agreement):
            state = .awaitingM5(PairSetupKeys(key: agreement.key))
            return .clearFailures(PairingTLV.message(4, (.proof, agreement.proof)).encoded)
        case .failure:
            // A key of zero isn't a guess at the code, but counting it as one is harmless (HAP 4.4).
            state = .idle
            return .countFailure(PairingTLV.failure(4, .authentication).encoded)
        }
    }

    private mutating func receivedM5(
        _ message: PairingTLV, _ keys: PairSetupKeys, _ conditions: Conditions
    ) throws(ProtocolViolation) -> Action {
        let sealed = try message.required(.encryptedData, length: ChaCha20Poly1305.tagLength...Int.max)
        state = .idle
        guard let opened = try? keys.open(sealed, "PS-Msg05"),
            let peer = try? SignedIdentity(parsing: opened, withPublicKey: true),
            let controller = ControllerID(peer.identifier),
            Ed25519.isValid(
                peer.signature,
                of: keys.controllerMessage(identifier: peer.identifier, publicKey: peer.publicKey), by: peer.publicKey)
        else { return .reply(PairingTLV.failure(6, .authentication).encoded) }
        if conditions.isPaired { return .reply(PairingTLV.failure(6, .unavailable).encoded) }
        if let ownership, !ownership.isMet(by: peer.ownershipToken) {
            return .refuseOwnership(PairingTLV.failure(6, .authentication).encoded)
        }
        if conditions.isFull { return .reply(PairingTLV.failure(6, .maxPeers).encoded) }
        state = .storing(keys)
        return .store(Pairing(controller: controller, publicKey: peer.publicKey, isAdmin: true))
    }

    /// Handles the result of storing the pairing, and returns M6 to send.
    package mutating func stored(_ outcome: Result<Void, PairingError>) -> Action {
        guard case .storing(let keys) = state else { return .refuse }
        state = .idle
        switch outcome {
        case .failure(let error): return .reply(PairingTLV.failure(6, error).encoded)
        case .success:
            let publicKey = identity.longTermKey.publicKey
            let signature = identity.longTermKey.sign(
                keys.accessoryMessage(identifier: identity.identifier, publicKey: publicKey))
            let signed = SignedIdentity(
                identifier: identity.identifier, publicKey: publicKey, signature: signature)
            return .finish(
                PairingTLV.message(6, (.encryptedData, keys.seal(signed.body, "PS-Msg06"))).encoded)
        }
    }

    /// Ends the procedure, because its connection has closed or another connection has taken over.
    package mutating func abandon() { state = .idle }
}
