/// The current or target state of a security system.
@nonexhaustive
public enum SecurityState: Int, CharacteristicRepresentable, CaseIterable {
    /// The system is armed while people are at home.
    case home = 0
    /// The system is armed while the home is empty.
    case away = 1
    /// The system is armed for the night.
    case night = 2
    /// The system is disarmed.
    case disarmed = 3
    /// The alarm is triggered.
    ///
    /// This is never a target state.
    case triggered = 4
}

extension CharacteristicKey<SecurityState> {
    /// The current state of a security system.
    public static var securitySystemCurrentState: Self { Self(.securitySystemCurrentState) }
    /// The target state of a security system.
    public static var securitySystemTargetState: Self { Self(.securitySystemTargetState) }
}
