package import HAPModel

extension CharacteristicMetadata {
    /// Checks that the characteristic is readable.
    ///
    /// - Throws: `HomeError` with code 6 if reading isn't permitted.
    package func validateRead() throws(HomeError) {
        guard permissions.contains(.pairedRead) else { throw HomeError(.writeOnlyCharacteristic) }
    }

    /// Validates a value for a write.
    ///
    /// Out-of-range values are rejected, not clamped.
    ///
    /// - Returns: The value in the characteristic's format, rounded to the nearest step.
    /// - Throws: `HomeError` with code 20 if the value is `nil`, 5 if writing isn't permitted, 43 if the value has the
    ///   wrong type, 44 or 45 if it's out of range, 3 if it isn't one of the valid values, or 46 or 56 if it's too
    ///   long.
    package func validatedWrite(_ value: CharacteristicValue?) throws(HomeError) -> CharacteristicValue {
        guard let value else { throw HomeError(.nilParameter) }
        guard permissions.contains(.pairedWrite) else { throw HomeError(.readOnlyCharacteristic) }
        switch format {
        case .bool: return .bool(try flag(value))
        case .uint8, .uint16, .uint32, .uint64, .int: return try integer(value)
        case .float: return try float(value)
        case .string:
            guard case .string(let text) = value else { throw wrongKind }
            // HAP limits strings to 256 bytes, regardless of the accessory's metadata.
            let longest = min(maximumLength ?? Self.defaultMaximumLength, 256)
            guard text.utf8.count <= longest else {
                throw HomeError(
                    .stringLongerThanMaximum, detail: "the text is too long; the maximum is \(longest) bytes")
            }
            return value
        case .tlv8, .data:
            guard case .data(let bytes) = value else { throw wrongKind }
            guard bytes.count <= maximumDataLength ?? Self.defaultMaximumDataLength else {
                throw HomeError(.invalidMessageSize)
            }
            return value
        }
    }

    private var wrongKind: HomeError {
        HomeError(.invalidValueType, detail: "the value has the wrong type; expected \(kind)")
    }

    private var kind: String {
        switch format {
        case .bool: "yes or no"
        case .uint8, .uint16, .uint32, .uint64, .int: "a whole number"
        case .float: "a number"
        case .string: "text"
        case .tlv8, .data: "bytes"
        }
    }

    private func flag(_ value: CharacteristicValue) throws(HomeError) -> Bool {
        switch value {
        case .bool(let flag): return flag
        case .integer(0), .float(0): return false
        case .integer(1), .float(1): return true
        case .integer, .unsigned, .float, .string, .data: throw wrongKind
        }
    }

    private func integer(_ value: CharacteristicValue) throws(HomeError) -> CharacteristicValue {
        let integer: Int128
        switch value {
        case .integer(let number): integer = Int128(number)
        case .unsigned(let number): integer = Int128(number)
        case .float(let number):
            guard number.isFinite, number == number.rounded() else { throw wrongKind }
            // An integral number beyond Int128 exceeds every limit.
            guard let whole = Int128(exactly: number) else { throw number < 0 ? tooLow : tooHigh }
            integer = whole
        case .bool, .string, .data: throw wrongKind
        }
        let range = format.integerRange ?? 0...0
        if integer < range.lowerBound || Double(integer) < minimum ?? -.infinity { throw tooLow }
        if integer > range.upperBound || Double(integer) > maximum ?? .infinity { throw tooHigh }
        guard let whole = CharacteristicValue(exactly: integer) else { throw tooHigh }
        if let validValues {
            guard validValues.contains(where: { $0 == integer }) else {
                let values = validValues.prefix(16).map(String.init).joined(separator: ", ")
                throw HomeError(
                    .invalidParameter, detail: "invalid value; use one of \(values)")
            }
            return whole
        }
        return accepted(whole) ?? whole
    }

    private func float(_ value: CharacteristicValue) throws(HomeError) -> CharacteristicValue {
        guard let number = value.number, number.isFinite else { throw wrongKind }
        // A value slightly beyond a limit is a rounding error and becomes the limit.
        if let value = accepted(.float(number)) { return value }
        throw number < minimum ?? -.infinity ? tooLow : tooHigh
    }

    private var tooLow: HomeError {
        HomeError(.valueLowerThanMinimum, detail: lowest.map { "the value is too low; the minimum is \($0)" })
    }

    private var tooHigh: HomeError {
        HomeError(.valueHigherThanMaximum, detail: highest.map { "the value is too high; the maximum is \($0)" })
    }

    private var lowest: String? { minimum.map(shown) ?? format.integerRange.map { String($0.lowerBound) } }

    private var highest: String? { maximum.map(shown) ?? format.integerRange.map { String($0.upperBound) } }

    private func shown(_ limit: Double) -> String {
        if let whole = wholeLimit(limit)?.wholeNumber { return String(whole) }
        return Int64(exactly: limit).map(String.init) ?? String(limit)
    }
}
