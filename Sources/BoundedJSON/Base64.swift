internal import FoundationEssentials

/// Base64 with the standard alphabet and padding (RFC 4648), for bytes in JSON.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// Decodes Base64.
    ///
    /// Returns `nil` if the text isn't in canonical form: no white space, complete padding, and no extra bits at the
    /// end.
    package static func decode(_ text: String) -> [UInt8]? {
        guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
        return Array(data)
    }
}
