package import HAPModel

extension LightKind {
    /// A blind, a shutter, an awning, a curtain, a window or a door with a motor.
    public static let cover = LightKind(
        "cover", plural: "covers", title: "Window Covering", CoverRules(),
        [
            PropertyName("position", .currentPosition, .whole(0...100, unit: "percent"), target: .targetPosition),
            PropertyName(
                "tilt", .currentHorizontalTiltAngle, .whole(-90...90, unit: "degrees"),
                target: .targetHorizontalTiltAngle),
            PropertyName(
                "movement", .positionState, .choice(CoverMotion.allCases.map(\.rawValue)), target: .holdPosition),
        ])
}

/// The movement of a cover, in the order of HAP's PositionState.
public enum CoverMotion: String, CaseIterable, Hashable, Sendable {
    /// The cover is closing.
    case closing
    /// The cover is opening.
    case opening
    /// The cover isn't moving.
    case stopped
}

extension CoverMotion {
    /// Creates the movement toward a position, for a cover that can open, close and perhaps stop, but can't move to a
    /// position.
    ///
    /// The limits are the same as in Home Assistant's bridge.
    ///
    /// - Parameters:
    ///   - percent: The requested position in percent.
    ///   - canStop: Whether the cover can stop. If not, it opens or closes.
    package init(toward percent: Int, canStop: Bool) {
        self = canStop && 30...70 ~= percent ? .stopped : percent >= 50 ? .opening : .closing
    }

    /// The position in percent at the end of the movement, or `nil` if the cover stops at an unknown position.
    package var end: Int? {
        switch self {
        case .closing: 0
        case .opening: 100
        case .stopped: nil
        }
    }
}

extension PropertyContainer {
    /// The position of a cover in percent: 0 is closed, 100 is open.
    public var position: Int? {
        get { values[.currentPosition] }
        set { values[.currentPosition] = newValue }
    }

    /// The position that a cover moves to, in percent.
    public var targetPosition: Int? {
        get { values[.targetPosition] }
        set { values[.targetPosition] = newValue }
    }

    /// The angle of a cover's slats in degrees, -90 to 90: 0 is horizontal.
    public var tilt: Int? {
        get { values[.currentHorizontalTiltAngle] }
        set { values[.currentHorizontalTiltAngle] = newValue }
    }

    /// The angle that a cover's slats turn to, in degrees.
    public var targetTilt: Int? {
        get { values[.targetHorizontalTiltAngle] }
        set { values[.targetHorizontalTiltAngle] = newValue }
    }

    /// The movement of a cover.
    public var motion: CoverMotion? {
        get {
            guard let place = values[Property(.positionState)].flatMap(Int.init) else { return nil }
            return CoverMotion.allCases.indices.contains(place) ? CoverMotion.allCases[place] : nil
        }
        set {
            values[Property(.positionState)] = newValue.flatMap(CoverMotion.allCases.firstIndex).map {
                .integer(Int64($0))
            }
        }
    }

    /// A Boolean value that indicates whether a command stops a cover.
    public var stops: Bool { values[Property(.holdPosition)]?.bool == true }
}

/// The conversion between the slats' angle and a share of their range, as in Home Assistant.
package enum TiltAngle {
    /// Returns the angle in degrees for a share, 0 to 1; other shares are clamped.
    package static func degrees(_ share: Double) -> Int {
        Int((min(max(share.isNaN ? 0 : share, 0), 1) * 180).rounded()) - 90
    }

    /// Returns the share for an angle in degrees.
    package static func share(_ degrees: Int) -> Double { Double(min(max(degrees, -90), 90) + 90) / 180 }
}

