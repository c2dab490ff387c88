import HAPCrypto
import HAPProtocol
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import HAPTransport

@Suite("AccessoryChannelHandler")
struct AccessoryChannelHandlerTests {
    // MARK: Messages

    @Test("reads requests byte by byte, unencrypted and sealed")
    func byteByByte() throws {
        let link = try EmbeddedLink()
        for byte in try link.request("/a", body: [1, 2, 3]) { try link.send([byte]) }
        #expect(try link.texts() == ["/a"])
        try link.secure()
        for byte in try link.request("/b", body: Array(repeating: 7, count: 3000)) { try link.send([byte]) }
        #expect(try link.texts() == ["/b"])
        #expect(link.server.paths == ["/a", "/keys", "/b"])
        #expect(link.isOpen)
    }

    @Test("switches keys within a read, and decrypts the following bytes with the new keys")
    func switchInPipeline() throws {
        let link = try EmbeddedLink()
        let clear = try link.request("/a") + link.request("/keys")
        var session = MessageStream(role: .controller)
        session.secure(with: StubServer.keys)
        let sealed =
            try session.encode(.request(HTTPRequest(.get, "/b")))
            + session.encode(.request(HTTPRequest(.get, "/c")))
        try link.send(clear + sealed)
        #expect(link.server.paths == ["/a", "/keys", "/b", "/c"])
        // The response to /keys itself is unencrypted, and everything after it is encrypted.
        var bytes: [UInt8] = []
        while let buffer = try link.channel.readOutbound(as: ByteBuffer.self) { bytes += buffer.readableBytesView }
        let marker = Array("/keys".utf8)
        let end = try #require(bytes.indices.first { bytes[$0...].starts(with: marker) }) + marker.count
        link.controller.received(bytes[..<end])
        #expect(try link.texts() == ["/a", "/keys"])
        link.controller.secure(with: StubServer.keys)
        link.controller.received(bytes[end...])
        #expect(try link.texts() == ["/b", "/c"])
    }

    @Test("closes the connection when unencrypted bytes follow the key switch")
    func clearBehindSwitch() throws {
        let link = try EmbeddedLink()
        try link.send(link.request("/keys") + link.request("/a"))
        #expect(link.server.paths == ["/keys"])
        #expect(try link.texts() == ["/keys"])
        #expect(!link.isOpen)
    }

