import DeviceKit
import HAPModel

/// The presets of a fan: a device's words for its automatic mode, its speeds and other modes.
///
/// As in Home Assistant, a single preset is the fan's automatic mode, and each of several presets is a switch. In
/// addition, a word such as "auto" is the automatic mode even if there are others, and the words for speeds set the speed
/// of a fan without percentages.
struct FanPresets: Equatable, Sendable {
    /// The words for the automatic mode, the preferred word first.
    private static let automatic = ["auto", "automatic", "smart", "eco"]
    /// The words that mean the same as a percentage.
    private static let percentages = ["low", "middle", "mid", "medium", "high"] + (1...9).map(String.init)
    /// The words for the opposite of the automatic mode.
    private static let manual = ["normal", "manual", "standard"]

    /// The words for speeds, slowest first; empty for a fan with percentages.
    private(set) var steps: [String] = []
    private(set) var auto: String?
    /// The words that become switches.
    private(set) var others: [String] = []
    /// The word that ends the automatic mode of a fan whose speed can't be set.
    private var manual: String?

    init() {}

    /// Creates presets from a device's words.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - hasSpeed: Whether the fan also has a percentage.
    ///   - fastest: A word that is the fastest speed, although it has a different meaning on other devices.
    init(_ words: [String], hasSpeed: Bool, fastest: String? = nil) {
        var words = words.filter { (1...64).contains($0.utf8.count) }
        words = words.indices.filter { words.firstIndex(of: words[$0]) == $0 }.map { words[$0] }
        func first(_ known: [String], of words: [String]) -> String? {
            known.lazy.compactMap { name in words.first { $0.lowercased() == name } }.first
        }
        if !hasSpeed {
            steps = (ClimateFan.speeds + [fastest].compactMap(\.self)).compactMap { first([$0], of: words) }
            if steps.count < 2 { steps = [] }
        }
        let skipped = ["on", "off"] + (hasSpeed ? Self.percentages : [])
        let modes = words.filter { !steps.contains($0) && !skipped.contains($0.lowercased()) }
        let canEndAuto = hasSpeed || !steps.isEmpty || modes.count > 1
        if canEndAuto { auto = first(Self.automatic, of: modes) ?? (modes.count == 1 ? modes[0] : nil) }
        others = Array(modes.filter { $0 != auto }.prefix(AccessoryFunction.maximumOptions))
        guard auto != nil, !hasSpeed, steps.isEmpty else { return }
        manual = first(Self.manual, of: others) ?? others.first
        if others.count == 1 { others = [] }
    }

    /// Adds the presets to the features of a fan.
    func add(to features: inout FanFeatures) {
        if !steps.isEmpty { features.speeds = steps.count }
        features.hasAuto = auto != nil
        features.presets = others
    }

    /// Returns the values of a fan in a mode, or in no preset mode if `mode` is `nil`.
    ///
    /// Unknown words have no values.
    func values(_ mode: String?) -> PropertyValues {
        var values = PropertyValues()
        let step = steps.firstIndex { $0 == mode }
        guard mode == nil || mode == auto || mode == manual || step != nil || others.contains(where: { $0 == mode })
        else { return values }
        if auto != nil { values.blowsAutomatically = mode == auto }
        for other in others { values[FanFeatures.preset(other)] = .bool(other == mode) }
        if let step { values.speed = (step + 1) * 100 / steps.count }
        return values
    }

    /// Returns the mode that a command sets, or `nil` if it sets none.
    func mode(of command: LightCommand) -> String? {
        if let preset = others.last(where: { command.values[FanFeatures.preset($0)] == .bool(true) }) { return preset }
        switch command.values.blowsAutomatically {
        case true? where auto != nil: return auto
        case false? where manual != nil: return manual
        default: break
        }
        guard let speed = command.speed, !steps.isEmpty else { return nil }
        // Controllers round multiples of the step, such as 33.3 %.
        let index = Int((Double(speed * steps.count) / 100 - 0.1).rounded(.up)) - 1
        return steps[min(max(index, 0), steps.count - 1)]
    }
}
