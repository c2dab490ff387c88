import Discovery
import NIOCore
import NIOPosix

/// Finds out whether something accepts connections where a record says so.
struct CloneProbe: Sendable {
    /// How long a host in the home may take.
    private static let timeout = TimeAmount.seconds(2)
    /// The most addresses of one service that are tried, all at once.
    private static let largestNumber = 16

    let loop: any EventLoop
    /// This bridge's own port: whoever answers there on our own address is ourselves.
    let ownPort: Int

    /// Tells `true` when the first address answers, `false` when none has in time.
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
