internal import HAPModel

extension LightKind {
    /// A blind, a shutter, an awning or a curtain.
    public static let cover = LightKind(
        "cover", plural: "covers", title: "Window Covering", CoverRules(),
        [
            PropertyName("position", .currentPosition, .whole(0...100, unit: "percent"), target: .targetPosition),
            PropertyName("movement", .positionState, .choice(CoverMotion.allCases.map(\.rawValue))),
        ])
}

/// The movement of a cover, in the order of HAP's PositionState.
public enum CoverMotion: String, CaseIterable, Hashable, Sendable {
    /// The cover is closing.
    case closing
    /// The cover is opening.
    case opening
    /// The cover is standing still.
    case stopped
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
}

/// The rules of a cover.
///
/// While the cover isn't moving, its target position equals its position, even if it was moved by hand.
struct CoverRules: DeviceRules {
    func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction] {
        [
            AccessoryFunction(
                .windowCovering,
                [(.currentPosition, .integer(0)), (.targetPosition, .integer(0)), (.positionState, .integer(2))])
        ]
    }

    func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues {
        var command = PropertyValues()
        command.targetPosition = written.targetPosition ?? written.position
        return command
    }

    func complete(_ reported: inout PropertyValues, over state: () -> DeviceState) {
        guard reported.position != nil || reported.motion != nil else { return }
        // A report with only a position means that the cover has stopped.
        let motion = reported.motion ?? .stopped
        reported.motion = motion
        reported.targetPosition =
            motion == .stopped
            ? reported.position ?? state().values.position
            : reported.targetPosition ?? state().values.targetPosition
    }

    func outcome(of command: PropertyValues) -> PropertyValues {
        var outcome = command
        outcome.position = command.targetPosition
        outcome.motion = .stopped
        return outcome
    }

    func isLasting(_ type: CharacteristicType) -> Bool { type != .positionState }
}
