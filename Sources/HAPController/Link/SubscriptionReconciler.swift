package import HAPModel
package import HAPProtocol

/// Brings what an accessory reports in line with what is wanted of it, over any number of connections.
///
/// - *Desired* is what is to be reported, on this connection and every later one.
/// - *Confirmed* is what the accessory has granted on this connection.
/// - *Refused* is what it has not, and why; it is asked for again with the next connection, or when it is desired anew.
/// - *Asked* is what it has not answered yet.
///
/// A new connection knows nothing of the one before it. What the accessory does not have, or does not report, is desired all
/// the same: it may be another one after the next look at its database.
package struct SubscriptionReconciler: Equatable, Sendable {
    /// What to ask the accessory for next.
    package enum Batch: Equatable, Sendable {
        case subscribe([CharacteristicID])
        case unsubscribe([CharacteristicID])
    }

    /// What is to be reported.
    package private(set) var desired: Set<CharacteristicID> = []
    /// What the accessory has granted on this connection.
    package private(set) var confirmed: Set<CharacteristicID> = []
    /// What it has refused on this connection, and why.
    package private(set) var refused: [CharacteristicID: HAPStatus] = [:]
    private var asked: Set<CharacteristicID> = []
    /// What the accessory may have granted on this connection; the answer is lost with its canceled caller.
    private var uncertain: Set<CharacteristicID> = []

    package init() {}

    /// Other characteristics are to be reported than before.
    ///
    /// - Parameters:
    ///   - ids: which.
    ///   - kept: those that stay desired if they are.
    ///   - retried: the characteristics to request again if they were refused.
    /// - Returns: the new and the retried characteristics.
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

    /// A connection begins, or the accessory may have become another: nothing holds that was said before.
    package mutating func begin() {
        confirmed = []
        refused = [:]
        asked = []
        uncertain = []
    }

    /// Requests the refused characteristics of an accessory again, because it has become reachable.
    package mutating func retry(_ aid: AccessoryID) { refused = refused.filter { $0.key.aid != aid } }

    /// What to ask for now; each batch is given out once.
    ///
    /// - Parameter reports: whether the accessory has such a characteristic and reports it.
    /// - Returns: `nil` if there is nothing to ask for.
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

    /// The answer to a batch of subscriptions is lost: they are requested again, or removed if they aren't desired any more.
    package mutating func lostAnswer(about ids: [CharacteristicID]) {
        let lost = asked.intersection(ids)
        asked.subtract(lost)
        uncertain.formUnion(lost)
    }

    /// What the accessory said to a batch.
    package mutating func answered(_ statuses: [CharacteristicID: HAPStatus]) {
        for (id, status) in statuses {
            asked.remove(id)
            uncertain.remove(id)
            if status == .success { confirmed.insert(id) } else { refused[id] = status }
        }
    }
}

/// What came of a wish to have a characteristic reported.
package enum SubscriptionOutcome: Equatable, Sendable {
    /// The accessory reports it.
    case confirmed
    /// There is no connection; it is asked for with the next one.
    case pending
    /// The accessory does not report it, and says why.
    case refused(HAPStatus)
    /// The request has no answer.
    case failed(RequestError)
}
