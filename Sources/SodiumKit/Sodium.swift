internal import CSodium

/// The initialization of libsodium, once before its first use.
package enum Sodium {
    /// A property that initializes libsodium when it is first read.
    ///
    /// Read this property before each call to libsodium. If the system has no source of randomness, the program traps,
    /// because no operation would be secure.
    package static let ready: Void = {
        precondition(sodium_init() >= 0, "libsodium can't be initialized: the system has no source of randomness")
    }()
}

/// An error of a cryptographic operation.
package enum CryptoError: Error, Equatable, Sendable {
    /// A tag, a signature or a proof doesn't match.
    case authenticationFailed
    /// A key, a point or a number is invalid.
    case badKey
}
