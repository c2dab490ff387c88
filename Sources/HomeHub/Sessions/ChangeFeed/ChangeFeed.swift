package import BoundedJSON
package import HomeModel

/// Notifies each session of changes by other sessions and devices, and tracks which session observes which value.
///
/// - A transaction goes to every authorized session except the initiator's, in the order of commits. The initiator
///   receives it in the answer to its call. The answer marks the changes that the initiator must report to its own
///   listeners, such as accessories that are added with a bridge.
/// - A value goes to the sessions that observe it, except the session that wrote it. A device doesn't report the hub's
///   own writes, so other sessions learn of a write only from the feed. Sessions that don't observe the value receive
///   it only to update their copies of the homes.
/// - A session that doesn't read its deliveries doesn't block other sessions: see ``Outbox``.
/// - The hub observes a value at a device if at least one session observes it. Values of an unreachable accessory
///   aren't observed. The sessions' observations resume when it returns.
///
/// The feed performs no work. Its methods return actions, and ``next(for:)`` returns the deliveries.
package struct ChangeFeed: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// The first delivery is available for a session that had none.
        case deliver(SessionID)
        /// Subscribes to these values at the devices.
        ///
        /// The caller passes values that a device refuses to report to ``refused(_:)``.
        case subscribe([Characteristic.ID])
        /// Unsubscribes from values that no session needs any longer.
        case unsubscribe([Characteristic.ID])
    }

    private struct Session: Equatable {
        var outbox: Outbox
        var isAuthorized: Bool
    }

    private let limit: Int
    private var sessions: [SessionID: Session] = [:]
    var observations = ObservationDemand()

    /// Creates a feed without sessions, with at most `limit` pending notifications for each.
    ///
    /// A limit below 1 counts as 1.
    package init(limit: Int = Self.defaultLimit) { self.limit = max(1, limit) }

    // MARK: Sessions

    /// Adds a session.
    ///
    /// The session isn't notified of earlier changes. It loads the homes instead.
    package mutating func opened(_ session: SessionID, status: AuthorizationStatus) {
        sessions[session] = Session(outbox: Outbox(limit: limit), isAuthorized: status.contains(.authorized))
    }

    package mutating func closed(_ session: SessionID) -> [Action] {
        sessions[session] = nil
        return stopObserving(session)
    }

    /// Changes the authorization of sessions.
    ///
    /// A session that lost its permission receives this notification, errors instead of pending results, and nothing
    /// more. A session that regained its permission loads its homes again.
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

    /// Removes and returns the next delivery for a session; `nil` if there is none.
    package mutating func next(for session: SessionID) -> Delivery? { sessions[session]?.outbox.next() }

    // MARK: Notifications

    /// Handles a committed write, or a device's change of a home.
    ///
    /// If an app's call caused it, ``answered(_:with:)`` must follow before any other input, so that the app's copy of
    /// the homes has no gap.
    package mutating func committed(_ transaction: HomeTransaction, by initiator: SessionID? = nil) -> [Action] {
        for change in transaction.changes { observations.apply(change.event, to: transaction.home) }
        return notifyAll(.transaction(transaction)) { $0 != initiator }
    }

    /// Queues the answer to a call, after all earlier messages to its session.
    ///
    /// A session that lost its permission receives an error instead of the result, unless the result requires no
    /// permission.
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

    /// Handles a device's report that `HomeGraph.apply` found to be new.
    ///
    /// The app whose call set the value isn't notified, because the answer contains the value.
    package mutating func received(_ event: LiveEvent, writer: SessionID? = nil) -> [Action] {
        switch event {
        case .reachabilityUpdated(let accessory, let isReachable):
            let due = observations.reachabilityChanged(of: accessory, to: isReachable)
            return notifyAll(.live(event)) { _ in true } + (due.isEmpty ? [] : [.subscribe(due)])
        case .faultUpdated, .triggerFired, .readFailed: return notifyAll(.live(event)) { _ in true }
        case .actionSetExecutionUpdated:
            return notifyAll(.live(event)) { $0 != writer } + notifyAll(.cached(event)) { $0 == writer }
        case .valueUpdated(let id, _, _):
            let observers = observations.observers(of: id)
            return notifyAll(.live(event)) { $0 != writer && observers.contains($0) }
                + notifyAll(.cached(event)) { $0 != writer && !observers.contains($0) }
        }
    }

    /// Handles the replacement of all homes, for example by a backup.
    ///
    /// All apps load them again.
    package mutating func homesReplaced(by graph: HomeGraph) -> [Action] {
        observations.homesReplaced(by: graph)
        return sessions.filter(\.value.isAuthorized).keys.sorted().flatMap { id in change(id) { $0.outbox.invalidate() }
        }
    }

    /// Sends a notification that concerns only the given sessions, such as a question or a search result.
    ///
    /// Apps request the same information again after an unexpected `homesUpdated`.
    package mutating func notify(_ notification: HomeNotification, _ those: [SessionID]) -> [Action] {
        notifyAll(notification, where: Set(those).contains)
    }

    /// Sends a session a notification that requires no permission.
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
