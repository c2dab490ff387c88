import Discovery
import NIOCore
import NIOPosix

/// Checks whether a discovered service accepts connections.
struct CloneProbe: Sendable {
    /// The connection timeout, which is enough for a host in the local network.
    private static let timeout = TimeAmount.seconds(2)
    /// The maximum number of addresses of a service that are tried concurrently.
    private static let largestNumber = 16

    let loop: any EventLoop
    /// This bridge's own port.
    ///
    /// A service with this port at an address of this host is this bridge.
    let ownPort: Int

    /// Calls `tell` with `true` as soon as an address of the service accepts a connection, or with `false` if no
    /// address does before the timeout.
    func callAsFunction(_ service: DiscoveredService, _ tell: @escaping @Sendable (Bool) -> Void) {
        let attempts = service.addresses.prefix(Self.largestNumber).map { attempt($0, port: service.port) }
        let answered = loop.makePromise(of: Bool.self)
        for attempt in attempts {
            attempt.whenSuccess { if $0 { answered.succeed(true) } }
        }
        EventLoopFuture.whenAllComplete(attempts, on: loop).whenComplete { _ in answered.succeed(false) }
        answered.futureResult.whenSuccess(tell)
    }

    private func attempt(_ address: ServiceAddress, port: UInt16) -> EventLoopFuture<Bool> {
        let ownPort = ownPort
        let target: SocketAddress
        do {
            target = try SocketAddress(ipAddress: address.description, port: Int(port))
        } catch {
            return loop.makeFailedFuture(error)
        }
        return ClientBootstrap(group: loop).connectTimeout(Self.timeout).connect(to: target).flatMap { channel in
            let isOurselves = channel.remoteAddress?.port == ownPort && channel.isToOwnHost
            channel.close(promise: nil)
            return channel.eventLoop.makeSucceededFuture(!isOurselves)
        }
    }
}

extension Channel {
    fileprivate var isToOwnHost: Bool {
        guard let local = localAddress?.ipAddress, let remote = remoteAddress?.ipAddress else { return false }
        return local == remote
    }
}
