/// One connection's bytes as whole messages and back, with the switch from clear to sealed in its right place.
///
/// Messages are taken one by one with ``next()``. Whoever drives it takes the next one when the last has been answered,
/// so bytes behind a message that switches the keys have not been looked at when the keys arrive, and are opened with
/// them. Clear bytes there look like a frame that is too long and end the connection (HAP 6.3, 7.1).
package struct MessageStream: Sendable {
    /// Which end of the connection this is.
    package enum Role: Sendable {
        case accessory, controller
    }

    private let role: Role
    /// Frames that have not been opened; empty while the connection is clear.
    private var sealed = ByteQueue()
    private var parser: HTTPParser
    private var framer: SecureFramer?

    package init(role: Role) {
        self.role = role
        parser = HTTPParser(requests: role == .accessory)
    }

    /// Whether the connection is a session.
    package private(set) var isSecured = false

    /// How many bytes wait to become messages.
    package var bufferedBytes: Int { sealed.count + parser.buffer.count }

    /// Whether the bytes that came end in the middle of a frame.
    package var isMidFrame: Bool { sealed.count > 0 }

    /// How many frames have been opened.
    package var openedFrames: UInt64 { framer?.opened ?? 0 }

    /// Whether the bytes that came end in the middle of a message or a frame, as far as ``next()`` has looked.
    package private(set) var isMidMessage = false

    package mutating func received(_ bytes: some Collection<UInt8>) {
        if isSecured { sealed.append(bytes) } else { parser.append(bytes) }
    }

    /// The next whole message.
    ///
    /// - Throws: a violation; the connection is of no use after that.
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

    /// Returns the bytes of a message; with keys, both directions are encrypted after its last byte.
    ///
    /// - Throws: `counterExhausted`.
    package mutating func encode(
        _ message: HTTPMessage, thenSecureWith keys: SessionKeys? = nil
    ) throws(ProtocolViolation) -> [UInt8] {
        let bytes = try carried(HTTPSerializer.bytes(of: message))
        if let keys { secure(with: keys) }
        return bytes
    }

    /// The form in which bytes go over the wire now: sealed once the connection is a session.
    ///
    /// - Throws: `counterExhausted`.
    package mutating func carried(_ bytes: [UInt8]) throws(ProtocolViolation) -> [UInt8] {
        guard isSecured else { return bytes }
        var frames: [UInt8] = []
        if role == .controller, bytes.count % SecureFramer.maximumContent == 1, bytes.count > 1 {
            // HAP-python never sees a last frame of one byte (HAP 7.1); two bytes it does.
            try framer?.seal(Array(bytes.dropLast(2)), to: &frames)
            try framer?.seal(Array(bytes.suffix(2)), to: &frames)
        } else {
            try framer?.seal(bytes, to: &frames)
        }
        return frames
    }

    /// Seals both directions from here on; bytes that have come and belong to no message yet are frames.
    package mutating func secure(with keys: SessionKeys) { secure(with: keys, sealed: 0, opened: 0) }

    /// The same, with so many frames sealed and opened already.
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
