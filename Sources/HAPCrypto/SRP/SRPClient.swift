/// The controller's side of SRP.
///
/// Creating a client takes two modular exponentiations, and a few more in one of 86 cases. Don't create a client on an
/// event loop.
package struct SRPClient: Sendable, Equatable {
    /// A, 384 bytes; it never starts with a zero byte.
    package let publicKey: [UInt8]
    /// M1, 64 bytes: the proof that the controller knows the setup code.
    package let proof: [UInt8]
    /// K, 64 bytes.
    package let key: SecretBytes

    /// Creates the response to an accessory's salt and public key.
    ///
    /// - Parameters:
    ///   - setupCode: The ten characters `XXX-XX-XXX`.
    ///   - salt: The received salt, 16 bytes.
    ///   - serverKey: The received B, 1 to 384 bytes.
    /// - Throws: `badKey` if the salt or B is invalid.
    package init(setupCode: String, salt: [UInt8], serverKey: [UInt8]) throws(CryptoError) {
        for _ in 0..<Self.maximumDraws {
            let secret = SecretBytes.random(count: 32)
            let client = try Self(
                password: Array(setupCode.utf8), salt: salt, serverKey: serverKey, secret: secret)
            // Draw another secret if necessary, in one of 86 cases. This avoids differences in the padding of A, S and
            // K.
            if let client {
                self = client
                return
            }
        }
        throw .badKey
    }

    /// The maximum number of secrets to draw.
    ///
    /// An accessory that knows its code can send a B for which S is 0, 1 or -1 with every secret. With an honest
    /// accessory, all draws fail only once in 2^102 attempts.
    private static let maximumDraws = 16

    /// Creates the response for a given secret, or returns `nil` if A, S or K starts with a zero byte, so that another
    /// secret is needed.
    init?(
        username: [UInt8] = SRP.username, password: [UInt8], salt: [UInt8], serverKey: [UInt8], secret: SecretBytes
    ) throws(CryptoError) {
        guard salt.count == SRP.saltLength, (1...SRP.length).contains(serverKey.count) else { throw .badKey }
        let n = BigNumber(SRP.modulus)
        let b = BigNumber(serverKey)
        guard !(b % n).isZero else { throw .badKey }
        let g = BigNumber(SRP.g)
        let secretNumber = BigNumber(secret.copy)
        guard !secretNumber.isZero else { return nil }
        let publicKey = g.power(secretNumber, modulo: n).padded(to: SRP.length)
        let u = BigNumber(SRP.u(publicKey, serverKey))
        guard !u.isZero else { throw .badKey }

        let x = BigNumber(SRP.x(salt: salt, username: username, password: password))
        let base = b.subtracting(BigNumber(SRP.k) * g.power(x, modulo: n), modulo: n)
        let s = base.power(secretNumber + u * x, modulo: n).padded(to: SRP.length)
        guard publicKey[0] != 0, s[0] != 0 else { return nil }
        let key = SHA512.hash(s)
        // Accessories that store K as a number, such as HAP-python, lose the leading zeros.
        guard key[0] != 0 else { return nil }
        let serverForm = serverKey.count == SRP.length ? serverKey : SRP.stripped(serverKey)
        self.publicKey = publicKey
        self.proof = SRP.clientProof(username: username, salt: salt, a: publicKey, b: serverForm, key: key)
        self.key = SecretBytes(key)
    }

    /// Returns whether the accessory's proof is correct.
    ///
    /// A correct proof means that the accessory knows the setup code, too.
    package func accepts(serverProof: [UInt8]) -> Bool {
        constantTimeEqual(
            SRP.serverProof(a: publicKey, clientProof: proof, key: key.copy), serverProof)
    }
}
