package import HAPCrypto
package import HAPModel
package import HAPProtocol

extension ControllerSession {
    /// Performs pair setup (HAP 5); the connection remains unencrypted.
    ///
    /// - Parameters:
    ///   - identity: The controller's identity.
    ///   - code: The setup code that the user read from the accessory.
    ///   - ownershipToken: The ownership token to send, if any.
    ///   - demandsToken: Whether the accessory advertises that it requires a token.
    ///   - withAuth: Whether the accessory advertises Apple's authentication chip and requires method 1.
    ///   - limit: The time limit for each step.
    /// - Returns: The accessory's proven identity; the accessory has stored the controller's key.
    /// - Throws: ``SetupError``.
    package func pairSetup(
        as identity: ControllerIdentity, code: SetupCode, ownershipToken: SecretBytes? = nil,
        demandsToken: Bool = false, withAuth: Bool, within limit: Duration
    ) async throws(SetupError) -> AccessoryPairing {
        var machine = PairSetupController(identity: identity, setupCode: code, ownershipToken: ownershipToken)
        var action = machine.start(withAuth: withAuth)
        var steps = 0
        while true {
            switch action {
            case .send(let body):
                steps += 1
                let response: HTTPResponse
                do throws(RequestError) {
                    response = try await request(HTTPRequest(.post, "/pair-setup", body: body), within: limit)
                } catch {
                    throw SetupError(error, mayBePaired: steps == 3)
                }
                // Some accessories send the reason in the body of a response whose status isn't 200 (HAP 15).
                guard response.status == 200 || !response.body.isEmpty else {
                    throw .unexpectedStatus(response.status)
                }
                action = machine.received(response.body)
                if response.status != 200, case .fail(.violation) = action {
                    throw .unexpectedStatus(response.status)
                }
            case .compute(let code, let salt, let key):
                action = machine.computed(await Self.answer(code, salt, key))
            case .paired(let pairing): return pairing
            // M6 can't report a wrong setup code, because the code was already verified.
            case .fail(.refused(.authentication)) where steps == 3: throw demandsToken ? .ownership : .refused
            case .fail(.refused(let error)): throw SetupError(error)
            case .fail(.proofMismatch), .fail(.badIdentity): throw .notGenuine
            case .fail(.violation(let violation)):
                close(.violation(violation))
                throw .ended(.violation(violation), mayBePaired: steps == 3)
            }
        }
    }

    /// Computes the SRP proof outside the session's executor, because it takes two 3072-bit modular exponentiations.
    @concurrent
    private static func answer(
        _ code: String, _ salt: [UInt8], _ key: [UInt8]
    ) async -> Result<SRPClient, CryptoError> {
        Result { () throws(CryptoError) in try SRPClient(setupCode: code, salt: salt, serverKey: key) }
    }

    /// Performs pair verify, which turns the connection into an encrypted session (HAP 6).
    ///
    /// - Parameters:
    ///   - pairing: The pairing with the expected accessory.
    ///   - identity: The controller's identity.
    ///   - limit: The time limit for each step.
    /// - Throws: ``VerifyError``.
    package func pairVerify(
        _ pairing: AccessoryPairing, as identity: ControllerIdentity, within limit: Duration
    ) async throws(VerifyError) {
        var machine = PairVerifyController(identity: identity, accessory: pairing)
        var action = machine.start(ephemeral: .random(count: Curve25519KeyPair.publicKeyLength))
        while true {
            switch action {
            case .send(let body):
                let response: HTTPResponse
                do throws(RequestError) {
                    response = try await request(HTTPRequest(.post, "/pair-verify", body: body), within: limit)
                } catch {
                    switch error {
                    case .ended(let end): throw .ended(end)
                    case .tooMany: throw .busy
                    case .canceled: throw .ended(.closed)
                    }
                }
                action = machine.received(response.body)
            case .verified(let keys):
                secure(with: keys)
                return
            case .fail(.refused(.authentication)): throw .notPaired
            case .fail(.refusedWithoutProof(.authentication)): throw .notGenuine
            case .fail(.refused), .fail(.refusedWithoutProof): throw .busy
            case .fail(.otherAccessory), .fail(.badIdentity): throw .otherAccessory
            case .fail(.violation(let violation)):
                close(.violation(violation))
                throw .ended(.violation(violation))
            }
        }
    }

    /// Sends a request to `/pairings`, for which the controller must be an admin (HAP 6.4).
    ///
    /// - Throws: ``PairingsError``.
    package func pairings(
        _ request: PairingsRequest, within limit: Duration
    ) async throws(PairingsError) -> PairingsResponse {
        let response: HTTPResponse
        do throws(RequestError) {
            response = try await self.request(HTTPRequest(.post, "/pairings", body: request.encoded), within: limit)
        } catch {
            throw .request(error)
        }
        guard let answer = try? PairingsResponse(parsing: response.body, list: request == .list) else {
            throw .unexpectedStatus(response.status)
        }
        if case .failed(let error) = answer { throw .refused(error) }
        return answer
    }
}

/// The reason why pairings couldn't be listed or changed.
package enum PairingsError: Error, Equatable, Sendable {
    /// There is no session.
    case notConnected
    /// The request has no response.
    case request(RequestError)
    /// The accessory refused; `authentication` means that the controller isn't an admin.
    case refused(PairingError)
    /// The accessory responded with an unexpected HTTP status.
    case unexpectedStatus(Int)
}
