/// Decides when to connect again: half a second after the first failure, then half as long again each time, up to a
/// minute; an accessory that has dropped our pairing is asked every few minutes only.
///
/// It holds no clock: time comes in as `now`.
package struct ReconnectPolicy: Equatable, Sendable {
    /// The pauses.
    package struct Limits: Equatable, Sendable {
        /// After the first failure.
        package var shortest = Duration.milliseconds(500)
        /// However many failures there were.
        package var longest = Duration.seconds(60)
        /// When the accessory does not know us.
        package var refused = Duration.seconds(300)
        /// A session that has stood for so long wipes the failures before it out.
        package var stable = Duration.seconds(30)

        package init() {}
    }

    private let limits: Limits
    private var failures = 0
    private var connectedAt: ContinuousClock.Instant?
    private var endedAt: ContinuousClock.Instant?

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// A session stands.
    package mutating func connected(now: ContinuousClock.Instant) { connectedAt = now }

    /// A try has failed, or the session has ended.
    ///
    /// - Parameters:
    ///   - isRefused: whether the accessory has said that it does not know us.
    ///   - share: a random number, 0 to 1, that spreads the tries of many: a pause is three quarters of its length at
    ///     least.
    ///   - now: the time.
    /// - Returns: when to try again.
    package mutating func ended(
        isRefused: Bool, share: Double, now: ContinuousClock.Instant
    ) -> ContinuousClock.Instant {
        if let connectedAt, now - connectedAt >= limits.stable { failures = 0 }
        connectedAt = nil
        endedAt = now
        guard !isRefused else { return now + limits.refused }
        var pause = limits.shortest
        for _ in 0..<failures where pause < limits.longest { pause = pause * 3 / 2 }
        failures = min(failures + 1, 64)
        return now + min(pause, limits.longest) * (0.75 + 0.25 * min(max(share, 0), 1))
    }

    /// The accessory has shown itself in another way than before: a new address, a restart.
    ///
    /// - Parameter next: when the next try was to be.
    /// - Returns: when it is to be now: at once, but no two tries stand closer together than the shortest pause.
    package func appeared(next: ContinuousClock.Instant) -> ContinuousClock.Instant {
        guard let endedAt else { return next }
        return min(next, endedAt + limits.shortest)
    }
}
