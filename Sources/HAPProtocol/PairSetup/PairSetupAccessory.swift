package import HAPCrypto

/// Pair setup, seen by the accessory: M1 comes, M2 goes, M3 comes, M4 goes, M5 comes, M6 goes (HAP 5).
///
/// One machine serves one connection. It decides what to answer and what has to happen before the answer may leave; it
/// does neither the modular exponentiations (they take milliseconds and run elsewhere) nor the storing (a pairing is on disk
/// before M6 is answered). Whoever drives it tells it the outcome, and it says the next action.
///
/// Whether somebody else is pairing, whether an admin exists and how many proofs have failed concern the whole server and
/// come in as ``Conditions``.
package struct PairSetupAccessory: Equatable, Sendable {
    /// What the rest of the server says to a first message.
    package struct Conditions: Equatable, Sendable {
        /// An admin pairing exists: no controller may pair until it is removed.
        package var isPaired: Bool
        /// A hundred proofs have failed since the last success.
        package var triesExhausted: Bool
        /// Another connection is in the middle of pair setup.
        package var isBusy: Bool
        /// There is no room for another pairing.
        package var isFull: Bool

        package init(isPaired: Bool, triesExhausted: Bool = false, isBusy: Bool = false, isFull: Bool = false) {
            self.isPaired = isPaired
            self.triesExhausted = triesExhausted
            self.isBusy = isBusy
            self.isFull = isFull
        }
    }

    /// What to do next.
    package enum Action: Equatable, Sendable {
        /// Answer 200 with this body.
        case reply([UInt8])
        /// Answer 400 without a body; the procedure has been reset.
        case refuse
        /// Start an attempt (``SRPServer/init(setupCode:)``, off the loop) and call ``started(_:)``.
        case start
        /// Check a proof (``SRPServer/check(clientKey:proof:)``, off the loop) and call ``checked(_:)``.
        case check(SRPServer, clientKey: [UInt8], proof: [UInt8])
        /// The proof was wrong: count it, make the count durable, then answer 200 with this body.
        case countFailure([UInt8])
        /// The proof was right: forget failed proofs, then answer 200 with this body.
        case clearFailures([UInt8])
        /// The setup code was right, and the ownership token missing or wrong: answer 200 with this body.
        ///
        /// It counts as no failed proof. Only whoever knows the setup code gets here, each guess costs a whole procedure,
        /// and 16 bytes are not guessed; but if it counted, every controller that knows of no tokens would bring the
        /// bridge closer to refusing its owner.
        case refuseOwnership([UInt8])
        /// Make this pairing durable and call ``stored(_:)``.
        case store(Pairing)
        /// The pairing is made: answer 200 with this body, then advertise as paired.
        case finish([UInt8])
    }

    private enum State: Equatable, Sendable {
        /// Nothing has been received, or the procedure has ended; M1 is awaited.
        case idle
        /// M1 has been received and an attempt is being made; M2 has not been sent.
        case starting
        /// M2 has been sent; M3 is awaited.
        case awaitingM3(SRPServer)
        /// M3 has been received and its proof is being checked; M4 has not been sent.
        case checking
        /// M4 has been sent; M5 is awaited.
        case awaitingM5(PairSetupKeys)
        /// M5 has been received and the pairing is being stored; M6 has not been sent.
        case storing(PairSetupKeys)
    }

    private let identity: AccessoryIdentity
    private let ownership: OwnershipRequirement?
    private var state = State.idle

    /// Creates a machine; without an ownership requirement the setup code suffices, as in HAP.
    package init(identity: AccessoryIdentity, ownership: OwnershipRequirement? = nil) {
        self.identity = identity
        self.ownership = ownership
    }

    /// Whether the procedure is under way.
    package var isActive: Bool { state != .idle }

    /// A request to `/pair-setup` came.
    package mutating func received(_ body: [UInt8], conditions: Conditions) -> Action {
        do throws(ProtocolViolation) {
            let message = try PairingTLV(parsing: body)
            switch (try message.state(), state) {
            case (1, _):
                // A controller may begin again at any time; iOS does.
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
        // Method 1 (with an MFi chip) is treated as 0: older controllers send it to everybody.
        guard let method = try message.byte(.method),
            method == PairingMethod.pairSetup.rawValue || method == PairingMethod.pairSetupWithAuth.rawValue
        else { throw .badItem(.method) }
        // Flags ask for transient or split setup; we offer neither and go on as without them.
        if let flags = message[.flags], flags.count > 4 { throw .badItem(.flags) }
        if conditions.isPaired { return .reply(PairingTLV.failure(2, .unavailable).encoded) }
        if conditions.triesExhausted { return .reply(PairingTLV.failure(2, .maxTries).encoded) }
        if conditions.isBusy { return .reply(PairingTLV.failure(2, .busy).encoded) }
        state = .starting
        return .start
    }

    /// An attempt has been made: M2 can go.
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

    /// The proof of M3 has been checked: M4 can go.
    package mutating func checked(_ outcome: Result<SRPServer.Agreement, CryptoError>) -> Action {
        guard case .checking = state else { return .refuse }
        switch outcome {
        case .success(let agreement):
            state = .awaitingM5(PairSetupKeys(key: agreement.key))
            return .clearFailures(PairingTLV.message(4, (.proof, agreement.proof)).encoded)
        case .failure:
            // A key of zero is no guess at the code, but counting it does no harm either (HAP 4.4).
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

    /// The pairing is durable, or could not be made so: M6 can go.
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

    /// The procedure is given up: its connection closed, or another one took over.
    package mutating func abandon() { state = .idle }
}
