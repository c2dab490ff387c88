package import HomeModel

/// Every call that has no answer yet, and how far it is: the whole life of a call is here and nowhere else.
///
///     received ─┬────────────────────────────────┬─> committed ────┐
///               ├─> awaiting permission ─┐       │                 ├─> answered
///               └────────────────────────┴─> started ─> in effect ─┘
///
/// | input | awaiting permission | started | in effect | committed |
/// | --- | --- | --- | --- | --- |
/// | its app gives it up | fails with 47 | fails with 23 | goes on | goes on |
/// | its app is refused | fails with 47 | fails with 47 | fails with 47, what was asked of accessories or the store stays | goes on |
/// | its session is closed | is forgotten | is forgotten | is forgotten | is forgotten |
///
/// What is carried out without permission stays *received* and fails with 23 if it is given up. Whoever carries a call out
/// asks ``isAwaited(_:)`` when it goes on after a wait, and ``takesEffect(_:)`` right before an accessory or the store is asked
/// for what cannot be taken back: nothing is done for a call that has left the table.
///
/// Nothing waits here: inputs return what is to be done, in the order in which the calls came.
package struct CallTable: Sendable, Equatable {
    package enum Action: Sendable, Equatable {
        /// Carry the call out: its app is permitted now.
        case perform(Call, HomeRequest)
        /// Answer the call with the error. It has left the table, so that nothing more is done for it.
        case fail(Call, HomeError)
    }

    /// What becomes of a call that comes.
    package enum Arrival: Sendable, Equatable {
        case accepted
        /// A call of this number has no answer yet.
        case numberInUse
        /// The hub has ended.
        case hubEnded
    }

    private enum State: Equatable {
        /// It has come; what needs no permission is carried out.
        case received
        /// The user has not decided about its app yet.
        case awaitingPermission(HomeRequest, deadline: ContinuousClock.Instant)
        /// Its app is permitted, and it is carried out.
        case started
        /// An accessory, or the store, was asked for something that cannot be taken back.
        case inEffect
        /// What it changes is stored.
        case committed
    }

    private struct Entry: Equatable {
        /// When it came, among all calls.
        let number: UInt64
        var state: State

        /// Until when it waits for permission; `nil` if it does not.
        var deadline: ContinuousClock.Instant? {
            guard case .awaitingPermission(_, let deadline) = state else { return nil }
            return deadline
        }
    }

    private var entries: [Call: Entry] = [:]
    private var lastNumber: UInt64 = 0
    private var hasEnded = false

    package init() {}

    // MARK: A call's steps

    package mutating func received(_ call: Call) -> Arrival {
        guard !hasEnded else { return .hubEnded }
        guard entries[call] == nil else { return .numberInUse }
        lastNumber += 1
        entries[call] = Entry(number: lastNumber, state: .received)
        return .accepted
    }

    /// A received call waits for the user's decision until a deadline; returns its failure if it can't wait.
    package mutating func awaitsPermission(
        _ call: Call, for request: HomeRequest, until deadline: ContinuousClock.Instant, now: ContinuousClock.Instant
    ) -> [Action] {
        guard deadline > now else { return fail([call], with: Self.refusal) }
        entries[call]?.state = .awaitingPermission(request, deadline: deadline)
        return []
    }

    package mutating func started(_ call: Call) { entries[call]?.state = .started }

    /// An accessory, or the store, is about to be asked for something that cannot be taken back.
    ///
    /// - Returns: whether it may be asked; not for a call that was given up, refused, or whose session is closed.
    package mutating func takesEffect(_ call: Call) -> Bool {
        switch entries[call]?.state {
        case nil, .awaitingPermission: return false
        case .received, .started, .inEffect: entries[call]?.state = .inEffect
        case .committed: break
        }
        return true
    }

    /// What a call changes is stored; nothing but its answer is missing.
    package mutating func committed(_ call: Call) { entries[call]?.state = .committed }

    /// A call gets its answer; returns whether it is the first one, because a second one is not sent.
    package mutating func answered(_ call: Call) -> Bool { entries.removeValue(forKey: call) != nil }

    /// Whether a call has no answer yet; what no app waits for is not begun.
    package func isAwaited(_ call: Call) -> Bool { entries[call] != nil }

    /// Whether a call takes effect already, so that its app cannot give it up.
    package func isEffective(_ call: Call) -> Bool {
        switch entries[call]?.state {
        case .inEffect, .committed: true
        case nil, .received, .awaitingPermission, .started: false
        }
    }

    // MARK: What ends calls

    package mutating func cancelled(_ call: Call) -> [Action] {
        switch entries[call]?.state {
        case nil, .inEffect, .committed: []
        case .awaitingPermission: fail([call], with: Self.refusal)
        case .received, .started: fail([call], with: HomeError(.operationCancelled))
        }
    }

    /// Apps are permitted: what their sessions have waited with is carried out.
    package mutating func permitted(_ sessions: [SessionID]) -> [Action] {
        calls(of: sessions).compactMap { call in
            guard case .awaitingPermission(let request, _)? = entries[call]?.state else { return nil }
            entries[call]?.state = .started
            return .perform(call, request)
        }
    }

    /// The user allows one call; returns its request, or `nil` if it did not wait.
    package mutating func permitted(_ call: Call) -> HomeRequest? {
        guard case .awaitingPermission(let request, _)? = entries[call]?.state else { return nil }
        entries[call]?.state = .started
        return request
    }

    /// The user refuses one call that waits.
    package mutating func refused(_ call: Call) -> [Action] {
        isAwaitingPermission(call) ? fail([call], with: Self.refusal) : []
    }

    package func isAwaitingPermission(_ call: Call) -> Bool {
        guard case .awaitingPermission? = entries[call]?.state else { return false }
        return true
    }

    /// Apps are refused, or permitted no more: their calls fail, but for those that need no permission and those that have
    /// been committed.
    package mutating func refused(_ sessions: [SessionID]) -> [Action] {
        fail(
            calls(of: sessions).filter { call in
                switch entries[call]?.state {
                case nil, .received, .committed: false
                case .awaitingPermission, .started, .inEffect: true
                }
            }, with: Self.refusal)
    }

    /// A session is closed: nothing is done any more for its calls that has not been done yet.
    package mutating func closed(_ session: SessionID) { entries = entries.filter { $0.key.session != session } }

    /// The hub has ended: all calls fail, and those that come later.
    package mutating func hubEnded() -> [Action] {
        hasEnded = true
        return fail(ordered(entries.keys), with: .hubEnds)
    }

    // MARK: Time

    /// When ``deadlinesPassed(now:)`` is to be asked; `nil` if no call waits for permission.
    package var nextDeadline: ContinuousClock.Instant? { entries.values.compactMap(\.deadline).min() }

    /// Fails the calls that have waited for permission for too long.
    package mutating func deadlinesPassed(now: ContinuousClock.Instant) -> [Action] {
        let late = entries.filter { _, entry in entry.deadline.map { $0 <= now } ?? false }.keys
        return fail(ordered(late), with: Self.refusal)
    }

    // MARK: Its parts

    private static let refusal = HomeError(.homeAccessNotAuthorized)

    private func calls(of sessions: [SessionID]) -> [Call] {
        let sessions = Set(sessions)
        return ordered(entries.keys.filter { sessions.contains($0.session) })
    }

    private func ordered(_ calls: some Sequence<Call>) -> [Call] {
        calls.sorted { entries[$0]?.number ?? 0 < entries[$1]?.number ?? 0 }
    }

    private mutating func fail(_ calls: [Call], with error: HomeError) -> [Action] {
        calls.compactMap { answered($0) ? .fail($0, error) : nil }
    }
}

extension HomeError {
    /// The hub has ended before there was an answer.
    static let hubEnds = HomeError(
        .daemonUnavailable, detail: "homehubd is ending; look later whether it was done")
}

/// One connection of an app, from its opening to its end; numbers are never used again.
package struct SessionID: Hashable, Sendable, Comparable {
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }

    package static func < (a: SessionID, b: SessionID) -> Bool { a.number < b.number }
}

/// One request that an app waits on.
package struct Call: Hashable, Sendable {
    package let session: SessionID
    /// Tells the session's calls apart.
    package let number: UInt64

    package init(_ session: SessionID, _ number: UInt64) {
        self.session = session
        self.number = number
    }
}
