extension HomeManager {
    /// Has the daemon report values, or not any more.
    ///
    /// - Returns: why not, for those that failed.
    func report(
        _ isEnabled: Bool, _ ids: [Characteristic.ID]
    ) async throws(HomeError) -> [Characteristic.ID: HomeError] {
        guard !ids.isEmpty else { return [:] }
        // While it is being switched off, it is not to be relied upon.
        if !isEnabled { for id in ids { observations.reconciler.answered(id, isConfirmed: false) } }
        return try await call(.setNotification(ids, isEnabled: isEnabled), deadline: timeouts.call) {
            json throws(HomeError) in
            let results = try Self.understood { () throws(HomeError) in try [ValueResult](json: json) }
            var failures: [Characteristic.ID: HomeError] = [:]
            for result in results {
                failures[result.characteristic] = result.error
                if result.error == nil || isEnabled {
                    let isConfirmed = isEnabled && result.error == nil
                    self.observations.reconciler.answered(result.characteristic, isConfirmed: isConfirmed)
                    self.replica.setNotification(isConfirmed, for: result.characteristic)
                }
            }
            return failures
        }
    }

    /// What is desired is reported again, because the daemon is another, or the accessory was away.
    func observe(_ ids: [Characteristic.ID]) async {
        let due = ids.filter(observations.reconciler.isDesired)
        guard let failures = try? await report(true, due) else { return }
        for (id, error) in failures where !error.passesByItself {
            observations.refused(id, error)
        }
    }

    /// The homes were loaded: the daemon tells this session what it told it before, or nothing.
    func observeAgain() {
        for id in observations.reconciler.confirmed { replica.setNotification(true, for: id) }
        let due = observations.reconciler.homesLoaded()
        if !due.isEmpty { tasks.add(.observe(due)) }
    }

    /// An accessory is back.
    ///
    /// The daemon sees to it that the accessory reports again what was reported before; what could not be switched on
    /// meanwhile is switched on now.
    func observationsAreBack(of id: Accessory.ID) {
        let those = (replica.graph.accessory(id)?.services ?? []).flatMap(\.characteristics).map(\.id)
        for id in those where observations.reconciler.confirmed.contains(id) { replica.setNotification(true, for: id) }
        let due = observations.reconciler.reachable(those)
        if !due.isEmpty { tasks.add(.observe(due)) }
    }

    // MARK: Iterations

    /// Begins to put the reports of a value into a mailbox.
    ///
    /// - Returns: what ends it when it is let go.
    /// - Throws: why they are not reported, unless that passes by itself.
    func observe(
        _ id: Characteristic.ID, into reports: Observations.Reports
    ) async throws(HomeError) -> Subscription {
        let (number, isDue) = observations.add(reports, of: id)
        let subscription = Subscription { [tasks] in tasks.add(.endObservation(id, number: number)) }
        guard isDue else { return subscription }
        if let error = try await report(true, [id])[id], !error.passesByItself { throw error }
        return subscription
    }

    func endObservation(_ number: UInt64, of id: Characteristic.ID) async {
        guard observations.remove(number, of: id), isOpen else { return }
        _ = try? await report(false, [id])
        // Somebody may have begun anew meanwhile.
        if observations.reconciler.isDesired(id) { await observe([id]) }
    }
}

extension HomeError {
    /// Whether the value is reported as soon as the accessory can be reached again.
    fileprivate var passesByItself: Bool {
        switch code {
        case .accessoryNotReachable, .bridgedAccessoryNotReachable, .accessoryIsBusy, .operationTimedOut,
            .communicationFailure, .accessoryCommunicationFailure, .accessoryIsBlocked, .daemonUnavailable:
            true
        default: false
        }
    }
}
