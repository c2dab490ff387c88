import Glibc

/// What a browser shows to be let in: 130 random bits that people can type.
package struct AccessToken: Sendable {
    private static let alphabet = Array("abcdefghijkmnopqrstuvwxyz2345679".utf8)
    private static let length = 26

    /// The token itself; not to be logged.
    package let secret: String

    /// Makes one that no person knows yet.
    package init() {
        var random = SystemRandomNumberGenerator()
        secret = String(
            decoding: (0..<Self.length).map { _ in Self.alphabet[Int.random(in: 0..<32, using: &random)] },
            as: UTF8.self)
    }

    /// Takes one as it is typed or kept, in either case and with or without spaces; `nil` for what is none.
    package init?(_ text: String) {
        guard text.utf8.count <= 128 else { return nil }
        let letters = text.lowercased().utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        guard letters.count == Self.length, letters.allSatisfy(Self.alphabet.contains) else { return nil }
        secret = String(decoding: letters, as: UTF8.self)
    }

    /// Compares in a time that tells nothing of where they differ.
    package func matches(_ other: AccessToken) -> Bool {
        zip(secret.utf8, other.secret.utf8).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

// It does not print by accident.
extension AccessToken: CustomStringConvertible, CustomReflectable {
    /// A placeholder.
    package var description: String { "(token)" }
    /// Nothing to look into.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
