package import NIOCore
internal import NIOPosix

/// A controller's end of a TCP connection to a port on this computer.
package struct TCPLink: ControllerLink {
    private let channel: any Channel

    /// Connects a controller to a port on 127.0.0.1.
    ///
    /// The controller must run on the loop's executor.
    package init(_ controller: TestController, port: Int, loop: any EventLoop) async throws {
        channel = try await ClientBootstrap(group: loop)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Receiver(controller))
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
        await controller.use(self)
    }

    package func send(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }
    package func close() { channel.close(promise: nil) }

    /// Closes the controller's output.
    package func closeOutput() { channel.close(mode: .output, promise: nil) }

    /// Sets whether incoming bytes are read.
    ///
    /// Unread bytes stay in the system's buffers.
    package func setReads(_ reads: Bool) async throws { try await channel.setOption(.autoRead, value: reads).get() }

    private final class Receiver: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let controller: TestController

        init(_ controller: TestController) { self.controller = controller }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            controller.received(Array(unwrapInboundIn(data).readableBytesView))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if event as? ChannelEvent == .inputClosed { context.close(promise: nil) }
        }

        func channelInactive(context: ChannelHandlerContext) { controller.received(nil) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
