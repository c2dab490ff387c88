import BoundedJSON
import SodiumKit

/// The initiator's side of `Noise_NNpsk0_25519_ChaChaPoly_SHA256` (Noise Protocol Framework, revision 34).
///
/// The handshake consists of one message from each side, ours first. Each message contains a key that is used only
/// once. Both messages also depend on a pre-shared key, so the handshake fails if the two sides have different keys.
struct NoiseHandshake: Sendable {
    /// An error that indicates an invalid answer: the responder has a different pre-shared key, or doesn't use this
    /// protocol.
    struct Failed: Error, Equatable {}

    static let keyLength = 32

    private let ephemeral: Curve25519KeyPair
    private var chainingKey: [UInt8]
    private var hash: [UInt8]
    private var cipher: NoiseCipher

    /// Begins a handshake with the pre-shared key, which has 32 bytes, and 32 random bytes that must not be reused.
    ///
    /// The prologue isn't sent. The handshake fails if the two sides use different prologues.
    init(key: [UInt8], prologue: [UInt8], ephemeral: [UInt8]) {
        precondition(key.count == Self.keyLength && ephemeral.count == Self.keyLength, "both must have 32 bytes")
        self.ephemeral = Curve25519KeyPair(secret: SecretBytes(ephemeral))
        hash = SHA256.hash(Array("Noise_NNpsk0_25519_ChaChaPoly_SHA256".utf8))
        chainingKey = hash
        cipher = NoiseCipher(key: [UInt8](repeating: 0, count: Self.keyLength))
        mix(prologue)
        let keys = Self.keys(chainingKey, key, count: 3)
        chainingKey = keys[0]
        mix(keys[1])
        cipher = NoiseCipher(key: keys[2])
    }

    /// Returns the first message: our public key and the payload.
    mutating func message(_ payload: [UInt8] = []) -> [UInt8] {
        mix(ephemeral.publicKey)
        mixKey(ephemeral.publicKey)
        let sealed = cipher.seal(payload, authenticating: hash)
        mix(sealed)
        return ephemeral.publicKey + sealed
    }

    /// Processes the responder's message.
    ///
    /// Returns its payload, and the ciphers for all further messages in each direction.
    mutating func received(
        _ message: ArraySlice<UInt8>
    ) throws(Failed) -> (payload: [UInt8], sending: NoiseCipher, receiving: NoiseCipher) {
        guard message.count >= Self.keyLength + ChaCha20Poly1305.tagLength else { throw Failed() }
        let publicKey = Array(message.prefix(Self.keyLength))
        mix(publicKey)
        mixKey(publicKey)
        guard let shared = try? ephemeral.sharedSecret(with: publicKey) else { throw Failed() }
        mixKey(shared.copy)
        guard let payload = cipher.open(message.dropFirst(Self.keyLength), authenticating: hash) else { throw Failed() }
        let keys = Self.keys(chainingKey, [], count: 2)
        return (payload, NoiseCipher(key: keys[0]), NoiseCipher(key: keys[1]))
    }

    private mutating func mix(_ bytes: [UInt8]) { hash = SHA256.hash(hash + bytes) }

    private mutating func mixKey(_ bytes: [UInt8]) {
        let keys = Self.keys(chainingKey, bytes, count: 2)
        chainingKey = keys[0]
        cipher = NoiseCipher(key: keys[1])
    }

    /// Returns the first `count` outputs of Noise's HKDF, 32 bytes each.
    static func keys(_ chainingKey: [UInt8], _ material: [UInt8], count: Int) -> [[UInt8]] {
        let key = SHA256.authenticationCode(for: material, key: chainingKey)
        var outputs: [[UInt8]] = []
        for number in 1...count {
            outputs.append(SHA256.authenticationCode(for: (outputs.last ?? []) + [UInt8(number)], key: key))
        }
        return outputs
    }
}

/// The cipher for one direction of a Noise session.
///
/// It has a key, and a counter as its nonce.
struct NoiseCipher: Sendable {
    private let cipher: ChaCha20Poly1305
    private var counter: UInt64 = 0

    init(key: [UInt8]) { cipher = ChaCha20Poly1305(key: SecretBytes(key)) }

    mutating func seal(_ plaintext: [UInt8], authenticating data: [UInt8] = []) -> [UInt8] {
        defer { counter += 1 }
        return cipher.seal(plaintext, nonce: .init(counter: counter), authenticating: data)
    }

    /// Returns the plaintext, or `nil` if the tag doesn't match.
    ///
    /// After a mismatch, the session can't continue.
    mutating func open(_ sealed: ArraySlice<UInt8>, authenticating data: [UInt8] = []) -> [UInt8]? {
        defer { counter += 1 }
        return try? cipher.open(Array(sealed), nonce: .init(counter: counter), authenticating: data)
    }
}
