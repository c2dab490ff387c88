internal import HAPCrypto
internal import HAPModel
internal import HAPProtocol
internal import Logging

extension AccessoryServer {
    /// `POST /pair-setup` (HAP 5).
    func pairSetup(_ body: [UInt8], _ session: AccessorySession) {
        let now = scheduler.now
        let (id, source) = (session.id, session.connection.address)
        let isOpen = !isPaired && !attempts.areExhausted
        let conditions = PairSetupAccessory.Conditions(
            isPaired: isPaired, triesExhausted: attempts.areExhausted,
            isBusy: isOpen
                && !attempts.admits(id, from: source, rivalIsAnswered: isRivalWaiting(id), now: now),
            isFull: pairings.isFull)
        if conditions.isPaired { statistics.refusedSetups += 1 }
        let action = session.pairSetup.received(body, conditions: conditions)
        if session.pairSetup.isActive {
            // If this connection has taken over the turn, the previous connection must start over.
            if let rival = attempts.rival(of: id) { sessions[rival]?.pairSetup.abandon() }
            attempts.received(from: id, at: source, now: now)
        }
        run(session) { server in await server.perform(action, id) }
    }

    /// Returns whether the connection that has the turn is waiting for a response.
    ///
    /// Such a connection isn't silent: the server's exponentiation or its store is slow.
    private func isRivalWaiting(_ id: ConnectionID) -> Bool {
        attempts.rival(of: id).flatMap { sessions[$0] }?.isAnswering ?? false
    }

    /// Performs the actions of a pair setup procedure until the next response is sent.
    ///
    /// The connection may close in the meantime.
    private func perform(_ first: PairSetupAccessory.Action, _ id: ConnectionID) async {
        var action = first
        while let session = sessions[id] {
            switch action {
            case .start:
                let server = await Self.startAttempt(await setupVerifier())
                guard let session = sessions[id] else { return }
                action = session.pairSetup.started(server)
                continue
            case .check(let server, let clientKey, let proof):
                let outcome = await Self.check(server, clientKey: clientKey, proof: proof)
                guard let session = sessions[id] else { return }
                action = session.pairSetup.checked(outcome)
                continue
            case .store(let pairing):
                let outcome = await store(pairing, from: session.connection.peer)
                guard let session = sessions[id] else {
                    // The controller has disconnected and will never receive M6, but the pairing is valid.
                    advertisePairings()
                    return
                }
                action = session.pairSetup.stored(outcome)
                continue
            case .countFailure(let body):
                let source = session.connection.address
                attempts.failed(at: source, now: scheduler.now)
                statistics.wrongSetupCodes += 1
                logger.warning(
                    "setup code rejected",
                    metadata: [
                        "peer": "\(session.connection.peer)",
                        "failures": "\(attempts.failures) of \(SetupAttempts.maximumFailures)",
                        "pause": "\(attempts.pause(of: source, now: scheduler.now).components.seconds) s",
                    ])
                await saveFailures()
                reply(body, id)
            case .clearFailures(let body):
                let hadFailures = attempts.failures != 0
                attempts.proved()
                if hadFailures { await saveFailures() }
                reply(body, id)
            case .refuseOwnership(let body):
                // The setup code was correct, so this doesn't count as a failed attempt.
                logger.warning("ownership token rejected", metadata: ["peer": "\(session.connection.peer)"])
                reply(body, id)
            case .reply(let body): reply(body, id)
            case .refuse:
                attempts.release(id, now: scheduler.now)
                answer(session, HTTPResponse(400))
            case .finish(let body):
                attempts.release(id, now: scheduler.now)
                session.announcesPairing = true
                proved(session)
                answer(session, HTTPResponse(200, .pairingTLV8, body: body)) { [weak self] in
                    self?.assumeIsolated { $0.advertisePairings() }
                }
            }
            return
        }
    }

    private func reply(_ body: [UInt8], _ id: ConnectionID) {
        guard let session = sessions[id] else { return }
        if !session.pairSetup.isActive { attempts.release(id, now: scheduler.now) }
        answer(session, HTTPResponse(200, .pairingTLV8, body: body))
    }

    private func saveFailures() async {
        do {
            try await store.save(failedAttempts: attempts.failures)
        } catch {
            logger.error("failed attempts save failed", metadata: ["error": "\(error)"])
        }
    }

    /// Stores a pairing, which is valid only once it is durable.
    private func store(_ pairing: Pairing, from peer: String) async -> Result<Void, PairingError> {
        await changePairings(by: "pair setup from \(peer)") { (list: inout PairingList) throws(PairingError) in
            guard !list.hasAdmin else { throw .unavailable }
            list.set(pairing)
        }
    }

    /// Returns the verifier of the setup code, and computes it on first use.
    func setupVerifier() async -> SRPVerifier {
        if let verifier { return verifier }
        let made = await Self.verifier(of: setupCode.text)
        verifier = made
        return made
    }

    // The modular exponentiations run outside the event loop, on copies, so that the loop can continue to serve
    // connections.

    @concurrent
    private static func verifier(of setupCode: String) async -> SRPVerifier { SRPVerifier(setupCode: setupCode) }

    @concurrent
    private static func startAttempt(_ verifier: SRPVerifier) async -> SRPServer { SRPServer(verifier) }

    @concurrent
    private static func check(
        _ server: SRPServer, clientKey: [UInt8], proof: [UInt8]
    ) async -> Result<SRPServer.Agreement, CryptoError> {
        Result { () throws(CryptoError) in try server.check(clientKey: clientKey, proof: proof) }
    }
}
