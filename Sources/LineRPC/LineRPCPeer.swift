package import BoundedJSON
import Logging
import NIOCore
import Synchronization

/// One end of a connection.
///
/// The protocol is symmetric: both ends may send requests and notifications. ``LineLimits`` limits all buffers. A peer
/// that exceeds these limits or reads too slowly is disconnected.
package final class LineRPCPeer: Sendable {
    /// A notification from the peer, or the answer to ``ask(_:_:)``.
    package struct Notification: Equatable, Sendable {
        package var method: String
        package var params: JSONValue
        /// The answer to ``ask(_:_:)``; `nil` for a notification.
        ///
        /// If it is set, the other properties are empty.
        package var answer: Answer?
    }

    /// The answer to ``ask(_:_:)``.
    package struct Answer: Equatable, Sendable {
        package var id: Int64
        package var result: Result<JSONValue, RPCFailure>
    }

    /// The notifications from the peer, for a single reader.
    ///
    /// The stream finishes when the connection ends.
    ///
    /// In a session, it stays empty.
    package let notifications: AsyncStream<Notification>

    /// The identity of the peer, as reported by the system.
    ///
    /// It is known only on servers; on clients, it is `nil`.
    package let identity: PeerIdentity?

    /// A pending call.
    private struct Waiting {
        let continuation: CheckedContinuation<JSONValue, any Error>
        let grace: Duration?
        var isSent = false
        /// The reason why the caller stopped waiting.
        var reason: (any Error)?
    }

    /// An abandoned call that waits a little longer for its answer.
    private struct Expiry {
        let id: Int64
        let grace: Duration
        let reason: any Error
    }

    private struct State {
        var isClosed = false
        var lastID: Int64 = 0
        var waiting: [Int64: Waiting] = [:]
        var requestsAtWork = 0
        var open = OpenRequests()
        /// The requests whose answers are delivered among the notifications.
        var asked: Set<Int64> = []
    }

    private let state = Mutex(State())
    private let limits: LineLimits
    private let logger: Logger
    private let notificationSink: AsyncStream<Notification>.Continuation
    private let expiries: AsyncStream<Expiry>
    private let expirySink: AsyncStream<Expiry>.Continuation
    private let outbox: LineOutbox
    private let hangUp: @Sendable () -> Void

    init(
        limits: LineLimits, logger: Logger, identity: PeerIdentity? = nil, hangUp: @escaping @Sendable () -> Void
    ) {
        self.limits = limits
        self.logger = logger
        self.identity = identity
        self.hangUp = hangUp
        (notifications, notificationSink) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(limits.notifications))
        // This stream needs no limit, because each of this end's calls is abandoned at most once.
        (expiries, expirySink) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
        outbox = LineOutbox(limit: limits.outbox)
    }

    // MARK: Requests and notifications

    /// Sends a request and waits for the answer.
    ///
    /// If the deadline passes or the caller is canceled, the peer receives a cancellation notification.
    ///
    /// - Parameters:
    ///   - method: The method name.
    ///   - params: An object or an array.
    ///   - deadline: The longest time to wait; `nil` to wait as long as the connection lasts.
    ///   - grace: The additional time to wait after the deadline or the cancellation, for an answer that contains the
    ///     outcome of partial work. If it is `nil`, the call fails immediately.
    /// - Returns: The result.
    /// - Throws: ``RPCFailure`` if the peer returns an error, ``LineRPCError`` if no answer arrives, or
    ///   `CancellationError`.
    package func call(
        _ method: String, _ params: JSONValue = [:], deadline: Duration? = .seconds(10), grace: Duration? = nil
    ) async throws -> JSONValue {
        let id = nextID()
        guard let deadline else { return try await call(method, params, id: id, grace: grace) }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await Task.sleep(for: deadline)
                self.giveUp(id, because: LineRPCError.timedOut)
            }
            defer { group.cancelAll() }
            return try await self.call(method, params, id: id, grace: grace)
        }
    }

    private func nextID() -> Int64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    private func call(
        _ method: String, _ params: JSONValue, id: Int64, grace: Duration?
    ) async throws -> JSONValue {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let refusal: LineRPCError? = state.withLock { state in
                    guard !state.isClosed else { return .closed }
                    guard state.waiting.count < limits.outstandingRequests else { return .tooManyRequests }
                    state.waiting[id] = Waiting(continuation: continuation, grace: grace)
                    return nil
                }
                if let refusal {
                    continuation.resume(throwing: refusal)
                } else if Task.isCancelled {
                    // The cancellation handler may have run before the continuation was stored.
                    resolve(id, .failure(CancellationError()))
                } else if let refusal = send(.request(id: .integer(id), method: method, params: params)) {
                    resolve(id, .failure(refusal))
                } else {
                    let isGivenUp = state.withLock { state in
                        state.waiting[id]?.isSent = true
                        return state.waiting[id]?.reason != nil
                    }
                    if isGivenUp { tellOfCancellation(id) }
                }
            }
        } onCancel: {
            giveUp(id, because: CancellationError())
        }
    }

    /// Marks a call as abandoned by its caller.
    private func giveUp(_ id: Int64, because reason: any Error) {
        let isSent = state.withLock { state in
            guard let waiting = state.waiting[id], waiting.reason == nil else { return false }
            state.waiting[id]?.reason = reason
            // The cancellation must not be sent before the request.
            return waiting.isSent
        }
        if isSent { tellOfCancellation(id) }
    }

    private func tellOfCancellation(_ id: Int64) {
        _ = send(.notification(method: Self.cancellation, params: ["id": .integer(id)]))
        guard let waiting = state.withLock({ $0.waiting[id] }), let reason = waiting.reason else { return }
        if let grace = waiting.grace,
            case .enqueued = expirySink.yield(Expiry(id: id, grace: grace, reason: reason))
        {
            return
        }
        resolve(id, .failure(reason))
    }

    /// The method of the notification that cancels a request, with the parameters `{"id": ...}`.
    private static let cancellation = "rpc.cancel"

    /// Sends a request whose answer is delivered among the ``notifications``, in the order in which the peer sent both.
    ///
    /// Use it to maintain a copy of the peer's state. For that, an answer must not overtake earlier notifications.
    ///
    /// - Returns: The identifier of the request; ``Answer/id`` of the answer has the same value. No answer is delivered
    ///   if the connection ends first.
    /// - Throws: ``LineRPCError`` if the request can't be sent.
    package func ask(_ method: String, _ params: JSONValue = [:]) throws(LineRPCError) -> Int64 {
        let id = nextID()
        let isFull = state.withLock { state in
            guard state.asked.count < limits.outstandingRequests else { return true }
            state.asked.insert(id)
            return false
        }
        guard !isFull else { throw .tooManyRequests }
        if let refusal = send(.request(id: .integer(id), method: method, params: params)) {
            state.withLock { _ = $0.asked.remove(id) }
            throw refusal
        }
        return id
    }

    /// Sends a notification.
    ///
    /// - Throws: ``LineRPCError`` if the notification can't be sent, for example because the peer reads too slowly.
    package func notify(_ method: String, _ params: JSONValue = [:]) throws(LineRPCError) {
        if let refusal = send(.notification(method: method, params: params)) { throw refusal }
    }

    /// Answers a request from the peer.
    ///
    /// Further answers to the same request are ignored.
    ///
    /// A result that exceeds the longest line is replaced with ``RPCFailure/answerTooLong``.
    package func answer(_ number: UInt64, with result: Result<JSONValue, RPCFailure>) {
        guard let id = state.withLock({ $0.open.close(number) }) else { return }
        switch result {
        case .success(let value): reply(.response(id: id, result: value))
        case .failure(let failure): reply(.failure(id: id, failure))
        }
    }

    /// Waits until fewer bytes than `mark` are buffered for the peer.
    ///
    /// A sender that calls this before each message is slowed down if the peer is slow; otherwise, it would lose the
    /// connection.
    ///
    /// It also returns when the connection ends and when the caller is canceled.
    ///
    /// - Parameter mark: The number of bytes, at least 1.
    package func drained(below mark: Int = 1) async { await outbox.drained(below: mark) }

    package func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for call in waiting { call.continuation.resume(throwing: LineRPCError.closed) }
        outbox.close()
        expirySink.finish()
        notificationSink.finish()
        hangUp()
    }

    // MARK: Connection

    /// Serves the connection until it ends or the task is canceled.
    ///
    /// After a cancellation, it reads no further lines, cancels the running requests, and sends the answers that are
    /// already queued.
    func run(
        _ inbound: NIOAsyncChannelInboundStream<LineSplitter.Event>,
        over channel: any Channel, _ service: PeerService
    ) async {
        // An unstructured task, because it must send the answers to canceled requests even after a cancellation.
        let writing = Task { await write(to: channel) }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.awaitExpiries() }
            await withDiscardingTaskGroup { requests in
                let receiver = receiver(service, in: &requests)
                await take(inbound, for: receiver, in: &requests)
                // If the peer has disconnected, it can't receive any answers.
                if !Task.isCancelled { close() }
                if case .session(let inbox) = receiver { inbox.finish() }
                requests.cancelAll()
            }
            await closeWhenSent()
            group.cancelAll()
        }
        await writing.value
    }

    private func take(
        _ inbound: NIOAsyncChannelInboundStream<LineSplitter.Event>, for receiver: RequestReceiver,
        in requests: inout DiscardingTaskGroup
    ) async {
        do {
            for try await event in inbound {
                switch event {
                case .tooLong:
                    logger.debug("line length exceeded", metadata: ["limit": "\(limits.lineLength)"])
                    reply(.failure(id: nil, .invalidRequest("the line is longer than \(limits.lineLength) bytes")))
                case .line(let line): received(line, receiver, in: &requests)
                }
                // A peer can cause any number of rejections without reading them, so wait until it reads.
                if receiver.isSession { await outbox.drained(below: limits.lineLength) }
            }
        } catch {
            logger.debug("connection lost", metadata: ["error": "\(error)"])
        }
    }

    /// Closes the connection once all lines have been handed to the system, or after the close timeout.
    private func closeWhenSent() async {
        // Unstructured tasks, because this function runs during a cancellation and the tasks must not be canceled with
        // it.
        let leaving = Task { await outbox.drained(below: 1) }
        let time = Task {
            try? await Task.sleep(for: limits.closeTimeout)
            leaving.cancel()
        }
        await leaving.value
        time.cancel()
        close()
    }

    /// The receiver of the peer's requests.
    private enum RequestReceiver {
        case none
        case handler(any LineRPCHandler)
        case session(AsyncStream<LineRPCInput>.Continuation)

        var isSession: Bool { if case .session = self { true } else { false } }
    }

    private func receiver(_ service: PeerService, in group: inout DiscardingTaskGroup) -> RequestReceiver {
        switch service {
        case .none: return .none
        case .handler(let handler): return .handler(handler)
        case .sessions(let sessions):
            // This stream needs no limit, because the number of open requests is limited and each is canceled at most
            // once.
            let (inputs, inbox) = AsyncStream.makeStream(of: LineRPCInput.self, bufferingPolicy: .unbounded)
            group.addTask {
                await sessions.serve(self, inputs)
                await self.closeWhenSent()
            }
            return .session(inbox)
        }
    }

    private func received(_ line: [UInt8], _ receiver: RequestReceiver, in group: inout DiscardingTaskGroup) {
        let message: RPCMessage
        do {
            message = try RPCMessage(parsing: line)
        } catch {
            reply(.failure(id: error.id, error.failure))
            return
        }
        switch message {
        case .request(let id, let method, let params):
            switch receiver {
            case .none: reply(.failure(id: id, .methodNotFound(method)))
            case .handler(let handler):
                let isFree = state.withLock { state in
                    guard state.requestsAtWork < limits.outstandingRequests else { return false }
                    state.requestsAtWork += 1
                    return true
                }
                guard isFree else {
                    reply(.failure(id: id, .tooManyRequests))
                    return
                }
                group.addTask {
                    await self.answer(id, method, params, with: handler)
                    self.state.withLock { $0.requestsAtWork -= 1 }
                }
            case .session(let inbox):
                let opened: Result<UInt64, RPCFailure> = state.withLock { state in
                    // Pending requests are kept in memory, so their total length is limited to the length of a single
                    // request.
                    guard state.open.count < limits.outstandingRequests,
                        state.open.count == 0 || state.open.length + line.count <= limits.lineLength
                    else { return .failure(.tooManyRequests) }
                    guard let number = state.open.open(id, length: line.count) else {
                        return .failure(.invalidRequest("another request with this id is still pending"))
                    }
                    return .success(number)
                }
                switch opened {
                case .success(let number): inbox.yield(.request(number: number, method: method, params: params))
                case .failure(let failure): reply(.failure(id: id, failure))
                }
            }
        case .notification(Self.cancellation, let params):
            // Handlers aren't notified of a cancellation. The peer ignores the answer.
            guard case .session(let inbox) = receiver, let id = RPCMessage.ID(params["id"]),
                let number = state.withLock({ $0.open.cancel(id) })
            else { return }
            inbox.yield(.cancelled(number: number))
        case .notification where receiver.isSession:
            // Sessions don't read notifications, so notifications aren't stored.
            break
        case .notification(let method, let params):
            handOn(Notification(method: method, params: params))
        case .response(.integer(let id), let result):
            if !handOn(.success(result), to: id) { resolve(id, .success(result)) }
        case .failure(.integer(let id)?, let failure):
            if !handOn(.failure(failure), to: id) { resolve(id, .failure(failure)) }
        case .response, .failure: logger.debug("response ignored")
        }
    }

    private func handOn(_ notification: Notification) {
        switch notificationSink.yield(notification) {
        case .enqueued, .terminated: break
        case .dropped:
            logger.debug("notification buffer overflowed")
            close()
        @unknown default: break
        }
    }

    private func handOn(_ result: Result<JSONValue, RPCFailure>, to id: Int64) -> Bool {
        guard state.withLock({ $0.asked.remove(id) }) != nil else { return false }
        handOn(Notification(method: "", params: [:], answer: Answer(id: id, result: result)))
        return true
    }

    private func answer(
        _ id: RPCMessage.ID, _ method: String, _ params: JSONValue, with handler: any LineRPCHandler
    ) async {
        do {
            reply(.response(id: id, result: try await handler.call(method, params, from: self)))
        } catch let failure as RPCFailure {
            reply(.failure(id: id, failure))
        } catch LineRPCError.closed {
            // The peer was disconnected, and the reason is already in the log.
        } catch is CancellationError {
            // The peer has disconnected, or the server is shutting down and closes the connection.
        } catch {
            logger.error("request failed", metadata: ["method": "\(method)", "error": "\(error)"])
            reply(.failure(id: id, .internalError))
        }
    }

    private func resolve(_ id: Int64, _ result: Result<JSONValue, any Error>) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.continuation.resume(with: result)
    }

    private func awaitExpiries() async {
        await withDiscardingTaskGroup { group in
            for await expiry in expiries {
                group.addTask {
                    // A cancellation ends the additional wait.
                    try? await Task.sleep(for: expiry.grace)
                    self.resolve(expiry.id, .failure(expiry.reason))
                }
            }
            group.cancelAll()
        }
    }

    // MARK: Outbox

    private func reply(_ message: RPCMessage) {
        guard send(message) == .tooLong, case .response(let id, _) = message else { return }
        _ = send(.failure(id: id, .answerTooLong))
    }

    private func send(_ message: RPCMessage) -> LineRPCError? {
        let line = message.line
        guard line.count <= limits.sentLineLength + 1 else { return .tooLong }
        switch outbox.append(line) {
        case .fits: return nil
        case .closed: return .closed
        case .overflow:
            logger.warning("send buffer overflowed", metadata: ["bytes": "\(limits.outbox)"])
            close()
            return .closed
        }
    }

    private func write(to channel: any Channel) async {
        for await line in outbox.lines {
            do {
                // Wait until the system has taken the line: closing the channel discards the lines that it buffers.
                try await channel.writeAndFlush(ByteBuffer(bytes: line))
            } catch {
                // `close` also resumes the tasks that wait in `drained(below:)`.
                return close()
            }
            outbox.sent(line.count)
        }
    }
}

/// The service that answers a peer's requests.
enum PeerService: Sendable {
    /// No service: all requests are rejected.
    case none
    case handler(any LineRPCHandler)
    case sessions(any LineRPCSessions)
}

/// A handler that answers a peer's requests.
package protocol LineRPCHandler: Sendable {
    /// Answers one request.
    ///
    /// Requests from one peer run concurrently. A request's task is canceled when the peer disconnects. While the task
    /// runs, it may send notifications to the peer, so a request that doesn't return is a subscription.
    ///
    /// - Parameters:
    ///   - method: The method name.
    ///   - params: An object or an array; an empty object if the peer sent no parameters.
    ///   - peer: The requester.
    /// - Returns: The result.
    /// - Throws: An ``RPCFailure``, which is sent as the answer. For any other error, "internal error" is sent, without
    ///   details.
    func call(_ method: String, _ params: JSONValue, from peer: LineRPCPeer) async throws -> JSONValue
}
