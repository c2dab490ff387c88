package import HAPCrypto

/// The two keys of a session, named as HAP names them: from the controller's side (HAP 6.1).
package struct SessionKeys: Equatable, Sendable {
    /// Seals what the accessory sends.
    package let read: SecretBytes
    /// Seals what the controller sends.
    package let write: SecretBytes

    package init(read: SecretBytes, write: SecretBytes) {
        self.read = read
        self.write = write
    }

    init(sharedSecret: SecretBytes) {
        read = HKDF.derive(from: sharedSecret, salt: "Control-Salt", info: "Control-Read-Encryption-Key")
        write = HKDF.derive(from: sharedSecret, salt: "Control-Salt", info: "Control-Write-Encryption-Key")
    }
}
