/// The accessory's side of SRP.
///
/// Create a new server, with a new secret, for each attempt. Creating a server takes one modular exponentiation, and
/// checking a proof takes two. Each takes about a millisecond on a server core, and much longer on a small board, so do
/// neither on an event loop.
package struct SRPServer: Sendable, Equatable {
    package var salt: [UInt8] { verifier.salt }
    /// B, 384 bytes.
    ///
    /// It never starts with a zero byte, so the form of padding doesn't matter.
    package let publicKey: [UInt8]
    private let verifier: SRPVerifier
    private let secret: SecretBytes

    package init(_ verifier: SRPVerifier) {
        self.init(verifier) { SecretBytes.random(count: 32) }
    }

    /// Starts an attempt with the first suitable secret.
    init(_ verifier: SRPVerifier, drawing: () -> SecretBytes) {
        while true {
            // One secret in 256 results in a B that starts with a zero byte. Draw again to avoid differences in the
            // padding of B.
            if let server = Self(verifier, secret: drawing()), server.publicKey[0] != 0 {
                self = server
                return
            }
        }
    }

    /// Starts an attempt with a given secret, or returns `nil` if B would be zero.
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

    /// The result of a correct proof.
    package struct Agreement: Sendable, Equatable {
        /// K, 64 bytes: the shared key, from which the keys for the next steps of pair setup are derived.
        package let key: SecretBytes
        /// M2, 64 bytes: the accessory's proof for the controller.
        package let proof: [UInt8]
    }

    /// Checks the controller's proof.
    ///
    /// This method accepts all known forms of padding: A stripped, padded or as received, and K computed from a
    /// stripped or padded S.
    ///
    /// - Parameters:
    ///   - clientKey: The received A, 1 to 384 bytes.
    ///   - proof: The received M1, 64 bytes.
    /// - Returns: The shared key and the accessory's proof.
    /// - Throws: `badKey` if A mod N is zero or A is not below N, `authenticationFailed` if the proof is wrong.
    package func check(clientKey: [UInt8], proof: [UInt8]) throws(CryptoError) -> Agreement {
        guard (1...SRP.length).contains(clientKey.count) else { throw .badKey }
        let n = BigNumber(SRP.modulus)
        let a = BigNumber(clientKey)
        guard !a.isZero, a < n else { throw .badKey }
        let u = BigNumber(SRP.u(clientKey, publicKey))
        guard !u.isZero else { throw .badKey }

        // The exponent u is public, because it depends only on two keys that were sent unencrypted.
        let vu = BigNumber(verifier.number.copy).power(ofPublic: u, modulo: n)
        let s = ((a * vu) % n).power(BigNumber(secret.copy), modulo: n)
        guard !s.isZero else { throw .badKey }
        var keys = [SHA512.hash(s.bytes)]
        if s.bytes.count < SRP.length { keys.append(SHA512.hash(s.padded(to: SRP.length))) }

        let strippedKey = SRP.stripped(clientKey)
        let paddedKey = SRP.padded(clientKey)
        var forms = [strippedKey]
        for form in [paddedKey, clientKey] where !forms.contains(form) { forms.append(form) }
        // Some controllers strip B. In this implementation, B never starts with a zero byte, so both forms are equal,
        // except in the published test vectors.
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
        // Compute M2 from the padded A, as expected by Apple's library and by peers that send 384 bytes (HAP 4.4).
        let form = clientKey.count == SRP.length || match.form == strippedKey ? paddedKey : match.form
        return Agreement(
            key: SecretBytes(match.key), proof: SRP.serverProof(a: form, clientProof: proof, key: match.key))
    }
}
