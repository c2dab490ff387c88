internal import Dialing
internal import Glibc
package import HAPProtocol
package import Logging
package import NIOCore
internal import NIOPosix

/// Why a port cannot be listened on.
package enum ListenerError: Error, Equatable, Sendable {
    /// Another process has the port.
    case portTaken(Int)
    /// The system says no to a port below 1024.
    case notPermitted(Int)
    /// Anything else, in the system's words.
    case failed(String)
}

/// Accepts TCP connections and gives them to an accessory server, all on one event loop.
package struct AccessoryListener: Sendable {
    private let channel: any Channel

    /// The port that is listened on.
    package let port: Int

    /// Starts to listen on one address, or on all, IPv6 and IPv4, or IPv4 alone where there is no IPv6.
    ///
    /// Port 0 takes a free one. The server's executor is the loop's. `isAllowed` gets the local address of a
    /// connection. A peer's system may leave bytes unacknowledged for `acknowledgeTime` before the connection counts as
    /// dead.
    ///
    /// - Throws: ``ListenerError``.
    package init(
        address: String? = nil, port: Int, on loop: any EventLoop, for server: any AccessoryConnectionHandler,
        isAllowed: @escaping @Sendable (SocketAddress) -> Bool = { _ in true },
        acknowledgeTime: TimeAmount = TransportLimits.acknowledgeTime, logger: Logger
    ) async throws(ListenerError) {
        let counter = NIOLoopBoundBox.makeBoxSendingValue(UInt64(0), eventLoop: loop)
        let bootstrap = ServerBootstrap(group: loop, childGroup: loop)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try keepFromChildren(channel) }
            }
            .serverChannelOption(.backlog, value: TransportLimits.backlog)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(
                .writeBufferWaterMark,
                value: .init(low: TransportLimits.writeLowWater, high: TransportLimits.writeHighWater)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let address = channel.localAddress, isAllowed(address) else {
                        throw ListenerError.failed("an interface that is not configured")
                    }
                    try keepFromChildren(channel)
                    counter.value += 1
                    try channel.pipeline.syncOperations.addHandler(
                        AccessoryChannelHandler(id: ConnectionID(counter.value), server: server, logger: logger))
                    // A peer that has vanished is noticed when it acknowledges nothing; HAP forbids keep-alive packets.
                    try? channel.syncOptions?.setOption(
                        ChannelOptions.Types.SocketOption(
                            level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)),
                        value: .init(acknowledgeTime.userTimeout))
                }
            }
        do {
            channel = try await Self.bind(bootstrap, address, port)
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw .portTaken(port)
        } catch let error as IOError where error.errnoCode == EACCES {
            throw .notPermitted(port)
        } catch {
            throw .failed("\(error)")
        }
        self.port = channel.localAddress?.port ?? port
    }

    private static func bind(
        _ bootstrap: ServerBootstrap, _ address: String?, _ port: Int
    ) async throws -> any Channel {
        if let address { return try await bootstrap.bind(to: SocketAddress(ipAddress: address, port: port)).get() }
        do {
            // By address: looking the name up fails while no interface has an IPv6 address yet.
            return try await bootstrap.bind(to: SocketAddress(ipAddress: "::", port: port)).get()
        } catch let error as IOError where error.errnoCode == EAFNOSUPPORT || error.errnoCode == EADDRNOTAVAIL {
            return try await bootstrap.bind(to: SocketAddress(ipAddress: "0.0.0.0", port: port)).get()
        }
    }

    /// Stops accepting; connections that stand go on.
    package func close() async {
        try? await channel.close().get()
    }
}
