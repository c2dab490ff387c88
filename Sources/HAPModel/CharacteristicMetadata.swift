/// The wire format of a characteristic's value (HAP 9.4).
@nonexhaustive
public enum CharacteristicFormat: String, Sendable, Hashable, CaseIterable {
    /// `true` or `false`.
    case bool
    /// An unsigned integer of 8 bits.
    case uint8
    /// An unsigned integer of 16 bits.
    case uint16
    /// An unsigned integer of 32 bits.
    case uint32
    /// An unsigned integer of 64 bits.
    case uint64
    /// A signed integer of 32 bits.
    case int
    /// A floating-point number.
    case float
    /// Text.
    case string
    /// A TLV8 structure in base64.
    case tlv8
    /// Bytes in base64.
    case data

    /// Whether values are numbers, with limits and a step.
    public var isNumeric: Bool { self == .float || integerRange != nil }

    /// The integers this format can hold, or `nil` if it holds no integers.
    public var integerRange: ClosedRange<Int128>? {
        switch self {
        case .uint8: 0...Int128(UInt8.max)
        case .uint16: 0...Int128(UInt16.max)
        case .uint32: 0...Int128(UInt32.max)
        case .uint64: 0...Int128(UInt64.max)
        case .int: Int128(Int32.min)...Int128(Int32.max)
        case .bool, .float, .string, .tlv8, .data: nil
        }
    }
}

/// The unit of a numeric characteristic.
@nonexhaustive
public enum CharacteristicUnit: String, Sendable, Hashable {
    /// Degrees Celsius.
    case celsius
    /// Percent.
    case percentage
    /// Degrees of an arc.
    case arcdegrees
    /// Lux.
    case lux
    /// Seconds.
    case seconds
}

/// What controllers may do with a characteristic.
public struct CharacteristicPermissions: OptionSet, Sendable, Hashable {
    /// The permissions as bits, in the order in which they are written.
    public let rawValue: UInt8

    /// Makes a set of its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `pr`: paired controllers may read.
    public static let pairedRead = CharacteristicPermissions(rawValue: 1)
    /// `pw`: paired controllers may write.
    public static let pairedWrite = CharacteristicPermissions(rawValue: 2)
    /// `ev`: changes are pushed to subscribers.
    public static let notify = CharacteristicPermissions(rawValue: 4)
    /// `aa`: writes may need additional authorisation data.
    public static let additionalAuthorization = CharacteristicPermissions(rawValue: 8)
    /// `tw`: writes must be prepared (timed writes).
    public static let timedWrite = CharacteristicPermissions(rawValue: 16)
    /// `wr`: a write can return a value.
    public static let writeResponse = CharacteristicPermissions(rawValue: 32)
    /// `hd`: not shown to users.
    public static let hidden = CharacteristicPermissions(rawValue: 64)

    static let names = ["pr", "pw", "ev", "aa", "tw", "wr", "hd"]

    /// The short names, in the order of HAP 9.4.
    public var names: [String] {
        Self.names.enumerated().filter { rawValue & 1 << $0.offset != 0 }.map(\.element)
    }

    /// The permissions with these short names; `nil` if one is unknown.
    public init?(names: [String]) {
        var bits: UInt8 = 0
        for name in names {
            guard let index = Self.names.firstIndex(of: name) else { return nil }
            bits |= 1 << index
        }
        self.init(rawValue: bits)
    }
}

/// Everything about a characteristic but its place and value: what the attribute database says of it.
public struct CharacteristicMetadata: Equatable, Hashable, Sendable {
    /// The value's format.
    public var format: CharacteristicFormat
    /// What controllers may do.
    public var permissions: CharacteristicPermissions
    /// The unit of a number.
    public var unit: CharacteristicUnit?
    /// The smallest number taken; beyond 2^53 the nearest that a `Double` holds.
    public var minimum: Double?
    /// The largest number taken; beyond 2^53 the nearest that a `Double` holds.
    public var maximum: Double?
    /// The distance between numbers taken, counted from the smallest.
    public var step: Double?
    /// The longest string, in bytes of UTF-8; 64 if `nil`.
    public var maximumLength: Int?
    /// The longest data or TLV8, in bytes; 2,097,152 if `nil`.
    public var maximumDataLength: Int?
    /// The numbers that mean something, ascending, for enumerations; none of them is above `Int64.max`.
    public var validValues: [Int64]?

    /// The longest string, in bytes of UTF-8, unless the characteristic says otherwise.
    public static let defaultMaximumLength = 64
    /// The longest data or TLV8, in bytes, unless the characteristic says otherwise.
    public static let defaultMaximumDataLength = 2_097_152

    /// Describes a characteristic.
    ///
    /// - Parameters:
    ///   - format: the value's format.
    ///   - permissions: what controllers may do.
    ///   - unit: the unit of a number.
    ///   - minimum: the smallest number taken.
    ///   - maximum: the largest number taken.
    ///   - step: the distance between numbers taken.
    ///   - maximumLength: the longest string in bytes.
    ///   - maximumDataLength: the longest data in bytes.
    ///   - validValues: the numbers that mean something.
    public init(
        format: CharacteristicFormat, permissions: CharacteristicPermissions, unit: CharacteristicUnit? = nil,
        minimum: Double? = nil, maximum: Double? = nil, step: Double? = nil, maximumLength: Int? = nil,
        maximumDataLength: Int? = nil, validValues: [Int64]? = nil
    ) {
        self.format = format
        self.permissions = permissions
        self.unit = unit
        self.minimum = minimum
        self.maximum = maximum
        self.step = step
        self.maximumLength = maximumLength
        self.maximumDataLength = maximumDataLength
        self.validValues = validValues
    }
}

extension CharacteristicMetadata {
    /// The range of its numbers; `nil` without both limits, or if they are in the wrong order.
    package var range: ClosedRange<Double>? {
        guard let minimum, let maximum, minimum <= maximum else { return nil }
        return minimum...maximum
    }

    /// A limit as a whole number that the format holds; `nil` for a format of other numbers, and for a broken limit.
    ///
    /// The largest `uint64` is in no `Double`, which takes it for 2^64.
    package func wholeLimit(_ limit: Double) -> CharacteristicValue? {
        guard let range = format.integerRange, let whole = Int128(exactly: limit) else { return nil }
        return CharacteristicValue(exactly: min(max(whole, range.lowerBound), range.upperBound))
    }
}
