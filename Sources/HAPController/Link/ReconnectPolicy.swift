/// Decides when to reconnect: about half a second after the first failure, then after pauses that grow by 50 % each
/// time, up to a minute.
///
/// If the accessory has removed the pairing, attempts are a few minutes apart. The policy has no clock; callers pass
/// the time as `now`.
package struct ReconnectPolicy: Equatable, Sendable {
    /// The limits of the pauses.
    package struct Limits: Equatable, Sendable {
        /// The pause after the first failure.
        package var shortest = Duration.milliseconds(500)
        /// The longest pause, regardless of the number of failures.
        package var longest = Duration.seconds(60)
        /// The pause after the accessory reported that it has no pairing with this controller.
        package var refused = Duration.seconds(300)
        /// How long a session must last to reset the number of failures.
        package var stable = Duration.seconds(30)

        package init() {}
    }

    private let limits: Limits
    private var failures = 0
    private var connectedAt: ContinuousClock.Instant?
    private var endedAt: ContinuousClock.Instant?

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Records the start of a session.
    package mutating func connected(now: ContinuousClock.Instant) { connectedAt = now }

    /// Records a failed attempt or the end of a session.
    ///
    /// - Parameters:
    ///   - isRefused: Whether the accessory has reported that it has no pairing with this controller.
    ///   - share: A random number from 0 to 1 that spreads the attempts of many links; it shortens a pause by at most a
    ///     quarter.
    ///   - now: The time.
    /// - Returns: The time of the next attempt.
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

    /// Returns the time of the next attempt after the accessory's record has changed, for example because of a new
    /// address or a restart.
    ///
    /// - Parameter next: The scheduled time of the next attempt.
    /// - Returns: The scheduled time, or the end of the shortest pause after the last failure if that is earlier.
    package func appeared(next: ContinuousClock.Instant) -> ContinuousClock.Instant {
        guard let endedAt else { return next }
        return min(next, endedAt + limits.shortest)
    }
}
