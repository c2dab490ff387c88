import SodiumKit
import TestTimeouts
import Testing

@testable import LightDrivers

/// The responder's side of the handshake, for tests.
struct NoiseResponder {
    private var chainingKey: [UInt8]
    private var hash: [UInt8]
    private var cipher: NoiseCipher
    private let ephemeral: [UInt8]

    init(key: [UInt8], prologue: [UInt8], ephemeral: [UInt8] = [UInt8](repeating: 7, count: 32)) {
        self.ephemeral = ephemeral
        chainingKey = SHA256.hash(Array("Noise_NNpsk0_25519_ChaChaPoly_SHA256".utf8))
        hash = SHA256.hash(chainingKey + prologue)
        let keys = NoiseHandshake.keys(chainingKey, key, count: 3)
        chainingKey = keys[0]
        hash = SHA256.hash(hash + keys[1])
        cipher = NoiseCipher(key: keys[2])
    }

    /// Parses the initiator's message and returns the response, or `nil` if the initiator has a different key.
    mutating func answer(
        _ message: ArraySlice<UInt8>, payload: [UInt8] = []
    ) -> (message: [UInt8], sending: NoiseCipher, receiving: NoiseCipher)? {
        let theirs = Array(message.prefix(32))
        mix(theirs)
        mixKey(theirs)
        guard cipher.open(message.dropFirst(32), authenticating: hash) != nil else { return nil }
        mix(Array(message.dropFirst(32)))
        let pair = Curve25519KeyPair(secret: SecretBytes(ephemeral))
        let ours = pair.publicKey
        mix(ours)
        mixKey(ours)
        guard let shared = try? pair.sharedSecret(with: theirs).copy else { return nil }
        mixKey(shared)
        let sealed = cipher.seal(payload, authenticating: hash)
        let keys = NoiseHandshake.keys(chainingKey, [], count: 2)
        return (ours + sealed, NoiseCipher(key: keys[1]), NoiseCipher(key: keys[0]))
    }

    private mutating func mix(_ bytes: [UInt8]) { hash = SHA256.hash(hash + bytes) }

    private mutating func mixKey(_ bytes: [UInt8]) {
        let keys = NoiseHandshake.keys(chainingKey, bytes, count: 2)
        (chainingKey, cipher) = (keys[0], NoiseCipher(key: keys[1]))
    }
}

func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

@Suite("The Noise handshake", .timeout)
struct NoiseHandshakeTests {
    static let key = bytes("54686973206973206d7920417573747269616e20706572737065637469766521")
    static let prologue = bytes("4a6f686e2047616c74")
    static let ephemeral = bytes("893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a")

    @Test("matches the test vector that Cacophony publishes")
    func vector() throws {
        var handshake = NoiseHandshake(key: Self.key, prologue: Self.prologue, ephemeral: Self.ephemeral)
        #expect(
            handshake.message(bytes("4c756477696720766f6e204d69736573"))
                == bytes(
                    """
                    ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944
                    79b962b8aff8485742ac32f905ba45369e2465fb59e138a93d67a0d1266b6a54
                    """))
        let answer = bytes(
            """
            95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843
            d6062704d5a9c422a8e834423f8c1feada7e8d0d910a1a2cd030fb584221e3
            """)
        var (payload, sending, receiving) = try handshake.received(answer[...])
        #expect(payload == bytes("4d757272617920526f746862617264"))
        #expect(
            sending.seal(bytes("462e20412e20486179656b"))
                == bytes("e632c3763d7669067383433197a3baddf146e9e70ad4b4e9e59e0f"))
        #expect(
            receiving.open(bytes("64c6bee32ea91c8474bb4c21d7a700109ad45af77b29764ba5eb1e")[...])
                == bytes("4361726c204d656e676572"))
        #expect(
            sending.seal(bytes("4a65616e2d426170746973746520536179"))
                == bytes("e2fa0bed0603b62d3ccac2ecabbf3fe33f3e86514909b323361626266cb2471cc8"))
        #expect(
            receiving.open(bytes("0c01dc9cec1fe4ddd692e8dd32188aa351088dc91183639a53b57aa4692b5ebdef8b8ca111")[...])
                == bytes("457567656e2042f6686d20766f6e2042617765726b"))
    }

    @Test("rejects a short or modified answer, and a low-order point")
    func refused() throws {
        var first = NoiseHandshake(key: Self.key, prologue: Self.prologue, ephemeral: Self.ephemeral)
        var responder = NoiseResponder(key: Self.key, prologue: Self.prologue)
        let reply = responder.answer(first.message()[...])
        let answer = try #require(reply).message
        var changed = answer
        changed[40] ^= 1
        for wrong in [[], Array(answer.dropLast()), changed, [UInt8](repeating: 0, count: 48)] {
            var handshake = first
            #expect(throws: NoiseHandshake.Failed.self) { try handshake.received(wrong[...]) }
        }
        #expect(throws: Never.self) { try first.received(answer[...]) }
    }
}
