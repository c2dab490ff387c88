import HTTPKit
import NIOCore
import NIOHTTP1
import NIOWebSocket

extension HTTPServer {
    /// The maximum length of a message from a WebSocket server, in bytes.
    static let maximumMessage = 1 << 17

    /// Opens a WebSocket, sends the messages from `messages`, and receives messages until the connection ends.
    ///
    /// `opened` is called first, and then `receive` for each message. The next message isn't read until `receive`
    /// returns.
    ///
    /// - Throws: ``HTTPFault`` with the reason why the WebSocket couldn't be opened or has ended. The method always
    ///   throws, even if the server closes the WebSocket properly.
    @concurrent
    func followWebSocket(
        _ path: String, sending messages: AsyncStream<[UInt8]> = AsyncStream { $0.finish() },
        opened: () async -> Void, receive: ([UInt8]) async -> Void
    ) async throws(HTTPFault) {
        do {
            guard let channel = try await openWebSocket(path).get() else {
                throw HTTPFault.connection("it refused to open a WebSocket")
            }
            await opened()
            try await channel.executeThenClose { inbound, outbound in
                defer { channel.channel.abort() }
                let sender = Task {
                    for await message in messages {
                        try await outbound.write(
                            WebSocketFrame(
                                fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(bytes: message)))
                    }
                }
                defer { sender.cancel() }
                for try await frame in inbound {
                    switch frame.opcode {
                    case .text, .binary: await receive(Array(frame.unmaskedData.readableBytesView))
                    case .ping:
                        try await outbound.write(
                            WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData))
                    case .connectionClose: return
                    default: break
                    }
                }
            }
        } catch {
            throw HTTPFault(error)
        }
        throw .connection("it closed the WebSocket")
    }

    private func openWebSocket(
        _ path: String
    ) async throws -> EventLoopFuture<NIOAsyncChannel<WebSocketFrame, WebSocketFrame>?> {
        typealias Opened = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>?
        return try await route.connect { [authority = route.endpoint.authority] channel in
            channel.eventLoop.makeCompletedFuture {
                let timer = CloseTimer(channel, after: DeviceEndpoint.connectTimeout)
                let upgrader = NIOTypedWebSocketClientUpgrader<Opened>(
                    maxFrameSize: HTTPServer.maximumMessage
                ) { channel, _ in
                    timer.cancel()
                    return channel.eventLoop.makeCompletedFuture {
                        let aggregator = NIOWebSocketFrameAggregator(
                            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 64,
                            maxAccumulatedFrameSize: HTTPServer.maximumMessage)
                        try channel.pipeline.syncOperations.addHandler(aggregator)
                        return try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                    }
                }
                let head = HTTPRequestHead(
                    version: .http1_1, method: .GET, uri: path, headers: ["Host": authority, "Content-Length": "0"])
                let configuration = NIOTypedHTTPClientUpgradeConfiguration<Opened>(
                    upgradeRequestHead: head, upgraders: [upgrader]
                ) { channel in
                    timer.cancel()
                    channel.abort()
                    return channel.eventLoop.makeSucceededFuture(nil)
                }
                return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
                    configuration: .init(upgradeConfiguration: configuration))
            }
        }
    }
}
