/// What an accessory keeps of a setup code to check proofs with: a salt, and the power that belongs to it.
///
/// Making one costs a modular exponentiation; every attempt is made of the same one.
package struct SRPVerifier: Sendable, Equatable {
    /// 16 random bytes that the controller needs; never begin with a zero byte.
    package let salt: [UInt8]
    /// v, a number below the modulus: whoever has it can guess the code.
    let number: SecretBytes
    let username: [UInt8]

    /// Creates a verifier with a fresh salt for a setup code, the ten characters `XXX-XX-XXX`.
    package init(setupCode: String) {
        self.init(setupCode: setupCode) { RandomBytes.make(count: SRP.saltLength) }
    }

    /// Makes a verifier with the first salt drawn that will do.
    init(setupCode: String, drawing: () -> [UInt8]) {
        while true {
            // Some controllers keep the salt as a number, which loses leading zeros.
            let salt = drawing()
            if salt[0] != 0, let verifier = Self(password: Array(setupCode.utf8), salt: salt) {
                self = verifier
                return
            }
        }
    }

    /// Makes a verifier with a given salt; `nil` if x would be zero.
    init?(username: [UInt8] = SRP.username, password: [UInt8], salt: [UInt8]) {
        let x = BigNumber(SRP.x(salt: salt, username: username, password: password))
        guard !x.isZero else { return nil }
        self.username = username
        self.salt = salt
        number = SecretBytes(BigNumber(SRP.g).power(x, modulo: BigNumber(SRP.modulus)).bytes)
    }
}
