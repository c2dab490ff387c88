package import HomeModel

/// The unanswered calls and their states, from arrival to answer.
///
///     received ─┬────────────────────────────────┬─> committed ────┐
///               ├─> awaiting permission ─┐       │                 ├─> answered
///               └────────────────────────┴─> started ─> in effect ─┘
///
/// | input | awaiting permission | started | in effect | committed |
/// | --- | --- | --- | --- | --- |
/// | app cancels the call | fails with 47 | fails with 23 | continues | continues |
/// | app is denied | fails with 47 | fails with 47 | fails with 47; effects remain | continues |
/// | session is closed | dropped | dropped | dropped | dropped |
///
/// A call that requires no permission stays *received* and fails with 23 if it's canceled. The code that performs a
/// call checks ``isAwaited(_:)`` after each suspension, and ``takesEffect(_:)`` immediately before an irreversible
/// request to an accessory or the store. No work is started for a call that has left the table.
///
/// The table performs no work. Its methods return actions, in the order in which the calls arrived.
package struct CallTable: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// Performs the call, whose app now has permission.
        case perform(Call, HomeRequest)
        /// Answers the call with the error. The call has left the table.
        case fail(Call, HomeError)
    }

    /// The result of an incoming call.
    package enum Arrival: Sendable, Equatable {
        case accepted
        /// An unanswered call already has this number.
        case numberInUse
        /// The hub has ended.
        case hubEnded
    }

    private enum State: Equatable {
        /// Received. A call that requires no permission is performed in this state.
        case received
        /// Waiting for the user's decision about the app.
        case awaitingPermission(HomeRequest, deadline: ContinuousClock.Instant)
        /// Permitted and running.
        case started
        /// An irreversible request to an accessory or the store was sent.
        case inEffect
        /// The change is stored.
        case committed
    }

    private struct Entry: Equatable {
        /// The position of the call among all calls, in order of arrival.
        let number: UInt64
        /// The name of the app's user, according to the app.
        let person: String?
        var state: State
        /// The error if the user doesn't permit the call.
        var refusal = CallTable.refusal

        /// The time until which the call waits for permission; `nil` in other states.
        var deadline: ContinuousClock.Instant? {
            guard case .awaitingPermission(_, let deadline) = state else { return nil }
            return deadline
        }
    }

    private var entries: [Call: Entry] = [:]
    private var lastNumber: UInt64 = 0
    private var hasEnded = false

    package init() {}

    // MARK: Steps of a call

    /// Adds a call.
    ///
    /// `person` is the name of the app's user, according to the app.
    package mutating func received(_ call: Call, for person: String? = nil) -> Arrival {
        guard !hasEnded else { return .hubEnded }
        guard entries[call] == nil else { return .numberInUse }
        lastNumber += 1
        entries[call] = Entry(number: lastNumber, person: person, state: .received)
        return .accepted
    }

    /// Makes a received call wait for the user's decision until a deadline; returns its failure if the deadline has
    /// already passed.
    ///
    /// `refusal` is the error with which the call fails if the user doesn't permit it.
    package mutating func awaitsPermission(
        _ call: Call, for request: HomeRequest, until deadline: ContinuousClock.Instant, now: ContinuousClock.Instant,
        refusal: HomeError = HomeError(.homeAccessNotAuthorized)
    ) -> [Action] {
        guard deadline > now else { return fail([call], with: refusal) }
        entries[call]?.state = .awaitingPermission(request, deadline: deadline)
        entries[call]?.refusal = refusal
        return []
    }

    /// Returns the name of the user of an unanswered call's app, according to the app.
    package func person(of call: Call) -> String? { entries[call]?.person }

    package mutating func started(_ call: Call) { entries[call]?.state = .started }

    /// Marks a call before an irreversible request to an accessory or the store.
    ///
    /// - Returns: A Boolean value that indicates whether to send the request. It's `false` if the call was canceled or
    ///   denied, or if its session is closed.
    package mutating func takesEffect(_ call: Call) -> Bool {
        switch entries[call]?.state {
        case nil, .awaitingPermission: return false
        case .received, .started, .inEffect: entries[call]?.state = .inEffect
        case .committed: break
        }
        return true
    }

    /// Marks a call as committed: its change is stored, and only the answer is missing.
    package mutating func committed(_ call: Call) { entries[call]?.state = .committed }

    /// Removes a call that is being answered; returns `false` if it was already answered and must not be answered
    /// again.
    package mutating func answered(_ call: Call) -> Bool { entries.removeValue(forKey: call) != nil }

    /// Returns a Boolean value that indicates whether a call is unanswered.
    ///
    /// No work may start for an answered call.
    package func isAwaited(_ call: Call) -> Bool { entries[call] != nil }

    /// Returns a Boolean value that indicates whether a call is in effect, so that its app can't cancel it.
    package func isEffective(_ call: Call) -> Bool {
        switch entries[call]?.state {
        case .inEffect, .committed: true
        case nil, .received, .awaitingPermission, .started: false
        }
    }

    // MARK: The end of calls

    package mutating func cancelled(_ call: Call) -> [Action] {
        switch entries[call]?.state {
        case nil, .inEffect, .committed: []
        case .awaitingPermission: fail([call], with: Self.refusal)
        case .received, .started: fail([call], with: HomeError(.operationCancelled))
        }
    }

    /// Performs the waiting calls of sessions whose apps got permission.
    package mutating func permitted(_ sessions: [SessionID]) -> [Action] {
        calls(of: sessions).compactMap { call in
            guard case .awaitingPermission(let request, _)? = entries[call]?.state else { return nil }
            entries[call]?.state = .started
            return .perform(call, request)
        }
    }

    /// Starts one waiting call that the user allowed; returns its request, or `nil` if it isn't waiting.
    package mutating func permitted(_ call: Call) -> HomeRequest? {
        guard case .awaitingPermission(let request, _)? = entries[call]?.state else { return nil }
        entries[call]?.state = .started
        return request
    }

    /// Fails one waiting call that the user denied.
    package mutating func refused(_ call: Call) -> [Action] {
        isAwaitingPermission(call) ? refuse([call]) : []
    }

    package func isAwaitingPermission(_ call: Call) -> Bool {
        guard case .awaitingPermission? = entries[call]?.state else { return false }
        return true
    }

    /// Fails the calls of sessions whose apps were denied or lost permission, unless they require no permission
    /// or are committed.
    package mutating func refused(_ sessions: [SessionID]) -> [Action] {
        fail(
            calls(of: sessions).filter { call in
                switch entries[call]?.state {
                case nil, .received, .committed: false
                case .awaitingPermission, .started, .inEffect: true
                }
            }, with: Self.refusal)
    }

    /// Drops the calls of a closed session.
    ///
    /// No further work is done for them.
    package mutating func closed(_ session: SessionID) { entries = entries.filter { $0.key.session != session } }

    /// Fails all current and future calls because the hub has ended.
    package mutating func hubEnded() -> [Action] {
        hasEnded = true
        return fail(ordered(entries.keys), with: .hubEnds)
    }

    // MARK: Time

    /// The time at which to call ``deadlinesPassed(now:)``; `nil` if no call waits for permission.
    package var nextDeadline: ContinuousClock.Instant? { entries.values.compactMap(\.deadline).min() }

    /// Fails the calls that have waited too long for permission.
    package mutating func deadlinesPassed(now: ContinuousClock.Instant) -> [Action] {
        let late = entries.filter { _, entry in entry.deadline.map { $0 <= now } ?? false }.keys
        return refuse(ordered(late))
    }

    // MARK: Helpers

    private static let refusal = HomeError(.homeAccessNotAuthorized)

    private func calls(of sessions: [SessionID]) -> [Call] {
        let sessions = Set(sessions)
        return ordered(entries.keys.filter { sessions.contains($0.session) })
    }

    private func ordered(_ calls: some Sequence<Call>) -> [Call] {
        calls.sorted { entries[$0]?.number ?? 0 < entries[$1]?.number ?? 0 }
    }

    private mutating func refuse(_ calls: [Call]) -> [Action] {
        calls.flatMap { fail([$0], with: entries[$0]?.refusal ?? Self.refusal) }
    }

    private mutating func fail(_ calls: [Call], with error: HomeError) -> [Action] {
        calls.compactMap { answered($0) ? .fail($0, error) : nil }
    }
}

extension HomeError {
    /// The hub ended before the call was answered.
    static let hubEnds = HomeError(
        .daemonUnavailable, detail: "homehubd is shutting down; check later whether the change was made")
}

/// The identifier of an app's connection.
///
/// Identifiers are never reused.
package struct SessionID: Hashable, Sendable, Comparable {
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }

    package static func < (a: SessionID, b: SessionID) -> Bool { a.number < b.number }
}

/// A request that an app waits for.
package struct Call: Hashable, Sendable {
    package let session: SessionID
    /// The number that identifies the call within its session.
    package let number: UInt64

    package init(_ session: SessionID, _ number: UInt64) {
        self.session = session
        self.number = number
    }
}
