internal import CSodium

/// libsodium, initialized once before its first use.
package enum Sodium {
    /// Initializes libsodium; read it before each call to libsodium.
    ///
    /// It traps if the system has no source of randomness, without which nothing is safe.
    package static let ready: Void = {
        precondition(sodium_init() >= 0, "libsodium can't be initialized: the system has no source of randomness")
    }()
}

/// Why a cryptographic operation refused its input.
package enum CryptoError: Error, Equatable, Sendable {
    /// A tag, a signature or a proof does not fit.
    case authenticationFailed
    /// A key, point or number is not one that may be used.
    case badKey
}
