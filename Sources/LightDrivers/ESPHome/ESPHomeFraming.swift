/// The framing of messages on a connection to a device, plain or encrypted.
///
/// It converts bytes to messages and back.
///
/// A plain frame consists of a zero byte, the body's length and the message's type as varints, and the body. An
/// encrypted frame consists of a byte with the value one, a length of two bytes, and encrypted data that contains the
/// type, the length and the body. On an encrypted connection, we begin with an empty frame and a frame with our half of
/// the handshake. The device answers with a frame that contains its name and a frame with its half of the handshake.
struct ESPHomeFraming: Sendable {
    struct Message: Equatable, Sendable {
        var type: Int
        var body: [UInt8]

        init(_ type: Int, _ body: [UInt8] = []) {
            self.type = type
            self.body = body
        }
    }

    private enum State: Sendable {
        case plain
        /// Our half of the handshake was sent. The next frame must contain the device's name.
        case naming(NoiseHandshake)
        /// The next frame must contain the device's half of the handshake.
        case shakingHands(NoiseHandshake)
        case encrypted(sending: NoiseCipher, receiving: NoiseCipher)
    }

    /// The largest body of a frame, in bytes.
    ///
    /// Encrypted frames have two bytes for the length, and firmware uses the same limit for plain frames.
    static let largestBody = 65_535

    private static let prologue = Array("NoiseAPIInit".utf8) + [0, 0]

    private var state: State
    private var buffer: [UInt8] = []
    /// The first bytes of the connection.
    let opening: [UInt8]

    /// Creates the framing of a plain connection.
    init() {
        state = .plain
        opening = []
    }

    /// Creates the framing of an encrypted connection from the device's key, which has 32 bytes, and 32 random bytes
    /// that must not be reused.
    init(key: [UInt8], ephemeral: [UInt8]) {
        var handshake = NoiseHandshake(key: key, prologue: Self.prologue, ephemeral: ephemeral)
        opening = Self.sealedFrame([]) + Self.sealedFrame([0] + handshake.message())
        state = .naming(handshake)
    }

    var isReady: Bool {
        switch state {
        case .plain, .encrypted: true
        case .naming, .shakingHands: false
        }
    }

    /// Processes received bytes, and returns the messages that they complete.
    mutating func received(_ bytes: [UInt8]) throws(ESPHomeFault) -> [Message] {
        buffer += bytes
        var rest = buffer[...]
        var messages: [Message] = []
        reading: while !rest.isEmpty {
            switch state {
            case .plain:
                guard let message = try Self.takePlain(&rest) else { break reading }
                messages.append(message)
            case .naming(let handshake):
                guard let frame = try Self.takeSealed(&rest) else { break reading }
                guard frame.first == 1 else { throw .malformed("its encryption isn't supported") }
                state = .shakingHands(handshake)
            case .shakingHands(var handshake):
                guard let frame = try Self.takeSealed(&rest) else { break reading }
                // If the first byte isn't zero, the device rejects the handshake. The other bytes contain the reason.
                guard frame.first == 0 else {
                    let reason = ProtobufReader.Value.bytes(frame.dropFirst()).text
                    throw reason.contains("MAC") ? .wrongKey : .malformed("it rejected the handshake: \(reason)")
                }
                guard let (_, sending, receiving) = try? handshake.received(frame.dropFirst()) else { throw .wrongKey }
                state = .encrypted(sending: sending, receiving: receiving)
            case .encrypted(let sending, var receiving):
                guard let frame = try Self.takeSealed(&rest) else { break reading }
                guard let content = receiving.open(frame), content.count >= 4 else {
                    throw .malformed("a message can't be decrypted")
                }
                state = .encrypted(sending: sending, receiving: receiving)
                // Ignore the length in the content, because the frame's length already determines it.
                messages.append(Message(Int(content[0]) << 8 | Int(content[1]), Array(content[4...])))
            }
        }
        buffer = Array(rest)
        return messages
    }

    /// Returns the bytes of a message.
    ///
    /// Returns no bytes before the connection is ready (``isReady``).
    mutating func bytes(of message: Message) -> [UInt8] {
        switch state {
        case .plain:
            var bytes: [UInt8] = [0]
            ProtobufWriter.append(UInt64(message.body.count), to: &bytes)
            ProtobufWriter.append(UInt64(message.type), to: &bytes)
            return bytes + message.body
        case .naming, .shakingHands: return []
        case .encrypted(var sending, let receiving):
            let head = [message.type >> 8, message.type, message.body.count >> 8, message.body.count]
            let sealed = sending.seal(head.map { UInt8(truncatingIfNeeded: $0) } + message.body)
            state = .encrypted(sending: sending, receiving: receiving)
            return Self.sealedFrame(sealed)
        }
    }

    // MARK: Helpers

    private static func sealedFrame(_ content: [UInt8]) -> [UInt8] {
        [1, UInt8(truncatingIfNeeded: content.count >> 8), UInt8(truncatingIfNeeded: content.count)] + content
    }

    private static func takeSealed(_ rest: inout ArraySlice<UInt8>) throws(ESPHomeFault) -> ArraySlice<UInt8>? {
        guard let first = rest.first else { return nil }
        guard first == 1 else { throw first == 0 ? .notEncrypted : .malformed("it doesn't support ESPHome's API") }
        let head = Array(rest.prefix(3))
        guard head.count == 3 else { return nil }
        let length = Int(head[1]) << 8 | Int(head[2])
        guard rest.count >= 3 + length else { return nil }
        defer { rest = rest.dropFirst(3 + length) }
        return rest.dropFirst(3).prefix(length)
    }

    private static func takePlain(_ rest: inout ArraySlice<UInt8>) throws(ESPHomeFault) -> Message? {
        guard let first = rest.first else { return nil }
        guard first == 0 else { throw first == 1 ? .keyWanted : .malformed("it doesn't support ESPHome's API") }
        var frame = rest.dropFirst()
        guard let length = try takeVarint(&frame), let type = try takeVarint(&frame) else { return nil }
        guard length <= largestBody else { throw .malformed("it sent a message of \(length) bytes, which is too long") }
        guard frame.count >= length else { return nil }
        defer { rest = frame.dropFirst(length) }
        return Message(type, Array(frame.prefix(length)))
    }

    /// Reads a varint of at most four bytes, which are enough for any length or type.
    private static func takeVarint(_ rest: inout ArraySlice<UInt8>) throws(ESPHomeFault) -> Int? {
        var value = 0
        for shift in stride(from: 0, to: 28, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw .malformed("it doesn't support ESPHome's API")
    }
}

/// The reason why a connection to a device failed.
package enum ESPHomeFault: Error, Equatable, Sendable {
    /// The device requires encryption, but the connection is plain.
    case keyWanted
    /// The device doesn't support encryption, but the configuration has a key for it.
    case notEncrypted
    /// The configured key isn't the device's key.
    case wrongKey
    /// The device requires a password, which was possible with firmware before 2026.
    case passwordWanted
    /// The device sent invalid data; the text describes the problem.
    case malformed(String)
}
