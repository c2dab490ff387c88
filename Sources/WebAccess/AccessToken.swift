import Glibc

/// An access token for a browser: 130 random bits, in a form that is easy to type.
package struct AccessToken: Sendable {
    private static let alphabet = Array("abcdefghijkmnopqrstuvwxyz2345679".utf8)
    private static let length = 26

    /// The secret text of the token.
    ///
    /// Never log it.
    package let secret: String

    /// Creates a random token.
    package init() {
        var random = SystemRandomNumberGenerator()
        secret = String(
            decoding: (0..<Self.length).map { _ in Self.alphabet[Int.random(in: 0..<32, using: &random)] },
            as: UTF8.self)
    }

    /// Creates a token from typed or stored text, in upper or lower case, with or without spaces or hyphens.
    ///
    /// Returns `nil` if the text isn't a valid token.
    package init?(_ text: String) {
        guard text.utf8.count <= 128 else { return nil }
        let letters = text.lowercased().utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        secret = String(decoding: letters, as: UTF8.self)
    }

    /// Compares two tokens in constant time.
    package func matches(_ other: AccessToken) -> Bool {
        zip(secret.utf8, other.secret.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

// Prevents the secret from being printed by accident.
extension AccessToken: CustomStringConvertible, CustomReflectable {
    /// A placeholder that hides the secret.
    package var description: String { "(token)" }
    /// An empty mirror, which hides the secret.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
