internal import Dialing
internal import Glibc
package import HAPProtocol
package import Logging
package import NIOCore
internal import NIOPosix

/// An error that prevents listening on a port.
package enum ListenerError: Error, Equatable, Sendable {
    /// Another process uses the port.
    case portTaken(Int)
    /// The user of this process isn't permitted to use the port; usually, the port is below 1024.
    case notPermitted(Int)
    /// Another error, with the system's description.
    case failed(String)
}

/// A listener that accepts TCP connections for an accessory server on one event loop.
package struct AccessoryListener: Sendable {
    private let channel: any Channel

    package let port: Int

    /// Starts listening on one address or on all addresses.
    ///
    /// Without an address, the listener uses IPv6 and IPv4, or only IPv4 on systems without IPv6. Port 0 selects a free
    /// port. The event loop must be the server's executor. `isAllowed` receives the local address of a new connection;
    /// if it returns `false`, the connection is closed. If a peer leaves bytes unacknowledged for `acknowledgeTime`,
    /// the connection counts as dead.
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
                        throw ListenerError.failed("an interface isn't configured")
                    }
                    try keepFromChildren(channel)
                    counter.value += 1
                    try channel.pipeline.syncOperations.addHandler(
                        AccessoryChannelHandler(id: ConnectionID(counter.value), server: server, logger: logger))
                    // Unacknowledged data reveals that a peer has vanished; HAP forbids keep-alive packets.
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
            // Use an address instead of a host name, which can't be resolved while no interface has an IPv6 address.
            return try await bootstrap.bind(to: SocketAddress(ipAddress: "::", port: port)).get()
        } catch let error as IOError where error.errnoCode == EAFNOSUPPORT || error.errnoCode == EADDRNOTAVAIL {
            return try await bootstrap.bind(to: SocketAddress(ipAddress: "0.0.0.0", port: port)).get()
        }
    }

    /// Stops accepting connections.
    ///
    /// Existing connections stay open.
    package func close() async {
        try? await channel.close().get()
    }
}
