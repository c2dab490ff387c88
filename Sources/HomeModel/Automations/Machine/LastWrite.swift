import HAPModel

/// The last write of a run to a characteristic, and the fade to its value.
///
/// A lamp that fades may report the written value first, and intermediate values afterwards. Soon after the write, all
/// values count as its consequences. Later, a value counts only if it's a step of the fade: it follows the previous
/// value soon and is closer to the written value. Any other value is a change by someone else.
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
    private var time: Timestamp
    private var step: Step?
    /// A Boolean value that indicates whether the latest value is a consequence of the write.
    private(set) var isFollowed = true

    init(_ target: CharacteristicValue, by trigger: Trigger.ID, at time: Timestamp) {
        self.trigger = trigger
        self.target = target
        self.time = time
    }

    /// Handles a value of the characteristic.
    mutating func receive(_ value: CharacteristicValue, at now: Timestamp) {
        isFollowed = true
        guard !value.isSame(as: target) else { return step = nil }
        let isEarly = time.duration(to: now) < TriggerLimits.fade
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
        return former < number && number < target || target < number && number < former
    }

    /// Adjusts the times after the clock was set.
    mutating func shift(by difference: Duration) {
        time = time.adding(difference)
        if let former = step { step?.time = former.time.adding(difference) }
    }
}