extension AccessoryFunction {
    /// Creates the function of a cover.
    ///
    /// - Parameters:
    ///   - service: Window covering, window or door.
    ///   - moves: Whether its position can change. If not, only its slats turn.
    ///   - tilts: Whether the angle of its slats can be set. Windows and doors have no slats.
    ///   - stops: Whether it can be stopped.
    /// - Returns: The function.
    package static func cover(
        _ service: ServiceType = .windowCovering, moves: Bool = true, tilts: Bool = false, stops: Bool = false
    ) -> AccessoryFunction {
        var values: [(CharacteristicType, CharacteristicValue)] = [
            (.currentPosition, .integer(0)), (.targetPosition, .integer(0)), (.positionState, .integer(2)),
        ]
        if tilts, service == .windowCovering {
            values += [(.currentHorizontalTiltAngle, .integer(0)), (.targetHorizontalTiltAngle, .integer(0))]
        }
        if stops { values.append((.holdPosition, .bool(false))) }
        let function = AccessoryFunction(service, values)
        return moves ? function : function.with(.targetPosition) { ($0.minimum, $0.maximum) = (0, 0) }
    }
}

/// The rules of a cover.
///
/// While the cover isn't moving, its target position equals its position, even if it was moved by hand.
struct CoverRules: DeviceRules {
    private static let pairs: [(current: Property, target: Property)] = [
        (Property(.currentPosition), Property(.targetPosition)),
        (Property(.currentHorizontalTiltAngle), Property(.targetHorizontalTiltAngle)),
        (Property(.currentVerticalTiltAngle), Property(.targetVerticalTiltAngle)),
    ]
    private static let hold = Property(.holdPosition)

    /// The pause prevents a moving slider from starting and stopping the motor at each step.
    var pause: Duration { .milliseconds(300) }

    /// A repeated command could stop the motor, and a repeated stop moves some blinds to their favorite position.
    ///
    /// The time limit is long, because some covers report only their arrival.
    var reaction: (target: Property, time: Duration)? { (Property(.targetPosition), .seconds(90)) }

    func rest(_ state: DeviceState) -> PropertyValues {
        var values = PropertyValues()
        for (current, _) in Self.pairs { values[current] = state.values[current] }
        values.motion = .stopped
        return values
    }

    func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction] {
        [.cover(tilts: capabilities.tilt, stops: capabilities.stop)]
    }

    var otherFunctions: [AccessoryFunction] { [.cover(.window, stops: true), .cover(.door, stops: true)] }

    func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues {
        var command = PropertyValues()
        for (current, target) in Self.pairs { command[target] = written[target] ?? written[current] }
        // The operator can also move or stop a cover by setting its motion.
        if command.isEmpty { command.targetPosition = written.motion?.end }
        guard written.stops || (command.isEmpty && written.motion == .stopped) else { return command }
        var stop = PropertyValues()
        stop[Self.hold] = .bool(true)
        return stop
    }

    func complete(_ reported: inout PropertyValues, over state: () -> DeviceState) {
        guard reported.motion != nil || Self.pairs.contains(where: { reported[$0.current] != nil }) else { return }
        let former = state().values
        // A device that reports only its position is at rest.
        if reported.position != nil, reported.motion == nil { reported.motion = .stopped }
        let isMoving = (reported.motion ?? former.motion ?? .stopped) != .stopped
        for (current, target) in Self.pairs {
            let value = isMoving ? reported[target] ?? former[target] : reported[current] ?? former[current]
            if let value { reported[target] = value }
        }
    }

    func outcome(of command: PropertyValues) -> PropertyValues {
        var outcome = command
        for (current, target) in Self.pairs where command[target] != nil { outcome[current] = command[target] }
        outcome.remove(Self.hold)
        outcome.motion = .stopped
        return outcome
    }

    func reconcile(_ state: inout DeviceState, after new: PropertyValues) -> Bool {
        // Stopping is an action, not a state, so the value isn't kept.
        if new.contains(Self.hold) { state.values.remove(Self.hold) }
        return false
    }

    func isLasting(_ type: CharacteristicType) -> Bool {
        type != .positionState && type != .holdPosition && SensorReading(type)?.isMomentary != true
    }
}
