/// A characteristic's value.
public enum CharacteristicValue: Equatable, Hashable, Sendable {
    /// A value in the `bool` format.
    case bool(Bool)
    /// A value in an integer format.
    ///
    /// Many controllers and accessories represent integers exactly only up to 2^53.
    case integer(Int64)
    /// A value in the `uint64` format that is above `Int64.max`.
    ///
    /// Smaller values use ``integer(_:)``.
    case unsigned(UInt64)
    /// A value in the `float` format.
    ///
    /// Characteristics accept only finite numbers.
    case float(Double)
    /// A value in the `string` format.
    case string(String)
    /// A value in the `tlv8` or `data` format.
    case data([UInt8])
}

extension CharacteristicValue {
    /// The Boolean value, or `nil` if the format isn't `bool`.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The number, or `nil` if the format isn't numeric.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .float(let value): value
        case .bool, .string, .data: nil
        }
    }

    /// The integer, in a type that is large enough for every integer format; `nil` for other formats.
    package var wholeNumber: Int128? {
        switch self {
        case .integer(let value): Int128(value)
        case .unsigned(let value): Int128(value)
        case .bool, .float, .string, .data: nil
        }
    }

    /// Creates a value in an integer format, or returns `nil` if no integer format can represent the number.
    package init?(exactly number: Int128) {
        if let integer = Int64(exactly: number) {
            self = .integer(integer)
        } else if let unsigned = UInt64(exactly: number) {
            self = .unsigned(unsigned)
        } else {
            return nil
        }
    }

    /// The text, or `nil` if the format isn't `string`.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
}

// MARK: Values and their limits (HAP 11)

extension CharacteristicMetadata {
    /// Validates a written value, and rounds numbers to the step.
    ///
    /// - Parameter written: A value of any type. For a numeric format, `false` and `true` count as 0 and 1; for `bool`,
    ///   0 and 1 count as `false` and `true`.
    /// - Returns: The value to store, report and send as an event, or `nil` if the write must be refused with status
    ///   -70410.
    public func accepted(_ written: CharacteristicValue) -> CharacteristicValue? {
        switch format {
        case .bool:
            switch written {
            case .bool: return written
            case .integer(0), .float(0): return .bool(false)
            case .integer(1), .float(1): return .bool(true)
            case .integer, .unsigned, .float, .string, .data: return nil
            }
        case .uint8, .uint16, .uint32, .uint64, .int:
            if isInteger(written) { return written }
            guard let integer = wholeNumber(written), isWithinLimits(Double(integer)),
                integerRange.contains(integer)
            else { return nil }
            guard let validValues else { return CharacteristicValue(exactly: snapped(integer)) }
            let isValid = (validValues + (replacedValues ?? [])).contains { $0 == integer }
            return isValid ? CharacteristicValue(exactly: integer) : nil
        case .float:
            guard let number = Self.plainNumber(written) else { return nil }
            // Tolerate a number slightly beyond a limit: this is a rounding error, not a mistake of the controller.
            let tolerance = 1e-6 * ((maximum ?? 0) - (minimum ?? 0)).magnitude
            if let minimum, number < minimum - tolerance { return nil }
            if let maximum, number > maximum + tolerance { return nil }
            return .float(snapped(number))
        case .string:
            guard case .string(let text) = written,
                text.utf8.count <= maximumLength ?? Self.defaultMaximumLength
            else { return nil }
            return written
        case .tlv8, .data:
            guard case .data(let bytes) = written,
                bytes.count <= maximumDataLength ?? Self.defaultMaximumDataLength
            else { return nil }
            return written
        }
    }

    /// Returns whether a written number was rounded to the step.
    ///
    /// Ignores a difference that is only due to the number format.
    package static func isRounded(_ accepted: CharacteristicValue, from written: CharacteristicValue) -> Bool {
        guard accepted != written, let number = plainNumber(accepted), let former = plainNumber(written) else {
            return false
        }
        return (number - former).magnitude > 1e-6 * max(1, number.magnitude)
    }

    /// Clamps a value that a device reported to the limits, so that controllers always get a value in range.
    ///
    /// - Parameter reported: A value of any type.
    /// - Returns: The closest value within the limits, or `nil` if the type is wrong or the number isn't finite.
    public func clamped(_ reported: CharacteristicValue) -> CharacteristicValue? {
        switch format {
        case .bool, .tlv8, .data: return accepted(reported)
        case .uint8, .uint16, .uint32, .uint64, .int:
            if isInteger(reported) { return reported }
            guard let number = Self.plainNumber(reported) else { return nil }
            var integer = Int128(exactly: withinLimits(number).rounded()) ?? integerRange.upperBound
            // Don't convert an integer within the limits to `Double`, which has only 53 bits of precision.
            if let exact = reported.wholeNumber, withinLimits(number) == number { integer = exact }
            integer = min(max(integer, integerRange.lowerBound), integerRange.upperBound)
            if let validValues {
                let distance = { (value: Int64) in (Double(value) - Double(integer)).magnitude }
                return validValues.min { distance($0) < distance($1) }.map { .integer($0) }
            }
            return CharacteristicValue(exactly: snapped(integer))
        case .float:
            guard let number = Self.plainNumber(reported) else { return nil }
            return .float(snapped(number))
        case .string:
            guard case .string(let text) = reported else { return nil }
            return .string(text.prefix(bytes: maximumLength ?? Self.defaultMaximumLength))
        }
    }

