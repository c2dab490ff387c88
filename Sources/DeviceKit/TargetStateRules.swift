package import HAPModel

/// The rules of a device with a target state and a current state, such as a lock.
///
/// A state that can be a target has the same number in both characteristics. At rest, the target is the current state,
/// even if the device was operated by hand. The target comes first in every service and event, because Home shows no
/// notification otherwise.
package struct TargetStateRules: DeviceRules {
    private let target, current: Property
    private let targets: ClosedRange<Int64>
    /// The states of movement, with the targets they lead to.
    private let movements: [Int64: Int64]
    /// The state of a device that couldn't reach its target.
    private let failure: Int64?
    private let reactionTime: Duration
    private let function: AccessoryFunction

    /// Creates rules.
    ///
    /// - Parameters:
    ///   - function: A function with all characteristics, the target first.
    ///   - current: The characteristic of the current state.
    ///   - targets: The states that can be targets.
    ///   - movements: The current states of movement, with the targets they lead to.
    ///   - failure: The current state of a device that couldn't reach its target.
    ///   - reactionTime: The longest time between a command and the first report of its effect.
    init(
        _ function: AccessoryFunction, current: CharacteristicType, targets: ClosedRange<Int64>,
        movements: [Int64: Int64] = [:], failure: Int64? = nil, reactionTime: Duration
    ) {
        self.function = function
        self.current = Property(current)
        target = self.current.group
        self.targets = targets
        self.movements = movements
        self.failure = failure
        self.reactionTime = reactionTime
    }

    package var reaction: (target: Property, time: Duration)? { (target, reactionTime) }

    package func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction] { [function] }

    /// Returns the target that belongs to a current state, or `nil` if there is none.
    private func target(of state: Int64) -> Int64? { targets.contains(state) ? state : movements[state] }

    private func number(_ property: Property, in values: PropertyValues) -> Int64? {
        values[property].flatMap(Int.init).map(Int64.init)
    }

    /// Rejects a state that the device can't have, instead of replacing it with a similar state.
    package func valid(
        _ value: CharacteristicValue, of property: Property, _ metadata: CharacteristicMetadata
    ) -> CharacteristicValue? {
        if let states = metadata.validValues, let number = Int(value), !states.contains(Int64(number)) { return nil }
        return metadata.clamped(value)
    }

    package func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues {
        var command = PropertyValues()
        let wanted = number(target, in: written) ?? number(current, in: written)
        if let wanted, targets.contains(wanted) { command[target] = .integer(wanted) }
        return command
    }

    package func complete(_ reported: inout PropertyValues, over state: () -> DeviceState) {
        guard reported[target] == nil, let now = number(current, in: reported) else { return }
        var aim = target(of: now)
        // A jammed device hasn't left its previous state.
        if now == failure {
            let former = state().values
            aim = number(current, in: former).flatMap { targets.contains($0) ? $0 : nil } ?? number(target, in: former)
        }
        if let aim { reported[target] = .integer(aim) }
    }

    package func resembles(_ reported: PropertyValues, _ wanted: PropertyValues) -> Bool {
        reported[target] == wanted[target] || (failure != nil && number(current, in: reported) == failure)
    }

    /// Returns the values to report while a command is in progress: the command's values, and the matching movement.
    package func beginning(of command: PropertyValues) -> PropertyValues {
        var values = command
        if let aim = number(target, in: command), let movement = movements.first(where: { $0.value == aim })?.key {
            values[current] = .integer(movement)
        }
        return values
    }

    package func outcome(of command: PropertyValues) -> PropertyValues {
        var outcome = command
        outcome[current] = command[target]
        return outcome
    }

    package func reconcile(_ state: inout DeviceState, after new: PropertyValues) -> Bool {
        guard state.values[target] == nil, let aim = number(current, in: state.values).flatMap(target(of:)) else {
            return false
        }
        return state.values.set(.integer(aim), for: target)
    }

    /// Returns `false` for the target, so that a command that wasn't carried out before a restart isn't pending
    /// afterwards.
    package func isLasting(_ type: CharacteristicType) -> Bool { type != target.type }
}
