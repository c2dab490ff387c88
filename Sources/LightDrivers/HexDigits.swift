extension Sequence<UInt8> {
    /// The bytes as lowercase hexadecimal digits, two per byte.
    var hexDigits: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}

extension StringProtocol {
    /// A Boolean value that indicates whether this is a MAC address without separators.
    var isMAC: Bool { utf8.count == 12 && allSatisfy { $0.isASCII && $0.isHexDigit } }
}
