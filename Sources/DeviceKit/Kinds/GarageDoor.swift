package import HAPModel

extension LightKind {
    /// A garage door or a gate.
    public static let garageDoor = LightKind(
        "garage-door", plural: "garage-doors", title: "Garage Door",
        TargetStateRules(
            .garageDoor, current: .currentDoorState, targets: 0...1,
            movements: [
                Int64(DoorState.opening.rawValue): Int64(DoorState.open.rawValue),
                Int64(DoorState.closing.rawValue): Int64(DoorState.closed.rawValue),
            ], reactionTime: .seconds(60)),
        [
            PropertyName(
                "door", .currentDoorState, .choice(["open", "closed", "opening", "closing", "stopped"]),
                target: .targetDoorState),
            PropertyName("obstruction", .obstructionDetected, .flag(yes: "obstructed", no: "clear")),
        ], isShownByDefault: false)
}

extension DoorState {
    /// Creates a door's state from a cover's position in percent and its movement.
    package init?(position: Int?, _ motion: CoverMotion?) {
        switch motion {
        case .opening: self = .opening
        case .closing: self = .closing
        case .stopped, nil:
            guard let position else { return nil }
            self = position == 0 ? .closed : .open
        }
    }
}

extension AccessoryFunction {
    /// The function of a garage door or a gate.
    ///
    /// Until the first report, the door isn't shown as closed: Home shows a stopped door as open.
    package static let garageDoor = AccessoryFunction(
        .garageDoorOpener,
        [.targetDoorState: .integer(0), .currentDoorState: .integer(4), .obstructionDetected: .bool(false)])
}
