/// The salt and the verifier of a setup code, which an accessory needs to check proofs.
///
/// Creating a verifier takes one modular exponentiation. Use the same verifier for all attempts.
package struct SRPVerifier: Sendable, Equatable {
    /// The salt for the controller: 16 random bytes, the first of which isn't zero.
    package let salt: [UInt8]
    /// v, a number below the modulus.
    ///
    /// Keep it secret, because an attacker who has it can guess the setup code offline.
    let number: SecretBytes
    let username: [UInt8]

    /// Creates a verifier with a new salt for a setup code of the form `XXX-XX-XXX`.
    package init(setupCode: String) {
        self.init(setupCode: setupCode) { RandomBytes.make(count: SRP.saltLength) }
    }

    /// Creates a verifier with the first suitable salt.
    init(setupCode: String, drawing: () -> [UInt8]) {
        while true {
            // Some controllers store the salt as a number, and lose leading zeros.
            let salt = drawing()
            if salt[0] != 0, let verifier = Self(password: Array(setupCode.utf8), salt: salt) {
                self = verifier
                return
            }
        }
    }

    /// Creates a verifier with a given salt, or returns `nil` if x would be zero.
    init?(username: [UInt8] = SRP.username, password: [UInt8], salt: [UInt8]) {
        let x = BigNumber(SRP.x(salt: salt, username: username, password: password))
        guard !x.isZero else { return nil }
        self.username = username
        self.salt = salt
        number = SecretBytes(BigNumber(SRP.g).power(x, modulo: BigNumber(SRP.modulus)).bytes)
    }
}
