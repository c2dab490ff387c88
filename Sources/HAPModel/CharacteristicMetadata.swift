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

    /// A Boolean value that indicates whether values are numbers, which can have limits and a step.
    public var isNumeric: Bool { self == .float || integerRange != nil }

    /// The range of integers in this format, or `nil` if it isn't an integer format.
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
    /// Degrees of arc.
    case arcdegrees
    /// Lux.
    case lux
    /// Seconds.
    case seconds
}

/// The permissions that controllers have for a characteristic.
public struct CharacteristicPermissions: OptionSet, Sendable, Hashable {
    /// The permissions as bits, in the order of their short names.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `pr`: paired controllers may read.
    public static let pairedRead = CharacteristicPermissions(rawValue: 1)
    /// `pw`: paired controllers may write.
    public static let pairedWrite = CharacteristicPermissions(rawValue: 2)
    /// `ev`: changes are pushed to subscribers.
    public static let notify = CharacteristicPermissions(rawValue: 4)
    /// `aa`: writes may require additional authorization data.
    public static let additionalAuthorization = CharacteristicPermissions(rawValue: 8)
    /// `tw`: writes must be prepared (timed writes).
    public static let timedWrite = CharacteristicPermissions(rawValue: 16)
    /// `wr`: a write can return a value.
    public static let writeResponse = CharacteristicPermissions(rawValue: 32)
    /// `hd`: hidden from users.
    public static let hidden = CharacteristicPermissions(rawValue: 64)

    static let names = ["pr", "pw", "ev", "aa", "tw", "wr", "hd"]

    /// The short names of the permissions, in the order of HAP 9.4.
    public var names: [String] {
        Self.names.enumerated().filter { rawValue & 1 << $0.offset != 0 }.map(\.element)
    }

    /// Creates a set from short names, or returns `nil` if a name is unknown.
    public init?(names: [String]) {
        var bits: UInt8 = 0
        for name in names {
            guard let index = Self.names.firstIndex(of: name) else { return nil }
            bits |= 1 << index
        }
        self.init(rawValue: bits)
    }
}

/// The properties of a characteristic in the attribute database, except its id and value.
public struct CharacteristicMetadata: Equatable, Hashable, Sendable {
    /// The value's format.
    public var format: CharacteristicFormat
    /// The permissions of controllers.
    public var permissions: CharacteristicPermissions
    /// The unit of a numeric value.
    public var unit: CharacteristicUnit?
    /// The minimum of a numeric value.
    ///
    /// A limit beyond 2^53 is rounded to the closest `Double`.
    public var minimum: Double?
    /// The maximum of a numeric value.
    ///
    /// A limit beyond 2^53 is rounded to the closest `Double`.
    public var maximum: Double?
    /// The step between valid numeric values, counted from the minimum.
    public var step: Double?
    /// The maximum length of a string in bytes of UTF-8; `nil` means 64.
    public var maximumLength: Int?
    /// The maximum length of data or TLV8 in bytes; `nil` means 2,097,152.
    public var maximumDataLength: Int?
    /// The valid numbers of an enumeration, in ascending order.
    ///
    /// None of them is above `Int64.max`.
    public var validValues: [Int64]?
    /// Additional numbers that controllers may write to an enumeration.
    ///
    /// They aren't part of the attribute database. The accessory replaces them with a valid value, which it stores and
    /// reports.
    package var replacedValues: [Int64]?

    /// The default maximum length of a string, in bytes of UTF-8.
    public static let defaultMaximumLength = 64
    /// The default maximum length of data or TLV8, in bytes.
    public static let defaultMaximumDataLength = 2_097_152

    /// Creates the metadata of a characteristic.
    ///
    /// - Parameters:
    ///   - format: The value's format.
    ///   - permissions: The permissions of controllers.
    ///   - unit: The unit of a numeric value.
    ///   - minimum: The minimum of a numeric value.
    ///   - maximum: The maximum of a numeric value.
    ///   - step: The step between valid numeric values.
    ///   - maximumLength: The maximum length of a string, in bytes.
    ///   - maximumDataLength: The maximum length of data or TLV8, in bytes.
    ///   - validValues: The valid numbers of an enumeration.
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
    /// The range of a numeric value, or `nil` if a limit is missing or the minimum is above the maximum.
    package var range: ClosedRange<Double>? {
        guard let minimum, let maximum, minimum <= maximum else { return nil }
        return minimum...maximum
    }

    /// Returns a limit as an integer value, or `nil` if the format isn't an integer format or the limit is fractional.
    ///
    /// A limit of 2^64 becomes the largest `uint64`, which `Double` can't represent.
    package func wholeLimit(_ limit: Double) -> CharacteristicValue? {
        guard let range = format.integerRange, let whole = Int128(exactly: limit) else { return nil }
        return CharacteristicValue(exactly: min(max(whole, range.lowerBound), range.upperBound))
    }
}
