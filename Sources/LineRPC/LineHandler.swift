import NIOCore

/// Splits the bytes of a connection into lines.
final class LineHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = LineSplitter.Event

    private var splitter: LineSplitter

    init(limits: LineLimits) { splitter = LineSplitter(maximumLength: limits.lineLength) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for event in splitter.received(unwrapInboundIn(data).readableBytesView) {
            context.fireChannelRead(wrapInboundOut(event))
        }
    }
}

/// A connection that delivers lines.
///
/// Outgoing bytes bypass this channel; see ``LineRPCPeer``.
typealias LineChannel = NIOAsyncChannel<LineSplitter.Event, Never>

extension LineLimits {
    func wrap(_ channel: any Channel) throws -> LineChannel {
        try channel.pipeline.syncOperations.addHandler(LineHandler(limits: self))
        return try LineChannel(wrappingChannelSynchronously: channel)
    }
}
