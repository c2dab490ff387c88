import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("ESPHome framing", .timeout)
struct ESPHomeFramingTests {
    typealias Message = ESPHomeFraming.Message

    static let key = [UInt8](repeating: 9, count: 32)

    // MARK: Plain

    @Test("encodes a plain message as a zero, two varints and its body")
    func plain() throws {
        var framing = ESPHomeFraming()
        #expect(framing.opening.isEmpty && framing.isReady)
        #expect(framing.bytes(of: Message(7)) == [0, 0, 7])
        let long = [UInt8](repeating: 5, count: 300)
        #expect(framing.bytes(of: Message(32, long)) == [0, 0xAC, 2, 32] + long)
        #expect(try framing.received([0, 0, 7, 0, 0xAC, 2, 32] + long) == [Message(7), Message(32, long)])
    }

    @Test("assembles messages from single bytes")
    func pieces() throws {
        var framing = ESPHomeFraming()
        var got: [Message] = []
        for byte in [0, 2, 8, 1, 2, 0, 0, 7] as [UInt8] { got += try framing.received([byte]) }
        #expect(got == [Message(8, [1, 2]), Message(7)])
    }

    @Test(
        "reports the reason why a frame is invalid",
        arguments: [
            ([1, 0, 0], .keyWanted), ([0x16, 3, 1], .malformed("it doesn't support ESPHome's API")),
            ([0, 0xFF, 0xFF, 0xFF, 0xFF, 1], .malformed("it doesn't support ESPHome's API")),
            ([0, 0x80, 0x80, 4, 7], .malformed("it sent a message of 65536 bytes, which is too long")),
        ] as [([UInt8], ESPHomeFault)])
    func notPlain(bytes: [UInt8], fault: ESPHomeFault) {
        var framing = ESPHomeFraming()
        #expect(throws: fault) { try framing.received(bytes) }
    }

    // MARK: Encrypted

    static func frame(_ content: [UInt8]) -> [UInt8] {
        [1, UInt8(content.count >> 8), UInt8(content.count & 255)] + content
    }

    /// Returns a framing that has received the device's handshake response, and the device's ciphers.
    static func encrypted() throws -> (framing: ESPHomeFraming, sending: NoiseCipher, receiving: NoiseCipher) {
        var framing = ESPHomeFraming(key: key, ephemeral: [UInt8](repeating: 3, count: 32))
        #expect(framing.opening.prefix(7) == [1, 0, 0, 1, 0, 49, 0] && !framing.isReady)
        var device = NoiseResponder(key: key, prologue: Array("NoiseAPIInit\0\0".utf8))
        let reply = device.answer(framing.opening[7...])
        let (answer, sending, receiving) = try #require(reply)
        #expect(try framing.received(frame([1] + Array("den\0aabbccddeeff\0".utf8))) == [])
        #expect(try framing.received(frame([0] + answer)) == [])
        #expect(framing.isReady)
        return (framing, sending, receiving)
    }

    @Test("encrypts type, length and body of a message")
    func encryptedMessages() throws {
        var (framing, sending, receiving) = try Self.encrypted()
        let sent = framing.bytes(of: Message(32, [1, 2, 3]))
        #expect(sent.prefix(3) == [1, 0, 23])
        #expect(receiving.open(sent[3...]) == [0, 32, 0, 3, 1, 2, 3])
        let first = Self.frame(sending.seal([0, 7, 0, 0]))
        let second = Self.frame(sending.seal([1, 0, 0, 1, 5]))
        #expect(try framing.received(first + second.dropLast()) == [Message(7)])
        #expect(try framing.received([second.last ?? 0]) == [Message(256, [5])])
    }

    @Test("rejects a modified or short message")
    func tampered() throws {
        let (framing, sending, _) = try Self.encrypted()
        for content in [[0, 7, 0], []] as [[UInt8]] {
            var (framing, sending) = (framing, sending)
            #expect(throws: ESPHomeFault.malformed("a message can't be decrypted")) {
                try framing.received(Self.frame(sending.seal(content)))
            }
        }
        var (changed, cipher) = (framing, sending)
        var bytes = Self.frame(cipher.seal([0, 7, 0, 0]))
        bytes[5] ^= 1
        #expect(throws: ESPHomeFault.malformed("a message can't be decrypted")) { try changed.received(bytes) }
    }

    @Test(
        "derives the fault from the device's answer to the handshake",
        arguments: [
            ([0, 3, 7], .notEncrypted), ([2], .malformed("it doesn't support ESPHome's API")),
            (frame([2, 0]), .malformed("its encryption isn't supported")),
            (frame([]), .malformed("its encryption isn't supported")),
            (frame([1, 0]) + frame([1] + Array("Handshake MAC failure".utf8)), .wrongKey),
            (
                frame([1, 0]) + frame([1] + Array("Bad\u{1B}[2J handshake".utf8)),
                .malformed("it rejected the handshake: Bad[2J handshake")
            ),
            (frame([1, 0]) + frame([0] + [UInt8](repeating: 4, count: 48)), .wrongKey),
            (frame([1, 0]) + frame([0]), .wrongKey),
        ] as [([UInt8], ESPHomeFault)])
    func refusedHandshake(bytes: [UInt8], fault: ESPHomeFault) {
        var framing = ESPHomeFraming(key: Self.key, ephemeral: [UInt8](repeating: 3, count: 32))
        #expect(framing.bytes(of: Message(7)).isEmpty, "no message is sent before the handshake is complete")
        #expect(throws: fault) { try framing.received(bytes) }
    }

    // MARK: Protobuf

    @Test("reads known fields and skips unknown fields")
    func fields() throws {
        var writer = ProtobufWriter()
        writer.write(UInt64(300), field: 1)
        writer.write(Float(0.5), field: 2)
        writer.write("lamp\u{7}", field: 200)
        var reader = ProtobufReader((writer.bytes + [9 << 3 | 1] + [UInt8](repeating: 0, count: 8) + [0x18, 1])[...])
        func next() throws -> (number: Int, value: ProtobufReader.Value) {
            let field = try reader.next()
            return try #require(field)
        }
        let number = try next()
        #expect(number.number == 1 && number.value.number == 300)
        let float = try next()
        #expect(float.number == 2 && float.value.float == 0.5 && float.value.text == "")
        let text = try next()
        #expect(text.number == 200 && text.value.text == "lamp" && text.value.float == 0)
        let flag = try next()
        #expect(flag.number == 3 && flag.value.flag)
        let end = try reader.next()
        #expect(end == nil)
    }

    @Test(
        "rejects truncated messages and invalid fields",
        arguments: [
            [0x08], [0x08, 0x80], [0x0D, 1, 2, 3], [0x0A, 5, 1], [0x09, 1], [0x0B], [0x00, 1],
            [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1],
            [0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
        ] as [[UInt8]])
    func malformed(bytes: [UInt8]) {
        var reader = ProtobufReader(bytes[...])
        #expect(throws: ProtobufReader.Malformed.self) { _ = try reader.next() }
    }

    @Test("reads repeated numbers, packed or single")
    func repeated() {
        #expect(ProtobufReader.Value.bytes([35, 0x80, 1]).numbers == [35, 128])
        #expect(ProtobufReader.Value.varint(11).numbers == [11])
        #expect(ProtobufReader.Value.bytes([UInt8](repeating: 1, count: 9000)[...]).numbers.count == 32)
        #expect(ProtobufReader.Value.bytes([UInt8](repeating: 0xFF, count: 9000)[...]).numbers.count == 32)
    }
}
