extension HomeManager {
    /// Starts or stops the daemon's reports of values.
    ///
    /// - Returns: The errors of the values whose reports couldn't be started or stopped.
    func report(
        _ isEnabled: Bool, _ ids: [Characteristic.ID]
    ) async throws(HomeError) -> [Characteristic.ID: HomeError] {
        guard !ids.isEmpty else { return [:] }
        // Don't rely on reports of these values while the daemon is stopping them.
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

    /// Requests reports of desired values again, because the daemon has restarted or the accessory was unreachable.
    func observe(_ ids: [Characteristic.ID]) async {
        let due = ids.filter(observations.reconciler.isDesired)
        guard let failures = try? await report(true, due) else { return }
        for (id, error) in failures where !error.passesByItself {
            observations.refused(id, error)
        }
    }

    /// Stops reports of values that are no longer desired.
    func release(_ ids: [Characteristic.ID]) async {
        let idle = observations.reconciler.idle(of: ids)
        guard isOpen, !idle.isEmpty else { return }
        _ = try? await report(false, idle)
        // Another reader may have started in the meantime.
        await observe(idle)
    }

    /// Restores observations after the homes were loaded.
    ///
    /// The daemon has kept this session's subscriptions, or lost all of them.
    func observeAgain() {
        for id in observations.reconciler.confirmed { replica.setNotification(true, for: id) }
        let due = observations.reconciler.homesLoaded(replica.graph)
        if !due.isEmpty { tasks.add(.reconcile(due)) }
    }

    /// Restores observations of an accessory that is reachable again.
    ///
    /// The daemon restores the accessory's earlier reports. Observations that failed in the meantime start now.
    func observationsAreBack(of id: Accessory.ID) {
        let those = (replica.graph.accessory(id)?.services ?? []).flatMap(\.characteristics).map(\.id)
        for id in those where observations.reconciler.confirmed.contains(id) { replica.setNotification(true, for: id) }
        let due = observations.reconciler.missing(of: those)
        if !due.isEmpty { tasks.add(.reconcile(due)) }
    }

    // MARK: Iterations

    /// Delivers the values of a characteristic to a mailbox.
    ///
    /// - Returns: A subscription that ends the delivery when it's released.
    /// - Throws: The reason why the values aren't reported, unless it's temporary.
    func observe(
        _ id: Characteristic.ID, into reports: Observations.Reports
    ) async throws(HomeError) -> Subscription {
        let present = replica.graph.characteristic(id)?.present
        let (number, isDue) = observations.add(reports, of: id, present: present)
        let subscription = Subscription { [tasks] in tasks.add(.endIteration(id, number: number)) }
        guard isDue else { return subscription }
        let failure: HomeError?
        do throws(HomeError) { failure = try await report(true, [id])[id] } catch { failure = error }
        if let failure, !failure.passesByItself { throw failure }
        return subscription
    }

    func endIteration(_ number: UInt64, of id: Characteristic.ID) async {
        observations.remove(number, of: id)
        await release([id])
    }

    // MARK: Observations

    /// Observes the values of a scope, such as a home or a room, until the observation is released.
    ///
    /// The events of the accessories and ``snapshots(observing:)`` contain the values. The observation follows the
    /// scope: a value is observed while its accessory is in the scope. Values of unreachable accessories, and all
    /// values of an app without permission, are observed as soon as possible. If several observations include a value,
    /// it's observed until the last of them ends.
    ///
    /// - Parameter scope: The values to observe.
    /// - Returns: The observation, which ends when its last reference is released. If the homes are loaded, the daemon
    ///   has already answered the request for their values.
    public func observe(_ scope: ObservationScope) async -> Observation {
        let number = observations.add(scope)
        let observation = Observation(Subscription { [tasks] in tasks.add(.endObservation(number)) })
        if replica.isCurrent { await reconcile(observations.reconciler.resolve(in: replica.graph)) }
        return observation
    }

    func endObservation(_ number: UInt64) async {
        observations.reconciler.observationEnded(number)
        await reconcile(observations.reconciler.resolve(in: replica.graph))
    }

    /// Starts reports of the desired values among the given values, and stops reports of the others.
    func reconcile(_ ids: [Characteristic.ID]) async {
        await observe(ids)
        await release(ids)
    }
}

extension HomeError {
    /// A Boolean value that indicates whether reports start automatically once the accessory is reachable.
    fileprivate var passesByItself: Bool {
        switch code {
        case .accessoryNotReachable, .bridgedAccessoryNotReachable, .accessoryIsBusy, .operationTimedOut,
            .communicationFailure, .accessoryCommunicationFailure, .accessoryIsBlocked, .daemonUnavailable:
            true
        default: false
        }
    }
}
