package import HAPProtocol
internal import Logging

extension AccessoryServer {
    /// Changes the pairings.
    ///
    /// A change is stored before it takes effect. Changes run in order, each based on the result of the previous one.
    ///
    /// - Parameters:
    ///   - by: The requester, which is logged with each pairing that is added, changed or removed.
    ///   - change: A closure that changes the list, or throws an error if the change isn't allowed. It runs when the
    ///     previous changes have finished, so it must check permissions again.
    /// - Returns: Success if the change is durable and in effect; otherwise the reason why the pairings are unchanged.
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

    /// Closes the sessions of controllers that are no longer paired (HAP 6.5).
    ///
    /// The caller's session stays open, because it must close only after its response.
    func closeUnpairedSessions(except caller: ConnectionID? = nil) {
        for session in Array(sessions.values) where session.id != caller {
            guard isUnpaired(session) else { continue }
            session.connection.close()
            forget(session.id)
        }
    }

    /// A Boolean value that indicates whether a session's controller is no longer paired.
    func isUnpaired(_ session: AccessorySession) -> Bool {
        session.controller.map { pairings[$0] == nil } ?? false
    }

    // MARK: For the operator

    /// Returns all pairings, and the age of the oldest connection of each connected controller.
    package func pairingReports() -> [(pairing: Pairing, connectedFor: Duration?)] {
        var opened: [ControllerID: ContinuousClock.Instant] = [:]
        for session in sessions.values {
            guard let controller = session.controller else { continue }
            opened[controller] = min(opened[controller] ?? session.opened, session.opened)
        }
        return pairings.pairings.map { pairing in
            (pairing, opened[pairing.controller].map { $0.duration(to: scheduler.now) })
        }
    }

    /// Removes a pairing and closes its sessions.
    ///
    /// The identity and the accessory ids stay the same.
    ///
    /// - Returns: Whether the pairing existed.
    /// - Throws: ``PairingError`` if the change can't be stored; in this case, the pairing still exists.
    package func removePairing(_ controller: ControllerID) async throws(PairingError) -> Bool {
        guard pairings[controller] != nil else { return false }
        try await changePairings(by: "operator") { $0.remove(controller) }.get()
        closeUnpairedSessions()
        advertisePairings()
        return true
    }

    /// Removes all pairings and closes all sessions.
    ///
    /// The identity and the accessory ids stay the same.
    ///
    /// - Throws: ``PairingError`` if the change can't be stored; in this case, all pairings still exist.
    package func removeAllPairings() async throws(PairingError) {
        try await changePairings(by: "operator") { $0 = PairingList() }.get()
        closeUnpairedSessions()
        advertisePairings()
    }

    /// Resets the count of wrong setup codes and ends all pauses, so that controllers can pair again.
    ///
    /// - Throws: The store's error; in this case, the count and the pauses are unchanged.
    package func unlockPairing() async throws {
        try await store.save(failedAttempts: 0)
        attempts.reset()
        logger.notice("pair setup unlocked")
    }
}
