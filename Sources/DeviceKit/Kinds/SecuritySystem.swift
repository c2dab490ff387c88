package import HAPModel

extension LightKind {
    /// A security system: an alarm panel.
    public static let securitySystem = LightKind(
        "security-system", plural: "security-systems", title: "Security System",
        TargetStateRules(
            .securitySystem([.home, .away, .night]), current: .securitySystemCurrentState, targets: 0...3,
            reactionTime: .seconds(120)),
        [
            PropertyName(
                "alarm", .securitySystemCurrentState, .choice(["home", "away", "night", "disarmed", "triggered"]),
                target: .securitySystemTargetState)
        ], isShownByDefault: false)
}

extension AccessoryFunction {
    /// Creates the function of a security system.
    ///
    /// - Parameter modes: The modes that the system can be armed in.
    /// - Returns: The function.
    package static func securitySystem(_ modes: Set<SecurityState>) -> AccessoryFunction {
        let disarmed = SecurityState.disarmed
        let targets = modes.subtracting([.triggered]).union([disarmed]).map { Int64($0.rawValue) }.sorted()
        return AccessoryFunction(
            .securitySystem,
            [
                .securitySystemTargetState: disarmed.characteristicValue,
                .securitySystemCurrentState: disarmed.characteristicValue,
            ]
        ).with(.securitySystemTargetState) { $0.validValues = targets }
    }
}
