/// SRP-6a (RFC 5054) as used in HAP: the 3072-bit group, generator 5, SHA-512, and the user name `Pair-Setup`.
///
/// There are two forms of padding: Apple's reference implementation strips the leading zero bytes of A and S before
/// hashing, and other implementations pad A and S to 384 bytes. The results differ in one pairing of 128. The comments
/// below state which form is used.
package enum SRP {
    /// The length of the modulus and of padded public keys, in bytes.
    package static let length = 384
    /// The length of a salt, in bytes.
    package static let saltLength = 16
    /// The length of a proof, in bytes.
    package static let proofLength = 64

    static let username = Array("Pair-Setup".utf8)
    static let g: [UInt8] = [5]

    /// The modulus of RFC 5054's 3072-bit group.
    static let modulus: [UInt8] = hex(
        """
        FFFFFFFFFFFFFFFFC90FDAA22168C234C4C6628B80DC1CD129024E088A67CC74020BBEA63B139B22514A08798E3404DD\
        EF9519B3CD3A431B302B0A6DF25F14374FE1356D6D51C245E485B576625E7EC6F44C42E9A637ED6B0BFF5CB6F406B7ED\
        EE386BFB5A899FA5AE9F24117C4B1FE649286651ECE45B3DC2007CB8A163BF0598DA48361C55D39A69163FA8FD24CF5F\
        83655D23DCA3AD961C62F356208552BB9ED529077096966D670C354E4ABC9804F1746C08CA18217C32905E462E36CE3B\
        E39E772C180E86039B2783A2EC07A28FB5C55DF06F4C52C9DE2BCBF6955817183995497CEA956AE515D2261898FA0510\
        15728E5A8AAAC42DAD33170D04507A33A85521ABDF1CBA64ECFB850458DBEF0A8AEA71575D060C7DB3970F85A6E1E4C7\
        ABF5AE8CDB0933D71E8C94E04A25619DCEE3D2261AD2EE6BF12FFA06D98A0864D87602733EC86A64521F2B18177B200C\
        BBE117577A615D6C770988C0BAD946E208E24FA074E5AB3143DB5BFCE0FD108E4B82D120A93AD2CAFFFFFFFFFFFFFFFF
        """)

    /// k = H(N ‖ PAD(g)).
    static let k = SHA512.hash(modulus, padded(g))
    /// H(N) xor H(g), with g as a single byte.
    static let groupHash = zip(SHA512.hash(modulus), SHA512.hash(g)).map { $0 ^ $1 }

    /// x = H(s ‖ H(I ‖ ":" ‖ P)).
    static func x(salt: [UInt8], username: [UInt8] = username, password: [UInt8]) -> [UInt8] {
        SHA512.hash(salt, SHA512.hash(username, Array(":".utf8), password))
    }

    /// u = H(PAD(A) ‖ PAD(B)).
    static func u(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] { SHA512.hash(padded(a), padded(b)) }

    /// M1 = H(H(N) xor H(g) ‖ H(I) ‖ s ‖ A ‖ B ‖ K), with A and B as passed.
    static func clientProof(
        username: [UInt8] = username, salt: [UInt8], a: [UInt8], b: [UInt8], key: [UInt8]
    ) -> [UInt8] {
        SHA512.hash(groupHash, SHA512.hash(username), salt, a, b, key)
    }

    /// M2 = H(A ‖ M1 ‖ K), with A as passed.
    static func serverProof(a: [UInt8], clientProof: [UInt8], key: [UInt8]) -> [UInt8] {
        SHA512.hash(a, clientProof, key)
    }

    /// Returns a number's bytes without leading zeros.
    static func stripped(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.drop { $0 == 0 }) }

    /// Returns a number's bytes with leading zeros, padded to 384 bytes.
    static func padded(_ bytes: [UInt8]) -> [UInt8] {
        let bytes = stripped(bytes)
        precondition(bytes.count <= length, "a number must be reduced before it is padded")
        return [UInt8](repeating: 0, count: length - bytes.count) + bytes
    }

    private static func hex(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
