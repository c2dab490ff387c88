import Dialing
import Glibc
package import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The server end of connections, which listens on a Unix socket.
package struct LineRPCServer: Sendable {
    private let path: String
    private let mode: mode_t
    private let group: String?
    private let limits: LineLimits
    private let service: PeerService
    private let logger: Logger

    /// Listens, and serves peers until the task is canceled.
    ///
    /// After the cancellation, it cancels running requests, sends the answers that are already queued, and removes the
    /// socket.
    ///
    /// - Throws: ``LineRPCError`` if the socket can't be created.
    package func run(onListening: @Sendable () -> Void = {}) async throws {
        let place = SocketPlace(path: path)
        try await place.prepare(limits: limits)
        let accepted = AcceptedChannels()
        defer { accepted.closeAll() }
        let server: NIOAsyncChannel<any Channel, Never>
        do {
            // The socket first has a temporary name, so that no client connects before the mode is set. A connection is
            // wrapped only when it is served, because SwiftNIO traps on a wrapped channel that is never served, which
            // can happen during a shutdown.
            server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .childChannelOption(.autoRead, value: false)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try keepFromChildren(channel) }
                }
                .bind(unixDomainSocketPath: place.temporary) { channel in
                    accepted.insert(channel)
                    return channel.eventLoop.makeCompletedFuture {
                        try keepFromChildren(channel)
                        return channel
                    }
                }
        } catch {
            throw place.cannotListen(error)
        }
        try await server.executeThenClose { inbound in
            let file = try place.publish(mode: mode, group: group, logger: logger)
            defer { place.remove(file) }
            onListening()
            await serve(inbound)
        }
    }

    /// Checks whether this user can create a socket, without creating or changing anything.
    ///
    /// The directory may be missing, because systemd or the daemon creates it at startup.
    ///
    /// - Throws: ``LineRPCError``.
    package static func inspect(_ path: String) throws(LineRPCError) {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFSOCK { throw .notASocket(path: path) }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard access(folder, F_OK) != 0 || access(folder, W_OK) == 0 else { throw .noPermission(path: path) }
    }

    private func serve(_ connections: NIOAsyncChannelInboundStream<any Channel>) async {
        let served = PeerCounts(limits)
        await withDiscardingTaskGroup { tasks in
            do {
                for try await connection in connections {
                    // The kernel recorded the user when the peer connected, so this call doesn't wait for the peer.
                    let user = await PeerIdentity.user(of: connection)
                    let refusal = served.entered(by: user)
                    switch refusal {
                    case nil: break
                    case .peers:
                        logger.warning(
                            "connection refused",
                            metadata: ["reason": "too many connections", "limit": "\(limits.peers)"])
                    case .peersOfUser:
                        logger.warning(
                            "connection refused",
                            metadata: [
                                "reason": "too many connections of one user", "user": "\(user ?? .max)",
                                "limit": "\(limits.peersOfUser)",
                            ])
                    }
                    tasks.addTask {
                        await self.serve(connection, isWelcome: refusal == nil)
                        if refusal == nil { served.left(by: user) }
                    }
                }
            } catch is CancellationError {
                // The server was canceled.
            } catch {
                logger.error("socket failed", metadata: ["socket": "\(path)", "error": "\(error)"])
            }
            tasks.cancelAll()
        }
    }

    private func serve(_ channel: any Channel, isWelcome: Bool) async {
        do {
            guard isWelcome else { return try await channel.close() }
            // Look up the identity before reading, because the process may later run another program.
            let identity = await PeerIdentity.of(channel)
            let connection = try await channel.eventLoop.submit { [limits] in
                let connection = try limits.wrap(channel)
                try channel.syncOptions?.setOption(.autoRead, value: true)
                return connection
            }.get()
            try await connection.executeThenClose { inbound, _ in
                let peer = LineRPCPeer(limits: limits, logger: logger, identity: identity) {
                    channel.close(promise: nil)
                }
                await peer.run(inbound, over: channel, service)
            }
        } catch {
            // The connection was already closed.
            logger.trace("connection closed", metadata: ["error": "\(error)"])
        }
    }
}

extension LineRPCServer {
    /// Creates a server with a handler.
    ///
    /// It doesn't touch the file system until it runs.
    ///
    /// Users with write permission for the socket can connect. The socket belongs to the system group `group`, if that
    /// group exists.
    package init(
        path: String, mode: UInt32 = 0o660, group: String? = nil, limits: LineLimits = LineLimits(),
        handler: any LineRPCHandler, logger: Logger
    ) {
        self.init(path: path, mode: mode, group: group, limits: limits, service: .handler(handler), logger: logger)
    }

    /// Creates a server whose sessions answer requests in any order.
    package init(path: String, mode: UInt32, limits: LineLimits, sessions: any LineRPCSessions, logger: Logger) {
        self.init(path: path, mode: mode, group: nil, limits: limits, service: .sessions(sessions), logger: logger)
    }
}

/// The open connections, which are closed together with the server.
private final class AcceptedChannels: Sendable {
    /// The open connections by their identity; `nil` once the server has shut down.
    private let channels = Mutex<[ObjectIdentifier: any Channel]?>([:])

    func insert(_ channel: any Channel) {
        let isLate = channels.withLock { channels in
            channels?[ObjectIdentifier(channel)] = channel
            return channels == nil
        }
        guard !isLate else { return channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in
            self.channels.withLock { $0?[ObjectIdentifier(channel)] = nil }
        }
    }

    func closeAll() {
        let open = channels.withLock { channels in
            defer { channels = nil }
            return channels ?? [:]
        }
        for channel in open.values { channel.close(promise: nil) }
    }
}
