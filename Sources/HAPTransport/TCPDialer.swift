internal import Dialing
internal import Glibc
package import HAPProtocol
package import NIOCore
internal import NIOPosix

/// Connects to accessory servers over TCP.
package struct TCPDialer: AccessoryDialer {
    /// The size of the system's receive buffer for a connection, in bytes.
    private static let receiveBuffer = 128 * 1024

    private let group: any EventLoopGroup

    /// Creates a dialer that uses the event loops of a group for its connections.
    package init(_ group: any EventLoopGroup) { self.group = group }

    package func dial(
        _ endpoint: AccessoryEndpoint, within limit: Duration
    ) async throws(Unreachable) -> any ByteConnection {
        do {
            return try await connect(to: endpoint, within: limit)
        } catch {
            throw Unreachable()
        }
    }

    private func connect(to endpoint: AccessoryEndpoint, within limit: Duration) async throws -> any ByteConnection {
        let loop = group.next()
        let channel = try await openTCP(to: .address(try SocketAddress(endpoint)), on: loop, within: limit) {
            bootstrap in
            bootstrap
                .channelOption(.autoRead, value: false)
                // With a small buffer, fewer unread bytes can precede a response.
                .channelOption(.socketOption(.so_rcvbuf), value: Self.receiveBuffer)
                .channelOption(
                    .writeBufferWaterMark,
                    value: .init(low: TransportLimits.writeLowWater, high: TransportLimits.writeHighWater))
        } configure: { channel in
            try channel.pipeline.syncOperations.addHandler(DialedChannelHandler())
            // Unacknowledged data reveals that an accessory has vanished; HAP forbids keep-alive packets.
            try? channel.syncOptions?.setOption(
                ChannelOptions.Types.SocketOption(
                    level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)),
                value: .init(TransportLimits.acknowledgeTime.userTimeout))
        }
        return try await loop.submit {
            let handler = try channel.pipeline.syncOperations.handler(type: DialedChannelHandler.self)
            return DialedConnection(channel: channel, handler: NIOLoopBound(handler, eventLoop: loop))
        }.get()
    }
}

extension SocketAddress {
    fileprivate init(_ endpoint: AccessoryEndpoint) throws {
        guard endpoint.scope != 0 else {
            self = try SocketAddress(packedIPAddress: ByteBuffer(bytes: endpoint.address), port: Int(endpoint.port))
            return
        }
        // NIO accepts a scope only in an address string. The address is numeric, so this doesn't resolve a name.
        self = try .makeAddressResolvingHost(endpoint.host, port: Int(endpoint.port))
    }
}

/// An outgoing connection that is safe to use from any thread.
private struct DialedConnection: ByteConnection {
    let channel: any Channel
    let handler: NIOLoopBound<DialedChannelHandler>

    func send(_ bytes: [UInt8]) {
        channel.eventLoop.execute { handler.value.send(bytes) }
    }

    func receive() async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            channel.eventLoop.execute { handler.value.receive(continuation) }
        }
    }

    func close() { channel.close(promise: nil) }
}

/// A handler that returns incoming data in chunks, and reads from the system only while a caller waits.
private final class DialedChannelHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    /// The received chunks that no caller has taken yet; usually few.
    private var pieces: [[UInt8]] = []
    private var waiting: CheckedContinuation<[UInt8]?, Never>?
    private var hasEnded = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func send(_ bytes: [UInt8]) {
        guard let context, !hasEnded else { return }
        // If the channel isn't writable, the peer hasn't read the earlier data yet.
        guard context.channel.isWritable else {
            context.close(promise: nil)
            return
        }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
    }

    func receive(_ continuation: CheckedContinuation<[UInt8]?, Never>) {
        if !pieces.isEmpty {
            continuation.resume(returning: pieces.removeFirst())
        } else if hasEnded || waiting != nil {
            continuation.resume(returning: nil)
        } else {
            waiting = continuation
            context?.read()
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = Array(unwrapInboundIn(data).readableBytesView)
        if let waiting {
            self.waiting = nil
            waiting.resume(returning: bytes)
        } else {
            pieces.append(bytes)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        hasEnded = true
        self.context = nil
        waiting?.resume(returning: nil)
        waiting = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
