package import BoundedJSON
package import HomeModel

/// Tells each session what the others and the devices did, and knows who observes which value.
///
/// - A transaction goes to every authorized session but the initiator's, in the order of the commits. The initiator has
///   it in the answer to its call; those changes in it that its listeners are notified of, such as what comes with a bridge,
///   are marked there.
/// - A value is sent to the sessions that enabled it, but not to the one that wrote it. A device does not tell us what we
///   wrote, so for the others this is the only report of it. Sessions that did not enable it get it for their copies of the
///   homes only, so that none sees less than another.
/// - A session that does not read holds up no other: see ``Outbox``.
/// - What is observed at a device is what at least one session observes. While an accessory cannot be reached nothing of
///   it is observed; what sessions wanted is observed again when it is back.
///
/// Nothing waits here: inputs return what is to be done, and whoever carries deliveries takes them with ``next(for:)``.
package struct ChangeFeed: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// Something waits for a session for which nothing did.
        case deliver(SessionID)
        /// Have the devices report these values; ``refused(_:)`` says if one does not.
        case subscribe([Characteristic.ID])
        /// No session needs the reports any more.
        case unsubscribe([Characteristic.ID])
    }

    private struct Session: Equatable {
        var outbox: Outbox
        var isAuthorized: Bool
    }

    private let limit: Int
    private var sessions: [SessionID: Session] = [:]
    var observations = ObservationDemand()

    /// Begins without sessions; at most `limit` notifications, at least 1, may wait for each.
    package init(limit: Int = Self.defaultLimit) { self.limit = max(1, limit) }

    // MARK: Sessions

    /// An app opened a session; it is notified of nothing of the past, but loads the homes.
    package mutating func opened(_ session: SessionID, status: AuthorizationStatus) {
        sessions[session] = Session(outbox: Outbox(limit: limit), isAuthorized: status.contains(.authorized))
    }

    package mutating func closed(_ session: SessionID) -> [Action] {
        sessions[session] = nil
        return stopObserving(session)
    }

    /// Apps may do something else than before.
    ///
    /// A session that lost its permission is notified and nothing more; one that has it again loads its homes anew.
    package mutating func authorizationChanged(of those: [SessionID], to status: AuthorizationStatus) -> [Action] {
        var actions: [Action] = []
        for id in those {
            actions += change(id) { session in
                session.isAuthorized = status.contains(.authorized)
                session.outbox.authorizationChanged(to: status)
            }
            if !status.contains(.authorized) { actions += stopObserving(id) }
        }
        return actions
    }

    /// Takes what a session is to be told next; `nil` if there is nothing.
    package mutating func next(for session: SessionID) -> Delivery? { sessions[session]?.outbox.next() }

    // MARK: Notifications

    /// A write was committed, or a device changed a home.
    ///
    /// If it was an app's call, ``answered(_:with:)`` must follow before anything else happens, so that its copy of the
    /// homes has no gap.
    package mutating func committed(_ transaction: HomeTransaction, by initiator: SessionID? = nil) -> [Action] {
        for change in transaction.changes { observations.apply(change.event, to: transaction.home) }
        return notifyAll(.transaction(transaction)) { $0 != initiator }
    }

    /// A call was carried out, or failed; its session learns of it behind all that happened before.
    ///
    /// A session that has no permission any more learns that instead of a result, unless the result needs none.
    package mutating func answered(
        _ call: Call, with result: Result<JSONValue, HomeError>, isForAnyone: Bool = false
    ) -> [Action] {
        change(call.session) { session in
            var result = result
            if case .success = result, !session.isAuthorized, !isForAnyone {
                result = .failure(HomeError(.homeAccessNotAuthorized))
            }
            session.outbox.append(result, to: call)
        }
    }

    /// A device has reported something, and `HomeGraph.apply` found that it is new.
    ///
    /// The app whose call set the value has it in the answer.
    package mutating func received(_ event: LiveEvent, writer: SessionID? = nil) -> [Action] {
        switch event {
        case .reachabilityUpdated(let accessory, let isReachable):
            let due = observations.reachabilityChanged(of: accessory, to: isReachable)
            return notifyAll(.live(event)) { _ in true } + (due.isEmpty ? [] : [.subscribe(due)])
        case .faultUpdated: return notifyAll(.live(event)) { _ in true }
        case .actionSetExecutionUpdated:
            return notifyAll(.live(event)) { $0 != writer } + notifyAll(.cached(event)) { $0 == writer }
        case .valueUpdated(let id, _, _):
            let observers = observations.observers(of: id)
            return notifyAll(.live(event)) { $0 != writer && observers.contains($0) }
                + notifyAll(.cached(event)) { $0 != writer && !observers.contains($0) }
        }
    }

    /// All homes were replaced at once, as when a backup is restored; everybody loads them anew.
    package mutating func homesReplaced(by graph: HomeGraph) -> [Action] {
        observations.homesReplaced(by: graph)
        return sessions.filter(\.value.isAuthorized).keys.sorted().flatMap { id in change(id) { $0.outbox.invalidate() }
        }
    }

    /// Tells some sessions what concerns only them, such as a question or what their search found.
    ///
    /// After a `homesUpdated` that they did not expect, they ask for these things again.
    package mutating func notify(_ notification: HomeNotification, _ those: [SessionID]) -> [Action] {
        notifyAll(notification, where: Set(those).contains)
    }

    /// Tells a session what it may know without permission, as ``answered(_:with:isForAnyone:)`` does.
    package mutating func notifyAnyone(_ notification: HomeNotification, _ id: SessionID) -> [Action] {
        change(id) { $0.outbox.append(notification) }
    }

    private mutating func notifyAll(
        _ notification: HomeNotification, where isMeant: (SessionID) -> Bool
    ) -> [Action] {
        sessions.filter { isMeant($0) && $1.isAuthorized }.keys.sorted().flatMap { id in
            change(id) { $0.outbox.append(notification) }
        }
    }

    func isAuthorized(_ session: SessionID) -> Bool { sessions[session]?.isAuthorized ?? false }

    private mutating func stopObserving(_ session: SessionID) -> [Action] {
        let idle = observations.stopAll(by: session)
        return idle.isEmpty ? [] : [.unsubscribe(idle)]
    }

    private mutating func change(_ id: SessionID, _ change: (inout Session) -> Void) -> [Action] {
        guard var session = sessions.removeValue(forKey: id) else { return [] }
        let wasEmpty = session.outbox.isEmpty
        change(&session)
        sessions[id] = session
        return wasEmpty && !session.outbox.isEmpty ? [.deliver(id)] : []
    }
}
