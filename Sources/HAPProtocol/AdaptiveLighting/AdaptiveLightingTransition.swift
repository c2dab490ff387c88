package import HAPModel

/// Adaptive lighting of one lamp: the transition that a hub enabled, what the lamp should show now, and what ends it
/// (HAP 12.1).
///
/// Time comes in as `now`; the curve's time counts from when it was received, so a wrong wall clock does not matter.
/// Every method that says what happened to the lamp may be called whether a transition is active or not. Whoever holds
/// this stores `saved(now:wallClock:)` and sends an event for CharacteristicValueActiveTransitionCount when
/// `activeCount` changes, and stores anew when a hub renews the curve.
package struct AdaptiveLightingTransition: Equatable, Sendable {
    /// What to do about the lamp.
    package enum Action: Equatable, Sendable {
        /// Nothing, until something happens.
        case idle
        /// Nothing, until this time.
        case wait(until: ContinuousClock.Instant)
        /// Set the colour temperature, and look again at `wakeAt`; subscribers are notified only if `notify` is set.
        case apply(mired: Int, notify: Bool, wakeAt: ContinuousClock.Instant)
        /// The curve is over, and no transition is active any more.
        case ended
    }

    /// A change that the device reports by itself.
    package enum DeviceReport: Equatable, Sendable {
        /// It shows a colour.
        case color
        /// It shows white of a colour temperature.
        case colorTemperature(mired: Int)
    }

    struct Active: Equatable, Sendable {
        let configuration: TransitionConfiguration
        let received: ContinuousClock.Instant
        /// The latest value since the lamp was switched on; `nil` when one is due at once.
        var applied: Applied?
        /// The latest value that subscribers were notified of.
        var notified: Notified?
    }

    struct Applied: Equatable, Sendable {
        let mired: Int
        /// The value before it, from which the lamp may still be fading.
        let from: Int
        let brightness: Int
        let at: ContinuousClock.Instant
    }

    struct Notified: Equatable, Sendable {
        let mired: Int
        let at: ContinuousClock.Instant
    }

    /// A hub may ask for less; a lamp would choke on it.
    private static let shortestInterval = Duration.seconds(1)
    /// How far a lamp's report may be from the value it was given: it may know fewer steps.
    private static let tolerance = 5
    /// How long a lamp may fade, and report values on its way.
    private static let fade = Duration.seconds(10)

    let brightness: InstanceID
    let colorTemperature: InstanceID
    private let miredRange: ClosedRange<Int>
    /// `nil` while no transition is active.
    var active: Active?

    /// Makes the machine of a lamp, with no transition.
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

    /// A controller wrote CharacteristicValueTransitionControl (143).
    ///
    /// - Returns: the write response; then ask `lampIs(on:brightness:now:)` what to do.
    /// - Throws: `invalidValue`; a transition that is active stays so.
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
            // A renewal is no reason for an event: subscribers know the lamp's value.
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

    /// The lamp's state, when it changes, and when the time of the latest action has come; brightness in percent.
    ///
    /// A lamp that is off is left alone.
    ///
    /// - Returns: what to do next; it replaces what was said before.
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

    // MARK: What ends it

    /// A controller wrote a characteristic of the lamp, even with an equal value.
    ///
    /// - Returns: whether this ended the transition.
    package mutating func controllerWrote(_ type: CharacteristicType) -> Bool {
        guard [.colorTemperature, .hue, .saturation].contains(type) else { return false }
        return end()
    }

    /// The device reported a change of its colour.
    ///
    /// The echo of what it was told, also on the way there, ends nothing; nor does what it shows before it was told
    /// anything since it was switched on.
    ///
    /// - Returns: whether this ended the transition.
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

    /// The last pairing was removed.
    ///
    /// - Returns: whether this ended the transition.
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
