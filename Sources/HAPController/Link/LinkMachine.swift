internal import Dialing

/// The lifecycle of a link to one accessory server, as a state machine without I/O or a clock.
///
///     searching ─> waiting <─> dialing <─> verifying ─> verified
///                     ^                                    │
///                     └────────────────────────────────────┘
///
/// A round of connection attempts tries each address once. If a peer fails to prove its identity, the round continues
/// with the other addresses, so that an impostor can't stop the search. ``ReconnectPolicy`` decides when the next round
/// begins. ``stop()`` is possible in any state.
struct LinkMachine<Session> {
    enum State {
        /// The browser hasn't reported the accessory yet.
        case searching
        /// The next round begins at the given time.
        case waiting(until: ContinuousClock.Instant)
        /// The next addresses are being tried; the associated value is this round's failure so far.
        case dialing(LinkFailure)
        /// An address has answered, and the peer must prove its identity.
        ///
        /// The associated failure is this round's failure so far.
        case verifying(Session, LinkFailure)
        /// The peer has proven its identity.
        case verified(Session)
        case stopped
    }

    private(set) var state = State.searching
    /// The accessory as the browser last reported it.
    private(set) var accessory: AdvertisedAccessory?
    private var candidates = Candidates<AccessoryEndpoint>()
    private var policy: ReconnectPolicy

    init(_ limits: ReconnectPolicy.Limits) { policy = ReconnectPolicy(limits) }

    /// The session with the accessory; `nil` until its identity is proven, and after the session ends.
    var session: Session? {
        guard case .verified(let session) = state else { return nil }
        return session
    }

    /// The addresses tried in this round.
    var tried: [AccessoryEndpoint] { candidates.tried }

    /// Updates the accessory that the browser reports.
    ///
    /// - Parameters:
    ///   - accessory: The record.
    ///   - shortensPause: Whether a changed record is a reason to connect sooner.
    ///   - now: The time.
    /// - Returns: Whether anything has changed.
    mutating func appeared(
        _ accessory: AdvertisedAccessory, shortensPause: Bool = true, now: ContinuousClock.Instant
    ) -> Bool {
        guard accessory != self.accessory else { return false }
        self.accessory = accessory
        candidates.update(accessory.endpoints)
        switch state {
        case .searching: state = .waiting(until: now)
        case .waiting(let next) where shortensPause: state = .waiting(until: policy.appeared(next: next))
        case .waiting, .dialing, .verifying, .verified, .stopped: break
        }
        return true
    }

    /// Begins a round of connection attempts.
    mutating func begin() {
        guard case .waiting = state else { return }
        candidates.begin()
        state = .dialing(.unreachable)
    }

    /// Returns the address to try next; `nil` if all addresses were tried.
    mutating func nextAddress() -> AccessoryEndpoint? {
        guard case .dialing = state else { return nil }
        return candidates.next()
    }

    /// Records that an address has answered.
    ///
    /// - Returns: `false` if the link was stopped in the meantime, and the caller must close the connection.
    mutating func answered(_ session: Session, at endpoint: AccessoryEndpoint) -> Bool {
        guard case .dialing(let failure) = state else { return false }
        candidates.answered(endpoint)
        state = .verifying(session, failure)
        return true
    }

    /// Records that the peer has proven its identity.
    ///
    /// - Returns: `false` if the link was stopped in the meantime, and the session isn't needed.
    mutating func verified(now: ContinuousClock.Instant) -> Bool {
        guard case .verifying(let session, _) = state else { return false }
        candidates.confirm()
        policy.connected(now: now)
        state = .verified(session)
        return true
    }

    /// Records that the connection has ended, or that all addresses have failed.
    ///
    /// - Parameters:
    ///   - failure: The reason; `nil` if all remaining addresses failed.
    ///   - share: A random number from 0 to 1 that spreads the rounds of many links.
    ///   - now: The time.
    /// - Returns: The failure of the round; `nil` if the round continues.
    mutating func ended(
        _ failure: LinkFailure? = nil, share: Double, now: ContinuousClock.Instant
    ) -> LinkFailure? {
        let reason: LinkFailure
        switch state {
        case .searching, .waiting, .stopped: return nil
        case .verifying(_, let former):
            // Keep `notPaired`: it comes from an accessory that has proven its identity. No later failure replaces it.
            state = .dialing(former == .notPaired ? former : failure ?? former)
            return nil
        case .dialing(let former): reason = former
        case .verified: reason = failure ?? .ended(.closed)
        }
        state = .waiting(until: policy.ended(isRefused: reason == .notPaired, share: share, now: now))
        return reason
    }

    /// Stops the link permanently.
    ///
    /// - Returns: The session to close.
    mutating func stop() -> Session? {
        defer { state = .stopped }
        switch state {
        case .verifying(let session, _), .verified(let session): return session
        case .searching, .waiting, .dialing, .stopped: return nil
        }
    }
}
