import BoundedJSON
import CSodium

/// The initiator's side of `Noise_NNpsk0_25519_ChaChaPoly_SHA256` (Noise Protocol Framework, revision 34).
///
/// Two messages: ours with a fresh key of one use, and the responder's with its own. Both are bound to a key that was
/// shared before, so a wrong one fails at once on either side.
struct NoiseHandshake: Sendable {
    /// The responder's answer does not fit: another key, or no responder.
    struct Failed: Error, Equatable {}

    static let keyLength = 32
    static let tagLength = 16

    private let ephemeral: [UInt8]
    private var chainingKey: [UInt8]
    private var hash: [UInt8]
    private var cipher: NoiseCipher

    /// Begins a handshake.
    ///
    /// - Parameters:
    ///   - key: the shared key, 32 bytes.
    ///   - prologue: what both sides know and want confirmed.
    ///   - ephemeral: 32 random bytes of one use.
    init(key: [UInt8], prologue: [UInt8], ephemeral: [UInt8]) {
        precondition(key.count == Self.keyLength && ephemeral.count == Self.keyLength, "both are ours")
        self.ephemeral = ephemeral
        hash = Sodium.sha256(Array("Noise_NNpsk0_25519_ChaChaPoly_SHA256".utf8))
        chainingKey = hash
        cipher = NoiseCipher(key: [UInt8](repeating: 0, count: Self.keyLength))
        mix(prologue)
        let keys = Sodium.hkdf(chainingKey, key, count: 3)
        chainingKey = keys[0]
        mix(keys[1])
        cipher = NoiseCipher(key: keys[2])
    }

    /// The first message: our public key and the payload.
    mutating func message(_ payload: [UInt8] = []) -> [UInt8] {
        let publicKey = Sodium.publicKey(of: ephemeral)
        mix(publicKey)
        mixKey(publicKey)
        let sealed = cipher.seal(payload, authenticating: hash)
        mix(sealed)
        return publicKey + sealed
    }

    /// Takes the responder's message.
    ///
    /// - Returns: its payload, and the ciphers of what is sent and received from now on.
    mutating func received(
        _ message: ArraySlice<UInt8>
    ) throws(Failed) -> (payload: [UInt8], sending: NoiseCipher, receiving: NoiseCipher) {
        guard message.count >= Self.keyLength + Self.tagLength else { throw Failed() }
        let publicKey = Array(message.prefix(Self.keyLength))
        mix(publicKey)
        mixKey(publicKey)
        guard let shared = Sodium.sharedSecret(ephemeral, publicKey) else { throw Failed() }
        mixKey(shared)
        guard let payload = cipher.open(message.dropFirst(Self.keyLength), authenticating: hash) else { throw Failed() }
        let keys = Sodium.hkdf(chainingKey, [], count: 2)
        return (payload, NoiseCipher(key: keys[0]), NoiseCipher(key: keys[1]))
    }

    private mutating func mix(_ bytes: [UInt8]) { hash = Sodium.sha256(hash + bytes) }

    private mutating func mixKey(_ bytes: [UInt8]) {
        let keys = Sodium.hkdf(chainingKey, bytes, count: 2)
        chainingKey = keys[0]
        cipher = NoiseCipher(key: keys[1])
    }
}

/// One direction of a Noise session: a key, and a nonce that counts.
struct NoiseCipher: Sendable {
    private let key: [UInt8]
    private var counter: UInt64 = 0

    init(key: [UInt8]) { self.key = key }

    mutating func seal(_ plaintext: [UInt8], authenticating data: [UInt8] = []) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: plaintext.count + NoiseHandshake.tagLength)
        _ = crypto_aead_chacha20poly1305_ietf_encrypt(
            &output, nil, plaintext, UInt64(plaintext.count), data, UInt64(data.count), nil, takeNonce(), key)
        return output
    }

    /// The plaintext; `nil` if the tag does not fit, after which the session is over.
    mutating func open(_ sealed: ArraySlice<UInt8>, authenticating data: [UInt8] = []) -> [UInt8]? {
        guard sealed.count >= NoiseHandshake.tagLength else { return nil }
        let sealed = Array(sealed)
        var plaintext = [UInt8](repeating: 0, count: sealed.count - NoiseHandshake.tagLength)
        let result = crypto_aead_chacha20poly1305_ietf_decrypt(
            &plaintext, nil, nil, sealed, UInt64(sealed.count), data, UInt64(data.count), takeNonce(), key)
        return result == 0 ? plaintext : nil
    }

    private mutating func takeNonce() -> [UInt8] {
        defer { counter += 1 }
        return [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) }
    }
}

/// What of libsodium a handshake is made of.
enum Sodium {
    private static let ready: Void = {
        precondition(sodium_init() >= 0, "libsodium cannot be initialised: the system gives no randomness")
    }()

    static func randomBytes(_ count: Int) -> [UInt8] {
        ready
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return bytes
    }

    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        ready
        var digest = [UInt8](repeating: 0, count: 32)
        crypto_hash_sha256(&digest, bytes, UInt64(bytes.count))
        return digest
    }

    static func publicKey(of secret: [UInt8]) -> [UInt8] {
        var publicKey = [UInt8](repeating: 0, count: 32)
        _ = crypto_scalarmult_base(&publicKey, secret)
        return publicKey
    }

    /// The secret shared with a peer; `nil` for points of low order, for which it would be zero.
    static func sharedSecret(_ secret: [UInt8], _ peer: [UInt8]) -> [UInt8]? {
        var shared = [UInt8](repeating: 0, count: 32)
        return crypto_scalarmult(&shared, secret, peer) == 0 ? shared : nil
    }

    /// The first `count` outputs of HKDF as Noise has it, 32 bytes each.
    static func hkdf(_ chainingKey: [UInt8], _ material: [UInt8], count: Int) -> [[UInt8]] {
        let key = hmac(chainingKey, material)
        var outputs: [[UInt8]] = []
        for number in 1...count { outputs.append(hmac(key, (outputs.last ?? []) + [UInt8(number)])) }
        return outputs
    }

    private static func hmac(_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        ready
        var state = crypto_auth_hmacsha256_state()
        var code = [UInt8](repeating: 0, count: 32)
        crypto_auth_hmacsha256_init(&state, key, key.count)
        crypto_auth_hmacsha256_update(&state, bytes, UInt64(bytes.count))
        crypto_auth_hmacsha256_final(&state, &code)
        return code
    }
}
