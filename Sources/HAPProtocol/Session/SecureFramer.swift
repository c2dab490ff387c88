package import HAPCrypto

/// A session's encryption: frames with up to 1024 bytes of content, numbered separately in each direction (HAP 7.1).
package struct SecureFramer: Equatable, Sendable {
    private let sealingCipher: ChaCha20Poly1305
    private let openingCipher: ChaCha20Poly1305
    private var sealed: UInt64
    private(set) var opened: UInt64

    /// Creates a framer whose counters start at zero.
    package init(sealingKey: SecretBytes, openingKey: SecretBytes) {
        self.init(sealingKey: sealingKey, openingKey: openingKey, sealed: 0, opened: 0)
    }

    init(sealingKey: SecretBytes, openingKey: SecretBytes, sealed: UInt64, opened: UInt64) {
        sealingCipher = ChaCha20Poly1305(key: sealingKey)
        openingCipher = ChaCha20Poly1305(key: openingKey)
        self.sealed = sealed
        self.opened = opened
    }

    /// Encrypts a message and appends its frames.
    ///
    /// - Throws: `counterExhausted` if a number would be used twice.
    package mutating func seal(_ message: [UInt8], to output: inout [UInt8]) throws(ProtocolViolation) {
        let frames = (message.count + Self.maximumContent - 1) / Self.maximumContent
        output.reserveCapacity(output.count + message.count + frames * (2 + ChaCha20Poly1305.tagLength))
        var start = 0
        while start < message.count {
            guard sealed < Self.maximumFrames else { throw .counterExhausted }
            let end = min(start + Self.maximumContent, message.count)
            sealingCipher.appendFrame(of: message, start..<end, counter: sealed, to: &output)
            sealed += 1
            start = end
        }
    }

    /// Decrypts the next frame if it is complete, and appends its content.
    ///
    /// - Returns: Whether there was a complete frame.
    /// - Throws: `frameTooLong`, `badFrame` or `counterExhausted`. After that, the connection is unusable.
    mutating func openFrame(from input: inout ByteQueue, to output: inout [UInt8]) throws(ProtocolViolation) -> Bool {
        guard input.count >= 2 else { return false }
        let length = Int(input.bytes[input.start]) | Int(input.bytes[input.start + 1]) << 8
        guard length <= Self.maximumContent else { throw .frameTooLong }
        guard input.count >= 2 + length + ChaCha20Poly1305.tagLength else { return false }
        guard opened < Self.maximumFrames else { throw .counterExhausted }
        do {
            try openingCipher.appendContent(
                ofFrameIn: input.bytes, at: input.start, length: length, counter: opened, to: &output)
        } catch {
            throw .badFrame
        }
        opened += 1
        input.consume(2 + length + ChaCha20Poly1305.tagLength)
        return true
    }
}

/// The two keys of a session.
///
/// The names are from the controller's point of view (HAP 6.1).
package struct SessionKeys: Equatable, Sendable {
    /// The key that encrypts the accessory's data.
    package let read: SecretBytes
    /// The key that encrypts the controller's data.
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
