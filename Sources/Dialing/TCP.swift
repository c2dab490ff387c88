internal import Glibc
package import NIOCore
package import NIOPosix

/// The destination of a TCP connection.
package enum TCPDestination: Sendable {
    case address(SocketAddress)
    /// A host name, which may have several addresses. NIO tries them according to RFC 8305.
    case host(String, port: Int)
}

/// Opens a TCP connection.
///
/// If the caller is canceled, the channel is closed, so that the attempt ends.
///
/// `configure` configures the channel on its event loop before it connects.
///
/// - Throws: An error of the system or of NIO.
package func openTCP(
    to destination: TCPDestination, on loop: any EventLoop, within limit: Duration,
    options: (ClientBootstrap) -> ClientBootstrap = { $0 },
    configure: @escaping @Sendable (any Channel) throws -> Void = { _ in }
) async throws -> any Channel {
    let attempt = NIOLoopBoundBox.makeBoxSendingValue(Attempt(), eventLoop: loop)
    return try await withTaskCancellationHandler {
        let bootstrap = options(ClientBootstrap(group: loop))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connectTimeout(TimeAmount(limit))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try attempt.value.opened(channel)
                    try keepFromChildren(channel)
                    try configure(channel)
                }
            }
        switch destination {
        case .address(let address): return try await bootstrap.connect(to: address).get()
        case .host(let host, let port): return try await bootstrap.connect(host: host, port: port).get()
        }
    } onCancel: {
        // NIO can't cancel a connection attempt, so close its channel.
        loop.execute { attempt.value.cancel() }
    }
}

/// A connection attempt, with a channel for each address that NIO tries.
///
/// It is used only on its event loop.
private struct Attempt {
    private var channels: [any Channel] = []
    private var isCanceled = false

    mutating func opened(_ channel: any Channel) throws {
        guard !isCanceled else { throw CancellationError() }
        channels.append(channel)
    }

    mutating func cancel() {
        isCanceled = true
        for channel in channels { channel.close(promise: nil) }
        channels = []
    }
}

/// Prevents child processes from inheriting a channel's socket.
///
/// They would keep the port in use, and keep connections open after this process has closed them.
package func keepFromChildren(_ channel: any Channel) throws {
    try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
    }
}
