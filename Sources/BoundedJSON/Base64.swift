internal import FoundationEssentials

/// Base64 with the standard alphabet and padding (RFC 4648), as bytes travel in JSON.
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// The bytes that a text stands for; `nil` if it is not base64 to the letter: no white space, full padding, no bit
    /// behind the end.
    package static func decode(_ text: String) -> [UInt8]? {
        guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else { return nil }
        return Array(data)
    }
}
