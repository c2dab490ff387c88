import HAPModel

/// The last write of a run to a characteristic, and the fade to its value.
///
/// A lamp that fades may report the written value first, and intermediate values afterwards. Soon after the write, all
/// values count as its consequences. Later, a value counts only if it's a step of the fade: it follows the previous
/// value soon and is closer to the written value. Any other value is a change by someone else. A hue can also fade
/// across 0 degrees.
struct LastWrite: Sendable {
    /// An intermediate value of a fade.
    private struct Step {
        var value: Double
        var time: Timestamp
        /// The number of intermediate values so far.
        var count: Int

        func isRecent(at now: Timestamp) -> Bool { time.duration(to: now) <= TriggerLimits.attribution }
    }

    let trigger: Trigger.ID
    private let target: CharacteristicValue
    private(set) var time: Timestamp
    private let isHue: Bool
    private var step: Step?
    /// A Boolean value that indicates whether the latest value is a consequence of the write.
    private(set) var isFollowed = true

    init(_ target: CharacteristicValue, by trigger: Trigger.ID, isHue: Bool, at time: Timestamp) {
        self.trigger = trigger
        self.target = target
        self.isHue = isHue
        self.time = time
    }

    /// Creates the last write of a run before a restart; returns `nil` for a state of an earlier version.
    init?(_ restore: TriggerState.Restore, by trigger: Trigger.ID, isHue: Bool) {
        guard let target = restore.written, let time = restore.fadesAt else { return nil }
        self.init(target, by: trigger, isHue: isHue, at: time)
        step = (restore.step ?? restore.former).comparableNumber.map { Step(value: $0, time: time, count: 1) }
    }

    /// Handles a value of the characteristic.
    mutating func receive(_ value: CharacteristicValue, at now: Timestamp) {
        isFollowed = true
        guard !value.isSame(as: target) else { return step = nil }
        let delay = time.duration(to: now)
        let isEarly = delay < TriggerLimits.fade && delay > .zero - TriggerLimits.fade
        guard let number = value.comparableNumber else { return isFollowed = isEarly }
        if let former = step, former.value == number { return }
        if let former = step, isCloser(number, than: former.value), former.isRecent(at: now) {
            step = Step(value: number, time: now, count: former.count + 1)
        } else {
            step = isEarly ? Step(value: number, time: now, count: 1) : nil
            isFollowed = isEarly
        }
    }

    /// Returns a Boolean value that indicates whether the characteristic is on its way to the written value.
    func isFading(at now: Timestamp) -> Bool { step.map { $0.count > 1 && $0.isRecent(at: now) } ?? false }

    /// Returns a Boolean value that indicates whether a number is between an earlier number and the written number.
    private func isCloser(_ number: Double, than former: Double) -> Bool {
        guard let target = target.comparableNumber else { return false }
        if former < number && number < target || target < number && number < former { return true }
        guard isHue else { return false }
        let (rest, formerRest) = (Self.turn(from: number, to: target), Self.turn(from: former, to: target))
        return rest * formerRest > 0 && abs(rest) < abs(formerRest)
    }

    /// Returns the shorter way from one hue to another, in degrees.
    private static func turn(from hue: Double, to other: Double) -> Double {
        (other - hue).remainder(dividingBy: 360)
    }

    /// Adjusts the times after the clock was set.
    mutating func shift(by difference: Duration) {
        time = time.adding(difference)
        if let former = step { step?.time = former.time.adding(difference) }
    }
}
