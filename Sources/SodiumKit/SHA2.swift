internal import CSodium

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
    /// Returns the hash of the bytes, 32 bytes long.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        Sodium.ready
        var hash = [UInt8](repeating: 0, count: 32)
        crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
        return hash
    }

    /// Returns the HMAC (RFC 2104) of the bytes, 32 bytes long.
    package static func authenticationCode(for bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        Sodium.ready
        var state = crypto_auth_hmacsha256_state()
        var code = [UInt8](repeating: 0, count: 32)
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
        crypto_auth_hmacsha256_final(&state, &code)
        return code
    }
}

/// SHA-512 (FIPS 180-4).
package enum SHA512 {
    /// Returns the hash of the concatenated parts, 64 bytes long.
    package static func hash(_ parts: [UInt8]...) -> [UInt8] {
        Sodium.ready
        var state = crypto_hash_sha512_state()
        crypto_hash_sha512_init(&state)
        for part in parts { crypto_hash_sha512_update(&state, part, UInt64(part.count)) }
        var hash = [UInt8](repeating: 0, count: 64)
        crypto_hash_sha512_final(&state, &hash)
        return hash
    }
}
