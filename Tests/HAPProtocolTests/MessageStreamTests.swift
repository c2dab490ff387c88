import HAPTesting
import Testing

@testable import HAPProtocol

@Suite("MessageStream")
struct MessageStreamTests {
    private let keys: SessionKeys
    private let golden: Golden
    private let m3 = HTTPMessage.request(
        HTTPRequest(.post, "/pair-verify", body: [6, 1, 3], contentType: .pairingTLV8))
    private let m4 = HTTPMessage.response(HTTPResponse(200, .pairingTLV8, body: [6, 1, 4]))
    private let request = HTTPMessage.request(HTTPRequest(.get, "/accessories"))
    private let response = HTTPMessage.response(HTTPResponse(200, .hapJSON, body: Array("{}".utf8)))

    init() throws {
        golden = try Golden.shared.get()
        keys = try golden.sessionKeys
    }

    /// Returns the two ends of a session.
    private func session() throws -> (accessory: MessageStream, controller: MessageStream) {
        var accessory = MessageStream(role: .accessory)
        var controller = MessageStream(role: .controller)
        accessory.received(try controller.encode(m3))
        #expect(try accessory.next() == m3)
        controller.received(try accessory.encode(m4, thenSecureWith: keys))
        #expect(try controller.next() == m4)
        controller.secure(with: keys)
        return (accessory, controller)
    }

    @Test("sends M4 unencrypted and seals everything after it in both directions")
    func keySwitch() throws {
        var (accessory, controller) = try session()
        #expect(accessory.isSecured && controller.isSecured)
        let asked = try controller.encode(request)
        accessory.received(asked)
        #expect(try accessory.next() == request)
        let answered = try accessory.encode(response)
        controller.received(answered)
        #expect(try controller.next() == response)
        controller.received(try accessory.encode(.event(body: [123, 125])))
        #expect(try controller.next() == .event(body: [123, 125]))
        // A frame: length, content, tag.
        let clear = HTTPSerializer.bytes(of: response)
        #expect(answered.count == clear.count + 18 && answered[0] == UInt8(clear.count))
    }

    @Test("seals the golden request and event")
    func goldenFrames() throws {
        let vectors = try Vectors.load()["session_framing"]["vectors"].list
        var accessory = MessageStream(role: .accessory)
        accessory.secure(with: keys)
        accessory.received(try vectors[0]["ciphertext"].bytes)
        #expect(try accessory.next() == .request(HTTPRequest(.get, "/accessories")))
        #expect(try accessory.encode(.response(HTTPResponse(204))) == vectors[1]["ciphertext"].bytes)
        let event = try vectors[2]["plaintext"].bytes
        let body = try #require(event.lastIndex(of: 0x0A).map { Array(event[($0 + 1)...]) })
        #expect(try accessory.encode(.event(body: body)) == vectors[2]["ciphertext"].bytes)
    }

    @Test("uses the new keys to open frames that arrive together with M3, for any split into pieces")
    func framesBehindM3() throws {
        var controller = MessageStream(role: .controller)
        let clear = try controller.encode(m3)
        controller.secure(with: keys)
        let wire = clear + (try controller.encode(request)) + (try controller.encode(request))
        for split in 0...wire.count {
            var accessory = MessageStream(role: .accessory)
            var messages: [HTTPMessage] = []
            for piece in [Array(wire[..<split]), Array(wire[split...])] {
                accessory.received(piece)
                while let message = try accessory.next() {
                    messages.append(message)
                    if message == m3 { _ = try accessory.encode(m4, thenSecureWith: keys) }
                }
            }
            #expect(messages == [m3, request, request])
            #expect(!accessory.isMidMessage && accessory.bufferedBytes == 0)
        }
    }

    @Test("ends the connection when unencrypted bytes follow M3")
    func clearBehindM3() throws {
        var controller = MessageStream(role: .controller)
        var accessory = MessageStream(role: .accessory)
        accessory.received(try controller.encode(m3) + controller.encode(request))
        #expect(try accessory.next() == m3)
        _ = try accessory.encode(m4, thenSecureWith: keys)
        #expect(throws: ProtocolViolation.frameTooLong) { try accessory.next() }
    }

