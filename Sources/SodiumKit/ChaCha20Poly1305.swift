internal import CSodium

/// ChaCha20-Poly1305 with a 12-byte nonce (RFC 8439), the only cipher that HAP and ESPHome use.
package struct ChaCha20Poly1305: Sendable, Equatable {
    /// The length of a tag, in bytes.
    package static let tagLength = 16
    /// The length of a key, in bytes.
    package static let keyLength = 32

    /// A nonce of 12 bytes; never use a nonce twice with the same key.
    package struct Nonce: Sendable {
        fileprivate let bytes: [UInt8]

        /// Creates a nonce from four zero bytes and the eight letters of a pairing message's label, such as `PS-Msg05`.
        package init(label: StaticString) {
            precondition(label.utf8CodeUnitCount == 8, "a nonce label must have eight letters")
            bytes = [0, 0, 0, 0] + label.withUTF8Buffer { Array($0) }
        }

        /// Creates a nonce from four zero bytes and a counter of eight bytes, least significant byte first.
        package init(counter: UInt64) {
            bytes = [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: counter >> (8 * $0)) }
        }

        /// Creates a nonce from 12 bytes.
        package init(bytes: [UInt8]) {
            precondition(bytes.count == 12, "a nonce must have twelve bytes")
            self.bytes = bytes
        }
    }

    private let key: SecretBytes

    /// Creates a cipher from a key of 32 bytes.
    ///
    /// The key must come from local key derivation, never from a peer.
    package init(key: SecretBytes) {
        precondition(key.count == Self.keyLength, "a key must have 32 bytes")
        Sodium.ready
        self.key = key
    }

    /// Encrypts a message and appends its tag.
    package func seal(_ plaintext: [UInt8], nonce: Nonce, authenticating data: [UInt8] = []) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: plaintext.count + Self.tagLength)
        _ = key.withBytes { key in
            crypto_aead_chacha20poly1305_ietf_encrypt(
                &output, nil, plaintext, UInt64(plaintext.count), data, UInt64(data.count), nil, nonce.bytes, key)
        }
        return output
    }

    /// Decrypts a message whose last 16 bytes are its tag.
    ///
    /// - Throws: `authenticationFailed` if the tag is missing or doesn't match.
    package func open(
        _ sealed: [UInt8], nonce: Nonce, authenticating data: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        guard sealed.count >= Self.tagLength else { throw .authenticationFailed }
        var plaintext = [UInt8](repeating: 0, count: sealed.count - Self.tagLength)
        let result = key.withBytes { key in
            crypto_aead_chacha20poly1305_ietf_decrypt(
                &plaintext, nil, nil, sealed, UInt64(sealed.count), data, UInt64(data.count), nonce.bytes, key)
        }
        guard result == 0 else { throw .authenticationFailed }
        return plaintext
    }

    // MARK: Frames (HAP 7.1): two authenticated length bytes, ciphertext, tag

    /// Encrypts a range of bytes and appends the result as one frame of a session.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that contain the frame's content.
    ///   - range: The range of the content in `bytes`, 1 to 1024 bytes long.
    ///   - counter: The number of this frame in its direction, from 0.
    ///   - output: The bytes to append the frame to.
    package func appendFrame(
        of bytes: [UInt8], _ range: Range<Int>, counter: UInt64, to output: inout [UInt8]
    ) {
        let start = output.count
        let length = range.count
        output.append(contentsOf: repeatElement(0, count: 2 + length + Self.tagLength))
        output[start] = UInt8(truncatingIfNeeded: length)
        output[start + 1] = UInt8(truncatingIfNeeded: length >> 8)
        output.withUnsafeMutableBufferPointer { output in
            bytes.withUnsafeBufferPointer { bytes in
                Self.withFrameNonce(counter) { nonce in
                    key.withBytes { key in
                        guard let frame = output.baseAddress?.advanced(by: start), let source = bytes.baseAddress else {
                            return
                        }
                        _ = crypto_aead_chacha20poly1305_ietf_encrypt(
                            frame + 2, nil, source + range.lowerBound, UInt64(length), frame, 2, nil, nonce, key)
                    }
                }
            }
        }
    }

    /// Decrypts one complete frame and appends its content.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that contain the frame.
    ///   - start: The index of the frame's two length bytes.
    ///   - length: The content's length according to its length bytes. The caller must check beforehand that the frame
    ///     is complete.
    ///   - counter: The number of this frame in its direction, from 0.
    ///   - output: The bytes to append the content to.
    /// - Throws: `authenticationFailed` if the tag doesn't match. In this case, `output` is unchanged.
    package func appendContent(
        ofFrameIn bytes: [UInt8], at start: Int, length: Int, counter: UInt64, to output: inout [UInt8]
    ) throws(CryptoError) {
        precondition(
            start >= 0 && length >= 0 && start + 2 + length + Self.tagLength <= bytes.count,
            "the frame must be complete")
        let end = output.count
        output.append(contentsOf: repeatElement(0, count: length))
        let valid = output.withUnsafeMutableBufferPointer { output in
            bytes.withUnsafeBufferPointer { bytes in
                Self.withFrameNonce(counter) { nonce in
                    key.withBytes { key in
                        guard let frame = bytes.baseAddress?.advanced(by: start) else { return false }
                        return crypto_aead_chacha20poly1305_ietf_decrypt(
                            output.baseAddress?.advanced(by: end), nil, nil, frame + 2,
                            UInt64(length + Self.tagLength), frame, 2, nonce, key) == 0
                    }
                }
            }
        }
        guard valid else {
            output.removeLast(length)
            throw .authenticationFailed
        }
    }

    /// Calls a closure with the nonce of a frame: four zero bytes and the counter as eight bytes, least significant
    /// byte first.
    private static func withFrameNonce<Result>(_ counter: UInt64, _ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 12) { nonce in
            for index in 0..<12 {
                nonce.initializeElement(
                    at: index, to: index < 4 ? 0 : UInt8(truncatingIfNeeded: counter >> UInt64(8 * (index - 4))))
            }
            guard let start = nonce.baseAddress else { preconditionFailure("the buffer must have twelve bytes") }
            return body(start)
        }
    }
}
