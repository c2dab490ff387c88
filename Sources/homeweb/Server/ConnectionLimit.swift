import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Limits the number of open connections.
///
/// Beyond the limit, each new connection closes an existing connection.
///
/// The peer with the most connections loses the connection that has been idle longest or, if all are busy, the
/// connection with the oldest request. Therefore, a peer that opens ten thousand connections loses its own
/// connections, not the connections of other peers.
final class ConnectionLimit: Sendable {
    private struct Entry {
        let channel: any Channel
        let peer: String
        var since: ContinuousClock.Instant
        var isBusy = false
    }

    private let most: Int
    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    init(most: Int) { self.most = most }

    fileprivate func opened(_ channel: any Channel) {
        let loser: (any Channel)? = entries.withLock { entries in
            var loser: (any Channel)?
            if entries.count >= most, let key = Self.loser(entries) {
                loser = entries.removeValue(forKey: key)?.channel
            }
            entries[ObjectIdentifier(channel)] = Entry(
                channel: channel, peer: IPAddressText.peer(channel.remoteAddress?.ipAddress ?? ""),
                since: .now)
            return loser
        }
        loser?.close(promise: nil)
    }

    private static func loser(_ entries: [ObjectIdentifier: Entry]) -> ObjectIdentifier? {
        let counts = Dictionary(grouping: entries.values, by: \.peer).mapValues(\.count)
        let most = counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
        return entries.filter { $0.value.peer == most }.min {
            ($0.value.isBusy ? 1 : 0, $0.value.since) < ($1.value.isBusy ? 1 : 0, $1.value.since)
        }?.key
    }

    fileprivate func changed(_ channel: any Channel, isBusy: Bool) {
        entries.withLock { entries in
            entries[ObjectIdentifier(channel)]?.isBusy = isBusy
            entries[ObjectIdentifier(channel)]?.since = .now
        }
    }

    fileprivate func closed(_ channel: any Channel) { entries.withLock { $0[ObjectIdentifier(channel)] = nil } }

    final class Handler: ChannelDuplexHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPRequestPart
        typealias OutboundIn = HTTPResponsePart

        private let limit: ConnectionLimit

        init(_ limit: ConnectionLimit) { self.limit = limit }

        func handlerAdded(context: ChannelHandlerContext) { limit.opened(context.channel) }

        func channelInactive(context: ChannelHandlerContext) {
            limit.closed(context.channel)
            context.fireChannelInactive()
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            // A connection is busy only if its request is complete.
            if case .end = unwrapInboundIn(data) { limit.changed(context.channel, isBusy: true) }
            context.fireChannelRead(data)
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .end = unwrapOutboundIn(data) { limit.changed(context.channel, isBusy: false) }
            context.write(data, promise: promise)
        }
    }
}
