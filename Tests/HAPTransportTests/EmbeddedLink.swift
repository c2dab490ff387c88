import HAPCrypto
import HAPProtocol
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import HAPTransport

/// The controller's end of an embedded connection, with the number of reads that the handler has requested.
final class EmbeddedLink {
    let channel = EmbeddedChannel()
    let server: StubServer
    var controller = MessageStream(role: .controller)
    private let reads = ReadCounter()

    init(_ server: StubServer = StubServer()) throws {
        self.server = server
        let handler = AccessoryChannelHandler(
            id: ConnectionID(1), server: server, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        try channel.pipeline.syncOperations.addHandlers([reads, handler])
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
    }

    deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }

    var isOpen: Bool { channel.isActive }
    var readCount: Int { reads.count }

    func request(_ path: String, body: [UInt8] = []) throws -> [UInt8] {
        try controller.encode(.request(HTTPRequest(.put, path, body: body)))
    }

    func send(_ bytes: some Collection<UInt8>) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Returns the received messages.
    func answers() throws -> [HTTPMessage] {
        while let buffer = try channel.readOutbound(as: ByteBuffer.self) {
            controller.received(buffer.readableBytesView)
        }
        var messages: [HTTPMessage] = []
        while let message = try controller.next() { messages.append(message) }
        return messages
    }

    /// Returns the bodies of the received responses.
    func texts() throws -> [String] {
        try answers().compactMap {
            if case .response(let response) = $0 { String(decoding: response.body, as: UTF8.self) } else { nil }
        }
    }

    /// Makes the connection a session.
    func secure() throws {
        try send(request("/keys"))
        #expect(try texts() == ["/keys"])
        controller.secure(with: StubServer.keys)
    }

    func setWritable(_ isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
        channel.embeddedEventLoop.run()
    }

    func advance(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }
}

private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer
    var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}
