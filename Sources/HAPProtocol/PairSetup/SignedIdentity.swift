internal import HAPCrypto

/// A peer's identity with its proof: the encrypted content of M5 and M6 in pair setup, and of M2 and M3 in pair verify.
struct SignedIdentity: Equatable {
    let identifier: [UInt8]
    let publicKey: [UInt8]
    let signature: [UInt8]
    /// The ownership token.
    ///
    /// Only M5 contains a token, and only if the controller has one.
    let ownershipToken: [UInt8]?

    /// Parses the decrypted content.
    ///
    /// In pair verify, the content has no public key.
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
