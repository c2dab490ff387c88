import DeviceKit
import HAPModel

/// The unit of a device's temperatures.
enum TemperatureUnit: Equatable, Sendable {
    case celsius, fahrenheit, kelvin

    /// Converts a temperature in this unit to degrees Celsius, or returns `nil` if it is out of range.
    func celsius(_ number: Double?) -> Double? {
        guard let number, number.magnitude < 1000 else { return nil }
        return switch self {
        case .celsius: number
        case .fahrenheit: (number - 32) / 1.8
        case .kelvin: number - 273.15
        }
    }

    /// Converts a temperature in degrees Celsius to this unit, and rounds it to the device's step.
    func number(celsius: Double, step: Double) -> Double {
        let number =
            switch self {
            case .celsius: celsius
            case .fahrenheit: celsius * 1.8 + 32
            case .kelvin: celsius + 273.15
            }
        // Round again, because multiples of a step such as 0.1 aren't exact.
        return ((number / step).rounded() * step * 1000).rounded() / 1000
    }

    /// The step that is assumed for devices that don't report a step.
    var usualStep: Double { self == .fahrenheit ? 1 : 0.1 }

    /// Converts a range of temperatures to degrees Celsius, or returns `nil` if a limit is out of range.
    func range(_ low: Double, _ high: Double) -> ClosedRange<Double>? {
        guard let low = celsius(low), let high = celsius(high), low < high else { return nil }
        // Round to HAP's step.
        return (low * 10).rounded() / 10...(high * 10).rounded() / 10
    }
}

/// The two set points of a thermostat in degrees Celsius.
struct SetPoints: Equatable, Sendable {
    /// The temperature below which the thermostat heats.
    var low: Double?
    /// The temperature above which the thermostat cools.
    var high: Double?

    var isEmpty: Bool { low == nil && high == nil }

    /// Returns the target temperature of a thermostat that has only these two set points.
    func target(in mode: HeatingCoolingMode?) -> Double? {
        switch mode {
        case .heat?: low ?? high
        case .cool?: high ?? low
        default: low.flatMap { low in high.map { ((low + $0) * 5).rounded() / 10 } }
        }
    }

    /// Returns the set points that a command changes, with their new temperatures.
    ///
    /// If the command has a target temperature but no thresholds, the target replaces the set point for heating or for
    /// cooling, depending on the mode. In other modes, both set points move, so that the target is in their middle.
    func changed(by command: LightCommand, in mode: HeatingCoolingMode?) -> SetPoints {
        var new = SetPoints(low: command.heatingThreshold, high: command.coolingThreshold)
        guard new.isEmpty, let target = command.targetTemperature else { return new }
        switch mode {
        case .heat?: new.low = target
        case .cool?: new.high = target
        default:
            let half = low.flatMap { low in high.map { max(($0 - low) / 2, 0) } } ?? 0
            (new.low, new.high) = (target - half, target + half)
        }
        return new
    }
}

/// A climate device's words for its modes.
struct ClimateWords: Equatable, Sendable {
    /// Home Assistant's words for each mode, the preferred word first.
    ///
    /// Other words, such as `dry` and `fan_only`, have no equivalent in HomeKit.
    private static let words: [HeatingCoolingMode: [String]] = [
        .off: ["off"], .heat: ["heat"], .cool: ["cool"], .auto: ["heat_cool", "auto"],
    ]

    /// The word to send for each mode.
    private(set) var word: [HeatingCoolingMode: String] = [:]
    /// The mode of each word; `nil` for a word without an equivalent in HomeKit.
    private(set) var mode: [String: HeatingCoolingMode?] = [:]

    init() {}

    /// Creates the words of a device that can heat and cool.
    init(_ names: [String]) {
        for name in names {
            let known: HeatingCoolingMode? = Self.words.first { $0.value.contains(name) }?.key
            mode.updateValue(known, forKey: name)
        }
        for (mode, words) in Self.words { word[mode] = words.first(where: names.contains) }
    }

    /// Creates the words of a device that only heats, such as a water heater: every word but `off` means heating.
    init(heating names: [String]) {
        for name in names { mode[name] = name == "off" ? .off : .heat }
        word[.off] = names.contains("off") ? "off" : nil
        word[.heat] = names.first { $0 != "off" }
    }

    var modes: Set<HeatingCoolingMode> { Set(word.keys) }

    /// Returns the activity that one of Home Assistant's action words describes, or `nil` for other words.
    static func activity(_ action: String) -> HeatingCoolingMode? {
        switch action {
        case "heating", "preheating", "defrosting": .heat
        case "cooling": .cool
        case "idle", "off", "drying", "fan": .off
        default: nil
        }
    }
}
