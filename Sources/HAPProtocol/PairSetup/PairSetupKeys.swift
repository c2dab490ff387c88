internal import HAPCrypto

/// The keys of pair setup, and the data that they encrypt and sign, for both roles (HAP 5.3).
struct PairSetupKeys: Equatable, Sendable {
    private let key: SecretBytes
    private let cipher: ChaCha20Poly1305

    init(key: SecretBytes) {
        self.key = key
        cipher = ChaCha20Poly1305(
            key: HKDF.derive(from: key, salt: "Pair-Setup-Encrypt-Salt", info: "Pair-Setup-Encrypt-Info"))
    }

    /// Returns the data that the controller signs in M5: controllerX ‖ identifier ‖ LTPK.
    func controllerMessage(identifier: [UInt8], publicKey: [UInt8]) -> [UInt8] {
        let x = HKDF.derive(
            from: key, salt: "Pair-Setup-Controller-Sign-Salt", info: "Pair-Setup-Controller-Sign-Info")
        return x.copy + identifier + publicKey
    }

    /// Returns the data that the accessory signs in M6: accessoryX ‖ identifier ‖ LTPK.
    func accessoryMessage(identifier: [UInt8], publicKey: [UInt8]) -> [UInt8] {
        let x = HKDF.derive(
            from: key, salt: "Pair-Setup-Accessory-Sign-Salt", info: "Pair-Setup-Accessory-Sign-Info")
        return x.copy + identifier + publicKey
    }

    func seal(_ body: PairingTLV, _ label: StaticString) -> [UInt8] {
        cipher.seal(body.encoded, nonce: .init(label: label))
    }

    func open(_ sealed: [UInt8], _ label: StaticString) throws(CryptoError) -> [UInt8] {
        try cipher.open(sealed, nonce: .init(label: label))
    }
}
