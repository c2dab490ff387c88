internal import CSodium

/// HKDF with SHA-512 (RFC 5869).
///
/// It uses libsodium's HMAC, because libsodium in Debian 12 doesn't contain HKDF.
package enum HKDF {
    /// Derives a key.
    ///
    /// - Parameters:
    ///   - secret: The input keying material.
    ///   - salt: The salt, as a string. An empty salt means 64 zero bytes.
    ///   - info: A string that names the key's purpose.
    ///   - length: The number of bytes, 1 to 64 (HAP needs no more).
    /// - Returns: The key.
    package static func derive(
        from secret: SecretBytes, salt: StaticString, info: StaticString, length: Int = 32
    ) -> SecretBytes {
        SecretBytes(
            derive(
                from: secret, salt: salt.withUTF8Buffer { Array($0) }, info: info.withUTF8Buffer { Array($0) },
                length: length))
    }

    static func derive(from secret: SecretBytes, salt: [UInt8], info: [UInt8], length: Int) -> [UInt8] {
        precondition((1...64).contains(length), "a derived key must have 1 to 64 bytes")
        Sodium.ready
        var pseudoRandomKey = [UInt8](repeating: 0, count: 64)
        var block = [UInt8](repeating: 0, count: 64)
        defer {
            sodium_memzero(&pseudoRandomKey, 64)
            sodium_memzero(&block, 64)
        }
        var state = crypto_auth_hmacsha512_state()
        crypto_auth_hmacsha512_init(&state, salt, salt.count)
        secret.withBytes { _ = crypto_auth_hmacsha512_update(&state, $0, UInt64(secret.count)) }
        crypto_auth_hmacsha512_final(&state, &pseudoRandomKey)

        crypto_auth_hmacsha512_init(&state, pseudoRandomKey, 64)
        crypto_auth_hmacsha512_update(&state, info, UInt64(info.count))
        crypto_auth_hmacsha512_update(&state, [1], 1)
        crypto_auth_hmacsha512_final(&state, &block)
        return Array(block[..<length])
    }
}
