import HAPModel

// Locks, doors and blinds.
//
// An operator who sets a current state moves the device by hand, so its target follows.
extension Reaction {
    /// A lock turns after a moment, unless it's jammed.
    static func lock(
        _ reaction: inout Reaction, _ lock: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        switch changed {
        case .lockTargetState where lock[.lockCurrentState] != 2:
            reaction.move(.lockCurrentState, to: number, in: lock.travel ?? 1)
        case .lockCurrentState:
            reaction.stops.insert(.lockCurrentState)
            if number < 2 { reaction.now[.lockTargetState] = .integer(Int64(number)) }
        default: break
        }
    }

    /// A garage door opens or closes, and an obstruction makes a closing door open again.
    static func garageDoor(
        _ reaction: inout Reaction, _ door: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        func move(to end: Double) {
            reaction.now[.targetDoorState] = .integer(Int64(end))
            guard door[.currentDoorState] != end else {
                reaction.stops.insert(.currentDoorState)
                return
            }
            reaction.now[.currentDoorState] = .integer(end == 0 ? 2 : 3)
            reaction.move(.currentDoorState, to: end, in: door.travel ?? 8)
        }
        switch changed {
        case .targetDoorState: move(to: door[.obstructionDetected] == 1 ? 0 : number)
        case .obstructionDetected where number == 1 && door[.currentDoorState] == 3: move(to: 0)
        case .currentDoorState:
            reaction.stops.insert(.currentDoorState)
            switch number {
            case 0, 1: reaction.now[.targetDoorState] = .integer(Int64(number))
            case 2, 3: move(to: number - 2)
            default: break
            }
        default: break
        }
    }

    /// A blind, window or door travels to its target position and tilt, unless a hold or an obstruction stops it.
    static func cover(
        _ reaction: inout Reaction, _ cover: SimulatedService, _ changed: CharacteristicType, _ number: Double
    ) {
        let (travel, stopped) = (cover.travel ?? 10, CharacteristicValue.integer(2))
        func stop(at position: Double?) {
            reaction.stops.insert(.currentPosition)
            reaction.now[.positionState] = stopped
            reaction.now[.targetPosition] = position.map { .integer(Int64($0)) }
        }
        switch changed {
        case .targetPosition where cover[.obstructionDetected] == 1: stop(at: cover[.currentPosition])
        case .targetPosition:
            let position = cover[.currentPosition] ?? number
            guard position != number else { return stop(at: number) }
            reaction.now[.positionState] = .integer(number > position ? 1 : 0)
            reaction.motions.append(
                Motion(
                    subject: .currentPosition, ramp: .init(from: position, to: number),
                    seconds: travel * abs(number - position) / 100,
                    atEnd: [.currentPosition: .integer(Int64(number)), .positionState: stopped]))
        case .currentPosition: stop(at: number)
        case .obstructionDetected where number == 1: stop(at: cover[.currentPosition])
        case .holdPosition where number == 1:
            stop(at: cover[.currentPosition])
            for (target, current) in tilts {
                reaction.stops.insert(current)
                reaction.now[target] = cover[current].map { .integer(Int64($0)) }
            }
        default:
            if let current = tilts[changed], let angle = cover[current] {
                reaction.motions.append(
                    Motion(
                        subject: current, ramp: .init(from: angle, to: number),
                        seconds: travel / 5 * abs(number - angle) / 180, atEnd: [current: .integer(Int64(number))]))
            } else if let target = tilts.first(where: { $0.value == changed })?.key {
                reaction.stops.insert(changed)
                reaction.now[target] = .integer(Int64(number))
            }
        }
    }

    /// The characteristic of the current angle for each target angle.
    private static let tilts: [CharacteristicType: CharacteristicType] = [
        .targetHorizontalTiltAngle: .currentHorizontalTiltAngle, .targetVerticalTiltAngle: .currentVerticalTiltAngle,
        .targetTiltAngle: .currentTiltAngle,
    ]
}
