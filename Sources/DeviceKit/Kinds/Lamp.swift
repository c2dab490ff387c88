internal import HAPModel

extension LightKind {
    /// A lamp.
    public static let light = LightKind(
        "light", plural: "lights", title: "Light", LampRules(service: .lightbulb),
        [
            .on, PropertyName("brightness", .brightness, .whole(0...100, unit: "percent")),
            PropertyName("hue", .hue, .number(0...360, unit: "degrees")),
            PropertyName("saturation", .saturation, .number(0...100, unit: "percent")),
            PropertyName("temperature", .colorTemperature, .whole(50...500, unit: "mired")),
        ])
    /// A switch.
    public static let `switch` = LightKind(
        "switch", plural: "switches", title: "Light", LampRules(service: .switch), [.on])
    /// An outlet.
    public static let outlet = LightKind(
        "outlet", plural: "outlets", title: "Light", LampRules(service: .outlet), [.on])
}

extension PropertyName {
    /// On or off.
    static let on = PropertyName("on", .on, .flag(yes: "on", no: "off"))
}

// MARK: A lamp's values

/// A color: a point on the color wheel or a white.
///
/// A light shows exactly one of the two at a time.
public enum LightColor: Equatable, Sendable {
    /// The hue in degrees, 0 to below 360, and the saturation in percent, 0 to 100.
    case hueSaturation(hue: Double, saturation: Double)
    /// A white with its color temperature in mired (1,000,000 divided by kelvin).
    case temperature(mired: Int)
}

extension PropertyContainer {
    /// A Boolean value that indicates whether the light is on.
    public var on: Bool? {
        get { values[.on] }
        set { values[.on] = newValue }
    }

    /// The brightness in percent, 1 to 100.
    public var brightness: Int? {
        get { values[.brightness] }
        set { values[.brightness] = newValue }
    }

    /// The color or white.
    public var color: LightColor? {
        get {
            if let mired: Int = values[.colorTemperature] { return .temperature(mired: mired) }
            guard let hue: Double = values[.hue], let saturation: Double = values[.saturation] else { return nil }
            return .hueSaturation(hue: hue, saturation: saturation)
        }
        set {
            (values[.hue], values[.saturation], values[.colorTemperature]) = (nil, nil, nil)
            switch newValue {
            case .hueSaturation(let hue, let saturation)?: (values[.hue], values[.saturation]) = (hue, saturation)
            case .temperature(let mired)?: values[.colorTemperature] = mired
            case nil: break
            }
        }
    }
}

// MARK: Rules of lamps

/// The rules of a lamp, a switch and an outlet.
struct LampRules: DeviceRules {
    /// The color temperatures that HomeKit supports, in mired (HAP 12).
    private static let temperatureLimits = 50.0...500.0
    /// The color temperatures that a lamp can report, in mired.
    private static let possibleTemperatures = 1...10_000

    let service: ServiceType

    var power: CharacteristicType? { .on }

