internal import CSodium

/// libsodium, initialised once before its first use.
enum Sodium {
    /// Touch this before calling libsodium; it traps if the library cannot find randomness, without which nothing is safe.
    static let ready: Void = {
        precondition(sodium_init() >= 0, "libsodium cannot be initialised: the system gives no randomness")
    }()
}

/// Why a cryptographic operation refused its input.
package enum CryptoError: Error, Equatable, Sendable {
    /// A tag, a signature or a proof does not fit.
    case authenticationFailed
    /// A key, point or number is not one that may be used.
    case badKey
}

/// Compares two byte strings of equal length in constant time.
func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    return sodium_memcmp(a, b, a.count) == 0
}
