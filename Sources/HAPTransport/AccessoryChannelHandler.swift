internal import HAPProtocol
internal import Logging
internal import NIOCore

/// One TCP connection: bytes in, requests to the server; answers and events out.
///
/// It runs on its channel's event loop, which is the server's executor, so a request is answered within the read that
/// brought it. The next request is taken when the last has been answered; what comes meanwhile waits, up to a limit, and
/// then in the peer's own buffers.
final class AccessoryChannelHandler: ChannelInboundHandler, ChannelOutboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let id: ConnectionID
    private let server: any AccessoryConnectionHandler
    private let logger: Logger
    private var stream = MessageStream(role: .accessory)
    private var context: ChannelHandlerContext?
    private var isAnswering = false
    /// `take` is at work further up the stack.
    private var isTaking = false
    /// No more requests are taken.
    private var isClosing = false
    private var readWaits = false
    private var progressTimer: Scheduled<Void>?

    init(id: ConnectionID, server: any AccessoryConnectionHandler, logger: Logger) {
        self.id = id
        self.server = server
        self.logger = logger
    }

    // MARK: Life

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        let loopBound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let peer = context.remoteAddress?.description ?? "unknown"
        server.opened(NIOAccessoryConnection(id: id, peer: peer, channel: context.channel, handler: loopBound))
    }

    func channelInactive(context: ChannelHandlerContext) {
        progressTimer?.cancel()
        self.context = nil
        isClosing = true
        server.closed(id)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A reset by the peer: nothing that anybody has to know.
        logger.debug("connection error", metadata: ["error": "\(error)"])
        context.close(promise: nil)
    }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        stream.received(unwrapInboundIn(data).readableBytesView)
        take()
    }

    func read(context: ChannelHandlerContext) {
        if isAnswering, stream.bufferedBytes >= TransportLimits.readAhead {
            readWaits = true
        } else {
            context.read()
        }
    }

    /// Takes requests as long as there are any and the last one has been answered.
    private func take() {
        // An answer given within `received` comes back here; the loop below goes on with it.
        guard !isTaking else { return }
        isTaking = true
        defer { isTaking = false }
        do throws(ProtocolViolation) {
            while !isAnswering, !isClosing, let message = try stream.next() {
                guard case .request(let request) = message else { continue }
                isAnswering = true
                server.received(request, on: id)
            }
        } catch {
            violated(error)
            return
        }
        superviseProgress()
        if readWaits, !isAnswering || stream.bufferedBytes < TransportLimits.readAhead {
            readWaits = false
            context?.read()
        }
    }

    private func violated(_ violation: ProtocolViolation) {
        logger.info("a peer breaks the protocol", metadata: ["violation": "\(violation)"])
        isClosing = true
        if violation == .bodyTooLong {
            write(.response(HTTPResponse(413)))
        } else if !stream.isSecured {
            write(.response(HTTPResponse(400)))
        }
        closeAfterWriting()
    }

    /// A message that has begun must come whole within its time, else the connection only holds a place.
    private func superviseProgress() {
        guard stream.isMidMessage, !isAnswering, !isClosing else {
            progressTimer?.cancel()
            progressTimer = nil
            return
        }
        guard progressTimer == nil, let context else { return }
        let time = stream.isMidFrame ? TransportLimits.frameTime : TransportLimits.messageTime
        progressTimer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in
            self?.progressTimer = nil
            self?.logger.info("a peer has not finished its message in time")
            self?.context?.close(promise: nil)
        }
    }

    // MARK: Writing

    func respond(_ response: HTTPResponse, thenSecureWith keys: SessionKeys?, whenWritten: (@Sendable () -> Void)?) {
        isAnswering = false
        progressTimer?.cancel()
        progressTimer = nil
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
            // One write for the whole message: iOS was seen to reset on a partial one (hap.md 7.1).
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: promise)
        } catch {
            context.close(promise: nil)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { server.becameWritable(id) }
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
            // The peer sends nothing more: what it has asked is still answered, then the connection ends.
            if isAnswering { closeAfterWritingWhenAnswered() } else { context.close(promise: nil) }
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func closeAfterWritingWhenAnswered() {
        let channel = context?.channel
        context?.eventLoop.scheduleTask(in: TransportLimits.messageTime) { channel?.close(promise: nil) }
    }
}

/// The server's view of a connection; used on the connection's event loop only.
private struct NIOAccessoryConnection: AccessoryConnection {
    let id: ConnectionID
    let peer: String
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
