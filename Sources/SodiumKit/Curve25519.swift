internal import CSodium

/// An X25519 key pair, used for a single pair verify (RFC 7748).
package struct Curve25519KeyPair: Sendable, Equatable {
    /// The length of a public key, in bytes.
    package static let publicKeyLength = 32

    /// The public key, 32 bytes.
    package let publicKey: [UInt8]
    private let secret: SecretBytes

    /// Creates a key pair from its secret, which must be 32 random bytes.
    package init(secret: SecretBytes) {
        precondition(secret.count == 32, "a secret must have 32 bytes")
        Sodium.ready
        self.secret = secret
        var publicKey = [UInt8](repeating: 0, count: 32)
        _ = secret.withBytes { crypto_scalarmult_base(&publicKey, $0) }
        self.publicKey = publicKey
    }

    /// Returns the secret shared with a peer.
    ///
    /// - Throws: `badKey` if the peer's key isn't 32 bytes long or is a low-order point, for which the secret would be
    ///   zero.
    package func sharedSecret(with peer: [UInt8]) throws(CryptoError) -> SecretBytes {
        guard peer.count == Self.publicKeyLength else { throw .badKey }
        var shared = [UInt8](repeating: 0, count: 32)
        // libsodium rejects low-order points.
        let result = secret.withBytes { crypto_scalarmult(&shared, $0, peer) }
        defer { sodium_memzero(&shared, 32) }
        guard result == 0, sodium_is_zero(shared, 32) == 0 else { throw .badKey }
        return SecretBytes(shared)
    }
}
