/// Frames on a connection to a device, plain or encrypted: converts bytes to messages and back.
///
/// Plain frame: a zero byte, the body's length and the message's type as varints, the body. Encrypted frame: a byte
/// with the value one, a length of two bytes, and encrypted data with type, length and body. An encrypted connection
/// begins with three frames: an empty one from us, the device's name and the device's half of the handshake; our half
/// follows directly after the empty one.
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
        /// Our half of the handshake was sent; the device's name comes next.
        case naming(NoiseHandshake)
        /// The device's half of the handshake comes next.
        case shakingHands(NoiseHandshake)
        case encrypted(sending: NoiseCipher, receiving: NoiseCipher)
    }

    /// The largest body of a frame: the encrypted form has two bytes for its length, and firmware uses this limit for
    /// the plain form, too.
    static let largestBody = 65_535

    private static let prologue = Array("NoiseAPIInit".utf8) + [0, 0]

    private var state: State
    private var buffer: [UInt8] = []
    /// The first bytes of the connection.
    let opening: [UInt8]

    /// Creates plain frames.
    init() {
        state = .plain
        opening = []
    }

    /// Creates encrypted frames from the device's key, 32 bytes, and 32 random bytes for one use.
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

    /// Processes received bytes; returns the messages that are complete now.
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
                // A first byte other than zero means a refusal, followed by its reason.
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
                // The content's length field repeats the frame's own and isn't needed.
                messages.append(Message(Int(content[0]) << 8 | Int(content[1]), Array(content[4...])))
            }
        }
        buffer = Array(rest)
        return messages
    }

    /// Returns the bytes of a message; none before ``isReady``.
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
    /// The device encrypts, but the connection is plain.
    case keyWanted
    /// The device doesn't encrypt, but has a key in the configuration.
    case notEncrypted
    /// The key isn't the device's.
    case wrongKey
    /// The device requires a password, as firmware before 2026 could.
    case passwordWanted
    /// The device sent invalid data, with the reason.
    case malformed(String)
}
