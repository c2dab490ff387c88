// Pairs of a current and a target state. Apple's Home app shows a new current state only after the target state has
// changed.

extension CharacteristicType {
    private static let statePairs: [(target: CharacteristicType, current: CharacteristicType)] = [
        (.lockTargetState, .lockCurrentState), (.targetDoorState, .currentDoorState),
        (.securitySystemTargetState, .securitySystemCurrentState),
    ]

    /// The target state that belongs to this current state, or `nil` for other characteristics.
    package var targetState: CharacteristicType? { Self.statePairs.first { $0.current == self }?.target }

    /// The current state that belongs to this target state, or `nil` for other characteristics.
    package var currentState: CharacteristicType? { Self.statePairs.first { $0.target == self }?.current }
}
