package import HAPModel

/// The adaptive lighting of one lamp: the transition that a hub has enabled, the current target, and the end of the
/// transition (HAP 12.1).
///
/// Callers pass the time as `now`. A curve starts when it is received, so a wrong wall clock doesn't matter. The
/// methods that report changes of the lamp may be called with or without an active transition. When `activeCount`
/// changes, the owner stores `saved(now:wallClock:)` and sends an event for CharacteristicValueActiveTransitionCount.
/// When a hub renews the curve, the owner only stores it again.
package struct AdaptiveLightingTransition: Equatable, Sendable {
    /// The next action for the lamp.
    package enum Action: Equatable, Sendable {
        /// Do nothing until the lamp's state or the transition changes.
        case idle
        /// Do nothing until this time.
        case wait(until: ContinuousClock.Instant)
        /// Set the color temperature, and call ``lampIs(on:brightness:now:)`` again at `wakeAt`.
        ///
        /// Notify subscribers only if `notify` is `true`.
        case apply(mired: Int, notify: Bool, wakeAt: ContinuousClock.Instant)
        /// The curve has ended, and no transition is active.
        case ended
    }

    /// A color change that the device reports by itself.
    package enum DeviceReport: Equatable, Sendable {
        /// The device shows a color.
        case color
        /// The device shows white with the given color temperature.
        case colorTemperature(mired: Int)
    }

    struct Active: Equatable, Sendable {
        let configuration: TransitionConfiguration
        let received: ContinuousClock.Instant
        /// The last color temperature applied since the lamp was switched on; `nil` if one must be applied immediately.
        var applied: Applied?
        /// The last color temperature that was sent to subscribers.
        var notified: Notified?
    }

    struct Applied: Equatable, Sendable {
        let mired: Int
        /// The previous color temperature, from which the lamp may still be fading.
        let from: Int
        let brightness: Int
        let at: ContinuousClock.Instant
    }

    struct Notified: Equatable, Sendable {
        let mired: Int
        let at: ContinuousClock.Instant
    }

    /// The shortest update interval.
    ///
    /// A hub may request a shorter interval, but that would overload a lamp.
    private static let shortestInterval = Duration.seconds(1)
    /// The tolerated difference between the commanded and the reported color temperature, in mired.
    ///
    /// A lamp may support fewer steps.
    private static let tolerance = 5
    /// The time after a command for which a lamp may be fading and reporting intermediate color temperatures.
    private static let fade = Duration.seconds(10)

    let brightness: InstanceID
    let colorTemperature: InstanceID
    private let miredRange: ClosedRange<Int>
    /// The active transition; `nil` if there is none.
    var active: Active?

    /// Creates the state of a lamp without a transition.
    package init(brightness: InstanceID, colorTemperature: InstanceID, miredRange: ClosedRange<Int>) {
        self.brightness = brightness
        self.colorTemperature = colorTemperature
        self.miredRange = miredRange
    }

    // MARK: The three characteristics

    /// The value of SupportedCharacteristicValueTransitionConfiguration (144).
    package var supportedConfiguration: [UInt8] {
        SupportedTransitionConfiguration(brightness: brightness, colorTemperature: colorTemperature).encoded
    }

    /// The value of CharacteristicValueActiveTransitionCount (24B).
    package var activeCount: UInt8 { active == nil ? 0 : 1 }

    /// The value of CharacteristicValueTransitionControl (143) for a plain read.
    package func controlValue(now: ContinuousClock.Instant) -> [UInt8] {
        active.map { status(of: $0, now: now).encoded } ?? []
    }

    /// Handles a write of CharacteristicValueTransitionControl (143).
    ///
    /// Call ``lampIs(on:brightness:now:)`` afterwards.
    ///
    /// - Returns: The write response.
    /// - Throws: `invalidValue` if the value isn't a valid request for this lamp; an active transition stays active.
    package mutating func controlWritten(
        _ value: [UInt8], now: ContinuousClock.Instant
    ) throws(HAPStatus) -> [UInt8] {
        guard let request = try? TransitionControlRequest(parsing: value) else { throw .invalidValue }
        switch request {
        case .read(let instance):
            guard instance == colorTemperature else { throw .invalidValue }
            return (active.map { .active($0.configuration) } ?? TransitionControlResponse.inactive).encoded
        case .update(let configuration):
            guard isOurs(configuration) else { throw .invalidValue }
            // A renewal itself causes no event, because subscribers already know the lamp's color temperature.
            let renewed = Active(configuration: configuration, received: now, notified: active?.notified)
            active = renewed
            return TransitionControlResponse.updated(status(of: renewed, now: now)).encoded
        case .disable(let instance):
            guard instance == colorTemperature else { throw .invalidValue }
            active = nil
            return TransitionControlResponse.disabled.encoded
        }
    }

    // MARK: The lamp

    /// Returns the next action for the lamp's state.
    ///
    /// Call this method whenever the lamp's state changes, and at the time that the previous action requested. The
    /// brightness is in percent. A lamp that is off isn't changed.
    ///
    /// - Returns: The next action, which replaces the previous one.
    package mutating func lampIs(on isOn: Bool, brightness level: Int, now: ContinuousClock.Instant) -> Action {
        guard var active else { return .idle }
        let elapsed = now - active.received
        guard let due = active.configuration.curve.mired(elapsed: elapsed, brightness: level) else {
            self.active = nil
            return .ended
        }
        defer { self.active = active }
        let end = active.received + active.configuration.curve.duration + .milliseconds(1)
        guard isOn else {
            active.applied = nil
            return .wait(until: end)
        }
        let interval = max(active.configuration.updateInterval, Self.shortestInterval)
        if let applied = active.applied, applied.brightness == level, now < applied.at + interval {
            return .wait(until: min(applied.at + interval, end))
        }
        let mired = min(max(due, miredRange.lowerBound), miredRange.upperBound)
        let notify =
            active.notified.map { $0.mired != mired && now - $0.at >= active.configuration.notifyThreshold } ?? true
        if notify { active.notified = Notified(mired: mired, at: now) }
        active.applied = Applied(mired: mired, from: active.applied?.mired ?? mired, brightness: level, at: now)
        return .apply(mired: mired, notify: notify, wakeAt: min(now + interval, end))
    }

    // MARK: The end of a transition

    /// Handles a write to a characteristic of the lamp, even if the value is unchanged.
    ///
    /// - Returns: Whether the write ended the transition.
    package mutating func controllerWrote(_ type: CharacteristicType) -> Bool {
        guard [.colorTemperature, .hue, .saturation].contains(type) else { return false }
        return end()
    }

    /// Handles a color change that the device reports.
    ///
    /// The echo of a command, including intermediate color temperatures, doesn't end the transition. Neither does a
    /// report that arrives after the lamp is switched on, but before the first command.
    ///
    /// - Returns: Whether the report ended the transition.
    package mutating func deviceReported(_ report: DeviceReport, now: ContinuousClock.Instant) -> Bool {
        guard let applied = active?.applied else { return false }
        if case .colorTemperature(let mired) = report {
            let from = now - applied.at < Self.fade ? applied.from : applied.mired
            let echo =
                (min(from, applied.mired) - Self.tolerance)...(max(from, applied.mired) + Self.tolerance)
            if echo.contains(mired) { return false }
        }
        return end()
    }

    /// Handles the removal of the last pairing.
    ///
    /// - Returns: Whether the removal ended the transition.
    package mutating func unpaired() -> Bool { end() }

    private mutating func end() -> Bool {
        defer { active = nil }
        return active != nil
    }

    // MARK: Parts

    func isOurs(_ configuration: TransitionConfiguration) -> Bool {
        configuration.colorTemperature == colorTemperature && configuration.curve.brightness == brightness
    }

    private func status(of active: Active, now: ContinuousClock.Instant) -> TransitionStatus {
        TransitionStatus(
            colorTemperature: colorTemperature, parameters: active.configuration.parameters,
            elapsed: now - active.received)
    }
}
