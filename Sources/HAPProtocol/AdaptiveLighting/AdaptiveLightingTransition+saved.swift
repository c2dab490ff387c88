package import HAPModel

extension AdaptiveLightingTransition {
    private static let version: UInt8 = 1
    private static let headLength = 9

    /// What must be stored so that the transition goes on after a restart; `nil` if none is active.
    ///
    /// One byte of version, eight (the least first) of the wall clock's milliseconds when the curve was received, then
    /// the configuration. Store it when the curve has come; it says nothing about what has been applied since.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - wallClock: the same time, since 2001-01-01T00:00Z; the clock behind `now` may begin anew with the machine.
    /// - Returns: the bytes to store.
    package func saved(now: ContinuousClock.Instant, wallClock: Duration) -> [UInt8]? {
        guard let active else { return nil }
        let received = TLV8.Item(type: 0, fixed: (wallClock - (now - active.received)).milliseconds)
        return [Self.version] + received.value + active.configuration.encoded(explicitHolds: false)
    }

    /// Creates the machine of a lamp whose transition goes on, unless its curve has ended in the meantime.
    ///
    /// If the wall clock, the time since 2001-01-01T00:00Z, was set back before the time of receipt, the curve starts
    /// over: the hub renews it daily.
    ///
    /// - Throws: a violation if the bytes are damaged, of another version, or about other characteristics.
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
