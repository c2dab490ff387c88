import HAPTesting
import Testing

@testable import HAPCrypto

@Suite("Cryptography")
struct PrimitiveTests {
    private let vectors: Vectors

    init() throws { vectors = try Vectors.load() }

    @Test("computes the Ed25519 key and signature of RFC 8032, and accepts no other signature")
    func ed25519() throws {
        let vector = try vectors["primitives"]["ed25519"]
        let pair = try Ed25519KeyPair(seed: SecretBytes(try vector["seed"].bytes))
        let message = try vector["message"].bytes
        let signature = try vector["signature"].bytes
        #expect(pair.publicKey == (try vector["public"].bytes))
        #expect(pair.sign(message) == signature)
        #expect(Ed25519.isValid(signature, of: message, by: pair.publicKey))
        #expect(!Ed25519.isValid(signature, of: message + [0], by: pair.publicKey))
        for index in signature.indices {
            var wrong = signature
            wrong[index] ^= 1
            #expect(!Ed25519.isValid(wrong, of: message, by: pair.publicKey))
        }
    }

    @Test("rejects a signature or key of any other length", arguments: [0, 1, 31, 32, 33, 63, 64, 65, 1000])
    func ed25519Lengths(count: Int) throws {
        let pair = try Ed25519KeyPair(seed: SecretBytes([UInt8](repeating: 7, count: 32)))
        let signature = pair.sign([1])
        let bytes = [UInt8](repeating: 1, count: count)
        #expect(!Ed25519.isValid(bytes, of: [1], by: pair.publicKey))
        #expect(!Ed25519.isValid(signature, of: [1], by: bytes))
        // The correct signature, with additional or missing bytes.
        let long = signature + bytes
        let short = signature.prefix(count)
        if count > 0 { #expect(!Ed25519.isValid(long, of: [1], by: pair.publicKey)) }
        #expect(Ed25519.isValid(Array(short), of: [1], by: pair.publicKey) == (count >= 64))
        if count > 0 { #expect(!Ed25519.isValid(signature, of: [1], by: pair.publicKey + bytes)) }
        if count != 32 {
            #expect(throws: CryptoError.badKey) { try Ed25519KeyPair(seed: SecretBytes(bytes)) }
        }
    }

    @Test("computes the X25519 secret of RFC 7748")
    func x25519() throws {
        let vector = try vectors["primitives"]["x25519"]
        // The RFC's first scalar is the scalar in the file before clamping.
        let pair = Curve25519KeyPair(secret: SecretBytes(try vector["scalar"].bytes))
        let shared = try pair.sharedSecret(with: try vector["u"].bytes)
        #expect(shared.copy == (try vector["result"].bytes))
    }

    /// The low-order points and their equivalents (Bernstein's list), for which every secret results in zero.
    private static let lowOrder = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]

    @Test("rejects low-order X25519 points", arguments: lowOrder)
    func x25519LowOrder(point: String) throws {
        let pair = Curve25519KeyPair(secret: SecretBytes([UInt8](repeating: 0x55, count: 32)))
        let peer = try #require([UInt8](hex: point))
        #expect(throws: CryptoError.badKey) { try pair.sharedSecret(with: peer) }
    }

    @Test("rejects an X25519 key of any other length", arguments: [0, 1, 31, 33, 64])
    func x25519Lengths(count: Int) {
        let pair = Curve25519KeyPair(secret: SecretBytes([UInt8](repeating: 0x55, count: 32)))
        #expect(throws: CryptoError.badKey) { try pair.sharedSecret(with: [UInt8](repeating: 9, count: count)) }
    }

    @Test("seals and opens the ChaCha20-Poly1305 message of RFC 8439")
    func chaCha() throws {
        let vector = try vectors["primitives"]["chacha20_poly1305"]
        let cipher = ChaCha20Poly1305(key: SecretBytes(try vector["key"].bytes))
        let nonce = ChaCha20Poly1305.Nonce(bytes: try vector["nonce"].bytes)
        let aad = try vector["aad"].bytes
        let plaintext = try vector["plaintext"].bytes
        let sealed = try vector["ciphertext"].bytes + vector["tag"].bytes
        #expect(cipher.seal(plaintext, nonce: nonce, authenticating: aad) == sealed)
        #expect(try cipher.open(sealed, nonce: nonce, authenticating: aad) == plaintext)
        #expect(throws: CryptoError.authenticationFailed) { try cipher.open(sealed, nonce: nonce) }
        for index in sealed.indices {
            var wrong = sealed
            wrong[index] ^= 0x80
            #expect(throws: CryptoError.authenticationFailed) {
                try cipher.open(wrong, nonce: nonce, authenticating: aad)
            }
        }
        for count in 0..<sealed.count {
            #expect(throws: CryptoError.authenticationFailed) {
                try cipher.open(Array(sealed.prefix(count)), nonce: nonce, authenticating: aad)
            }
        }
    }

    @Test("creates a nonce from four zero bytes and the eight letters of a label")
    func labelNonce() throws {
        let vector = try vectors["session_framing"]["message_nonce_example"]
        let cipher = ChaCha20Poly1305(key: SecretBytes([UInt8](repeating: 1, count: 32)))
        #expect(try vector["label_text"].text == "PS-Msg05")
        let bytes = ChaCha20Poly1305.Nonce(bytes: try vector["nonce"].bytes)
        #expect(cipher.seal([1, 2, 3], nonce: .init(label: "PS-Msg05")) == cipher.seal([1, 2, 3], nonce: bytes))
    }

    @Test("seals an empty message as a tag only")
    func emptyMessage() throws {
        let cipher = ChaCha20Poly1305(key: SecretBytes([UInt8](repeating: 1, count: 32)))
        let nonce = ChaCha20Poly1305.Nonce(label: "PS-Msg06")
        let sealed = cipher.seal([], nonce: nonce)
        #expect(sealed.count == ChaCha20Poly1305.tagLength)
        #expect(try cipher.open(sealed, nonce: nonce) == [])
    }

    @Test("appends nothing if a frame is invalid")
    func wrongFrame() throws {
        let cipher = ChaCha20Poly1305(key: SecretBytes([UInt8](repeating: 1, count: 32)))
        var frame: [UInt8] = []
        cipher.appendFrame(of: [7, 8, 9], 0..<3, counter: 5, to: &frame)
        var output: [UInt8] = [1, 2]
        #expect(throws: CryptoError.authenticationFailed) {
            try cipher.appendContent(ofFrameIn: frame, at: 0, length: 3, counter: 6, to: &output)
        }
        #expect(output == [1, 2])
        try cipher.appendContent(ofFrameIn: frame, at: 0, length: 3, counter: 5, to: &output)
        #expect(output == [1, 2, 7, 8, 9])
    }

    @Test("computes the HKDF-SHA-512 result of the first case in RFC 5869")
    func hkdf() throws {
        let vector = try vectors["primitives"]["hkdf_sha512"]
        let okm = try vector["okm"].bytes
        let derived = HKDF.derive(
            from: SecretBytes(try vector["ikm"].bytes), salt: try vector["salt"].bytes, info: try vector["info"].bytes,
            length: okm.count)
        #expect(derived == okm)
    }

    @Test("derives the golden key for every label in HAP")
    func hkdfLabels() throws {
        let labels = try vectors["hkdf_sha512"]["labels"].list
        #expect(labels.count == 10)
        for label in labels {
            let derived = HKDF.derive(
                from: SecretBytes(try label["ikm"].bytes), salt: Array(try label["salt_text"].text.utf8),
                info: Array(try label["info_text"].text.utf8), length: try label["length_int"].int)
            #expect(derived == (try label["okm"].bytes), "\(label.path)")
        }
    }
}

@Suite("SecretBytes")
struct SecretBytesTests {
    @Test("prints only the number of bytes")
    func description() {
        let secret = SecretBytes(Array("password".utf8))
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped, "\([secret])"] {
            #expect(text.contains("8 secret bytes"))
            #expect(!text.contains("112"))
            #expect(!text.contains("password"))
        }
    }

    @Test("compares secrets by their bytes")
    func equality() {
        #expect(SecretBytes([1, 2, 3]) == SecretBytes([1, 2, 3]))
        #expect(SecretBytes([1, 2, 3]) != SecretBytes([1, 2, 4]))
        #expect(SecretBytes([1, 2, 3]) != SecretBytes([1, 2]))
        #expect(SecretBytes([UInt8]()) == SecretBytes([UInt8]()))
        #expect(SecretBytes([5, 6]).copy == [5, 6])
    }

    @Test("returns the same result in constant time as a normal comparison")
    func constantTime() {
        #expect(constantTimeEqual([], []))
        #expect(constantTimeEqual([1, 2], [1, 2]))
        #expect(!constantTimeEqual([1, 2], [1, 3]))
        #expect(!constantTimeEqual([1, 2], [1, 2, 3]))
    }
}
