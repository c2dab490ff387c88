package import BoundedJSON
import Logging
import NIOCore
import Synchronization

/// The other end of a connection: somebody to ask, to tell and to listen to.
///
/// Both ends are alike: each may send requests and notifications. Everything that waits is bounded by ``LineLimits``;
/// a peer that does not keep to them, or reads too slowly, loses the connection.
package final class LineRPCPeer: Sendable {
    /// Something told without asking for an answer, or the answer to ``ask(_:_:)``.
    package struct Notification: Equatable, Sendable {
        package var method: String
        package var params: JSONValue
        /// What the peer answers, if it does; then it tells nothing.
        package var answer: Answer?
    }

    /// The answer to ``ask(_:_:)``.
    package struct Answer: Equatable, Sendable {
        package var id: Int64
        package var result: Result<JSONValue, RPCFailure>
    }

    /// What the peer tells, for one reader; ends with the connection.
    ///
    /// In a session nothing is told.
    package let notifications: AsyncStream<Notification>

    /// Who the peer is, as the system says; known to servers only.
    package let identity: PeerIdentity?

    /// A call of ours that waits for its answer.
    private struct Waiting {
        let continuation: CheckedContinuation<JSONValue, any Error>
        let grace: Duration?
        var isSent = false
        /// Why the caller stopped waiting.
        var reason: (any Error)?
    }

    /// A call that has its grace left.
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
        /// What was asked and is answered among the notifications.
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
        // Bounded by our own calls: each is given up once.
        (expiries, expirySink) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
        outbox = LineOutbox(limit: limits.outbox)
    }

    // MARK: Asking and telling

    /// Asks the peer and waits for its answer.
    ///
    /// A peer that is not waited for any more, because of the deadline or because the caller is cancelled, is notified.
    ///
    /// - Parameters:
    ///   - method: what is asked.
    ///   - params: an object or an array.
    ///   - deadline: how long to wait; `nil` for as long as the connection lasts.
    ///   - grace: how long to wait for the answer after that, which tells what the peer had done by then; `nil` not at
    ///     all.
    /// - Returns: the result.
    /// - Throws: ``RPCFailure`` if the peer says no, ``LineRPCError`` if no answer comes, `CancellationError`.
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
                    // The handler below may have run before there was a continuation to find.
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

    /// The caller stopped waiting for an answer.
    private func giveUp(_ id: Int64, because reason: any Error) {
        let isSent = state.withLock { state in
            guard let waiting = state.waiting[id], waiting.reason == nil else { return false }
            state.waiting[id]?.reason = reason
            // The cancellation must not overtake the request.
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

    /// The notification that says that a request is not waited for: `{"id": ...}`.
    private static let cancellation = "rpc.cancel"

    /// Asks the peer, and has its answer put among the ``notifications``, in the order in which the peer sent both.
    ///
    /// For whoever keeps a copy of what the peer has: an answer must not overtake the notifications before it.
    ///
    /// - Returns: what the answer refers to; if the connection ends before, there is none.
    /// - Throws: ``LineRPCError`` if it cannot be sent.
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

    /// Tells the peer something that wants no answer.
    ///
    /// - Throws: ``LineRPCError`` if it cannot be sent, also because the peer reads too slowly.
    package func notify(_ method: String, _ params: JSONValue = [:]) throws(LineRPCError) {
        if let refusal = send(.notification(method: method, params: params)) { throw refusal }
    }

    /// Answers a request of the peer; another answer to it isn't sent.
    ///
    /// A result that exceeds the longest line becomes the failure that says so.
    package func answer(_ number: UInt64, with result: Result<JSONValue, RPCFailure>) {
        guard let id = state.withLock({ $0.open.close(number) }) else { return }
        switch result {
        case .success(let value): reply(.response(id: id, result: value))
        case .failure(let failure): reply(.failure(id: id, failure))
        }
    }

    /// Waits until few bytes wait for the peer.
    ///
    /// Whoever sends only after this blocks at a peer that does not read, instead of losing it.
    ///
    /// - Parameter mark: fewer bytes than this, at least 1; it returns at the end of the connection, too, and when the
    ///   caller is cancelled.
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

    // MARK: The connection

    /// Serves the connection until it ends or the task is cancelled: then nothing more is taken, what is at work is
    /// cancelled, and what has been answered leaves.
    func run(
        _ inbound: NIOAsyncChannelInboundStream<LineSplitter.Event>,
        over channel: any Channel, _ service: PeerService
    ) async {
        // No child of ours: what is answered because we are cancelled has to leave, too.
        let writing = Task { await write(to: channel) }
        await withDiscardingTaskGroup { group in
            group.addTask { await self.awaitExpiries() }
            await withDiscardingTaskGroup { requests in
                let receiver = receiver(service, in: &requests)
                await take(inbound, for: receiver, in: &requests)
                // If the peer has disconnected, there is no one to answer.
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
                    reply(.failure(id: nil, .invalidRequest("a line may have \(limits.lineLength) bytes")))
                case .line(let line): received(line, receiver, in: &requests)
                }
                // What is refused at once is as much as the peer likes to send, read or not.
                if receiver.isSession { await outbox.drained(below: limits.lineLength) }
            }
        } catch {
            logger.debug("connection lost", metadata: ["error": "\(error)"])
        }
    }

    /// Ends the connection once the system has all that was said, or the peer has had its time to read.
    private func closeWhenSent() async {
        // Neither ends because we are cancelled; that is when they are needed.
        let leaving = Task { await outbox.drained(below: 1) }
        let time = Task {
            try? await Task.sleep(for: limits.closeTimeout)
            leaving.cancel()
        }
        await leaving.value
        time.cancel()
        close()
    }

    /// Whoever takes the peer's requests.
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
            // Bounded by the requests that are open, each of which can be cancelled once.
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
                    // What waits is kept: together it is no more than one request may be.
                    guard state.open.count < limits.outstandingRequests,
                        state.open.count == 0 || state.open.length + line.count <= limits.lineLength
                    else { return .failure(.tooManyRequests) }
                    guard let number = state.open.open(id, length: line.count) else {
                        return .failure(.invalidRequest("another request of this id is not answered yet"))
                    }
                    return .success(number)
                }
                switch opened {
                case .success(let number): inbox.yield(.request(number: number, method: method, params: params))
                case .failure(let failure): reply(.failure(id: id, failure))
                }
            }
        case .notification(Self.cancellation, let params):
            // To a handler it means nothing: who it is for does not wait any more.
            guard case .session(let inbox) = receiver, let id = RPCMessage.ID(params["id"]),
                let number = state.withLock({ $0.open.cancel(id) })
            else { return }
            inbox.yield(.cancelled(number: number))
        case .notification where receiver.isSession:
            // There is no listener, so nothing is kept.
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
            // It was dropped, which has been logged.
        } catch is CancellationError {
            // The peer is gone, or the server ends, which the peer sees.
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
                    // If we are cancelled, there is no grace.
                    try? await Task.sleep(for: expiry.grace)
                    self.resolve(expiry.id, .failure(expiry.reason))
                }
            }
            group.cancelAll()
        }
    }

    // MARK: The outbox

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
                // Until the system has it: what waits in the channel is lost when that is closed.
                try await channel.writeAndFlush(ByteBuffer(bytes: line))
            } catch {
                // Whoever waits until it is read waits no more.
                return close()
            }
            outbox.sent(line.count)
        }
    }
}

/// What answers a peer's requests.
enum PeerService: Sendable {
    /// Nothing: they are refused.
    case none
    case handler(any LineRPCHandler)
    case sessions(any LineRPCSessions)
}

/// What answers a peer's requests.
package protocol LineRPCHandler: Sendable {
    /// Answers one request.
    ///
    /// Requests of one peer run side by side; the task is cancelled when the peer goes away. While it runs it may send
    /// notifications to the peer, so a request that does not end is a subscription.
    ///
    /// `params` is an object or an array; an empty object if the peer sent none.
    ///
    /// - Throws: an ``RPCFailure`` is the answer; of any other error the peer learns no more than "internal error".
    func call(_ method: String, _ params: JSONValue, from peer: LineRPCPeer) async throws -> JSONValue
}
