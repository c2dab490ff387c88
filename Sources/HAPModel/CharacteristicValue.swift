/// A characteristic's value.
public enum CharacteristicValue: Equatable, Hashable, Sendable {
    /// Of format `bool`.
    case bool(Bool)
    /// Of an integer format; many peers are exact up to 2^53 only.
    case integer(Int64)
    /// Of format `uint64`, above `Int64.max`; what is not above it is an ``integer(_:)``.
    case unsigned(UInt64)
    /// Of format `float`; always finite.
    case float(Double)
    /// Of format `string`.
    case string(String)
    /// Of format `tlv8` or `data`.
    case data([UInt8])
}

extension CharacteristicValue {
    /// The truth value of a `bool`.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The number of an integer format or a float.
    public var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .float(let value): value
        case .bool, .string, .data: nil
        }
    }

    /// The number of an integer format, in a type that holds all of them.
    package var wholeNumber: Int128? {
        switch self {
        case .integer(let value): Int128(value)
        case .unsigned(let value): Int128(value)
        case .bool, .float, .string, .data: nil
        }
    }

    /// Makes a value of an integer format; `nil` for what none of them holds.
    package init?(exactly number: Int128) {
        if let integer = Int64(exactly: number) {
            self = .integer(integer)
        } else if let unsigned = UInt64(exactly: number) {
            self = .unsigned(unsigned)
        } else {
            return nil
        }
    }

    /// The text of a `string`.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
}

// MARK: Values and their limits (HAP 11)

extension CharacteristicMetadata {
    /// A value as a controller wrote it, if its kind and its limits allow: numbers are snapped to the step.
    ///
    /// - Parameter written: a value of any kind; a `bool` counts as 0 or 1 for numbers, and 0 or 1 as a `bool`.
    /// - Returns: the value to store, report and send as an event, or `nil` for HAP status -70410.
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
            return validValues.contains { $0 == integer } ? CharacteristicValue(exactly: integer) : nil
        case .float:
            guard let number = Self.plainNumber(written) else { return nil }
            // A little beyond a limit is arithmetic's doing, not the controller's.
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

    /// A value as a device reported it, forced into the limits, so that what controllers see is always in range.
    ///
    /// - Parameter reported: a value of any kind.
    /// - Returns: the nearest value within the limits, or `nil` if the kind is wrong or the number is not finite.
    public func clamped(_ reported: CharacteristicValue) -> CharacteristicValue? {
        switch format {
        case .bool, .tlv8, .data: return accepted(reported)
        case .uint8, .uint16, .uint32, .uint64, .int:
            if isInteger(reported) { return reported }
            guard let number = Self.plainNumber(reported) else { return nil }
            var integer = Int128(exactly: withinLimits(number).rounded()) ?? integerRange.upperBound
            // An integer within the limits does not go through a Double, which holds no more than 53 bits of it.
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

    /// The value of a characteristic that was never reported: in range, never null (HAP 9.4).
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

    /// Whether a value is an integer that stands as it is: most are, and numbers of 128 bits take long.
    private func isInteger(_ value: CharacteristicValue) -> Bool {
        guard case .integer(let integer) = value, integer.magnitude <= 1 << 53, validValues == nil, step ?? 1 <= 1
        else { return false }
        return isWithinLimits(Double(integer)) && integerRange.contains(Int128(integer))
    }

    /// An integer out of what was written: enumerations must be exact, measures are rounded (HAP 11).
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

    /// The nearest number within the metadata's limits and those of the format.
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

    /// An integer at a whole step; `nil` for steps and a base that are not whole, or beyond 64 bits.
    private func snapped(_ integer: Int128, step: Double) -> Int128? {
        guard step <= 0x1p64, (minimum ?? 0).magnitude <= 0x1p64, let step = Int128(exactly: step),
            let base = Int128(exactly: minimum ?? 0)
        else { return nil }
        let distance = integer - base
        let result = base + (distance + (distance < 0 ? -step : step) / 2) / step * step
        let isWithin = integerRange.contains(result) && isWithinLimits(Double(result))
        // The nearest step may lie beyond a limit.
        let within = isWithin ? result : result - (result > integer ? step : -step)
        return min(max(within, integerRange.lowerBound), integerRange.upperBound)
    }

    private func snapped(_ number: Double) -> Double {
        // No zero with a minus sign.
        let nearest = withinLimits(number) + 0
        let base = minimum ?? 0
        guard let step, step > 0 else { return nearest }
        var steps = ((nearest - base) / step).rounded()
        // So far from the base a Double no longer tells one step from the next.
        guard steps.magnitude < 1e12 else { return nearest }
        // The nearest whole step may lie beyond a limit.
        let result = base + steps * step
        // A limit that arithmetic misses by a trifle stands on a step (7.2 + 261 * 0.1 is more than 33.3).
        let beyond = result - withinLimits(result)
        if beyond.magnitude > step * 1e-4 { steps -= beyond > 0 ? 1 : -1 }
        return withinLimits(Self.rounded(base + steps * step)) + 0
    }

    /// Ten decimals undo what binary fractions add (0.1 * 3).
    private static func rounded(_ number: Double) -> Double {
        number.magnitude < 1e5 ? (number * 1e10).rounded() / 1e10 : number
    }
}

extension String {
    /// As much of the text as fits into so many bytes of UTF-8, cut between characters.
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
