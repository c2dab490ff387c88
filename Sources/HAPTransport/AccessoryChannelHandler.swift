internal import Glibc
internal import HAPProtocol
internal import Logging
internal import NIOCore

/// One TCP connection: bytes in, requests to the server; answers and events out.
///
/// It runs on its channel's event loop, which is the server's executor, so a request is answered within the read that
/// brought it. The next request is taken when the last has been answered and the peer has taken most of what it was sent;
/// what comes meanwhile waits, up to a limit, and then in the peer's own buffers.
final class AccessoryChannelHandler: ChannelInboundHandler, ChannelOutboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let id: ConnectionID
    private let server: any AccessoryConnectionHandler
    private let logger: Logger
    private var stream = MessageStream(role: .accessory)
    private var context: ChannelHandlerContext?
    /// The peer's IP address, for people.
    private var peer = "unknown"
    private var isAnswering = false
    /// `take` is at work further up the stack.
    private var isTaking = false
    /// Enough requests have been taken in this turn of the loop; `take` goes on in a later one.
    private var hasYielded = false
    /// No more requests are taken.
    private var isClosing = false
    /// The peer sends nothing more.
    private var inputIsClosed = false
    private var readWaits = false
    /// The peer takes what it is sent.
    private var isWritable = true
    /// Runs out when a message that has begun is not there.
    private var messageTimer: Scheduled<Void>?
    /// Runs out when a frame that has begun is not there.
    private var frameTimer: Scheduled<Void>?
    /// The number of that frame.
    private var awaitedFrame: UInt64 = 0

    init(id: ConnectionID, server: any AccessoryConnectionHandler, logger: Logger) {
        self.id = id
        self.server = server
        self.logger = logger
    }

    // MARK: Life

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
        peer = context.remoteAddress?.host ?? peer
        server.opened(
            NIOAccessoryConnection(
                id: id, peer: peer, address: context.remoteAddress?.peerAddress ?? .none, channel: context.channel,
                handler: loopBound))
    }

    func channelInactive(context: ChannelHandlerContext) {
        stopTimers()
        self.context = nil
        isClosing = true
        server.closed(id)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Mostly a reset by the peer: nothing that anybody has to know.
        logger.debug("connection lost", metadata: ["peer": "\(peer)", "error": "\(error)"])
        // This is how the system says that `TCP_USER_TIMEOUT` has passed.
        if !isClosing, (error as? IOError)?.errnoCode == ETIMEDOUT { server.stalled(id) }
        isClosing = true
        context.close(promise: nil)
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        stream.received(unwrapInboundIn(data).readableBytesView)
        take()
    }

    func read(context: ChannelHandlerContext) {
        if isBusy, stream.bufferedBytes >= TransportLimits.readAhead {
            readWaits = true
        } else {
            context.read()
        }
    }

    /// Requests have to wait: for the answer to the last one, for a peer that does not read its answers, or for the others
    /// on the loop.
    private var isBusy: Bool { isAnswering || hasYielded || !isWritable }

    /// Takes requests as long as there are any and nothing is in their way.
    private func take() {
        // An answer given within `received` comes back here; the loop below goes on with it.
        guard !isTaking else { return }
        isTaking = true
        defer { isTaking = false }
        var taken = 0
        do throws(ProtocolViolation) {
            while !isBusy, !isClosing, let message = try stream.next() {
                guard case .request(let request) = message else { continue }
                taken += 1
                if taken == TransportLimits.requestsPerTurn { yield() }
                isAnswering = true
                server.received(request, on: id)
            }
        } catch {
            violated(error)
            return
        }
        superviseProgress()
        if readWaits, !isBusy || stream.bufferedBytes < TransportLimits.readAhead {
            readWaits = false
            context?.read()
        }
        // All that the peer has asked has been answered.
        if inputIsClosed, !isBusy, !isClosing { closeAfterWriting() }
    }

    /// Lets others on the loop have their turn before the next request is taken.
    private func yield() {
        hasYielded = true
        context?.eventLoop.assumeIsolated().execute { [weak self] in
            self?.hasYielded = false
            self?.take()
        }
    }

    private func violated(_ violation: ProtocolViolation) {
        logger.info("protocol violated", metadata: ["peer": "\(peer)", "violation": "\(violation)"])
        isClosing = true
        switch violation {
        case .bodyTooLong: write(.response(HTTPResponse(413)))
        case .malformedHTTP, .malformedTLV, .badItem, .unexpectedState: write(.response(HTTPResponse(400)))
        // Frames that cannot be opened may come from anybody: they are not answered.
        case .frameTooLong, .badFrame, .counterExhausted: break
        }
        closeAfterWriting()
    }

    /// A message that has begun must come whole within its time, and so must each of its frames, else the connection only
    /// holds a place.
    private func superviseProgress() {
        guard stream.isMidMessage, !isBusy, !isClosing else {
            stopTimers()
            return
        }
        if messageTimer == nil { messageTimer = timer(TransportLimits.messageTime) }
        guard stream.isMidFrame else {
            frameTimer?.cancel()
            frameTimer = nil
            return
        }
        guard frameTimer == nil || awaitedFrame != stream.openedFrames else { return }
        frameTimer?.cancel()
        frameTimer = timer(TransportLimits.frameTime)
        awaitedFrame = stream.openedFrames
    }

    private func timer(_ time: TimeAmount) -> Scheduled<Void>? {
        context?.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in
            guard let self else { return }
            logger.info("request timed out", metadata: ["peer": "\(peer)"])
            self.context?.close(promise: nil)
        }
    }

    private func stopTimers() {
        messageTimer?.cancel()
        messageTimer = nil
        frameTimer?.cancel()
        frameTimer = nil
    }

    // MARK: Writing

    func respond(_ response: HTTPResponse, thenSecureWith keys: SessionKeys?, whenWritten: (@Sendable () -> Void)?) {
        isAnswering = false
        stopTimers()
        write(.response(response), thenSecureWith: keys, whenWritten: whenWritten)
        take()
    }

    func sendEvent(body: [UInt8]) { write(.event(body: body)) }

    private func write(
        _ message: HTTPMessage, thenSecureWith keys: SessionKeys? = nil, whenWritten: (@Sendable () -> Void)? = nil
    ) {
        guard let context else { return }
        do throws(ProtocolViolation) {
            let bytes = try stream.encode(message, thenSecureWith: keys)
            let promise = whenWritten.map { body in
                let promise = context.eventLoop.makePromise(of: Void.self)
                promise.futureResult.whenSuccess(body)
                return promise
            }
            // One write for the whole message: iOS was seen to reset on a partial one (HAP 7.1).
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: promise)
        } catch {
            context.close(promise: nil)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        if isWritable {
            server.becameWritable(id)
            // Not within this call, which may come out of a write that the server is in the middle of.
            context.eventLoop.assumeIsolated().execute { [weak self] in self?.take() }
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Closing

    func closeAfterWriting() {
        guard let context else { return }
        isClosing = true
        // Everything written so far goes out before the half-close; the peer's own end follows, or time is up.
        context.close(mode: .output, promise: nil)
        let channel = context.channel
        context.eventLoop.scheduleTask(in: TransportLimits.closingTime) { channel.close(promise: nil) }
    }

    func close() {
        isClosing = true
        context?.close(promise: nil)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed {
            // What it has asked is still answered, then the connection ends.
            inputIsClosed = true
            take()
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }
}

/// The server's view of a connection; used on the connection's event loop only.
private struct NIOAccessoryConnection: AccessoryConnection {
    let id: ConnectionID
    let peer: String
    let address: PeerAddress
    let channel: any Channel
    let handler: NIOLoopBound<AccessoryChannelHandler>

    var isWritable: Bool { channel.isWritable }

    func respond(_ response: HTTPResponse, thenSecureWith keys: SessionKeys?, whenWritten: (@Sendable () -> Void)?) {
        handler.value.respond(response, thenSecureWith: keys, whenWritten: whenWritten)
    }

    func sendEvent(body: [UInt8]) { handler.value.sendEvent(body: body) }
    func closeAfterWriting() { handler.value.closeAfterWriting() }
    func close() { handler.value.close() }
}

extension SocketAddress {
    /// The IP address that identifies unauthenticated peers.
    fileprivate var peerAddress: PeerAddress? {
        // Where the address stands: behind family and port, and behind IPv6's flow label (ip(7), ipv6(7)).
        let place: Range<Int>
        switch self {
        case .v4: place = 4..<8
        case .v6: place = 8..<24
        case .unixDomainSocket: return nil
        }
        return withSockAddr { socket, size in
            place.upperBound <= size
                ? PeerAddress(Array(UnsafeRawBufferPointer(start: socket, count: size)[place])) : nil
        }
    }

    /// The IP address without the port, which changes with every connection; an IPv4 address as such, also where a socket
    /// for both kinds names it in IPv6.
    fileprivate var host: String? {
        guard let address = ipAddress else { return nil }
        let mapped = "::ffff:"
        return address.hasPrefix(mapped) && address.contains(".") ? String(address.dropFirst(mapped.count)) : address
    }
}
