internal import CSodium

/// libsodium, initialized once before its first use.
package enum Sodium {
    /// Initializes libsodium.
    ///
    /// Read it before each call to libsodium.
    ///
    /// It traps if the system has no source of randomness, because no operation would be secure.
    package static let ready: Void = {
        precondition(sodium_init() >= 0, "libsodium can't be initialized: the system has no source of randomness")
    }()
}

/// An error of a cryptographic operation.
package enum CryptoError: Error, Equatable, Sendable {
    /// A tag, a signature or a proof doesn't match.
    case authenticationFailed
    /// A key, point or number is not allowed.
    case badKey
}
