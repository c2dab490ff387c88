extension Sequence<UInt8> {
    /// The bytes as hex digits in lower case, two a byte.
    var hexDigits: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}
