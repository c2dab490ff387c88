internal import HAPModel

extension LightKind {
    /// A fan.
    public static let fan = LightKind(
        "fan", plural: "fans", title: "Fan", FanRules(),
        [
            .on, PropertyName("speed", .rotationSpeed, .whole(0...100, unit: "percent")),
            PropertyName("direction", .rotationDirection, .choice(FanDirection.allCases.map(\.rawValue))),
            PropertyName("oscillates", .swingMode, .flag(yes: "oscillates", no: "doesn't oscillate")),
        ])
}

/// The direction of a fan's rotation, seen from below a ceiling fan or from the front of other fans.
public enum FanDirection: String, CaseIterable, Hashable, Sendable {
    /// Clockwise.
    case clockwise
    /// Counterclockwise.
    case counterclockwise
}

extension PropertyContainer {
    /// The speed in percent, 1 to 100.
    public var speed: Int? {
        get { values[.rotationSpeed].flatMap { Int(exactly: $0.rounded()) } }
        set { values[.rotationSpeed] = newValue.map(Double.init) }
    }

    /// The direction of a fan.
    public var direction: FanDirection? {
        get { values[.rotationDirection].map { $0 == 0 ? .clockwise : .counterclockwise } }
        set { values[.rotationDirection] = newValue.map { $0 == .clockwise ? 0 : 1 } }
    }

    /// A Boolean value that indicates whether a fan oscillates.
    public var oscillates: Bool? {
        get { values[.swingMode] }
        set { values[Property(.swingMode)] = newValue.map { .integer($0 ? 1 : 0) } }
    }
}

/// The rules of a fan.
struct FanRules: DeviceRules {
    var power: CharacteristicType? { .active }

    func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction] {
        var values: [(CharacteristicType, CharacteristicValue)] = [(.active, .integer(0))]
        if capabilities.speed { values.append((.rotationSpeed, .float(100))) }
        if capabilities.direction { values.append((.rotationDirection, .integer(0))) }
        if capabilities.oscillation { values.append((.swingMode, .integer(0))) }
        return [AccessoryFunction(.fanv2, values)]
    }

    func valid(
        _ value: CharacteristicValue, of property: Property, _ metadata: CharacteristicMetadata
    ) -> CharacteristicValue? {
        guard property.type == .rotationSpeed else { return metadata.clamped(value) }
        return value.whole(in: 1...100)?.number.map { .float($0) }
    }

    func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues {
        guard let speed: Double = written[.rotationSpeed], speed < 0.5 else { return written }
        // Speed 0 means off and keeps the last speed for the next "on".
        var command = written
        command.speed = nil
        command.on = false
        return command
    }
}
