import HTTPTypes
import NIOCore
import NIOHTTPTypes
import Synchronization

/// Bounds how many connections are open: beyond that, the one that has been idle longest goes.
///
/// Whoever opens ten thousand and says nothing loses theirs to whoever asks for something.
final class ConnectionLimit: Sendable {
    private struct Entry {
        let channel: any Channel
        var since: ContinuousClock.Instant
        var isBusy = false
    }

    private let most: Int
    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    init(most: Int) { self.most = most }

    fileprivate func opened(_ channel: any Channel) {
        let loser: (any Channel)? = entries.withLock { entries in
            var loser: (any Channel)?
            if entries.count >= most {
                let idle = entries.filter { !$0.value.isBusy }.min { $0.value.since < $1.value.since }
                guard let idle else { return channel }
                loser = idle.value.channel
                entries[idle.key] = nil
            }
            entries[ObjectIdentifier(channel)] = Entry(channel: channel, since: .now)
            return loser
        }
        loser?.close(promise: nil)
    }

    fileprivate func changed(_ channel: any Channel, isBusy: Bool) {
        entries.withLock { entries in
            entries[ObjectIdentifier(channel)]?.isBusy = isBusy
            entries[ObjectIdentifier(channel)]?.since = .now
        }
    }

    fileprivate func closed(_ channel: any Channel) { entries.withLock { $0[ObjectIdentifier(channel)] = nil } }

    /// Watches one connection.
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
            if case .head = unwrapInboundIn(data) { limit.changed(context.channel, isBusy: true) }
            context.fireChannelRead(data)
        }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .end = unwrapOutboundIn(data) { limit.changed(context.channel, isBusy: false) }
            context.write(data, promise: promise)
        }
    }
}
