internal import HAPCrypto

/// What an accessory wants to see besides its setup code: a token that only its maker's app can come by.
///
/// This is Lamplighter's own extension of pair setup; Documentation/OwnershipTokens.md describes all of it. An accessory
/// without such a requirement is as any other, and passes over tokens that it is shown.
package struct OwnershipRequirement: Equatable, Sendable {
    /// How many bytes a token has: too many to be guessed, and few enough for any request.
    package static let tokenLength = 16...512

    /// Who can come by the token, as `lv` advertises it.
    package let vendor: String
    private let token: SecretBytes

    /// Makes a requirement.
    ///
    /// - Returns: `nil` if the vendor's id is none (``isVendor(_:)``) or the token's length is not in ``tokenLength``.
    package init?(vendor: String, token: [UInt8]) {
        guard Self.isVendor(vendor), Self.tokenLength.contains(token.count) else { return nil }
        self.vendor = vendor
        self.token = SecretBytes(token)
    }

    /// Whether a text may be a vendor's id: 1 to 64 printable ASCII characters without spaces.
    package static func isVendor(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Whether this is the token; how long that takes tells its length at most.
    func isMet(by shown: [UInt8]?) -> Bool { shown.map { SecretBytes($0) == token } ?? false }
}
