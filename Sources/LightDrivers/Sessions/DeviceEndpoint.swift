import Dialing
package import Discovery
import NIOCore
import NIOPosix
import Synchronization

/// An address of a device, with the port.
package enum DeviceEndpoint: Hashable, Sendable {
    case host(String, port: Int)
    case address(ServiceAddress, port: Int)

    /// Returns all addresses of a service without duplicates, in the order in which they should be tried.
    static func all(of service: DiscoveredService, port: Int) -> [DeviceEndpoint] {
        // An address that isn't link-local may be listed for several interfaces, but needs to be tried only once.
        var seen: Set<String> = []
        return service.addresses.filter { seen.insert($0.description).inserted }.map { .address($0, port: port) }
    }

    var port: Int {
        switch self {
        case .host(_, let port), .address(_, let port): port
        }
    }

    /// The value of the `Host` header in HTTP requests.
    var authority: String {
        let host =
            switch self {
            case .host(let host, _): host
            case .address(let address, _): String(address.description.prefix { $0 != "%" })
            }
        return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}

extension DeviceEndpoint: CustomStringConvertible {
    /// The address with its port, such as `10.0.0.5:80` or `[fe80::1%eth0]:80`.
    package var description: String {
        switch self {
        case .host: authority
        case .address(let address, _): address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
        }
    }
}

extension DeviceEndpoint {
    /// The time limit for opening a TCP connection to a device.
    static let connectTimeout = Duration.seconds(5)

    /// Connects to the address.
    ///
    /// `configure` is called with the channel before it connects.
    ///
    /// - Throws: The system's or NIO's error.
    func connect(
        on loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next(),
        configure: @escaping @Sendable (any Channel) throws -> Void = { _ in }
    ) async throws -> any Channel {
        let destination: TCPDestination =
            switch self {
            case .host(let host, let port): .host(host, port: port)
            // This parses the interface of a link-local address, too. It doesn't query DNS, because the address is
            // numeric.
            case .address(let address, let port):
                .address(try SocketAddress.makeAddressResolvingHost(address.description, port: port))
            }
        return try await openTCP(to: destination, on: loop, within: Self.connectTimeout, configure: configure)
    }
}

/// The address at which a device has answered, with an open connection for the first use.
package final class DeviceRoute: Sendable {
    package let endpoint: DeviceEndpoint
    /// The numeric address of the device, or `nil` if there is no open connection.
    let address: String?
    private let opened: Mutex<(any Channel)?>

    /// Creates a route, optionally with an open channel, which must not have handlers yet.
    ///
    /// The channel is closed if it is never used.
    init(to endpoint: DeviceEndpoint, over channel: (any Channel)?) {
        self.endpoint = endpoint
        address = channel?.remoteAddress?.ipAddress
        opened = Mutex(channel)
    }

    package convenience init(to endpoint: DeviceEndpoint) { self.init(to: endpoint, over: nil) }

    deinit { opened.withLock { $0?.close(promise: nil) } }

    /// Uses the open connection if it hasn't been used yet and still works; otherwise connects again.
    ///
    /// `initialize` adds the handlers.
    ///
    /// - Throws: The error of `initialize`, of the system or of NIO.
    func connect<Output: Sendable>(
        _ initialize: @escaping @Sendable (any Channel) throws -> EventLoopFuture<Output>
    ) async throws -> Output {
        let first = opened.withLock { channel in
            defer { channel = nil }
            return channel
        }
        if let first, let output = try? await Self.use(first, initialize) { return output }
        return try await Self.use(try await endpoint.connect(), initialize)
    }

    private static func use<Output: Sendable>(
        _ channel: any Channel, _ initialize: @escaping @Sendable (any Channel) throws -> EventLoopFuture<Output>
    ) async throws -> Output {
        do {
            return try await channel.eventLoop.flatSubmit {
                guard channel.isActive else {
                    return channel.eventLoop.makeFailedFuture(ChannelError.ioOnClosedChannel)
                }
                do {
                    return try initialize(channel)
                } catch {
                    return channel.eventLoop.makeFailedFuture(error)
                }
            }.get()
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }
}
