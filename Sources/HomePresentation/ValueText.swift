import BoundedJSON
package import HAPModel
package import HomeModel
import TerminalKit
import Texts

extension Characteristic {
    /// Returns the value with its unit in human-readable form.
    ///
    /// Except for bytes, the result is also valid input.
    package func text(of value: CharacteristicValue) -> String {
        switch value {
        case .bool(let flag): return flag ? "yes" : "no"
        case .integer(let number):
            if let word = type.typedWord(for: number) { return word }
            return withUnit("\(number)")
        case .unsigned(let number): return withUnit("\(number)")
        case .float(let number): return withUnit(JSONValue.number(rounded(number)).text)
        case .string(let text): return text.sanitized
        case .data(let bytes): return bytes.isEmpty ? "empty" : bytes.count.of("byte")
        }
    }

    /// The last received value, `unknown` before the first value, or a dash if the characteristic has no lasting value.
    package var cachedText: String {
        value.map(text) ?? (metadata.permissions.contains(.pairedRead) && !type.isMomentary ? "unknown" : "-")
    }

    /// Returns the words for setting the value: `on`, `brightness 40 %`.
    package func sentence(of value: CharacteristicValue) -> String {
        if type == .on, case .bool(let flag) = value { return flag ? "on" : "off" }
        return "\(word) \(text(of: value))"
    }

    /// Rounds a number to two decimal places, unless its step is finer.
    private func rounded(_ number: Double) -> Double {
        let step = metadata.step ?? 0.01
        guard step >= 0.01 || step <= 0, number.magnitude < 1e12 else { return number }
        return (number * 100).rounded() / 100
    }

    private func withUnit(_ number: String) -> String {
        metadata.unit?.attached(to: number) ?? symbol.map { "\(number) \($0)" } ?? number
    }

    /// The symbol of the unit of a value for which HAP defines no unit.
    private var symbol: String? { type == .colorTemperature ? "mired" : conventionalUnit }

    /// The valid values: limits, the words of an enumeration, or the type.
    package var rangeText: String {
        switch metadata.format {
        case .bool: return localized("yes or no")
        case .uint8, .uint16, .uint32, .uint64, .int, .float:
            guard !type.valueNames.isEmpty || metadata.validValues != nil else { return limitsText }
            return takenWords.joined(separator: ", ")
        case .string: return localized("text")
        case .tlv8, .data: return localized("bytes")
        }
    }

    /// The numbers that the characteristic accepts.
    private var takenNumbers: [Int64] {
        (metadata.validValues ?? type.valueNames.keys.sorted())
            .filter { metadata.accepted(.integer($0))?.number == Double($0) }
    }

    /// The words of the valid numbers.
    private var takenWords: [String] { takenNumbers.map { type.typedWord(for: $0) ?? "\($0)" } }

    private var limitsText: String {
        let shown = { (limit: Double) in metadata.listing(limit).text }
        return switch (metadata.minimum, metadata.maximum) {
        case (let low?, let high?): localized("\(shown(low)) to \(withUnit(shown(high)))")
        case (let low?, nil): localized("\(withUnit(shown(low))) or more")
        case (nil, let high?): localized("\(withUnit(shown(high))) or less")
        case (nil, nil): localized("number")
        }
    }

    /// The permissions of the value, in words.
    package var abilitiesText: String {
        let permissions = metadata.permissions
        var words: [String] = []
        if permissions.contains(.pairedRead) { words.append("read") }
        if permissions.contains(.pairedWrite) { words.append("write") }
        if permissions.contains(.notify) { words.append("watch") }
        return words.joined(separator: ", ")
    }
}

extension CharacteristicUnit {
    fileprivate func attached(to number: String) -> String {
        switch self {
        case .celsius: "\(number) °C"
        case .percentage: "\(number) %"
        case .arcdegrees: "\(number)°"
        case .lux: "\(number) lx"
        case .seconds: "\(number) s"
        }
    }

    /// The units that users may write after a number, and their factors.
    fileprivate var marks: [(mark: String, factor: Double)] {
        switch self {
        case .celsius: [("°c", 1), ("c", 1), ("°", 1)]
        case .percentage: [("%", 1)]
        case .arcdegrees: [("°", 1)]
        case .lux: [("lx", 1), ("lux", 1)]
        case .seconds: [("s", 1), ("min", 60), ("h", 3600)]
        }
    }
}

// MARK: Parsing

extension Characteristic {
    /// Parses a typed value for writing.
    ///
    /// - Parameter typed: A number with or without its unit, a word of an enumeration, yes or no, or any string.
    /// - Returns: The value in the characteristic's format, rounded to the nearest step.
    /// - Throws: `HomeError` with code 5 if it can't be written, 43 if it has the wrong type, 44 or 45 if it's beyond a
    ///   limit, 3 if it isn't valid for other reasons, or 46 if it's too long.
    package func value(typed: String) throws(HomeError) -> CharacteristicValue {
        do throws(HomeError) {
            guard metadata.permissions.contains(.pairedWrite) else { throw HomeError(.readOnlyCharacteristic) }
            guard let value = parsed(typed) else { throw HomeError(.invalidValueType) }
            return try metadata.validatedWrite(value)
        } catch {
            let isNoneOfTheWords =
                !type.valueNames.isEmpty
                && [.invalidParameter, .valueLowerThanMinimum, .valueHigherThanMaximum].contains(error.code)
            guard error.code != .invalidValueType, !isNoneOfTheWords else {
                throw HomeError(error.code, detail: localized("\(word) must be \(requirement)"))
            }
            throw HomeError(
                error.code, detail: "\(word): \(error.localizedProblem)", remedy: error.effectiveRemedy,
                suggestions: error.suggestions)
        }
    }

