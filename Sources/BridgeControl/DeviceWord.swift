internal import BoundedJSON
internal import DeviceKit
internal import HAPModel

/// The words for the values of a device, such as `on`, `open`, `50%`, `2700K`, `21.5°`, `warm` or `red`.
///
/// The meaning of a word depends on the kind of device: `50%` is the brightness of a lamp or the position of a cover.
package struct DeviceWord {
    private let device: LightListing
    private let kind: LightKind
    private let names: [PropertyName]

    /// Creates the words for a device, or returns `nil` if this version doesn't know its kind.
    package init?(for device: LightListing, _ purpose: LightChange.Purpose = .command) {
        guard let kind = LightKind(rawValue: device.kind) else { return nil }
        self.device = device
        self.kind = kind
        names = kind.names.filter { purpose == .simulation || $0.isSettable }
    }

    /// The words for the device, for completion and messages.
    package var all: [String] {
        var words = Self.verbs.map(\.word).filter { values(of: $0) != nil }
        for name in names { if case .choice(let choices) = name.form { words += choices } }
        if names.contains(where: { $0.type == .colorTemperature }) { words += Self.whites.map(\.word) }
        if names.contains(where: { $0.type == .hue }) { words += Self.colors.map(\.word) }
        return words.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// Returns the names that are valid in `NAME=VALUE`.
    package func names(_ purpose: LightChange.Purpose) -> [String] {
        names.map(\.name) + (purpose == .simulation ? [LightChange.reachable] : [])
    }

    /// Returns the words that are valid for a name, or an empty array for numbers.
    package func choices(of name: String) -> [String] {
        switch meaning(of: name)?.form {
        case .flag?: ["true", "false"]
        case .choice(let words)?: words
        case nil where name == LightChange.reachable: ["true", "false"]
        default: []
        }
    }

    /// The changes that a device with only scenes accepts; empty for other devices.
    ///
    /// The switch of a scene turns itself off, so it can only be turned on.
    private var activations: [String] {
        let switches = kind == .scene ? device.state.members.map(\.name).filter { $0.hasPrefix("on#") } : []
        guard switches.allSatisfy({ $0.hasPrefix("on#scene/") }) else { return [] }
        return switches.count == 1 ? ["on"] : switches.map { "\($0)=true" }
    }

    /// The remedy for a change that a device with only scenes doesn't support; `nil` for other devices.
    package var activationRemedy: String? {
        let words = activations.prefix(4).joined(separator: " or ")
        return words.isEmpty ? nil : "scenes can only be activated; use \(words)"
    }

    /// Returns the values that a word sets, by name, or `nil` if the word isn't valid for the device.
    func values(of word: String) -> [String: JSONValue]? {
        let word = word.lowercased()
        return choice(word) ?? verb(word) ?? color(word) ?? number(word)
    }

    private func choice(_ word: String) -> [String: JSONValue]? {
        let found = names.filter { if case .choice(let words) = $0.form { words.contains(word) } else { false } }
        return found.count == 1 ? [found[0].name: .string(word)] : nil
    }

    // MARK: Verbs

    /// The verbs, each with its equivalent word of an enumeration, position in percent, or power state.
    private static let verbs: [(word: String, choice: String?, percent: Int64?, flag: Bool?)] = [
        ("on", nil, nil, true), ("off", nil, nil, false), ("toggle", nil, nil, nil),
        ("open", "open", 100, true), ("close", "closed", 0, false), ("stop", "stopped", nil, nil),
        ("lock", "locked", nil, nil), ("unlock", "unlocked", nil, nil),
    ]

    private func verb(_ word: String) -> [String: JSONValue]? {
        guard let verb = Self.verbs.first(where: { $0.word == word }) else { return nil }
        if let words = verb.choice.flatMap(choice) { return words }
        if let percent = verb.percent, let name = meaning(of: "position") {
            return value("\(percent)", of: name).map { [name.name: $0] }
        }
        guard let power = names.first(where: { $0.name == "on" || $0.name == "active" }) else { return nil }
        switch word {
        case "off" where !activations.isEmpty: return nil
        case "on", "off": return verb.flag.map { [power.name: .bool($0)] }
        case "toggle": return device.state[power.name]?.bool.map { [power.name: .bool(!$0)] }
        // A valve has no position, so the verbs set its power state.
        default: return kind.rawValue == "valve" ? verb.flag.map { [power.name: .bool($0)] } : nil
        }
    }

    // MARK: Colors

    /// The words for whites, with their color temperatures in mired.
    private static let whites: [(word: String, mired: Int64)] = [
        ("warm", 370), ("neutral", 250), ("daylight", 182), ("cool", 154),
    ]

    /// The words for colors, with their hues in degrees and saturations in percent.
    private static let colors: [(word: String, hue: Double, saturation: Double)] = [
        ("red", 0, 100), ("orange", 30, 100), ("yellow", 60, 100), ("green", 120, 100), ("turquoise", 174, 70),
        ("cyan", 180, 100), ("blue", 240, 100), ("purple", 275, 100), ("magenta", 300, 100), ("pink", 340, 50),
        ("white", 0, 0),
    ]

    private func color(_ word: String) -> [String: JSONValue]? {
        if let white = Self.whites.first(where: { $0.word == word }) { return temperature(mired: white.mired) }
        guard let color = Self.colors.first(where: { $0.word == word }) else { return nil }
        // Prefer a lamp's white LEDs to a white that is mixed from colors.
        if word == "white", device.state["temperature"] != nil { return temperature(mired: 250) }
        guard names.contains(where: { $0.type == .hue }) else { return nil }
        return ["hue": .number(color.hue), "saturation": .number(color.saturation)]
    }

    private func temperature(mired: Int64) -> [String: JSONValue]? {
        guard let name = names.first(where: { $0.type == .colorTemperature }) else { return nil }
        return value("\(mired)", of: name).map { [name.name: $0] }
    }

    // MARK: Numbers

    /// Returns the meaning of a name for the device, or `nil` if devices of its kind don't have the name.
    func meaning(of name: String) -> PropertyName? { names.first { $0.name == name } }

    /// Parses a number with a unit, such as `50%`.
    ///
    /// The unit determines the name of the value.
    private func number(_ word: String) -> [String: JSONValue]? {
        let name =
            if word.hasSuffix("%") { names.first { $0.range?.unit == "percent" } } else if word.hasSuffix("k") {
                names.first { $0.type == .colorTemperature }
            } else if word.hasSuffix("°") || word.hasSuffix("c") || word.hasSuffix("f") {
                names.first { $0.characteristic == .targetTemperature }
            } else { PropertyName?.none }
        guard let name, let value = value(word, of: name) else { return nil }
        return [name.name: value]
    }

    /// Returns the number to which a step such as `+10` is added: the target if the device has one, or else the
    /// measured value.
    private func present(of name: PropertyName) -> Double? {
        var types = [name.target].compactMap { $0 }
        // A dehumidifier has a different target than a humidifier.
        if types == [.relativeHumidityHumidifierThreshold] { types.append(.relativeHumidityDehumidifierThreshold) }
        let targets = types.compactMap(kind.name(of:)).compactMap { device.state[$0.name]?.double }
        return targets.first ?? device.state[name.name]?.double
    }

    /// Parses a number with or without a unit, or a step such as `+10`.
    ///
    /// Returns `nil` if the text isn't a valid number for the name, or if a step is added to an unknown value.
    func value(_ text: String, of name: PropertyName) -> JSONValue? {
        guard let limits = name.range?.limits else { return nil }
        var digits = text.lowercased()
        var convert: (Double) -> Double = { $0 }
        let marks: [(mark: String, convert: (Double) -> Double)] =
            switch (name.range?.unit, name.characteristic) {
            case (_, .colorTemperature): [("mired", { $0 }), ("k", { (1e6 / $0).rounded() })]
            case (_, .targetTemperature), (_, .currentTemperature), (_, .heatingThresholdTemperature),
                (_, .coolingThresholdTemperature):
                [("°c", { $0 }), ("°f", { ($0 - 32) / 1.8 }), ("°", { $0 }), ("c", { $0 }), ("f", { ($0 - 32) / 1.8 })]
            case ("percent"?, _): [("%", { $0 })]
            case ("degrees"?, _): [("°", { $0 })]
            default: []
            }
        if let found = marks.first(where: { digits.hasSuffix($0.mark) }) {
            digits.removeLast(found.mark.count)
            convert = found.convert
        }
        digits = digits.trimmed
        let isStep = digits.hasPrefix("+") || digits.hasPrefix("-") && (limits.lowerBound >= 0 || name.isSetPoint)
        guard let typed = Double(digits), typed.isFinite else { return nil }
        var number = convert(typed)
        if isStep {
            // Only values without a conversion support steps: a difference in kelvins isn't a difference in mired.
            guard convert(1) == 1, let present = present(of: name) else { return nil }
            number = min(max(present + typed, limits.lowerBound), limits.upperBound)
        }
        guard number.isFinite else { return nil }
        switch name.form {
        case .whole where !LightChange.isAlsoNumber(name.name): return Int64(exactly: number).map(JSONValue.integer)
        case .whole: return Int64(exactly: number).map { .number(Double($0)) }
        default: return .number((number * 100).rounded() / 100)
        }
    }
}

extension PropertyName {
    /// The characteristic that a controller writes.
    fileprivate var characteristic: CharacteristicType { target ?? type }

    /// A Boolean value that indicates whether this is a target temperature, for which a minus sign means a step.
    fileprivate var isSetPoint: Bool {
        [.targetTemperature, .heatingThresholdTemperature, .coolingThresholdTemperature].contains(characteristic)
    }
}

extension String {
    fileprivate var trimmed: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
