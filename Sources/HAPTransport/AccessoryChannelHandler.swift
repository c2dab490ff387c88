internal import Glibc
internal import HAPProtocol
internal import Logging
internal import NIOCore

/// A handler for one TCP connection, which parses requests for the server, and writes responses and events.
///
/// The handler runs on its channel's event loop, which is the server's executor, so the server can answer a request
/// within the read that delivered it. The handler delivers the next request after the response to the previous one, and
/// only while the peer reads the sent data. While a request waits, the handler buffers incoming bytes up to a limit;
/// further bytes stay in the peer's buffers.
final class AccessoryChannelHandler: ChannelInboundHandler, ChannelOutboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let id: ConnectionID
    private let server: any AccessoryConnectionHandler
    private let logger: Logger
    private var stream = MessageStream(role: .accessory)
    private var context: ChannelHandlerContext?
    /// The peer's IP address.
    private var peer = "unknown"
    private var isAnswering = false
    /// A Boolean value that indicates whether `take` is on the call stack.
    private var isTaking = false
    /// A Boolean value that indicates whether the maximum number of requests was taken in this turn of the event loop.
    ///
    /// If so, `take` continues in a later turn.
    private var hasYielded = false
    /// A Boolean value that indicates whether no more requests are accepted, because the connection is closing.
    private var isClosing = false
    /// A Boolean value that indicates whether the peer has closed its output.
    private var inputIsClosed = false
    private var readWaits = false
    /// A Boolean value that indicates whether the peer reads its data.
    private var isWritable = true
    /// The timer that fires if a started message isn't complete in time.
    private var messageTimer: Scheduled<Void>?
    /// The timer that fires if a started frame isn't complete in time.
    private var frameTimer: Scheduled<Void>?
    /// The number of the frame that `frameTimer` watches.
    private var awaitedFrame: UInt64 = 0

    init(id: ConnectionID, server: any AccessoryConnectionHandler, logger: Logger) {
        self.id = id
        self.server = server
        self.logger = logger
    }

    // MARK: Lifecycle

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
        // Usually, the peer has reset the connection, which needs no attention.
        logger.debug("connection lost", metadata: ["peer": "\(peer)", "error": "\(error)"])
        // The system reports an expired `TCP_USER_TIMEOUT` with this error.
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

    /// A Boolean value that indicates whether the next request must wait: for the response to the previous request, for
    /// a peer that isn't reading, or for other connections of the event loop.
    private var isBusy: Bool { isAnswering || hasYielded || !isWritable }

    /// Delivers complete requests until one has to wait.
    private func take() {
        // If the server responds within `received`, this method is called again; then the loop below continues.
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
        // All requests from the peer have been answered.
        if inputIsClosed, !isBusy, !isClosing { closeAfterWriting() }
    }

    /// Lets other connections of the event loop take a turn before the next request.
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
        // Frames that can't be decrypted may come from any sender, so they get no response.
        case .frameTooLong, .badFrame, .counterExhausted: break
        }
        closeAfterWriting()
    }

    /// Starts or stops the timers of the current message and frame.
    ///
    /// A message and each of its frames must be complete in time, because a connection that doesn't make progress uses
    /// up resources.
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
            // Write the whole message at once, because iOS has been observed to reset the connection after a partial
            // message (HAP 7.1).
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: promise)
        } catch {
            context.close(promise: nil)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isWritable = context.channel.isWritable
        if isWritable {
            server.becameWritable(id)
            // Don't call `take` directly, because the server may be in the middle of a write.
            context.eventLoop.assumeIsolated().execute { [weak self] in self?.take() }
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: Closing

    func closeAfterWriting() {
        guard let context else { return }
        isClosing = true
        // All pending data is written before the output is closed. Then the peer closes the connection, or the time
        // limit expires.
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
            // Answer the remaining requests, then close the connection.
            inputIsClosed = true
            take()
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }
}

/// The server's interface to a connection.
///
/// Use it only on the connection's event loop.
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
    /// The IP address, by which unauthenticated peers are distinguished.
    fileprivate var peerAddress: PeerAddress? {
        // The address follows the family, the port and, in IPv6, the flow label (ip(7), ipv6(7)).
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

    /// The IP address without the port, which differs between connections.
    ///
    /// An IPv4 address is returned in IPv4 form, even if a dual-stack socket reports it as an IPv6 address.
    fileprivate var host: String? {
        guard let address = ipAddress else { return nil }
        let mapped = "::ffff:"
        return address.hasPrefix(mapped) && address.contains(".") ? String(address.dropFirst(mapped.count)) : address
    }
}