    /// The valid values for an error: `a number from 0 to 360°`, `unlocked or locked`.
    private var requirement: String {
        switch metadata.format {
        case .bool: return localized("yes or no")
        case .uint8, .uint16, .uint32, .uint64, .int, .float:
            guard type.valueNames.isEmpty, metadata.validValues == nil else {
                return takenWords.count > 1 ? takenWords.joined(with: localized("or")) : rangeText
            }
            let noun = metadata.format == .float ? localized("a number") : localized("a whole number")
            switch (metadata.minimum, metadata.maximum) {
            case (nil, nil): return noun
            case (_?, _?): return localized("\(noun) from \(limitsText)", context: "numbers")
            case (_?, nil), (nil, _?): return "\(noun), \(limitsText)"
            }
        case .string: return localized("text")
        case .tlv8, .data: return localized("pairs of hexadecimal digits, such as 01FF")
        }
    }

    /// Parses a typed value for a comparison with the characteristic's value.
    ///
    /// - Throws: `HomeError` with code 43 for the wrong type, 6 if the value can't be read.
    func value(comparing typed: String) throws(HomeError) -> CharacteristicValue {
        try metadata.validateRead()
        guard metadata.format != .data, metadata.format != .tlv8, let value = parsed(typed) else {
            throw HomeError(.invalidValueType, detail: localized("\(word) must be \(requirement)"))
        }
        guard metadata.format == .float, let number = value.number else { return value }
        return .float(number)
    }

    /// Parses a typed number for a comparison with the characteristic's value.
    ///
    /// - Throws: `HomeError` with code 43 if it isn't a number, 6 if the value can't be read.
    func number(comparing typed: String) throws(HomeError) -> Double {
        guard let number = try value(comparing: typed).number else {
            throw HomeError(.invalidValueType, detail: localized("\(word) isn't a number"))
        }
        return number
    }

    /// Returns the typed number if it was rounded to a step for writing; otherwise `nil`.
    package func numberBetweenSteps(typed: String, writing value: CharacteristicValue) -> CharacteristicValue? {
        guard let step = metadata.step, let asked = parsed(typed), let wanted = asked.number,
            let taken = value.number, (wanted - taken).magnitude > step * 1e-4
        else { return nil }
        return asked
    }

    /// Parses a step, which is the difference from the current value.
    ///
    /// - Throws: `HomeError` with code 43 if it isn't a number.
    package func number(ofStep typed: String) throws(HomeError) -> Double {
        let digits = typed.hasPrefix("+") ? String(typed.dropFirst()) : typed
        guard let step = number(digits)?.number else {
            throw HomeError(
                .invalidValueType, detail: localized("\(word): \"\(typed.shown)\" isn't a valid step; try +10 or -10"))
        }
        return step
    }

    /// Parses a typed value; returns `nil` if it doesn't have the characteristic's format.
    private func parsed(_ typed: String) -> CharacteristicValue? {
        switch metadata.format {
        case .bool:
            guard let flag = Self.flag(typed) ?? enumerated(typed).map({ $0 != 0 }) else { return nil }
            return .bool(flag)
        case .uint8, .uint16, .uint32, .uint64, .int, .float:
            if let number = number(typed) { return number }
            if let number = enumerated(typed) { return .integer(number) }
            // The Active characteristic also accepts "on" and "off".
            guard type == .active, let flag = Self.flag(typed) else { return nil }
            return .integer(flag ? 1 : 0)
        case .string: return .string(typed)
        case .tlv8, .data:
            guard let bytes = Self.bytes(typed) else { return nil }
            return .data(bytes)
        }
    }

    private static func flag(_ typed: String) -> Bool? {
        switch typed.lowercased() {
        case "true", "yes", "on", "1": true
        case "false", "no", "off", "0": false
        default: nil
        }
    }

    private func number(_ typed: String) -> CharacteristicValue? {
        var digits = typed.lowercased()
        var factor = 1.0
        for (mark, scale) in metadata.unit?.marks ?? symbol.map({ [($0, 1)] }) ?? [] where digits.hasSuffix(mark) {
            digits.removeLast(mark.count)
            factor = scale
            break
        }
        while digits.last == " " { digits.removeLast() }
        if factor == 1, let integer = Int128(digits), let value = CharacteristicValue(exactly: integer) { return value }
        guard digits.utf8.allSatisfy({ Self.digitsOfNumbers.contains($0) }), let number = Double(digits),
            number.isFinite
        else { return nil }
        return .float(number * factor)
    }

    private static let digitsOfNumbers = Set("0123456789.-+e".utf8)

    /// Returns the number that a typed word stands for in an enumeration.
    ///
    /// The word is a name in the catalog, a name that lists show, or a word in only one of these names, such as `away`.
    private func enumerated(_ typed: String) -> Int64? {
        let key = typed.squashed
        let names = type.valueNames
        if let number = names.first(where: { $0.value.squashed == key })?.key { return number }
        let shown = names.keys.map { ($0, type.words(for: $0) ?? "") }
        if let number = shown.first(where: { $0.1.squashed == key })?.0 { return number }
        let parts = shown.filter { number, words in
            "\(names[number]?.dashed ?? "") \(words)".lowercased().split { !$0.isLetter }.contains { $0 == key }
        }
        return parts.count == 1 ? parts[0].0 : nil
    }

    private static func bytes(_ typed: String) -> [UInt8]? {
        let digits = typed.compactMap(\.hexDigitValue)
        guard digits.count == typed.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