    @Test("ends the connection after unencrypted bytes in a session, and after a frame outside a session")
    func mixed() throws {
        var (accessory, controller) = try session()
        accessory.received(HTTPSerializer.bytes(of: request))
        #expect(throws: ProtocolViolation.frameTooLong) { try accessory.next() }
        var clear = MessageStream(role: .accessory)
        clear.received(try controller.encode(request))
        clear.received(Array("\r\n\r\n".utf8))
        #expect(throws: ProtocolViolation.self) { try clear.next() }
    }

    @Test("opens sealed events that a controller receives in the same read as M4")
    func eventBehindM4() throws {
        var accessory = MessageStream(role: .accessory)
        let wire = try accessory.encode(m4, thenSecureWith: keys) + accessory.encode(.event(body: [1]))
        for split in 0...wire.count {
            var controller = MessageStream(role: .controller)
            var messages: [HTTPMessage] = []
            for piece in [Array(wire[..<split]), Array(wire[split...])] {
                controller.received(piece)
                while let message = try controller.next() {
                    messages.append(message)
                    if message == m4 { controller.secure(with: keys) }
                }
            }
            #expect(messages == [m4, .event(body: [1])])
        }
    }

    @Test("reads a message from hundreds of frames, two messages from one frame, and frames of one byte")
    func anyFraming() throws {
        let large = HTTPMessage.request(
            HTTPRequest(.put, "/characteristics", body: [UInt8](repeating: 0x20, count: 500_000), contentType: .hapJSON)
        )
        let clear = HTTPSerializer.bytes(of: large) + HTTPSerializer.bytes(of: request)
        for size in [1024, 1000, 333] {
            var (accessory, _) = try session()
            var sealer = SecureFramer(sealingKey: keys.write, openingKey: keys.read)
            var wire: [UInt8] = []
            for start in stride(from: 0, to: clear.count, by: size) {
                try sealer.seal(Array(clear[start..<min(start + size, clear.count)]), to: &wire)
            }
            accessory.received(wire)
            #expect(try accessory.next() == large)
            #expect(try accessory.next() == request)
            #expect(try accessory.next() == nil)
        }
        var (accessory, _) = try session()
        var sealer = SecureFramer(sealingKey: keys.write, openingKey: keys.read)
        for byte in HTTPSerializer.bytes(of: request) {
            #expect(try accessory.next() == nil)
            var frame: [UInt8] = []
            try sealer.seal([byte], to: &frame)
            accessory.received(frame)
        }
        #expect(try accessory.next() == request)
    }

    @Test("buffers nothing during a flood of empty frames")
    func emptyFrames() throws {
        var (accessory, _) = try session()
        for counter in 0..<500 as Range<UInt64> {
            let cipher = ChaChaFrames.empty(key: keys.write, counter: counter)
            accessory.received(cipher)
            #expect(try accessory.next() == nil)
            #expect(accessory.bufferedBytes == 0)
        }
    }

    @Test("rejects a head that is too long within a session")
    func limitsWithin() throws {
        var (accessory, controller) = try session()
        let long = HTTPRequest(.get, "/" + String(repeating: "a", count: 200_000))
        accessory.received(try controller.encode(.request(long)))
        #expect(throws: ProtocolViolation.malformedHTTP(.headTooLong)) { try accessory.next() }
        #expect(accessory.bufferedBytes < 210_000)
    }

    @Test("reports whether a frame or a message is incomplete")
    func middle() throws {
        var (accessory, controller) = try session()
        let wire = try controller.encode(request)
        #expect(!accessory.isMidMessage && !accessory.isMidFrame)
        accessory.received(wire.prefix(10))
        #expect(try accessory.next() == nil)
        #expect(accessory.isMidFrame && accessory.isMidMessage && accessory.bufferedBytes == 10)
        accessory.received(wire.dropFirst(10))
        #expect(try accessory.next() == request)
        #expect(!accessory.isMidFrame && !accessory.isMidMessage)
        var clear = MessageStream(role: .accessory)
        clear.received([71])
        #expect(try clear.next() == nil)
        #expect(clear.isMidMessage && !clear.isMidFrame)
    }
}
