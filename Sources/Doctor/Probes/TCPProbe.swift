import Glibc
import NIOCore
import NIOPosix
import SystemKit

/// Connects to an address like a controller, and sends a request that HAP accessories reject from peers that aren't
/// verified.
package enum TCPProbe {
    package enum Outcome: Equatable, Sendable {
        /// A HAP accessory answered.
        case answers
        /// A program other than a HAP accessory answered.
        case foreign
        /// The connection was established, but closed without an answer.
        case closed
        /// The connection was established, but no answer arrived in time.
        case silent
        /// No process listens, or a firewall rejects the connection.
        case refused
        case timedOut
        case failed(reason: String)
    }

    /// An address and its interface, which is the scope of a link-local address.
    package struct Target: Hashable, Sendable {
        /// The bytes of the address: 4 for IPv4, 16 for IPv6.
        package var address: [UInt8]
        package var interface: String
    }

    private static let timeout = Duration.seconds(2)

    /// Connects to all addresses at the same time; returns the results in the order of the addresses.
    package static func connect(to targets: [Target], port: Int) async -> [Facts.Connection] {
        await withTaskGroup(of: (Int, Facts.Connection).self) { group in
            for (index, target) in targets.enumerated() {
                group.addTask { (index, await connect(to: target, port: port)) }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    static func connect(to target: Target, port: Int) async -> Facts.Connection {
        guard let ip = try? SocketAddress(packedIPAddress: ByteBuffer(bytes: target.address), port: port).ipAddress,
            let address = SocketAddress(ip, port, on: target.interface)
        else { return Facts.Connection(address: "(invalid)", outcome: .failed(reason: "not an IP address")) }
        return Facts.Connection(address: ip, outcome: await connect(to: address))
    }

    private static func connect(to address: SocketAddress) async -> Outcome {
        do {
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .connectTimeout(TimeAmount(timeout))
                .connect(to: address) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                    }
                }
            let request = "GET /accessories HTTP/1.1\r\nHost: lamplighter\r\n\r\n"
            switch try await channel.firstAnswer(to: Array(request.utf8), within: timeout) {
            // Status code 470, "Connection Authorization Required", exists only in HAP.
            case .bytes(let bytes): return bytes.starts(with: Array("HTTP/1.1 470".utf8)) ? .answers : .foreign
            case .end: return .closed
            case .nothing: return .silent
            }
        } catch let error as IOError {
            switch error.errnoCode {
            case ECONNREFUSED: return .refused
            case ECONNRESET, EPIPE: return .closed
            case ETIMEDOUT: return .timedOut
            default: return .failed(reason: SystemError(code: error.errnoCode).reason)
            }
        } catch let error as ChannelError {
            if case .connectTimeout = error { return .timedOut }
            return .closed
        } catch {
            return .failed(reason: "\(error)")
        }
    }
}
