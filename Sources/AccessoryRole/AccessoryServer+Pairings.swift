package import HAPProtocol
internal import Logging

extension AccessoryServer {
    /// Changes the pairings: stored first, then in force; one change at a time, each made from what the one before it has
    /// stored.
    ///
    /// - Parameters:
    ///   - by: who wants it, for the log, which tells every pairing that comes or goes.
    ///   - change: changes the list, or says why it must not be changed. It is asked when its turn has come, and then has
    ///     to look again at whatever allowed it.
    /// - Returns: success once the change is durable and in force; else why nothing has changed.
    func changePairings(
        by: String, _ change: (inout PairingList) throws(PairingError) -> Void
    ) async -> Result<Void, PairingError> {
        await pairingMutex.acquire()
        defer { pairingMutex.release() }
        var list = pairings
        do throws(PairingError) {
            try change(&list)
        } catch {
            return .failure(error)
        }
        guard list != pairings else { return .success(()) }
        do {
            try await store.save(list)
        } catch {
            logger.error("pairing save failed", metadata: ["error": "\(error)"])
            return .failure(.unknown)
        }
        let former = pairings
        pairings = list
        log(from: former, by: by)
        return .success(())
    }

    private func log(from former: PairingList, by: String) {
        for pairing in former.pairings where pairings[pairing.controller] == nil {
            logger.notice("pairing removed", metadata: ["controller": "\(pairing.controller)", "by": "\(by)"])
        }
        for pairing in pairings.pairings where former[pairing.controller] != pairing {
            logger.notice(
                former[pairing.controller] == nil ? "pairing added" : "pairing changed",
                metadata: ["controller": "\(pairing.controller)", "admin": "\(pairing.isAdmin)", "by": "\(by)"])
        }
    }

    /// Ends the sessions of controllers that are no longer paired, except the caller's, which ends with its answer, and
    /// updates `sf` (HAP 6.5).
    func closeUnpairedSessions(except caller: ConnectionID? = nil) {
        for session in Array(sessions.values) where session.id != caller && isUnpaired(session) {
            session.connection.close()
            forget(session.id)
        }
    }

    /// Whether a session is that of a controller which is paired no more.
    func isUnpaired(_ session: AccessorySession) -> Bool {
        session.controller.map { pairings[$0] == nil } ?? false
    }

    // MARK: For the operator

    /// The pairings, and whether each controller is connected.
    package func pairingReports() -> [(pairing: Pairing, isConnected: Bool)] {
        let connected = Set(sessions.values.compactMap(\.controller))
        return pairings.pairings.map { ($0, connected.contains($0.controller)) }
    }

    /// Removes a pairing and closes its sessions; identity and accessory ids stay.
    ///
    /// - Returns: whether there was one.
    /// - Throws: ``PairingError`` if the change could not be stored; nothing has changed then.
    package func removePairing(_ controller: ControllerID) async throws(PairingError) -> Bool {
        guard pairings[controller] != nil else { return false }
        try await changePairings(by: "operator") { $0.remove(controller) }.get()
        closeUnpairedSessions()
        advertisePairings()
        return true
    }

    /// Removes all pairings and closes all sessions; identity and accessory ids stay.
    ///
    /// - Throws: ``PairingError`` if the change could not be stored; nothing has changed then.
    package func removeAllPairings() async throws(PairingError) {
        try await changePairings(by: "operator") { $0 = PairingList() }.get()
        closeUnpairedSessions()
        advertisePairings()
    }

    /// Forgets wrong setup codes and ends all pauses: controllers can pair again.
    ///
    /// - Throws: the store's error; nothing has changed then.
    package func unlockPairing() async throws {
        try await store.save(failedAttempts: 0)
        attempts.reset()
        logger.notice("pair setup unlocked")
    }
}
