package import AsyncKit
internal import Dialing
internal import HAPCrypto
package import HAPModel
package import HAPProtocol
package import Logging

/// Pairs with unpaired accessories.
package struct AccessorySetup: Sendable {
    /// The result of pairing.
    package struct Added: Equatable, Sendable {
        package let pairing: AccessoryPairing
        package let database: AccessoryDatabase
        /// The `c#` of the database.
        package let configurationNumber: UInt32
    }

    private let dialer: any AccessoryDialer
    private let vault: any PairingVault
    private let timing: ControllerTiming
    private let clock: any MonotonicClock
    private let counts: ControllerCounts
    private let logger: Logger

    package init(
        dialer: any AccessoryDialer, vault: any PairingVault, timing: ControllerTiming = ControllerTiming(),
        clock: any MonotonicClock = ContinuousClock(), counts: ControllerCounts = ControllerCounts(), logger: Logger
    ) {
        self.dialer = dialer
        self.vault = vault
        self.timing = timing
        self.clock = clock
        self.counts = counts
        self.logger = logger
    }

    /// Pairs with an accessory, stores the pairing and reads the attribute database.
    ///
    /// After an error, the vault has no pairing with the accessory, and the accessory is unchanged if it is still
    /// reachable. If the caller is canceled before the accessory has removed the new pairing, the vault keeps the
    /// pairing, so that it can be removed later.
    ///
    /// - Parameters:
    ///   - accessory: The discovered accessory.
    ///   - code: The setup code that the user read from the accessory.
    ///   - ownershipToken: The token from the manufacturer's app, 16 to 512 bytes. It is sent only to an accessory that
    ///     has proven that it knows the code. An accessory that doesn't require a token ignores it.
    /// - Returns: The pairing and the database.
    /// - Throws: ``SetupError``; `ownership` if the accessory advertises a vendor and the token is missing or wrong, or
    ///   if the length of the token is invalid.
    package func pair(
        with accessory: AdvertisedAccessory, code: SetupCode, ownershipToken: [UInt8]? = nil
    ) async throws(SetupError) -> Added {
        guard !accessory.isPaired else { throw .alreadyPaired }
        return try await pair(
            at: accessory.endpoints, expecting: accessory.id, code: code, ownershipToken: ownershipToken,
            demandsToken: accessory.vendor != nil,
            withAuth: accessory.features.contains(.hardwareAuthentication),
            configurationNumber: accessory.configurationNumber)
    }

    /// Pairs with the unknown accessory at an endpoint, otherwise like ``pair(with:code:ownershipToken:)``.
    ///
    /// - Returns: The pairing and the database, with a `c#` of 0, which no accessory advertises.
    /// - Throws: ``SetupError``.
    func pair(at endpoint: AccessoryEndpoint, code: SetupCode) async throws(SetupError) -> Added {
        try await pair(
            at: [endpoint], expecting: nil, code: code, ownershipToken: nil, demandsToken: false, withAuth: false,
            configurationNumber: 0)
    }

    private func pair(
        at endpoints: [AccessoryEndpoint], expecting id: DeviceID?, code: SetupCode, ownershipToken: [UInt8]?,
        demandsToken: Bool, withAuth: Bool, configurationNumber: UInt32
    ) async throws(SetupError) -> Added {
        if let ownershipToken, !OwnershipRequirement.tokenLength.contains(ownershipToken.count) { throw .ownership }
        let identity = try await ownIdentity()
        let result = try await connected(to: endpoints) { session throws(SetupError) -> Result<Added, SetupError> in
            let pairing = try await session.pairSetup(
                as: identity, code: code, ownershipToken: ownershipToken.map { SecretBytes($0) },
                demandsToken: demandsToken, withAuth: withAuth, within: timing.pairSetupStep)
            guard id == nil || pairing.deviceID == id else {
                // Don't change the vault: it may have a pairing with the accessory that really has the claimed id.
                _ = await takeBack(pairing, identity, session)
                return .failure(.otherAccessory)
            }
            do throws(SetupError) {
                do {
                    try await vault.keep(pairing)
                } catch {
                    logger.error("pairing save failed", metadata: ["accessory": "\(pairing.deviceID)"])
                    throw .vaultFailed
                }
                try await verify(session, pairing, identity)
                let database = try await session.readDatabase(within: timing.database)
                database.logOmissions(of: pairing.deviceID, by: logger)
                return .success(
                    Added(pairing: pairing, database: database, configurationNumber: configurationNumber))
            } catch {
                await undo(pairing, identity, session)
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Adds this controller's pairing to an accessory that is paired with another controller, stores the pairing and
    /// reads the attribute database.
    ///
    /// The other controller keeps its pairing. After an error, the vault has no pairing with the accessory, unless the
    /// caller was canceled.
    ///
    /// - Parameters:
    ///   - accessory: The discovered accessory.
    ///   - pairing: The other controller's pairing.
    ///   - former: The other controller, which must be an admin.
    /// - Returns: The pairing and the database.
    /// - Throws: ``SetupError``; `formerPairing` if the accessory doesn't accept the other controller's pairing.
    package func addPairing(
        to accessory: AdvertisedAccessory, with pairing: AccessoryPairing, of former: ControllerIdentity
    ) async throws(SetupError) -> Added {
        guard pairing.deviceID == accessory.id else { throw .otherAccessory }
        let identity = try await ownIdentity()
        let own = Pairing(
            controller: identity.controller, publicKey: identity.longTermKey.publicKey, isAdmin: true)
        var isKept = false
        do throws(SetupError) {
            try await connected(to: accessory.endpoints) { session throws(SetupError) in
                do throws(SetupError) {
                    try await verify(session, pairing, former)
                } catch {
                    // An accessory that was reset has another key.
                    throw [.refused, .notGenuine].contains(error) ? .formerPairing : error
                }
                do {
                    try await vault.keep(pairing)
                } catch {
                    logger.error("pairing save failed", metadata: ["accessory": "\(pairing.deviceID)"])
                    throw .vaultFailed
                }
                isKept = true
                do throws(PairingsError) {
                    _ = try await session.pairings(.add(own), within: timing.request)
                } catch {
                    throw SetupError(adding: error)
                }
            }
            return try await connected(to: accessory.endpoints) { session throws(SetupError) in
                try await verify(session, pairing, identity)
                let database = try await session.readDatabase(within: timing.database)
                database.logOmissions(of: pairing.deviceID, by: logger)
                return Added(
                    pairing: pairing, database: database, configurationNumber: accessory.configurationNumber)
            }
        } catch {
            guard isKept else { throw error }
            // The other controller can also remove a pairing that this controller couldn't use.
            _ = try? await connected(to: accessory.endpoints) { session throws(SetupError) in
                try await verify(session, pairing, former)
                _ = try? await session.pairings(.remove(identity.controller), within: timing.request)
            }
            if !Task.isCancelled { await forget(pairing) }
            throw error
        }
    }

    /// Makes an unpaired accessory identify itself.
    ///
    /// - Throws: ``SetupError``; `alreadyPaired` if the accessory has a pairing.
    package func identify(_ accessory: AdvertisedAccessory) async throws(SetupError) {
        let response = try await connected(to: accessory.endpoints) { session throws(SetupError) in
            do throws(RequestError) {
                return try await session.request(HTTPRequest(.post, "/identify"), within: timing.request)
            } catch {
                throw SetupError(error)
            }
        }
        switch response.status {
        case 200...299: return
        case 400: throw .alreadyPaired
        default: throw .unexpectedStatus(response.status)
        }
    }

    // MARK: Implementation

    private func ownIdentity() async throws(SetupError) -> ControllerIdentity {
        do {
            return try await vault.identity()
        } catch {
            throw .vaultFailed
        }
    }

    /// Connects to an accessory, runs `body` with the session, and closes the connection afterwards.
    ///
    /// A different device may answer at one of the addresses. If `body` throws an error that such a device could cause,
    /// the remaining addresses are tried.
    private func connected<Outcome: Sendable>(
        to endpoints: [AccessoryEndpoint],
        _ body: (ControllerSession) async throws(SetupError) -> Outcome
    ) async throws(SetupError) -> Outcome {
        var candidates = Candidates(endpoints)
        var failure = SetupError.unreachable
        while !Task.isCancelled {
            let dialed = try? await dialer.dial(timing: timing) { candidates.next() }
            guard let (connection, endpoint) = dialed else { break }
            candidates.answered(endpoint)
            do throws(SetupError) {
                return try await use(connection, body)
            } catch {
                guard error.mayBeOfAnotherDevice else { throw error }
                if failure == .unreachable { failure = error }
            }
        }
        throw failure
    }

    private func use<Outcome: Sendable>(
        _ connection: any ByteConnection, _ body: (ControllerSession) async throws(SetupError) -> Outcome
    ) async throws(SetupError) -> Outcome {
        let session = ControllerSession(connection, clock: clock, counts: counts)
        async let running = session.run(onEvent: { _ in })
        let result: Result<Outcome, SetupError>
        do throws(SetupError) {
            result = .success(try await body(session))
        } catch {
            result = .failure(error)
        }
        await session.close()
        _ = await running
        return try result.get()
    }

    private func verify(
        _ session: ControllerSession, _ pairing: AccessoryPairing, _ identity: ControllerIdentity
    ) async throws(SetupError) {
        do throws(VerifyError) {
            try await session.pairVerify(pairing, as: identity, within: timing.request)
        } catch {
            switch error {
            case .notPaired, .notGenuine: throw .refused
            case .otherAccessory: throw .notGenuine
            case .busy: throw .busy
            case .ended(let end): throw .ended(end, mayBePaired: true)
            }
        }
    }

    /// Removes a pairing from the accessory and from the vault.
    private func undo(
        _ pairing: AccessoryPairing, _ identity: ControllerIdentity, _ session: ControllerSession
    ) async {
        let isTold = await takeBack(pairing, identity, session)
        guard isTold || !Task.isCancelled else { return }
        await forget(pairing)
    }

    /// Removes a pairing from the vault.
    private func forget(_ pairing: AccessoryPairing) async {
        do {
            try await vault.forget(pairing.deviceID)
        } catch {
            logger.error("pairing removal failed", metadata: ["accessory": "\(pairing.deviceID)"])
        }
    }

    /// Removes this controller's pairing from the accessory.
    ///
    /// - Returns: Whether the accessory has removed it.
    private func takeBack(
        _ pairing: AccessoryPairing, _ identity: ControllerIdentity, _ session: ControllerSession
    ) async -> Bool {
        do {
            if await !session.isSecured { try await verify(session, pairing, identity) }
            _ = try await session.pairings(.remove(identity.controller), within: timing.request)
            return true
        } catch {
            logger.warning(
                "unpairing failed",
                metadata: ["accessory": "\(pairing.deviceID)", "remedy": "reset the accessory if it can't be added"])
            return false
        }
    }
}
