import HAPCrypto
import HAPProtocol
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import HAPTransport

@Suite("A connection's bytes")
struct AccessoryChannelHandlerTests {
    // MARK: Messages

    @Test("one byte at a time, in clear and sealed: every request comes whole, and once")
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

    @Test("a frame that announces 1025 bytes ends the connection without an answer")
    func longFrame() throws {
        let link = try EmbeddedLink()
        try link.secure()
        try link.send([0x01, 0x04])
        #expect(try link.answers() == [])
        #expect(!link.isOpen)
        #expect(link.server.events.last == .closed)
    }

    @Test("a frame that cannot be opened ends the connection without an answer; what follows is not looked at")
    func badFrame() throws {
        let link = try EmbeddedLink()
        try link.secure()
        var bytes = try link.request("/a")
        bytes[5] ^= 1
        try link.send(bytes)
        #expect(try link.answers() == [])
        #expect(!link.isOpen)
        #expect(link.server.paths == ["/keys"])
    }

    @Test("clear bytes on a session end it")
    func clearInSession() throws {
        let link = try EmbeddedLink()
        try link.secure()
        try link.send("GET /a HTTP/1.1\r\n\r\n")
        #expect(!link.isOpen)
        #expect(link.server.paths == ["/keys"])
    }

    @Test("keys switch in mid-pipeline: what came in the same read behind the message is opened with them")
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
        // The answer to /keys itself is in clear, what follows is sealed.
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

    @Test("clear bytes behind the message that switches the keys end the connection")
    func clearBehindSwitch() throws {
        let link = try EmbeddedLink()
        try link.send(link.request("/keys") + link.request("/a"))
        #expect(link.server.paths == ["/keys"])
        #expect(try link.texts() == ["/keys"])
        #expect(!link.isOpen)
    }

    @Test("pipelined requests are answered in order, the next is taken when the last has been answered")
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

    @Test("a thousand requests in one read do not nest")
    func manyPipelined() throws {
        let link = try EmbeddedLink()
        try link.send(Array(repeating: try link.request("/a"), count: 1000).joined().map { $0 })
        link.channel.embeddedEventLoop.run()
        #expect(try link.texts().count == 1000)
    }

    @Test("`whenWritten` is called when the answer has been written, and not if it never is")
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

    @Test("while a request is being answered no more than 64 KiB are read ahead; then reading goes on")
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

    @Test("a large body is read on, as long as it comes")
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

    @Test("a peer that asks and does not read is not answered further, nor read from, until it reads")
    func slowReader() throws {
        let link = try EmbeddedLink()
        link.setWritable(false)
        #expect(link.server.connection?.isWritable == false)
        try link.send(link.request("/a") + link.request("/b", body: Array(repeating: 1, count: 10_000)))
        #expect(link.server.paths.isEmpty)
        try link.send(link.request("/c", body: Array(repeating: 1, count: 60_000)))
        link.channel.read()
        #expect(link.readCount == 0)
        // However long that takes, it is not its message that is late.
        link.advance(.seconds(100))
        #expect(link.isOpen)
        link.setWritable(true)
        #expect(link.server.paths == ["/a", "/b", "/c"])
        #expect(link.server.events.contains(.writable))
        #expect(link.readCount == 1)
        #expect(try link.texts() == ["/a", "/b", "/c"])
    }

    // MARK: Deadlines

    @Test("a message that has begun must come whole within 30 s, whatever trickles in")
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

    @Test("the time of the next message begins with it")
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

    @Test("a frame that has begun must come whole within 10 s")
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

    @Test("a message of many frames may take longer than one frame, but not longer than 30 s")
    func slowFrames() throws {
        let link = try EmbeddedLink()
        try link.secure()
        let bytes = try link.request("/a", body: Array(repeating: 1, count: 20_000))
        // Every read ends in the middle of a frame.
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

    @Test("a frame that begins in a message of long ago has its own 10 s")
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

    @Test("while we think about an answer, the clock of the next message stands")
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
        "what is no HTTP is answered with 400, and the connection ends",
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
        "a body over its limit is answered with 413 before it comes, and the connection ends", arguments: [true, false])
    func tooLong(inSession: Bool) throws {
        let link = try EmbeddedLink()
        if inSession { try link.secure() }
        let length = inSession ? 1_048_577 : 65537
        let head = Array("PUT /characteristics HTTP/1.1\r\nContent-Length: \(length)\r\n\r\n".utf8)
        try link.send(link.controller.carried(head))
        #expect(try link.answers() == [.response(HTTPResponse(413))])
        #expect(!link.isOpen)
    }

    @Test("a violation behind a good request: that one is answered first")
    func violationBehind() throws {
        let link = try EmbeddedLink(StubServer(answers: nil))
        try link.send(link.request("/a") + Array("nonsense\r\n\r\n".utf8))
        #expect(link.isOpen)
        link.server.connection?.respond(HTTPResponse(204))
        #expect(try link.answers() == [.response(HTTPResponse(204)), .response(HTTPResponse(400))])
        #expect(!link.isOpen)
    }

    @Test("after the server has ended the connection nothing more is taken from it")
    func closing() throws {
        let link = try EmbeddedLink(StubServer(answers: nil))
        try link.send(link.request("/a"))
        link.server.connection?.close()
        #expect(!link.isOpen)
        #expect(link.server.events == [.opened, .request("/a"), .closed])
    }

    @Test("a peer that says it will send no more gets its answers, then the connection ends")
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

    @Test("an error of the system ends the connection")
    func error() throws {
        let link = try EmbeddedLink()
        link.channel.pipeline.fireErrorCaught(ChannelError.connectTimeout(.zero))
        #expect(link.server.events == [.opened, .closed])
    }
}
