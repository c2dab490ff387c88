import NIOCore
import NIOPosix
import Synchronization
import SystemKit

/// An mDNS resolver that doesn't need Avahi.
///
/// It sends one-shot queries from ephemeral ports, and never opens port 5353.
package enum Resolver {
    private static let port = 5353
    private static let ipv4Group = "224.0.0.251"
    private static let ipv6Group = "ff02::fb"

    /// The times at which queries are sent, relative to the start.
    ///
    /// The query ends at ``end``.
    private static let rounds: [Duration] = [.zero, .milliseconds(250), .seconds(1), .milliseconds(1750)]
    private static let end = Duration.milliseconds(2500)
    /// The earliest time at which the query ends if its result is complete.
    ///
    /// Hosts may delay their answers, and the query should receive the answers of all hosts.
    private static let earliestEnd = Duration.seconds(1)
    /// The maximum number of questions per round.
    private static let maximumQuestions = 64
    /// The maximum number of sockets.
    private static let maximumRoutes = 32

    /// Queries an instance of a service and all other services over all routes concurrently.
    ///
    /// It takes 1 to 2.5 s.
    ///
    /// - Returns: The results of the multicast queries, one for each address family of each interface, and those of the
    ///   unicast queries, one for each address of each interface.
    package static func look(for instance: String, on interfaces: [String]) async -> [QueryResult] {
        let paths = QueryPath.all(on: interfaces).prefix(maximumRoutes)
        return await withTaskGroup(of: (Int, QueryResult).self) { group in
            for (index, path) in paths.enumerated() {
                group.addTask {
                    let query = DNSQuery(instance: instance, address: path.own, id: .random(in: 1 ... .max))
                    do {
                        let answered = try await ask(path, query)
                        let instances = ServiceInstance.all(in: answered.records)
                        return (
                            index, QueryResult(route: path.route, instances: instances, responders: answered.responders)
                        )
                    } catch let error as IOError {
                        return (
                            index, QueryResult(route: path.route, failure: SystemError(code: error.errnoCode).reason)
                        )
                    } catch {
                        return (index, QueryResult(route: path.route, failure: "\(error)"))
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Queries all services over all routes concurrently, which takes 2.5 s.
    package static func lookForAll(on interfaces: [String]) async -> [QueryResult] {
        // No instance has this name, so the query waits for the answers of all hosts.
        await look(for: "", on: interfaces)
    }

    private typealias Datagrams = NIOAsyncChannel<AddressedEnvelope<ByteBuffer>, AddressedEnvelope<ByteBuffer>>

    private static func ask(_ path: QueryPath, _ query: DNSQuery) async throws -> DNSQuery {
        let channel = try await DatagramBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(to: path.local) { channel in
                channel.eventLoop.makeCompletedFuture { try Datagrams(wrappingChannelSynchronously: channel) }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await path.prepare(channel.channel)
            let shared = SharedQuery(query)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for try await datagram in inbound {
                        let bytes = Array(datagram.data.readableBytesView)
                        let responder = datagram.remoteAddress.ipAddress ?? ""
                        shared.query.withLock { $0.received(bytes, from: responder) }
                    }
                }
                group.addTask {
                    let began = ContinuousClock.now
                    for round in rounds {
                        try await Task.sleep(until: began + round)
                        let now = shared.query.withLock { $0 }
                        if round >= earliestEnd, now.isComplete { return }
                        for question in now.questions.prefix(maximumQuestions) {
                            guard let query = DNSMessage.query(question, id: now.id) else { continue }
                            try await outbound.write(
                                AddressedEnvelope(remoteAddress: path.remote, data: ByteBuffer(bytes: query)))
                        }
                    }
                    try await Task.sleep(until: began + end)
                }
                // The receiving task ends only when its socket is closed, so wait only for the sending task.
                _ = try await group.next()
                group.cancelAll()
            }
            return shared.query.withLock { $0 }
        }
    }

    /// The query, which the sending and the receiving task share.
    private final class SharedQuery: Sendable {
        let query: Mutex<DNSQuery>

        init(_ query: DNSQuery) { self.query = Mutex(query) }
    }

    /// A query route with the addresses that its queries use.
    private struct QueryPath {
        let route: QueryRoute
        let local: SocketAddress
        let remote: SocketAddress
        /// This host's address on the interface.
        let own: [UInt8]
        /// The index of the interface for outgoing multicast.
        var interface: Int?

        static func all(on interfaces: [String]) -> [QueryPath] {
            guard let devices = try? System.enumerateDevices() else { return [] }
            var paths: [QueryPath] = []
            for device in devices where interfaces.contains(device.name) {
                guard let ip = device.address?.ipAddress else { continue }
                let own = SocketAddress.packed(ip)
                let isIPv6 = own.count == 16
                guard let local = try? SocketAddress(ipAddress: isIPv6 ? "::" : "0.0.0.0", port: 0),
                    let group = SocketAddress(isIPv6 ? ipv6Group : ipv4Group, port, on: device.name),
                    let direct = SocketAddress(ip, port, on: device.name)
                else { continue }
                let route = QueryRoute.multicast(interface: device.name, isIPv6: isIPv6)
                if !paths.contains(where: { $0.route == route }) {
                    paths.append(
                        QueryPath(route: route, local: local, remote: group, own: own, interface: device.interfaceIndex)
                    )
                }
                paths.append(QueryPath(route: .unicast(address: ip), local: local, remote: direct, own: own))
            }
            return paths
        }

        func prepare(_ channel: any Channel) async throws {
            guard let interface, let options = channel as? any SocketOptionProvider else { return }
            if own.count == 16 {
                try await options.setIPv6MulticastIF(CUnsignedInt(interface)).get()
            } else {
                // The socket option needs the address in network order.
                let source = own.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
                try await options.unsafeSetSocketOption(level: .ip, name: .ip_multicast_if, value: source).get()
            }
        }
    }
}
