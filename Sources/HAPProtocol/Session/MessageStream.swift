/// Converts between a connection's bytes and complete messages, and switches to encryption at the correct byte.
///
/// ``next()`` returns one message at a time, and the caller answers it before requesting the next one. If the answer
/// switches the keys, the following bytes haven't been parsed yet, so they are decrypted with the new keys. If they
/// aren't encrypted, they look like a frame that is too long, which ends the connection (HAP 6.3, 7.1).
package struct MessageStream: Sendable {
    /// The side of the connection.
    package enum Role: Sendable {
        case accessory, controller
    }

    private let role: Role
    /// The received frames that haven't been decrypted yet; empty while the connection is unencrypted.
    private var sealed = ByteQueue()
    private var parser: HTTPParser
    private var framer: SecureFramer?

    package init(role: Role) {
        self.role = role
        parser = HTTPParser(requests: role == .accessory)
    }

    /// A Boolean value that indicates whether the connection is a session.
    package private(set) var isSecured = false

    /// The number of bytes that haven't been parsed yet.
    package var bufferedBytes: Int { sealed.count + parser.buffer.count }

    /// A Boolean value that indicates whether the received bytes end within a frame.
    package var isMidFrame: Bool { sealed.count > 0 }

    /// The number of decrypted frames.
    package var openedFrames: UInt64 { framer?.opened ?? 0 }

    /// A Boolean value that indicates whether the received bytes end within a message or a frame, as of the last
    /// ``next()``.
    package private(set) var isMidMessage = false

    package mutating func received(_ bytes: some Collection<UInt8>) {
        if isSecured { sealed.append(bytes) } else { parser.append(bytes) }
    }

    /// Returns the next complete message, if there is one.
    ///
    /// - Throws: ``ProtocolViolation``; the connection is then unusable.
    package mutating func next() throws(ProtocolViolation) -> HTTPMessage? {
        defer { isMidMessage = isMidFrame || parser.isMidMessage }
        while true {
            if let message = try parser.next() { return message }
            var opened = false
            try parser.buffer.withBuffer { (buffer: inout [UInt8]) throws(ProtocolViolation) in
                opened = try framer?.openFrame(from: &sealed, to: &buffer) ?? false
            }
            guard opened else { return nil }
        }
    }

    /// Returns the bytes of a message.
    ///
    /// If `keys` isn't `nil`, both directions are encrypted after the message's last byte.
    ///
    /// - Throws: `counterExhausted`.
    package mutating func encode(
        _ message: HTTPMessage, thenSecureWith keys: SessionKeys? = nil
    ) throws(ProtocolViolation) -> [UInt8] {
        let bytes = try carried(HTTPSerializer.bytes(of: message))
        if let keys { secure(with: keys) }
        return bytes
    }

    /// Returns bytes in the form that the connection currently sends: encrypted in a session, otherwise unchanged.
    ///
    /// - Throws: `counterExhausted`.
    package mutating func carried(_ bytes: [UInt8]) throws(ProtocolViolation) -> [UInt8] {
        guard isSecured else { return bytes }
        var frames: [UInt8] = []
        if role == .controller, bytes.count % SecureFramer.maximumContent == 1, bytes.count > 1 {
            // HAP-python ignores a last frame of one byte (HAP 7.1), but not one of two bytes.
            try framer?.seal(Array(bytes.dropLast(2)), to: &frames)
            try framer?.seal(Array(bytes.suffix(2)), to: &frames)
        } else {
            try framer?.seal(bytes, to: &frames)
        }
        return frames
    }

    /// Encrypts both directions from now on.
    ///
    /// Received bytes that haven't been parsed are treated as frames.
    package mutating func secure(with keys: SessionKeys) { secure(with: keys, sealed: 0, opened: 0) }

    /// Encrypts both directions from now on, starting with the given numbers of encrypted and decrypted frames.
    mutating func secure(with keys: SessionKeys, sealed: UInt64, opened: UInt64) {
        let (sealing, opening) =
            switch role {
            case .accessory: (keys.read, keys.write)
            case .controller: (keys.write, keys.read)
            }
        isSecured = true
        framer = SecureFramer(sealingKey: sealing, openingKey: opening, sealed: sealed, opened: opened)
        self.sealed = parser.buffer
        parser = HTTPParser(requests: role == .accessory, inSession: true)
    }
}
