import HAPCrypto

/// Valid frames that the framer itself never creates.
enum ChaChaFrames {
    /// Returns a frame without content.
    static func empty(key: SecretBytes, counter: UInt64) -> [UInt8] {
        var frame: [UInt8] = []
        ChaCha20Poly1305(key: key).appendFrame(of: [0], 0..<0, counter: counter, to: &frame)
        return frame
    }
}
