import DeviceKit
import HAPModel

/// The fan of a climate device, which is set by the words of fan modes and swing modes.
///
/// The words are Home Assistant's, in any case.
struct ClimateFan: Equatable, Sendable {
    /// The words for speeds, slowest first.
    static let speeds =
        ["quiet", "silent", "low", "middle", "mid", "medium", "high"] + (1...9).map(String.init) + ["turbo", "max"]
    /// The words for swinging, the preferred word first.
    private static let swings = ["on", "both", "horizontal", "vertical", "swing"]

    /// The device's words for its speeds, slowest first.
    private(set) var steps: [String] = []
    /// The device's words for its fan modes and its swing modes.
    private var modes, swings: [String]
    private var auto, off, on, swing, noSwing: String?

    init() { (modes, swings) = ([], []) }

    /// Creates a fan from a device's words for its fan modes and its swing modes.
    init(modes: [String], swings: [String]) {
        (self.modes, self.swings) = (modes, swings)
        func word(_ known: String, _ words: [String]) -> String? { words.first { $0.lowercased() == known } }
        steps = Self.speeds.compactMap { word($0, modes) }
        (auto, off, on) = (word("auto", modes), word("off", modes), word("on", modes))
        let swinging = Self.swings.lazy.compactMap { word($0, swings) }.first
        if let swinging, let still = word("off", swings) { (swing, noSwing) = (swinging, still) }
    }

    /// The fan's features, or `nil` if nothing can be set.
    var features: ThermostatFan? {
        var features = ThermostatFan()
        features.speeds = steps.count
        features.hasAuto = auto != nil && manual != nil
        features.swings = swing != nil
        features.hasOff = off != nil && manual != nil
        return features.isEmpty ? nil : features
    }

    /// The fan mode that replaces "off" and "auto": a medium speed, or "on".
    private var manual: String? { steps.isEmpty ? on : steps[(steps.count - 1) / 2] }

    /// Returns the values of a fan mode, without a speed if the mode isn't a speed.
    ///
    /// Other words have no values.
    func values(mode: String) -> PropertyValues {
        var values = PropertyValues()
        guard let features, modes.contains(mode) else { return values }
        if features.hasOff { values[ThermostatFan.active] = .integer(mode == off ? 0 : 1) }
        guard mode != off else { return values }
        if features.hasAuto { values[ThermostatFan.automatic] = .integer(mode == auto ? 1 : 0) }
        if let index = steps.firstIndex(of: mode) {
            values[ThermostatFan.speed] = .float(100 * Double(index + 1) / Double(steps.count))
        }
        return values
    }

    /// Returns the values of a swing mode, which swings unless it is "off".
    func values(swing mode: String) -> PropertyValues {
        var values = PropertyValues()
        if swing != nil, swings.contains(mode) { values[ThermostatFan.swing] = .integer(mode == noSwing ? 0 : 1) }
        return values
    }

    /// Returns the fan mode that a command sets, or `nil` if it sets none.
    func mode(of command: LightCommand) -> String? {
        if let active = command.values[ThermostatFan.active].flatMap(Bool.init), off != nil, !active { return off }
        if let speed = command.values[ThermostatFan.speed]?.number, !steps.isEmpty {
            // Controllers round multiples of the step, such as 33.3 %.
            let index = Int((speed * Double(steps.count) / 100 - 0.1).rounded(.up)) - 1
            return steps[min(max(index, 0), steps.count - 1)]
        }
        if let isAutomatic = command.values[ThermostatFan.automatic].flatMap(Bool.init), auto != nil {
            return isAutomatic ? auto : manual
        }
        return command.values.contains(ThermostatFan.active) ? manual : nil
    }

    /// Returns the swing mode that a command sets, or `nil` if it sets none.
    func swing(of command: LightCommand) -> String? {
        command.values[ThermostatFan.swing].flatMap(Bool.init).flatMap { $0 ? swing : noSwing }
    }
}
