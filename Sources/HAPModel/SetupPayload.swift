/// The content of a setup QR code: an `X-HM://` URI (HAP 2.3).
public struct SetupPayload: Hashable, Sendable {
    /// The accessory's category.
    public var category: AccessoryCategory
    /// The setup code; `nil` if the accessory is already paired or provides the code in another way.
    public var code: SetupCode?
    /// The setup id, by which controllers find the accessory; `nil` if the accessory is already paired or has no setup
    /// id.
    public var setupID: SetupID?
    /// A Boolean value that indicates whether the accessory supports HAP over IP.
    public var supportsIP: Bool
    /// A Boolean value that indicates whether the accessory supports HAP over Bluetooth LE.
    public var supportsBLE: Bool
    /// A Boolean value that indicates whether the accessory is already paired.
    public var isPaired: Bool

    /// The reason why text isn't a setup payload.
    @nonexhaustive
    public enum ParseError: Error, Equatable, Sendable {
        /// The text isn't `X-HM://` followed by exactly 13 characters.
        case notASetupPayload
        /// A character isn't a digit or an uppercase letter.
        case badCharacter
        /// The version of the payload format is unknown.
        case unknownVersion
        /// The setup code is one of the trivial codes, or isn't a number of eight digits.
        case badCode
    }

    private static let prefix = "X-HM://"

    /// Creates a payload.
    ///
    /// - Parameters:
    ///   - category: The accessory's category.
    ///   - code: The setup code.
    ///   - setupID: The setup id.
    ///   - supportsIP: Whether the accessory supports HAP over IP.
    ///   - supportsBLE: Whether the accessory supports HAP over Bluetooth LE.
    ///   - isPaired: Whether the accessory is already paired.
    public init(
        category: AccessoryCategory, code: SetupCode?, setupID: SetupID?, supportsIP: Bool = true,
        supportsBLE: Bool = false, isPaired: Bool = false
    ) {
        self.category = category
        self.code = code
        self.setupID = setupID
        self.supportsIP = supportsIP
        self.supportsBLE = supportsBLE
        self.isPaired = isPaired
    }

    /// Parses a URI.
    ///
    /// - Parameter uri: The text of a QR code.
    /// - Throws: ``ParseError``.
    public init(uri: String) throws(ParseError) {
        let bytes = Array(uri.utf8)
        let prefix = Array(Self.prefix.utf8)
        guard bytes.count == prefix.count + 13, bytes.starts(with: prefix) else { throw .notASetupPayload }
        var number: UInt64 = 0
        for byte in bytes[prefix.count..<(prefix.count + 9)] {
            guard let digit = Base36.alphabet.firstIndex(of: byte) else { throw .badCharacter }
            number = number * 36 + UInt64(digit)
        }
        // The category is followed by four unused bits and the version, which must be 0.
        guard number >> 39 == 0 else { throw .unknownVersion }
        guard let setupID = SetupID(String(decoding: bytes.suffix(4), as: UTF8.self)) else { throw .badCharacter }
        let digits = UInt32(number & 0x7FF_FFFF)
        category = AccessoryCategory(rawValue: UInt16(number >> 31 & 0xFF))
        supportsBLE = number >> 29 & 1 == 1
        supportsIP = number >> 28 & 1 == 1
        isPaired = number >> 27 & 1 == 1
        let code = SetupCode(number: digits)
        guard digits == 0 || code != nil else { throw .badCode }
        // For a paired accessory, the code and the setup id have no meaning. They aren't encoded, either.
        self.code = isPaired ? nil : code
        self.setupID = isPaired || (code == nil && setupID.description == "0000") ? nil : setupID
    }

    /// The number that the URI encodes.
    var number: UInt64 {
        var number = UInt64(category.rawValue & 0xFF) << 31
        if supportsBLE { number |= 1 << 29 }
        if supportsIP { number |= 1 << 28 }
        if isPaired { number |= 1 << 27 }
        if !isPaired, let code { number |= UInt64(code.number) }
        return number
    }

    /// The URI for the QR code; it contains the setup code.
    public var uri: String {
        var digits: [UInt8] = []
        var rest = number
        for _ in 0..<9 {
            digits.append(Base36.alphabet[Int(rest % 36)])
            rest /= 36
        }
        let id = isPaired ? "0000" : setupID?.description ?? "0000"
        return Self.prefix + String(decoding: digits.reversed(), as: UTF8.self) + id
    }
}
