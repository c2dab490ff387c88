internal import HAPCrypto

/// The data that both roles of pair verify share: the secret, the cipher for M2 and M3, and the messages to sign.
struct PairVerifyKeys: Equatable, Sendable {
    let accessoryKey: [UInt8]
    let controllerKey: [UInt8]
    private let sharedSecret: SecretBytes
    private let cipher: ChaCha20Poly1305

    init(accessoryKey: [UInt8], controllerKey: [UInt8], sharedSecret: SecretBytes) {
        self.accessoryKey = accessoryKey
        self.controllerKey = controllerKey
        self.sharedSecret = sharedSecret
        cipher = ChaCha20Poly1305(
            key: HKDF.derive(from: sharedSecret, salt: "Pair-Verify-Encrypt-Salt", info: "Pair-Verify-Encrypt-Info"))
    }

    /// Returns the data that the accessory signs in M2.
    func accessoryMessage(identifier: [UInt8]) -> [UInt8] { accessoryKey + identifier + controllerKey }

    /// Returns the data that the controller signs in M3.
    func controllerMessage(identifier: [UInt8]) -> [UInt8] { controllerKey + identifier + accessoryKey }

    func seal(_ body: PairingTLV, _ label: StaticString) -> [UInt8] {
        cipher.seal(body.encoded, nonce: .init(label: label))
    }

    func open(_ sealed: [UInt8], _ label: StaticString) throws(CryptoError) -> [UInt8] {
        try cipher.open(sealed, nonce: .init(label: label))
    }

    var sessionKeys: SessionKeys { SessionKeys(sharedSecret: sharedSecret) }
}
