import Dialing
import Glibc
package import Logging
import NIOCore
import NIOPosix

/// The client end of a connection.
package enum LineRPCClient {
    /// Connects to a server's socket, and disconnects when `body` returns.
    ///
    /// If `servers` isn't `nil`, the server must run as one of these users. If `handler` is `nil`, all requests from
    /// the server are rejected.
    ///
    /// - Throws: ``LineRPCError`` if no permitted server answers, or the errors of `body`.
    @discardableResult
    package static func connect<Result: Sendable>(
        to path: String, servers: Set<UInt32>? = nil, limits: LineLimits = LineLimits(),
        handler: (any LineRPCHandler)? = nil,
        logger: Logger = Logger(label: "rpc") { _ in SwiftLogNoOpLogHandler() },
        _ body: @Sendable (LineRPCPeer) async throws -> Result
    ) async throws -> Result {
        let channel = try await UnixSocket.connect(to: path, limits: limits)
        return try await channel.executeThenClose { inbound, _ in
            if let servers {
                let server = await PeerIdentity.user(of: channel.channel)
                guard let server, servers.contains(server) else {
                    throw LineRPCError.untrusted(path: path, user: server ?? .max)
                }
            }
            let peer = LineRPCPeer(limits: limits, logger: logger) { [channel = channel.channel] in
                channel.close(promise: nil)
            }
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await peer.run(inbound, over: channel.channel, handler.map { .handler($0) } ?? .none) }
                defer { peer.close() }
                return try await body(peer)
            }
        }
    }
}

enum UnixSocket {
    static func connect(to path: String, limits: LineLimits) async throws(LineRPCError) -> LineChannel {
        do {
            return try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(.seconds(5))
                .connect(unixDomainSocketPath: path) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try keepFromChildren(channel)
                        return try limits.wrap(channel)
                    }
                }
        } catch let error as IOError where error.errnoCode == EACCES || error.errnoCode == EPERM {
            throw .noPermission(path: path)
        } catch let error as IOError {
            throw .unreachable(path: path, reason: String(cString: strerror(error.errnoCode)))
        } catch SocketAddressError.unixDomainSocketPathTooLong {
            throw .pathTooLong(path: path)
        } catch {
            throw .unreachable(path: path, reason: "\(error)")
        }
    }
}
