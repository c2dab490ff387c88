/// What the QR code says: an `X-HM://` URI (HAP 2.3).
public struct SetupPayload: Hashable, Sendable {
    /// What kind of accessory is set up.
    public var category: AccessoryCategory
    /// The setup code; absent if the accessory is already paired or tells it another way.
    public var code: SetupCode?
    /// The setup id, by which the accessory is found; absent if the accessory is already paired or does not tell it.
    public var setupID: SetupID?
    /// Whether the accessory speaks HAP over IP.
    public var supportsIP: Bool
    /// Whether the accessory speaks HAP over Bluetooth LE.
    public var supportsBLE: Bool
    /// Whether the accessory is paired already.
    public var isPaired: Bool

    /// Why a text is no setup payload.
    @nonexhaustive
    public enum ParseError: Error, Equatable, Sendable {
        /// It does not begin with `X-HM://` or has not 13 characters behind it.
        case notASetupPayload
        /// A character is none of base 36.
        case badCharacter
        /// It is of a version that we do not know.
        case unknownVersion
        /// It holds a code that is not allowed.
        case badCode
    }

    private static let prefix = "X-HM://"

    /// Makes a payload.
    ///
    /// - Parameters:
    ///   - category: what kind of accessory.
    ///   - code: the setup code.
    ///   - setupID: the setup id.
    ///   - supportsIP: speaks HAP over IP.
    ///   - supportsBLE: speaks HAP over Bluetooth LE.
    ///   - isPaired: is paired already.
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

    /// Reads a URI.
    ///
    /// - Parameter uri: the text of a QR code.
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
        // Behind the category come four bits that no version uses yet, and the version itself.
        guard number >> 39 == 0 else { throw .unknownVersion }
        guard let setupID = SetupID(String(decoding: bytes.suffix(4), as: UTF8.self)) else { throw .badCharacter }
        let digits = UInt32(number & 0x7FF_FFFF)
        category = AccessoryCategory(rawValue: UInt16(number >> 31 & 0xFF))
        supportsBLE = number >> 29 & 1 == 1
        supportsIP = number >> 28 & 1 == 1
        isPaired = number >> 27 & 1 == 1
        let code = SetupCode(number: digits)
        guard digits == 0 || code != nil else { throw .badCode }
        // What a paired accessory says of them means nothing, and is not written again either.
        self.code = isPaired ? nil : code
        self.setupID = isPaired || (code == nil && setupID.description == "0000") ? nil : setupID
    }

    /// The number within the URI.
    var number: UInt64 {
        var number = UInt64(category.rawValue & 0xFF) << 31
        if supportsBLE { number |= 1 << 29 }
        if supportsIP { number |= 1 << 28 }
        if isPaired { number |= 1 << 27 }
        if !isPaired, let code { number |= UInt64(code.number) }
        return number
    }

    /// The URI to show as a QR code; it says the setup code.
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
