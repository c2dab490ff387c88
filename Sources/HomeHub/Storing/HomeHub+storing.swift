import HAPController
import HomeModel

// How the homes change: planned, stored, applied and told, while everything else goes on.
extension HomeHub {
    /// Changes the homes: plans the change when its turn has come, stores it, applies it and tells the apps.
    ///
    /// Nothing else stands still meanwhile: what accessories report while the store writes is applied and told at once.
    ///
    /// - Parameters:
    ///   - place: where it stands in the queue; it is left.
    ///   - call: whose change it is; if it is given up before the store begins, nothing happens. Without one the change
    ///     waits for the disk however long it takes.
    ///   - candidate: the pairing that the change puts in the place of an accessory's own.
    ///   - plan: makes the change of the homes as they are then; without a transaction nothing changes.
    ///   - applied: goes on in the turn in which the change is applied, so that the answer of `call` comes before anything
    ///     else that happens.
    /// - Throws: what `plan` throws; 52 if the change cannot be stored, 8 if the disk is busy for too long, 23 if the call
    ///   is not awaited any more, 1002 if the hub ends. Then nothing has changed.
    func change<Plan>(
        at place: CommitQueue.Place, by call: Call? = nil, promoting candidate: AccessoryPairing? = nil,
        _ plan: (inout HomeGraph) throws(HomeError) -> (plan: Plan, transaction: HomeTransaction?),
        applied: (Plan) -> Void
    ) async throws(HomeError) {
        let deadline = call.map { _ in ContinuousClock.now + configuration.storeTimeout }
        try await commitQueue.wait(at: place, until: deadline)
        defer { commitQueue.leave(place) }
        if let call, !sessions.takesEffect(call) { throw HomeError(.operationCancelled) }
        var planned = graph
        let (plan, transaction) = try plan(&planned)
        if let transaction { try await commit(transaction, in: planned, by: call, promoting: candidate) }
        applied(plan)
    }
}

extension HomeTransaction {
    /// The transaction with the values that were reported since it was planned.
    ///
    /// - Parameters:
    ///   - before: the homes when it was planned.
    ///   - now: the homes as they are.
    /// - Returns: it, and the characteristics whose values are newer in it now.
    func refreshed(from before: HomeGraph, to now: HomeGraph) -> (
        HomeTransaction, [Characteristic.ID: TimestampedValue]
    ) {
        var transaction = self
        var newer: [Characteristic.ID: TimestampedValue] = [:]
        for (index, change) in changes.enumerated() {
            guard case .servicesUpdated(let id, var services) = change.event, let accessory = now.accessory(id),
                let old = before.accessory(id)
            else { continue }
            for service in services.indices {
                for part in services[service].characteristics.indices {
                    let id = services[service].characteristics[part].id
                    guard let present = accessory.characteristic(id), let value = present.value,
                        let time = present.valueTime,
                        old.characteristic(id).map({ $0.value != value || $0.valueTime != time }) ?? true
                    else { continue }
                    services[service].characteristics[part].value = value
                    services[service].characteristics[part].valueTime = time
                    newer[id] = TimestampedValue(value, at: time)
                }
            }
            transaction.changes[index].event = .servicesUpdated(id, services)
        }
        return (transaction, newer)
    }
}