    /// The value to use until the device reports one.
    ///
    /// It is always within the limits; HAP doesn't allow `null` instead (HAP 9.4).
    public var defaultValue: CharacteristicValue {
        switch format {
        case .bool: .bool(false)
        case .uint8, .uint16, .uint32, .uint64, .int: clamped(.integer(validValues?.first ?? 0)) ?? .integer(0)
        case .float: clamped(.float(0)) ?? .float(0)
        case .string: .string("")
        case .tlv8, .data: .data([])
        }
    }

    private var integerRange: ClosedRange<Int128> { format.integerRange ?? 0...0 }

    private static func plainNumber(_ value: CharacteristicValue) -> Double? {
        switch value {
        case .bool(let flag): flag ? 1 : 0
        case .integer(let integer): Double(integer)
        case .unsigned(let integer): Double(integer)
        case .float(let number): number.isFinite ? number : nil
        case .string, .data: nil
        }
    }

    /// Returns whether a value is an integer that can be accepted unchanged.
    ///
    /// For most integers, this check avoids 128-bit arithmetic, which is slow.
    private func isInteger(_ value: CharacteristicValue) -> Bool {
        guard case .integer(let integer) = value, integer.magnitude <= 1 << 53, validValues == nil, step ?? 1 <= 1
        else { return false }
        return isWithinLimits(Double(integer)) && integerRange.contains(Int128(integer))
    }

    /// Returns the integer that a written value represents, or `nil` if it doesn't represent one.
    ///
    /// For an enumeration, the number must be whole. Other numbers are rounded (HAP 11).
    private func wholeNumber(_ value: CharacteristicValue) -> Int128? {
        switch value {
        case .bool(let flag): return flag ? 1 : 0
        case .integer, .unsigned: return value.wholeNumber
        case .float(let number):
            guard number.isFinite, let rounded = Int128(exactly: number.rounded()) else { return nil }
            if validValues != nil, (number - number.rounded()).magnitude >= 1e-9 { return nil }
            return rounded
        case .string, .data: return nil
        }
    }

    private func isWithinLimits(_ number: Double) -> Bool {
        number >= minimum ?? number && number <= maximum ?? number
    }

    /// Returns the closest number within the limits of the metadata and the format.
    private func withinLimits(_ number: Double) -> Double {
        let range = format.integerRange
        let low = max(minimum ?? -.infinity, range.map { Double($0.lowerBound) } ?? -.infinity)
        let high = min(maximum ?? .infinity, range.map { Double($0.upperBound) } ?? .infinity)
        return min(max(number, low), high)
    }

    private func snapped(_ integer: Int128) -> Int128 {
        guard let step, step > 1 else { return integer }
        if let exact = snapped(integer, step: step) { return exact }
        let number = snapped(Double(integer))
        guard number != Double(integer), let whole = Int128(exactly: number.rounded()), integerRange.contains(whole)
        else { return integer }
        return whole
    }

    /// Returns an integer rounded to a step, or `nil` if the step or the minimum is fractional or beyond 64 bits.
    private func snapped(_ integer: Int128, step: Double) -> Int128? {
        guard step <= 0x1p64, (minimum ?? 0).magnitude <= 0x1p64, let step = Int128(exactly: step),
            let base = Int128(exactly: minimum ?? 0)
        else { return nil }
        let distance = integer - base
        let result = base + (distance + (distance < 0 ? -step : step) / 2) / step * step
        let isWithin = integerRange.contains(result) && isWithinLimits(Double(result))
        // The closest step may be beyond a limit.
        let within = isWithin ? result : result - (result > integer ? step : -step)
        return min(max(within, integerRange.lowerBound), integerRange.upperBound)
    }

    private func snapped(_ number: Double) -> Double {
        // Add 0 to avoid a negative zero.
        let nearest = withinLimits(number) + 0
        let base = minimum ?? 0
        guard let step, step > 0 else { return nearest }
        var steps = ((nearest - base) / step).rounded()
        // At this distance from the base, a Double can't distinguish steps.
        guard steps.magnitude < 1e12 else { return nearest }
        // The closest step may be beyond a limit.
        let result = base + steps * step
        // A limit counts as a step despite rounding errors (7.2 + 261 * 0.1 is more than 33.3).
        let beyond = result - withinLimits(result)
        if beyond.magnitude > step * 1e-4 { steps -= beyond > 0 ? 1 : -1 }
        return withinLimits(Self.rounded(base + steps * step)) + 0
    }

    /// Rounds a number to ten decimals, to remove binary rounding errors (0.1 * 3).
    private static func rounded(_ number: Double) -> Double {
        number.magnitude < 1e5 ? (number * 1e10).rounded() / 1e10 : number
    }
}

extension String {
    /// Returns the longest prefix of whole characters whose UTF-8 encoding has at most the given number of bytes.
    public func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var result = ""
        var used = 0
        for character in self {
            used += character.utf8.count
            if used > limit { break }
            result.append(character)
        }
        return result
    }
}
