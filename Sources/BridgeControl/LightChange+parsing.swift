internal import BoundedJSON
internal import DeviceKit
internal import SystemKit
internal import TerminalKit

extension LightChange {
    /// The purpose of a change, which determines the valid names and values.
    package enum Purpose: Sendable {
        /// The change is a command from `devices set`. It may contain the values that a controller can write.
        case command
        /// The change is simulated by `simulate`. It may contain all values that a light can report.
        case simulation

        package var names: [String] { LightChange.names.filter(allows) }

        /// The names for each kind of light, with their units or possible words.
        package var help: String {
            let kinds = LightKind.allCases.map { kind in
                let names = kind.names.filter { self == .simulation || $0.isSettable }.map { property in
                    switch property.form {
                    case .flag: property.name
                    case .choice(let words): "\(property.name) (\(words.joined(separator: ", ")))"
                    case .whole(_, let unit), .number(_, let unit, _): "\(property.name) (\(unit))"
                    }
                }
                return (kind, names)
            }
            return kinds.filter { !$0.1.isEmpty }.map { "\($0): \($1.joined(separator: ", "))" }.joined(separator: "; ")
        }

        /// Returns whether a change with this purpose may contain a value with this name.
        fileprivate func allows(_ name: String) -> Bool {
            name == LightChange.reachable ? self == .simulation : !meanings(of: name).isEmpty
        }

        fileprivate func meanings(of name: String) -> [PropertyName] {
            let meanings = LightChange.meanings(of: name)
            return self == .command ? meanings.filter(\.isSettable) : meanings
        }
    }

