internal import Dialing

/// The life of a link to one accessory server: a machine without I/O and clock.
///
///     searching ─> waiting <─> dialing <─> verifying ─> verified
///                     ^                                    │
///                     └────────────────────────────────────┘
///
/// A round tries each address once. A peer without a proven identity has no say in where else to look: the round goes on with the
/// other addresses. ``ReconnectPolicy`` decides when the next round begins. ``stop()`` is possible at any time.
struct LinkMachine<Session> {
    enum State {
        /// The accessory hasn't been seen.
        case searching
        /// The next round begins at a time.
        case waiting(until: ContinuousClock.Instant)
        /// The next address is tried; the failure is that of the round so far.
        case dialing(LinkFailure)
        /// An address has answered; the peer must prove its identity.
        case verifying(Session, LinkFailure)
        /// The identity is proven.
        case verified(Session)
        case stopped
    }

    private(set) var state = State.searching
    /// The accessory as the browser has seen it last.
    private(set) var accessory: AdvertisedAccessory?
    private var candidates = Candidates<AccessoryEndpoint>()
    private var policy: ReconnectPolicy

    init(_ limits: ReconnectPolicy.Limits) { policy = ReconnectPolicy(limits) }

    /// The session with the accessory; `nil` before its identity is proven and after the end.
    var session: Session? {
        guard case .verified(let session) = state else { return nil }
        return session
    }

    /// The addresses that were tried in this round.
    var tried: [AccessoryEndpoint] { candidates.tried }

    /// The browser sees the accessory.
    ///
    /// - Returns: whether anything has changed.
    mutating func appeared(_ accessory: AdvertisedAccessory, now: ContinuousClock.Instant) -> Bool {
        guard accessory != self.accessory else { return false }
        self.accessory = accessory
        candidates.update(accessory.endpoints)
        switch state {
        case .searching: state = .waiting(until: now)
        case .waiting(let next): state = .waiting(until: policy.appeared(next: next))
        case .dialing, .verifying, .verified, .stopped: break
        }
        return true
    }

    /// A round begins.
    mutating func begin() {
        guard case .waiting = state else { return }
        candidates.begin()
        state = .dialing(.unreachable)
    }

    /// Returns the address to try next, or `nil` without one for now.
    mutating func nextAddress() -> AccessoryEndpoint? {
        guard case .dialing = state else { return nil }
        return candidates.next()
    }

    /// An address has answered.
    ///
    /// - Returns: whether the connection is needed.
    mutating func answered(_ session: Session, at endpoint: AccessoryEndpoint) -> Bool {
        guard case .dialing(let failure) = state else { return false }
        candidates.answered(endpoint)
        state = .verifying(session, failure)
        return true
    }

    /// The peer has proven that it is the accessory.
    ///
    /// - Returns: whether the session is needed.
    mutating func verified(now: ContinuousClock.Instant) -> Bool {
        guard case .verifying(let session, _) = state else { return false }
        candidates.confirm()
        policy.connected(now: now)
        state = .verified(session)
        return true
    }

    /// The connection has ended, or no address is left.
    ///
    /// - Parameters:
    ///   - failure: the reason; `nil` without a connection.
    ///   - share: a random number, 0 to 1, that spreads the rounds of many links.
    ///   - now: the time.
    /// - Returns: the failure of the round; `nil` if it goes on.
    mutating func ended(
        _ failure: LinkFailure? = nil, share: Double, now: ContinuousClock.Instant
    ) -> LinkFailure? {
        let reason: LinkFailure
        switch state {
        case .searching, .waiting, .stopped: return nil
        case .verifying(_, let former):
            // Only an accessory that has proven its identity can end the pairing.
            state = .dialing(former == .notPaired ? former : failure ?? former)
            return nil
        case .dialing(let former): reason = former
        case .verified: reason = failure ?? .ended(.closed)
        }
        state = .waiting(until: policy.ended(isRefused: reason == .notPaired, share: share, now: now))
        return reason
    }

    /// Ends the link permanently.
    ///
    /// - Returns: the session to close.
    mutating func stop() -> Session? {
        defer { state = .stopped }
        switch state {
        case .verifying(let session, _), .verified(let session): return session
        case .searching, .waiting, .dialing, .stopped: return nil
        }
    }
}
