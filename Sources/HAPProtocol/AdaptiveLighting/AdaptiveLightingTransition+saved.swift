package import HAPModel

extension AdaptiveLightingTransition {
    private static let version: UInt8 = 1
    private static let headLength = 9

    /// Returns the bytes to store so that the transition can continue after a restart, or `nil` if none is active.
    ///
    /// Store the bytes whenever a curve is received. They don't contain the changes that are applied later.
    ///
    /// The format is a version byte, the wall-clock time of receipt in milliseconds (eight bytes, least significant
    /// byte first), and the configuration.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - wallClock: The wall-clock time at `now`, as the time since 2001-01-01T00:00Z. It is necessary because the
    ///     clock of `now` may start over when the machine restarts.
    /// - Returns: The bytes to store.
    package func saved(now: ContinuousClock.Instant, wallClock: Duration) -> [UInt8]? {
        guard let active else { return nil }
        let received = TLV8.Item(type: 0, fixed: (wallClock - (now - active.received)).milliseconds)
        return [Self.version] + received.value + active.configuration.encoded(explicitHolds: false)
    }

    /// Restores the state of a lamp from saved bytes; the transition continues, unless its curve has ended.
    ///
    /// If the wall clock, the time since 2001-01-01T00:00Z, was set back to before the time of receipt, the curve
    /// starts over. This is harmless, because the hub renews the curve daily.
    ///
    /// - Throws: ``TransitionViolation`` if the bytes are damaged, have another version, or apply to characteristics
    ///   other than the given ones.
    package init(
        resuming saved: [UInt8], brightness: InstanceID, colorTemperature: InstanceID, miredRange: ClosedRange<Int>,
        now: ContinuousClock.Instant, wallClock: Duration
    ) throws(TransitionViolation) {
        self.init(brightness: brightness, colorTemperature: colorTemperature, miredRange: miredRange)
        guard saved.count >= Self.headLength, saved[0] == Self.version else { throw .invalid(.version) }
        let configuration = try TransitionConfiguration(parsing: Array(saved.dropFirst(Self.headLength)))
        guard isOurs(configuration) else { throw .invalid(.instanceID) }
        let received = saved[1..<Self.headLength].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let elapsed = max(.zero, wallClock - .milliseconds(received))
        guard elapsed <= configuration.curve.duration else { return }
        active = Active(configuration: configuration, received: now - elapsed)
    }
}