    /// Parses words such as `brightness=40` and, for a known device, `on`, `50%` and `red`.
    ///
    /// - Throws: ``BridgeControlError`` with code 64 and a remedy.
    package init(
        parsing words: [String], for purpose: Purpose, of device: LightListing? = nil
    ) throws(BridgeControlError) {
        self.init()
        let deviceWords = device.flatMap { DeviceWord(for: $0, purpose) }
        guard !words.isEmpty else {
            throw .usage(
                "nothing to change",
                remedy: "add a change such as on=true; the names are \(purpose.names.joined(separator: ", "))")
        }
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let values: [String: JSONValue]
            if parts.count == 2 {
                values = [parts[0]: try Self.value(of: parts[0], parts[1], for: purpose, deviceWords)]
            } else if let known = deviceWords?.values(of: word) {
                values = known
            } else {
                throw Self.notUnderstood(word, deviceWords)
            }
            for (name, value) in values {
                guard self[name] == nil else {
                    throw .usage("\(Self.shown(name)) is specified twice", remedy: "specify it only once")
                }
                self[name] = value
            }
        }
        try validate(for: purpose)
    }

    private static func notUnderstood(_ word: String, _ words: DeviceWord?) -> BridgeControlError {
        if let remedy = words?.activationRemedy { return .usage("don't understand \"\(shown(word))\"", remedy: remedy) }
        let known = words?.all ?? []
        let remedy =
            word.nearest(in: known).map { "did you mean \($0)?" }
            ?? (["NAME=VALUE such as brightness=40"] + known).joined(separator: ", ")
        return .usage(
            "don't understand \"\(shown(word))\"", remedy: remedy.hasPrefix("did") ? remedy : "use \(remedy)")
    }

    /// Validates a change that wasn't created by ``init(parsing:for:)``.
    package func validate(for purpose: Purpose) throws(BridgeControlError) {
        guard !isEmpty else { throw .usage("nothing to change", remedy: "add a change such as on=true") }
        if reachable != nil, case .command = purpose {
            throw .usage(
                "\"reachable\" can't be set", remedy: "use \(ShellCommand.lamplighter) simulate for a simulated device")
        }
        for (name, value) in members where name != Self.reachable {
            let meanings = purpose.meanings(of: name)
            if meanings.isEmpty {
                throw .usage(
                    "the readings of a sensor can't be set",
                    remedy: "use \(ShellCommand.lamplighter) simulate for a simulated sensor")
            }
            if let number = value.double { try Self.check(name, number, meanings.compactMap(\.range)) }
            guard let text = value.string else { continue }
            let words = meanings.flatMap { if case .choice(let words) = $0.form { words } else { [String]() } }
            guard words.contains(text) else {
                throw .usage(
                    "\(Self.shown(name)) can't be \"\(Self.shown(text))\"",
                    remedy: "use \(words.joined(separator: " or "))")
            }
        }
        if self["temperature"] != nil, self["hue"] != nil || self["saturation"] != nil {
            throw .usage("color and white can't be set together", remedy: "use hue and saturation, or temperature")
        }
    }

    private static func value(
        of name: String, _ text: String, for purpose: Purpose, _ words: DeviceWord?
    ) throws(BridgeControlError) -> JSONValue {
        guard purpose.allows(name) else { throw unknown(name, for: purpose) }
        let meanings = purpose.meanings(of: name)
        guard let meaning = words?.meaning(of: name) ?? meanings.last else { return .bool(try bool(name, text)) }
        if let value = words?.value(text, of: meaning) { return value }
        guard words == nil || meaning.range == nil || !text.hasPrefix("+") else {
            throw .usage("\(shown(name)) can't be changed by \"\(shown(text))\"", remedy: "specify the new value")
        }
        switch meaning.form {
        case .flag: return .bool(try bool(name, text))
        case .choice: return .string(text)
        case .whole where isAlsoNumber(name): return .number(Double(try integer(name, text)))
        case .whole: return .integer(Int64(try integer(name, text)))
        case .number: return .number(try number(name, text))
        }
    }

    private static func unknown(_ name: String, for purpose: Purpose) -> BridgeControlError {
        if name == "reachable" {
            return .usage(
                "\"reachable\" can't be set", remedy: "use \(ShellCommand.lamplighter) simulate for a simulated device")
        }
        let nearest = name.nearest(in: purpose.names)
        return .usage(
            "unknown name \"\(shown(name))\"",
            remedy: nearest.map { "did you mean \($0)?" } ?? "use one of \(purpose.names.joined(separator: ", "))")
    }

    private static func bool(_ name: String, _ text: String) throws(BridgeControlError) -> Bool {
        switch text.lowercased() {
        case "true", "on", "yes", "1": return true
        case "false", "off", "no", "0": return false
        default: throw .usage("\(shown(name)) can't be \"\(shown(text))\"", remedy: "use true or false")
        }
    }

    private static func integer(_ name: String, _ text: String) throws(BridgeControlError) -> Int {
        guard let value = Int(text) else {
            throw .usage("\(shown(name)) can't be \"\(shown(text))\"", remedy: "use a whole number")
        }
        return value
    }

    private static func number(_ name: String, _ text: String) throws(BridgeControlError) -> Double {
        guard let value = Double(text), value.isFinite else {
            throw .usage("\(shown(name)) can't be \"\(shown(text))\"", remedy: "use a number")
        }
        return value
    }

    private static func check(
        _ name: String, _ value: Double, _ ranges: [(limits: ClosedRange<Double>, unit: String)]
    ) throws(BridgeControlError) {
        guard let first = ranges.first, !ranges.contains(where: { $0.limits.contains(value) }) else { return }
        let low = ranges.reduce(first.limits.lowerBound) { min($0, $1.limits.lowerBound) }
        let high = ranges.reduce(first.limits.upperBound) { max($0, $1.limits.upperBound) }
        let units = ranges.map(\.unit).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            .joined(separator: ", or ")
        let limits = [low, high].map { JSONValue.number($0).text }.joined(separator: " to ")
        throw .usage("\(shown(name)) is out of range", remedy: "use \(limits) (\(units))")
    }

    /// Returns the beginning of a word that the user has typed, sanitized for a terminal.
    private static func shown(_ word: String) -> String { String(word.prefix(64)).sanitized }
}
