/// Frames on a connection to a device, plain or encrypted: bytes in, messages out, and back.
///
/// Plain: a zero byte, the body's length and the message's type as varints, the body. Encrypted: a one, a length of two
/// bytes, and a sealed piece that holds type, length and body. An encrypted connection begins with three frames: an empty
/// one from us, the device's name and the device's half of the handshake; our half rides behind the empty one.
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
        /// Our half of the handshake has been sent; the device's name is awaited.
        case naming(NoiseHandshake)
        /// The device's half of the handshake is awaited.
        case shakingHands(NoiseHandshake)
        case encrypted(sending: NoiseCipher, receiving: NoiseCipher)
    }

    /// No frame is longer: the encrypted form has two bytes for it, and firmware keeps to that for the plain one, too.
    static let largestBody = 65_535

    private static let prologue = Array("NoiseAPIInit".utf8) + [0, 0]

    private var state: State
    private var buffer: [UInt8] = []
    /// What opens the connection, to be sent first.
    let opening: [UInt8]

    /// Frames without encryption.
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

    /// Takes received bytes; returns the messages that are complete now.
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
                guard frame.first == 1 else { throw .malformed("its encryption is none we know") }
                state = .shakingHands(handshake)
            case .shakingHands(var handshake):
                guard let frame = try Self.takeSealed(&rest) else { break reading }
                // Another first byte than zero is a refusal, followed by its reason.
                guard frame.first == 0 else {
                    let reason = ProtobufReader.Value.bytes(frame.dropFirst()).text
                    throw reason.contains("MAC") ? .wrongKey : .malformed("it refuses the handshake: \(reason)")
                }
                guard let (_, sending, receiving) = try? handshake.received(frame.dropFirst()) else { throw .wrongKey }
                state = .encrypted(sending: sending, receiving: receiving)
            case .encrypted(let sending, var receiving):
                guard let frame = try Self.takeSealed(&rest) else { break reading }
                guard let content = receiving.open(frame), content.count >= 4 else {
                    throw .malformed("a message cannot be decrypted")
                }
                state = .encrypted(sending: sending, receiving: receiving)
                // The length that stands in it is the frame's own, and not needed.
                messages.append(Message(Int(content[0]) << 8 | Int(content[1]), Array(content[4...])))
            }
        }
        buffer = Array(rest)
        return messages
    }

    /// The bytes of a message; none before ``isReady``.
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

    // MARK: Pieces

    private static func sealedFrame(_ content: [UInt8]) -> [UInt8] {
        [1, UInt8(truncatingIfNeeded: content.count >> 8), UInt8(truncatingIfNeeded: content.count)] + content
    }

    private static func takeSealed(_ rest: inout ArraySlice<UInt8>) throws(ESPHomeFault) -> ArraySlice<UInt8>? {
        guard let first = rest.first else { return nil }
        guard first == 1 else { throw first == 0 ? .notEncrypted : .malformed("it does not speak ESPHome's API") }
        let head = Array(rest.prefix(3))
        guard head.count == 3 else { return nil }
        let length = Int(head[1]) << 8 | Int(head[2])
        guard rest.count >= 3 + length else { return nil }
        defer { rest = rest.dropFirst(3 + length) }
        return rest.dropFirst(3).prefix(length)
    }

    private static func takePlain(_ rest: inout ArraySlice<UInt8>) throws(ESPHomeFault) -> Message? {
        guard let first = rest.first else { return nil }
        guard first == 0 else { throw first == 1 ? .keyWanted : .malformed("it does not speak ESPHome's API") }
        var frame = rest.dropFirst()
        guard let length = try takeVarint(&frame), let type = try takeVarint(&frame) else { return nil }
        guard length <= largestBody else { throw .malformed("it sends a message of \(length) bytes") }
        guard frame.count >= length else { return nil }
        defer { rest = frame.dropFirst(length) }
        return Message(type, Array(frame.prefix(length)))
    }

    /// Four bytes are more than any length or type needs.
    private static func takeVarint(_ rest: inout ArraySlice<UInt8>) throws(ESPHomeFault) -> Int? {
        var value = 0
        for shift in stride(from: 0, to: 28, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            value |= Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        throw .malformed("it does not speak ESPHome's API")
    }
}

/// Why a connection to a device is of no more use.
package enum ESPHomeFault: Error, Equatable, Sendable {
    /// The device encrypts, and we spoke plainly.
    case keyWanted
    /// The device does not encrypt, and we have a key for it.
    case notEncrypted
    /// The key is not the device's.
    case wrongKey
    /// The device wants a password, as firmware before 2026 could.
    case passwordWanted
    /// What it sends makes no sense; the text says what.
    case malformed(String)
}
