/// The accessory's half of SRP: made anew for each attempt, with a fresh secret.
///
/// Making one costs a modular exponentiation and checking a proof two, each about a millisecond on a server core and far more
/// on a small board: not for an event loop.
package struct SRPServer: Sendable, Equatable {
    package var salt: [UInt8] { verifier.salt }
    /// B, 384 bytes; never begins with a zero byte, so that padding does not matter.
    package let publicKey: [UInt8]
    private let verifier: SRPVerifier
    private let secret: SecretBytes

    package init(_ verifier: SRPVerifier) {
        self.init(verifier) { SecretBytes.random(count: 32) }
    }

    /// Starts an attempt with the first secret drawn that will do.
    init(_ verifier: SRPVerifier, drawing: () -> SecretBytes) {
        while true {
            // One draw in 256 gives a B that begins with zero; drawing again ends all questions about its padding.
            if let server = Self(verifier, secret: drawing()), server.publicKey[0] != 0 {
                self = server
                return
            }
        }
    }

    /// Starts an attempt with a given secret; `nil` if B would be zero.
    init?(_ verifier: SRPVerifier, secret: SecretBytes) {
        let n = BigNumber(SRP.modulus)
        let b = BigNumber(secret.copy)
        guard !b.isZero else { return nil }
        let kv = BigNumber(SRP.k) * BigNumber(verifier.number.copy)
        let gb = BigNumber(SRP.g).power(b, modulo: n)
        let publicKey = (kv + gb) % n
        guard !publicKey.isZero else { return nil }
        self.verifier = verifier
        self.publicKey = publicKey.padded(to: SRP.length)
        self.secret = secret
    }

    /// What a right proof yields.
    package struct Agreement: Sendable, Equatable {
        /// K, 64 bytes: the key from which the rest of pair setup derives its own.
        package let key: SecretBytes
        /// M2, 64 bytes: our proof for the controller.
        package let proof: [UInt8]
    }

    /// Checks the controller's proof.
    ///
    /// Accepts every padding known in the wild: A stripped, padded or as received, and K over S stripped or padded.
    ///
    /// - Parameters:
    ///   - clientKey: A as received, 1 to 384 bytes.
    ///   - proof: M1 as received, 64 bytes.
    /// - Returns: the shared key and our own proof.
    /// - Throws: `badKey` if A mod N is zero or A is not below N, `authenticationFailed` if the proof is wrong.
    package func check(clientKey: [UInt8], proof: [UInt8]) throws(CryptoError) -> Agreement {
        guard (1...SRP.length).contains(clientKey.count) else { throw .badKey }
        let n = BigNumber(SRP.modulus)
        let a = BigNumber(clientKey)
        guard !a.isZero, a < n else { throw .badKey }
        let u = BigNumber(SRP.u(clientKey, publicKey))
        guard !u.isZero else { throw .badKey }

        // Both keys that u is made of were sent in the clear.
        let vu = BigNumber(verifier.number.copy).power(ofPublic: u, modulo: n)
        let s = ((a * vu) % n).power(BigNumber(secret.copy), modulo: n)
        guard !s.isZero else { throw .badKey }
        var keys = [SHA512.hash(s.bytes)]
        if s.bytes.count < SRP.length { keys.append(SHA512.hash(s.padded(to: SRP.length))) }

        let strippedKey = SRP.stripped(clientKey)
        let paddedKey = SRP.padded(clientKey)
        var forms = [strippedKey]
        for form in [paddedKey, clientKey] where !forms.contains(form) { forms.append(form) }
        // B is stripped by some controllers; ours never begins with zero, so there is only one form of it, except in
        // the published vectors.
        var serverForms = [SRP.stripped(publicKey)]
        if serverForms[0].count < SRP.length { serverForms.append(publicKey) }

        var match: (key: [UInt8], form: [UInt8])?
        for key in keys {
            for form in forms {
                for serverForm in serverForms {
                    let expected = SRP.clientProof(
                        username: verifier.username, salt: salt, a: form, b: serverForm, key: key)
                    if constantTimeEqual(expected, proof), match == nil { match = (key, form) }
                }
            }
        }
        guard let match else { throw .authenticationFailed }
        // HAP 4.4: M2 over the padded A, which is what peers that send 384 bytes and Apple's library both expect.
        let form = clientKey.count == SRP.length || match.form == strippedKey ? paddedKey : match.form
        return Agreement(
            key: SecretBytes(match.key), proof: SRP.serverProof(a: form, clientProof: proof, key: match.key))
    }
}