    @Test("answers pipelined requests in order, one at a time")
    func pipelined() throws {
        let link = try EmbeddedLink(StubServer(answers: nil))
        try link.send(link.request("/a") + link.request("/b") + link.request("/c"))
        #expect(link.server.paths == ["/a"])
        link.server.connection?.respond(HTTPResponse(204))
        #expect(link.server.paths == ["/a", "/b"])
        link.server.connection?.sendEvent(body: [])
        link.server.connection?.respond(HTTPResponse(400))
        link.server.connection?.respond(HTTPResponse(404))
        #expect(link.server.paths == ["/a", "/b", "/c"])
        #expect(
            try link.answers() == [
                .response(HTTPResponse(204)), .event(body: []), .response(HTTPResponse(400)),
                .response(HTTPResponse(404)),
            ])
    }

    @Test("calls `whenWritten` once, after the response is written")
    func whenWritten() throws {
        let written = Mutex(0)
        let link = try EmbeddedLink(StubServer(answers: nil))
        try link.send(link.request("/a") + link.request("/b"))
        link.server.connection?.respond(HTTPResponse(204), thenSecureWith: nil) { written.withLock { $0 += 1 } }
        link.channel.embeddedEventLoop.run()
        #expect(written.withLock { $0 } == 1)
        link.channel.close(promise: nil)
        link.server.connection?.respond(HTTPResponse(204), thenSecureWith: nil) { written.withLock { $0 += 1 } }
        link.server.connection?.sendEvent(body: [])
        link.server.connection?.closeAfterWriting()
        link.server.connection?.close()
        link.channel.embeddedEventLoop.run()
        #expect(written.withLock { $0 } == 1)
    }

    // MARK: Back-pressure

    @Test("reads at most 64 KiB before the pending response is sent, then continues")
    func readAhead() throws {
        let link = try EmbeddedLink(StubServer(answers: nil))
        try link.send(link.request("/a"))
        link.channel.read()
        #expect(link.readCount == 1)
        try link.send(link.request("/b", body: Array(repeating: 1, count: 60_000)))
        link.channel.read()
        #expect(link.readCount == 2)
        try link.send(link.request("/c", body: Array(repeating: 1, count: 8_000)))
        link.channel.read()
        #expect(link.readCount == 2)
        link.server.connection?.respond(HTTPResponse(204))
        #expect(link.server.paths == ["/a", "/b"])
        #expect(link.readCount == 3)
    }

    @Test("reads a large body as it arrives")
    func largeBody() throws {
        let link = try EmbeddedLink()
        try link.secure()
        let bytes = try link.request("/a", body: Array(repeating: 1, count: 980_000))
        for start in stride(from: 0, to: bytes.count, by: 50_000) {
            link.channel.read()
            try link.send(bytes[start..<min(start + 50_000, bytes.count)])
        }
        #expect(link.readCount == 20)
        #expect(try link.texts() == ["/a"])
    }

    @Test("neither reads nor answers requests while the peer isn't reading")
    func slowReader() throws {
        let link = try EmbeddedLink()
        link.setWritable(false)
        #expect(link.server.connection?.isWritable == false)
        try link.send(link.request("/a") + link.request("/b", body: Array(repeating: 1, count: 10_000)))
        #expect(link.server.paths.isEmpty)
        try link.send(link.request("/c", body: Array(repeating: 1, count: 60_000)))
        link.channel.read()
        #expect(link.readCount == 0)
        // The time during which the peer doesn't read isn't counted.
        link.advance(.seconds(100))
        #expect(link.isOpen)
        link.setWritable(true)
        #expect(link.server.paths == ["/a", "/b", "/c"])
        #expect(link.server.events.contains(.writable))
        #expect(link.readCount == 1)
        #expect(try link.texts() == ["/a", "/b", "/c"])
    }

    // MARK: Deadlines

    @Test("closes a connection whose message isn't complete within 30 s")
    func messageTime() throws {
        let link = try EmbeddedLink()
        link.advance(.seconds(1000))
        try link.send("GET /a HT")
        link.advance(.seconds(29))
        try link.send("TP/1.1\r\n")
        #expect(link.isOpen)
        link.advance(.seconds(1))
        #expect(!link.isOpen)
        #expect(link.server.events == [.opened, .closed])
    }

    @Test("starts the deadline of the next message when it begins")
    func nextMessageTime() throws {
        let link = try EmbeddedLink()
        try link.send("GET /a HTTP/1.1\r\n")
        link.advance(.seconds(29))
        try link.send("\r\nGET /b")
        link.advance(.seconds(29))
        #expect(link.isOpen)
        try link.send(" HTTP/1.1\r\n\r\n")
        link.advance(.seconds(1000))
        #expect(link.isOpen)
        #expect(try link.texts() == ["/a", "/b"])
    }

    @Test("closes a connection whose frame isn't complete within 10 s")
    func frameTime() throws {
        let link = try EmbeddedLink()
        try link.secure()
        let bytes = try link.request("/a")
        try link.send(bytes.dropLast())
        link.advance(.milliseconds(9999))
        #expect(link.isOpen)
        link.advance(.milliseconds(1))
        #expect(!link.isOpen)
    }

    @Test("allows a message of many frames 30 s, and each frame 10 s")
    func slowFrames() throws {
        let link = try EmbeddedLink()
        try link.secure()
        let bytes = try link.request("/a", body: Array(repeating: 1, count: 20_000))
        // Each read ends within a frame.
        var start = 0
        for end in stride(from: 1000, to: 6000, by: 1100) {
            try link.send(bytes[start..<end])
            start = end
            link.advance(.seconds(5))
            #expect(link.isOpen)
        }
        link.advance(.seconds(5))
        #expect(!link.isOpen)
    }

    @Test("allows each late frame of a message a full 10 s")
    func lateFrame() throws {
        let link = try EmbeddedLink()
        try link.secure()
        let bytes = try link.request("/a", body: Array(repeating: 1, count: 5000))
        let frame = 2 + 1024 + 16
        try link.send(bytes[..<frame])
        link.advance(.seconds(15))
        try link.send(bytes[frame..<(frame + 100)])
        link.advance(.milliseconds(9999))
        #expect(link.isOpen)
        link.advance(.milliseconds(1))
        #expect(!link.isOpen)
    }

    @Test("pauses the deadline of the next message while a response is pending")
    func notOurTime() throws {
        let link = try EmbeddedLink(StubServer(answers: nil))
        try link.send(link.request("/a") + Array("GET /b".utf8))
        link.advance(.seconds(100))
        #expect(link.isOpen)
        link.server.connection?.respond(HTTPResponse(204))
        link.advance(.milliseconds(29_999))
        #expect(link.isOpen)
        link.advance(.milliseconds(1))
        #expect(!link.isOpen)
    }

    // MARK: Ends

    @Test(
        "answers malformed HTTP with 400 and closes the connection",
        arguments: [
            "hello\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "PUT / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
            "PUT / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
        ], [true, false])
    func malformed(text: String, inSession: Bool) throws {
        let link = try EmbeddedLink()
        if inSession { try link.secure() }
        try link.send(link.controller.carried(Array(text.utf8)))
        try link.send(link.controller.carried(Array("GET /a HTTP/1.1\r\n\r\n".utf8)))
        #expect(try link.answers() == [.response(HTTPResponse(400))])
        #expect(!link.isOpen)
        #expect(link.server.paths == (inSession ? ["/keys"] : []))
    }

    @Test(
        "rejects a body over its limit with 413 before the body arrives, and closes the connection",
        arguments: [true, false])
    func tooLong(inSession: Bool) throws {
        let link = try EmbeddedLink()
        if inSession { try link.secure() }
        let length = inSession ? 1_048_577 : 65537
        let head = Array("PUT /characteristics HTTP/1.1\r\nContent-Length: \(length)\r\n\r\n".utf8)
        try link.send(link.controller.carried(head))
        #expect(try link.answers() == [.response(HTTPResponse(413))])
        #expect(!link.isOpen)
    }

    @Test("answers a valid request before the violation that follows it")
    func violationBehind() throws {
        let link = try EmbeddedLink(StubServer(answers: nil))
        try link.send(link.request("/a") + Array("nonsense\r\n\r\n".utf8))
        #expect(link.isOpen)
        link.server.connection?.respond(HTTPResponse(204))
        #expect(try link.answers() == [.response(HTTPResponse(204)), .response(HTTPResponse(400))])
        #expect(!link.isOpen)
    }

    @Test("reads nothing after the server closes the connection")
    func closing() throws {
        let link = try EmbeddedLink(StubServer(answers: nil))
        try link.send(link.request("/a"))
        link.server.connection?.close()
        #expect(!link.isOpen)
        #expect(link.server.events == [.opened, .request("/a"), .closed])
    }

    @Test("answers the requests of a peer that has closed its output, then closes the connection")
    func halfClosed() throws {
        let link = try EmbeddedLink(StubServer(answers: nil))
        try link.send(link.request("/a") + link.request("/b"))
        link.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(link.isOpen)
        link.server.connection?.respond(HTTPResponse(204))
        #expect(link.isOpen)
        link.server.connection?.respond(HTTPResponse(404))
        #expect(try link.answers() == [.response(HTTPResponse(204)), .response(HTTPResponse(404))])
        #expect(!link.isOpen)
        let idle = try EmbeddedLink()
        idle.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(!idle.isOpen)
    }

    @Test("closes the connection after a system error")
    func error() throws {
        let link = try EmbeddedLink()
        link.channel.pipeline.fireErrorCaught(ChannelError.connectTimeout(.zero))
        #expect(link.server.events == [.opened, .closed])
    }
}
