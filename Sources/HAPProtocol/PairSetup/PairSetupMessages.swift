internal import HAPCrypto

/// The key schedule and the sealed parts that both roles of pair setup share (HAP 5.3).
struct PairSetupKeys: Equatable, Sendable {
    private let key: SecretBytes
    private let cipher: ChaCha20Poly1305

    init(key: SecretBytes) {
        self.key = key
        cipher = ChaCha20Poly1305(
            key: HKDF.derive(from: key, salt: "Pair-Setup-Encrypt-Salt", info: "Pair-Setup-Encrypt-Info"))
    }

    /// What the controller signs in M5: controllerX ‖ identifier ‖ LTPK.
    func controllerMessage(identifier: [UInt8], publicKey: [UInt8]) -> [UInt8] {
        let x = HKDF.derive(
            from: key, salt: "Pair-Setup-Controller-Sign-Salt", info: "Pair-Setup-Controller-Sign-Info")
        return x.copy + identifier + publicKey
    }

    /// What the accessory signs in M6: accessoryX ‖ identifier ‖ LTPK.
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

/// Who a peer says it is, and its proof: the sealed part of M5 and M6, and of pair verify's M2 and M3.
struct SignedIdentity: Equatable {
    let identifier: [UInt8]
    let publicKey: [UInt8]
    let signature: [UInt8]
    /// In M5 alone, from controllers that were given one.
    let ownershipToken: [UInt8]?

    /// Reads the part; pair verify carries no public key.
    init(parsing bytes: [UInt8], withPublicKey: Bool) throws(ProtocolViolation) {
        let body = try PairingTLV(parsing: bytes)
        identifier = try body.required(.identifier, length: 1...ControllerID.maximumLength)
        let keyLength = Ed25519.publicKeyLength
        publicKey = withPublicKey ? try body.required(.publicKey, length: keyLength...keyLength) : []
        signature = try body.required(.signature, length: Ed25519.signatureLength...Ed25519.signatureLength)
        ownershipToken = body[.ownershipToken]
    }

    init(identifier: [UInt8], publicKey: [UInt8] = [], signature: [UInt8], ownershipToken: [UInt8]? = nil) {
        self.identifier = identifier
        self.publicKey = publicKey
        self.signature = signature
        self.ownershipToken = ownershipToken
    }

    var body: PairingTLV {
        var body = PairingTLV()
        body[.identifier] = identifier
        if !publicKey.isEmpty { body[.publicKey] = publicKey }
        body[.signature] = signature
        body[.ownershipToken] = ownershipToken
        return body
    }
}
