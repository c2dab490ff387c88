internal import CSodium

/// A long-term signing key pair (RFC 8032).
///
/// HAP calls the keys LTSK and LTPK.
package struct Ed25519KeyPair: Sendable, Equatable {
    /// The length of a seed, in bytes.
    package static let seedLength = 32

    /// The long-term public key, 32 bytes.
    package let publicKey: [UInt8]
    /// The seed of the pair, 32 bytes.
    ///
    /// Only the seed is stored.
    package let seed: SecretBytes
    private let expanded: SecretBytes

    /// Creates a key pair from a seed of 32 bytes.
    ///
    /// - Throws: `badKey` if the seed has any other length.
    package init(seed: SecretBytes) throws(CryptoError) {
        guard seed.count == Self.seedLength else { throw .badKey }
        Sodium.ready
        var publicKey = [UInt8](repeating: 0, count: 32)
        var secretKey = [UInt8](repeating: 0, count: 64)
        _ = seed.withBytes { crypto_sign_seed_keypair(&publicKey, &secretKey, $0) }
        self.seed = seed
        self.publicKey = publicKey
        expanded = SecretBytes(secretKey)
        sodium_memzero(&secretKey, 64)
    }

    /// Returns the signature of a message, 64 bytes.
    package func sign(_ message: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Ed25519.signatureLength)
        _ = expanded.withBytes { crypto_sign_detached(&signature, nil, message, UInt64(message.count), $0) }
        return signature
    }
}

/// Verification of Ed25519 signatures.
package enum Ed25519 {
    /// The length of a public key, in bytes.
    package static let publicKeyLength = 32
    /// The length of a signature, in bytes.
    package static let signatureLength = 64

    /// Returns whether a message was signed with the secret key that belongs to a public key.
    ///
    /// The arguments may come from a peer and have any length.
    package static func isValid(_ signature: [UInt8], of message: [UInt8], by publicKey: [UInt8]) -> Bool {
        guard signature.count == signatureLength, publicKey.count == publicKeyLength else { return false }
        Sodium.ready
        return crypto_sign_verify_detached(signature, message, UInt64(message.count), publicKey) == 0
    }
}
