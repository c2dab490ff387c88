internal import HAPCrypto

/// The token that an accessory requires in addition to its setup code.
///
/// Only the app of the accessory's manufacturer can provide it.
///
/// This is a Lamplighter extension of pair setup, described in Documentation/OwnershipTokens.md. Accessories without
/// this requirement ignore the token.
package struct OwnershipRequirement: Equatable, Sendable {
    /// The length of a token, in bytes.
    ///
    /// A token of this length can't be guessed, and fits into any request.
    package static let tokenLength = 16...512

    /// The token's issuer, advertised as `lv`.
    package let vendor: String
    private let token: SecretBytes

    /// Creates a requirement.
    ///
    /// - Returns: `nil` if the vendor id is invalid (see ``isVendor(_:)``), or if the length of the token isn't in
    ///   ``tokenLength``.
    package init?(vendor: String, token: [UInt8]) {
        guard Self.isVendor(vendor), Self.tokenLength.contains(token.count) else { return nil }
        self.vendor = vendor
        self.token = SecretBytes(token)
    }

    /// Returns whether text is a valid vendor id: 1 to 64 printable ASCII characters without spaces.
    package static func isVendor(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Returns whether the given bytes are the token.
    ///
    /// The comparison takes constant time, so its duration reveals at most the token's length.
    func isMet(by shown: [UInt8]?) -> Bool { shown.map { SecretBytes($0) == token } ?? false }
}
