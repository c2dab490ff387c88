package import HAPModel

extension LightKind {
    /// A fan.
    public static let fan = LightKind(
        "fan", plural: "fans", title: "Fan", FanRules(),
        [
            .on, PropertyName("speed", .rotationSpeed, .whole(0...100, unit: "percent")),
            PropertyName("direction", .rotationDirection, .choice(FanDirection.allCases.map(\.rawValue))),
            PropertyName("oscillates", .swingMode, .flag(yes: "oscillates", no: "doesn't oscillate")),
            PropertyName("mode", .targetFanState, .choice(["manual", "auto"])),
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

    /// A Boolean value that indicates whether a fan chooses its speed itself.
    package var blowsAutomatically: Bool? {
        get { values[Property(.targetFanState)].flatMap(Bool.init) }
        set { values[Property(.targetFanState)] = newValue.map { .integer($0 ? 1 : 0) } }
    }
}

/// The features of a fan.
package struct FanFeatures: Equatable, Sendable {
    /// The number of speeds: 100 for a fan with percentages, or 0 if the speed can't be set.
    package var speeds = 0
    /// A Boolean value that indicates whether the direction can be set.
    package var hasDirection = false
    /// A Boolean value that indicates whether the oscillation can be set.
    package var oscillates = false
    /// A Boolean value that indicates whether the fan can choose its speed itself.
    package var hasAuto = false
    /// The other presets, each of which is a switch.
    package var presets: [String] = []

    package init() {}

    /// Returns the power of the switch of a preset.
    package static func preset(_ name: String) -> Property {
        Property(.on, of: AccessoryFunction.optionID(name, of: id))
    }

    private static let id = "preset"

    /// The Fan service and the switches of its presets.
    package var functions: [AccessoryFunction] {
        var parts = [AccessoryFunction.Part(.active, .integer(0))]
        if speeds > 0 {
            parts.append(.init(.rotationSpeed, .float(100)) { if speeds < 100 { $0.step = 100 / Double(speeds) } })
        }
        if hasDirection { parts.append(.init(.rotationDirection, .integer(0))) }
        if oscillates { parts.append(.init(.swingMode, .integer(0))) }
        if hasAuto { parts.append(.init(.targetFanState, .integer(0))) }
        let switches = AccessoryFunction.choice(Self.id, presets)
        return [AccessoryFunction(.fanv2, id: nil, linked: switches.compactMap(\.id), parts: parts)] + switches
    }
}

/// The rules of a fan.
///
/// Setting a speed ends the automatic mode and every other preset. In the automatic mode, the fan chooses its speed.
struct FanRules: DeviceRules {
    /// The speed in percent after the automatic mode of a fan whose speed isn't known.
    private static let usualSpeed = 50

    var power: CharacteristicType? { .active }

    func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction] {
        var features = FanFeatures()
        features.speeds = capabilities.speed ? 100 : 0
        features.hasDirection = capabilities.direction
        features.oscillates = capabilities.oscillation
        return features.functions
    }

    var otherFunctions: [AccessoryFunction] { [AccessoryFunction(.fanv2, [(.targetFanState, .integer(0))])] }

    func valid(
        _ value: CharacteristicValue, of property: Property, _ metadata: CharacteristicMetadata
    ) -> CharacteristicValue? {
        guard property.type == .rotationSpeed else { return metadata.clamped(value) }
        let speed = value.whole(in: 1...100)?.number
        guard let step = metadata.step, step > 1 else { return speed.map { .float($0) } }
        return speed.flatMap { metadata.clamped(.float(max($0, step))) }
    }

    func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues {
        var command = written
        if let speed: Double = written[.rotationSpeed], speed < 0.5 {
            // Speed 0 means off and keeps the last speed for the next "on".
            command.speed = nil
            command.on = false
        }
        let isAutomatic = state.values.blowsAutomatically == true
        if command.blowsAutomatically == true {
            command.speed = nil
        } else if isAutomatic, command.blowsAutomatically == false, command.speed == nil, command.on != false,
            let speed = state.values.speed
        {
            command.speed = state.knows(Property(.rotationSpeed)) ? speed : Self.usualSpeed
        }
        guard command.speed != nil else { return command }
        if isAutomatic { command.blowsAutomatically = false }
        for (property, value) in state.values where property.isOption && value?.bool == true {
            command[property] = .bool(false)
        }
        return command
    }

    func reconcile(_ state: inout DeviceState, after new: PropertyValues) -> Bool {
        let presets = state.values.filter { $0.property.isOption }
        let automatic = Property(.targetFanState)
        var isChanged = false
        if new.contains(where: { $0.property.isOption && $0.value?.bool == true }), state.values.contains(automatic) {
            isChanged = state.values.set(.integer(0), for: automatic)
        } else if new.blowsAutomatically == true {
            for (property, _) in presets { isChanged = state.values.set(.bool(false), for: property) || isChanged }
        }
        return isChanged
    }
}
