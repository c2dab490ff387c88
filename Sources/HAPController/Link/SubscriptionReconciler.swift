package import HAPModel
package import HAPProtocol

/// Reconciles an accessory's subscriptions with the desired ones, across connections.
///
/// - *Desired* characteristics should be reported, on this connection and later ones.
/// - *Confirmed* characteristics are reported on this connection.
/// - *Refused* characteristics aren't reported on this connection; each has the accessory's status. They are requested
///   again on the next connection, or when they become desired again.
/// - *Asked* characteristics have been requested, but the response hasn't arrived yet.
///
/// Each connection starts without subscriptions. Desired characteristics may be missing or not reportable, because the
/// accessory's database may change later.
package struct SubscriptionReconciler: Equatable, Sendable {
    /// The next request to the accessory.
    package enum Batch: Equatable, Sendable {
        case subscribe([CharacteristicID])
        case unsubscribe([CharacteristicID])
    }

    package private(set) var desired: Set<CharacteristicID> = []
    /// The characteristics that the accessory has agreed to report on this connection.
    package private(set) var confirmed: Set<CharacteristicID> = []
    /// The characteristics that the accessory has refused to report on this connection, with the statuses it sent.
    package private(set) var refused: [CharacteristicID: HAPStatus] = [:]
    private var asked: Set<CharacteristicID> = []
    /// The characteristics that the accessory may be reporting, because a canceled caller missed the response.
    private var uncertain: Set<CharacteristicID> = []

    package init() {}

    /// Replaces the desired characteristics.
    ///
    /// - Parameters:
    ///   - ids: The characteristics.
    ///   - kept: The characteristics that remain desired if they are desired already.
    ///   - retried: The characteristics to request again if they were refused.
    /// - Returns: The new and the retried characteristics.
    package mutating func desire(
        _ ids: Set<CharacteristicID>, keeping kept: Set<CharacteristicID> = [],
        retrying retried: Set<CharacteristicID> = []
    ) -> Set<CharacteristicID> {
        let new = ids.subtracting(desired).union(ids.intersection(retried).filter { refused[$0] != nil })
        desired = ids.union(desired.intersection(kept))
        confirmed.subtract(new)
        asked.subtract(new)
        for id in new { refused[id] = nil }
        return new
    }

    /// Discards all responses, because a connection begins or the database may have changed.
    package mutating func begin() {
        confirmed = []
        refused = [:]
        asked = []
        uncertain = []
    }

    /// Requests the refused characteristics of an accessory again, because the accessory has become reachable.
    package mutating func retry(_ aid: AccessoryID) { refused = refused.filter { $0.key.aid != aid } }

    /// Returns the next batch to request.
    ///
    /// Each batch is returned only once.
    ///
    /// - Parameter reports: A closure that returns whether the accessory has a characteristic and can report its
    ///   changes.
    /// - Returns: The batch; `nil` if there is nothing to request.
    package mutating func next(reports: (CharacteristicID) -> Bool) -> Batch? {
        let more = desired.subtracting(confirmed).subtracting(asked).filter { refused[$0] == nil && reports($0) }
        if !more.isEmpty {
            asked.formUnion(more)
            return .subscribe(more.sorted())
        }
        let less = confirmed.union(uncertain).subtracting(desired).sorted()
        confirmed.subtract(less)
        uncertain.subtract(less)
        return less.isEmpty ? nil : .unsubscribe(less)
    }

    /// Records that a canceled caller missed the response to a batch of subscriptions.
    ///
    /// The subscriptions are requested again, or removed if they are no longer desired.
    package mutating func lostAnswer(about ids: [CharacteristicID]) {
        let lost = asked.intersection(ids)
        asked.subtract(lost)
        uncertain.formUnion(lost)
    }

    /// Records the response to a batch.
    package mutating func answered(_ statuses: [CharacteristicID: HAPStatus]) {
        for (id, status) in statuses {
            asked.remove(id)
            uncertain.remove(id)
            if status == .success { confirmed.insert(id) } else { refused[id] = status }
        }
    }
}

/// The outcome of a subscription request.
package enum SubscriptionOutcome: Equatable, Sendable {
    /// The accessory reports changes of the characteristic.
    case confirmed
    /// The subscription will be requested on the next connection.
    case pending
    /// The accessory refused the subscription with a status.
    case refused(HAPStatus)
    /// The subscription request failed without a response.
    case failed(RequestError)
}