    func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction] {
        var values: [(CharacteristicType, CharacteristicValue)] = [(.on, .bool(false))]
        guard service == .lightbulb else { return [AccessoryFunction(service, values)] }
        if capabilities.brightness { values.append((.brightness, .integer(100))) }
        if capabilities.color { values += [(.hue, .float(0)), (.saturation, .float(0))] }
        guard let mireds = capabilities.temperature?.clamped(to: Self.possibleTemperatures) else {
            return [AccessoryFunction(service, values)]
        }
        let function = AccessoryFunction(service, values + [(.colorTemperature, .integer(250))])
        return [
            function.with(.colorTemperature) {
                ($0.minimum, $0.maximum) = (Double(mireds.lowerBound), Double(mireds.upperBound))
            }
        ]
    }

    func shown(_ functions: [AccessoryFunction]) -> [AccessoryFunction] {
        functions.map { function in
            var shown = function
            if shown.type == .outlet, !shown.has(.outletInUse) { shown.add(.outletInUse, .bool(false)) }
            guard shown.has(.colorTemperature) else { return shown }
            guard let limits = shown.metadata(of: .colorTemperature)?.range, limits.overlaps(Self.temperatureLimits)
            else {
                shown.remove(.colorTemperature)
                return shown
            }
            let range = limits.clamped(to: Self.temperatureLimits)
            shown = shown.with(.colorTemperature) { ($0.minimum, $0.maximum) = (range.lowerBound, range.upperBound) }
            if shown.has(.brightness) {
                shown.add(.supportedCharacteristicValueTransitionConfiguration, .data([]))
                shown.add(.characteristicValueTransitionControl, .data([]))
                shown.add(.characteristicValueActiveTransitionCount, .integer(0))
            }
            return shown
        }
    }

    func valid(
        _ value: CharacteristicValue, of property: Property, _ metadata: CharacteristicMetadata
    ) -> CharacteristicValue? {
        switch property.type {
        case .brightness: return value.whole(in: 1...100)
        // A driver's conversion may exceed the limits slightly because of rounding. A hue of 360 that a controller
        // wrote stays 360, because the controller expects the value that it wrote.
        case .hue: return value.number(near: 0...360)
        case .saturation: return value.number(near: 0...100)
        // A lamp may report a color temperature outside HomeKit's range.
        case .colorTemperature:
            let range = Self.possibleTemperatures
            return value.whole(in: Double(range.lowerBound)...Double(range.upperBound))
        default: return metadata.clamped(value)
        }
    }

    func resembles(_ reported: PropertyValues, _ wanted: PropertyValues) -> Bool {
        guard let color = reported.color, let other = wanted.color else { return reported == wanted }
        return color.resembles(other)
    }

    func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues {
        var command = written
        // Brightness 0 means off and keeps the level for the next "on" (HAP 11). Together with "on", it means the
        // lowest level: Home Assistant's levels 1 and 2 of 255 round down to 0 %.
        if command[Property(.brightness)]?.number == 0 {
            command.brightness = command.on == true ? 1 : nil
            if command.on != true { command.on = false }
        }
        guard command.contains(Property(.hue)) || command.contains(Property(.saturation)) else { return command }
        let hue: Double? = command[.hue] ?? state[.hue]
        let saturation: Double? = command[.saturation] ?? state[.saturation]
        command.color = .hueSaturation(hue: hue ?? 0, saturation: saturation ?? 0)
        return command
    }

    func reconcile(_ state: inout DeviceState, after new: PropertyValues) -> Bool {
        guard new.contains(Property(.hue)) || new.contains(Property(.colorTemperature)), let color = new.color else {
            return false
        }
        let wasWhite = state.isWhite
        guard case .temperature(let mired) = color else {
            state.isWhite = false
            return wasWhite
        }
        state.isWhite = true
        // The Home app shows the color of hue and saturation, so they must match the white (HAP 12).
        let (hue, saturation) = ColorConversion.hueSaturation(mired: mired)
        let isNewHue = state.values.set(.float(hue), for: Property(.hue))
        let isNewSaturation = state.values.set(.float(saturation), for: Property(.saturation))
        return isNewHue || isNewSaturation || !wasWhite
    }

    func derived(
        _ type: CharacteristicType, of function: AccessoryFunction, in state: DeviceState
    ) -> CharacteristicValue? { type == .outletInUse ? state.values[Property(.on)] : nil }
}

extension DeviceState {
    /// The color or white that a lamp shows, or `nil` if it has none.
    package var color: LightColor? {
        guard !isWhite else { return self[.colorTemperature].map { .temperature(mired: $0) } }
        guard let hue = self[.hue], let saturation = self[.saturation] else { return nil }
        return .hueSaturation(hue: hue, saturation: saturation)
    }
}

extension CharacteristicValue {
    /// Returns the value rounded to an integer, or `nil` if it is out of range.
    func whole(in range: ClosedRange<Double>) -> CharacteristicValue? {
        guard let number = number?.rounded(), range.contains(number) else { return nil }
        return .integer(Int64(number))
    }

    /// Returns the value clamped to the range, or `nil` if it is out of range by more than 1.
    fileprivate func number(near range: ClosedRange<Double>) -> CharacteristicValue? {
        guard let number, (range.lowerBound - 1...range.upperBound + 1).contains(number) else { return nil }
        return .float(min(max(number, range.lowerBound), range.upperBound))
    }
}

extension LightColor {
    /// Returns whether two colors differ by at most a device's rounding.
    package func resembles(_ other: LightColor) -> Bool {
        switch (self, other) {
        case (.hueSaturation(let h1, let s1), .hueSaturation(let h2, let s2)):
            let distance = (h1 - h2).magnitude.truncatingRemainder(dividingBy: 360)
            // The resolution of the hue decreases with the saturation: with one byte each for red, green and blue, it's
            // 23° at a saturation of 1 %.
            let saturation = min(s1, s2)
            let tolerance = max(1.5, 24 / max(saturation, 1))
            return (s1 - s2).magnitude <= 1.5 && (min(distance, 360 - distance) <= tolerance || saturation < 2)
        case (.temperature(let a), .temperature(let b)): return (a - b).magnitude <= 1
        case (.hueSaturation, .temperature), (.temperature, .hueSaturation): return false
        }
    }
}
