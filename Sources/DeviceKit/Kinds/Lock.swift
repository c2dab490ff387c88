package import HAPModel

extension LightKind {
    /// A lock.
    public static let lock = LightKind(
        "lock", plural: "locks", title: "Lock",
        TargetStateRules(
            .lock, current: .lockCurrentState, targets: 0...1, failure: Int64(LockState.jammed.rawValue),
            reactionTime: .seconds(30)),
        [
            PropertyName(
                "lock", .lockCurrentState, .choice(["unlocked", "locked", "jammed", "unknown"]),
                target: .lockTargetState)
        ], isShownByDefault: false)
}

extension AccessoryFunction {
    /// The function of a lock.
    package static let lock = AccessoryFunction(
        .lockMechanism, [.lockTargetState: .integer(1), .lockCurrentState: .integer(3)])
}
