internal import CSodium

/// Base64 with the standard alphabet and padding (RFC 4648), by libsodium.
package enum Base64 {
    /// The bytes as text.
    package static func encode(_ bytes: [UInt8]) -> String {
        Sodium.ready
        let variant = sodium_base64_VARIANT_ORIGINAL
        var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
        sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
        return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The bytes that a text stands for; `nil` if it is not base64 to the letter (no white space, full padding).
    package static func decode(_ text: String) -> [UInt8]? {
        Sodium.ready
        let source = text.utf8.map(CChar.init(bitPattern:))
        var bytes = [UInt8](repeating: 0, count: source.count / 4 * 3 + 3)
        var count = 0
        let result = sodium_base642bin(
            &bytes, bytes.count, source, source.count, nil, &count, nil, sodium_base64_VARIANT_ORIGINAL)
        guard result == 0 else { return nil }
        return Array(bytes.prefix(count))
    }
}
