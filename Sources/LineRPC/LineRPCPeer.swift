package import BoundedJSON
import Logging
import NIOCore
import Synchronization

/// The other end of a connection: somebody to ask, to tell and to listen to.
///
/// Both ends are alike: each may send requests and notifications. Everything that waits is bounded by ``LineLimits``;
/// a peer that does not keep to them, or reads too slowly, loses the connection.
package final class LineRPCPeer: Sendable {
    /// Something told without asking for an answer.
    package struct Notification: Equatable, Sendable {
        package var method: String
        package var params: JSONValue
    }

    /// What the peer tells, for one reader; ends with the connection.
    package let notifications: AsyncStream<Notification>

    private struct State {
        var isClosed = false
        var lastID: Int64 = 0
        var waiting: [Int64: CheckedContinuation<JSONValue, any Error>] = [:]
        var waitingBytes = 0
        var requestsAtWork = 0
    }

    private let state = Mutex(State())
    private let limits: LineLimits
    private let logger: Logger
    private let notificationSink: AsyncStream<Notification>.Continuation
    private let outbox: AsyncStream<[UInt8]>
    private let outboxSink: AsyncStream<[UInt8]>.Continuation
    private let hangUp: @Sendable () -> Void

    init(limits: LineLimits, logger: Logger, hangUp: @escaping @Sendable () -> Void) {
        self.limits = limits
        self.logger = logger
        self.hangUp = hangUp
        (notifications, notificationSink) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingOldest(limits.notifications))
        // Bounded by the count of its bytes, in `send`.
        (outbox, outboxSink) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    // MARK: Asking and telling

    /// Asks the peer and waits for its answer.
    ///
    /// - Parameters:
    ///   - method: what is asked.
    ///   - params: an object or an array.
    ///   - deadline: how long to wait; `nil` for as long as the connection lasts.
    /// - Returns: the result.
    /// - Throws: ``RPCFailure`` if the peer says no, ``LineRPCError`` if no answer comes, `CancellationError`.
    package func call(
        _ method: String, _ params: JSONValue = [:], deadline: Duration? = .seconds(10)
    ) async throws -> JSONValue {
        guard let deadline else { return try await call(method, params, id: nextID()) }
        let id = nextID()
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await Task.sleep(for: deadline)
                self.resolve(id, .failure(LineRPCError.timedOut))
            }
            defer { group.cancelAll() }
            return try await self.call(method, params, id: id)
        }
    }

    private func nextID() -> Int64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    private func call(_ method: String, _ params: JSONValue, id: Int64) async throws -> JSONValue {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let refusal: LineRPCError? = state.withLock { state in
                    guard !state.isClosed else { return .closed }
                    guard state.waiting.count < limits.outstandingRequests else { return .tooManyRequests }
                    state.waiting[id] = continuation
                    return nil
                }
                if let refusal {
                    continuation.resume(throwing: refusal)
                } else if Task.isCancelled {
                    // The handler below may have run before there was a continuation to find.
                    resolve(id, .failure(CancellationError()))
                } else if let refusal = send(.request(id: .integer(id), method: method, params: params)) {
                    resolve(id, .failure(refusal))
                }
            }
        } onCancel: {
            resolve(id, .failure(CancellationError()))
        }
    }

    /// Tells the peer something that wants no answer.
    ///
    /// - Throws: ``LineRPCError`` if it cannot be sent, also because the peer reads too slowly.
    package func notify(_ method: String, _ params: JSONValue = [:]) throws(LineRPCError) {
        if let refusal = send(.notification(method: method, params: params)) { throw refusal }
    }

    /// Ends the connection.
    package func close() {
        let waiting = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(throwing: LineRPCError.closed) }
        outboxSink.finish()
        notificationSink.finish()
        hangUp()
    }

    // MARK: The connection

    /// Serves the connection until it ends or the task is cancelled.
    ///
    /// - Parameters:
    ///   - inbound: what the peer sends.
    ///   - outbound: the way to the peer.
    ///   - handler: answers the peer's requests; without one they are refused.
    func run(
        _ inbound: NIOAsyncChannelInboundStream<LineSplitter.Event>,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        handler: (any LineRPCHandler)?
    ) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.write(to: outbound) }
            do {
                for try await event in inbound {
                    switch event {
                    case .tooLong:
                        logger.debug("a line was too long", metadata: ["limit": "\(limits.lineLength)"])
                        reply(.failure(id: nil, .invalidRequest("a line may have \(limits.lineLength) bytes")))
                    case .line(let line): received(line, handler: handler, in: &group)
                    }
                }
            } catch {
                logger.debug("the connection broke", metadata: ["error": "\(error)"])
            }
            close()
            group.cancelAll()
        }
    }

    private func received(_ line: [UInt8], handler: (any LineRPCHandler)?, in group: inout DiscardingTaskGroup) {
        let message: RPCMessage
        do {
            message = try RPCMessage(parsing: line)
        } catch {
            reply(.failure(id: error.id, error.failure))
            return
        }
        switch message {
        case .request(let id, let method, let params):
            guard let handler else {
                reply(.failure(id: id, .methodNotFound(method)))
                return
            }
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
        case .notification(let method, let params):
            switch notificationSink.yield(Notification(method: method, params: params)) {
            case .enqueued, .terminated: break
            case .dropped:
                logger.debug("our reader did not keep up with the peer's notifications")
                close()
            @unknown default: break
            }
        case .response(.integer(let id), let result): resolve(id, .success(result))
        case .failure(.integer(let id)?, let failure): resolve(id, .failure(failure))
        case .response, .failure: logger.debug("an answer belongs to no request of ours")
        }
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
            // The peer is gone; there is nobody to answer.
        } catch {
            logger.error("a request failed", metadata: ["method": "\(method)", "error": "\(error)"])
            reply(.failure(id: id, .internalError))
        }
    }

    private func resolve(_ id: Int64, _ result: Result<JSONValue, any Error>) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(with: result)
    }

    // MARK: The outbox

    private func reply(_ message: RPCMessage) {
        guard send(message) == .tooLong, case .response(let id, _) = message else { return }
        _ = send(.failure(id: id, .answerTooLong))
    }

    private func send(_ message: RPCMessage) -> LineRPCError? {
        let line = message.line
        guard line.count <= limits.lineLength + 1 else { return .tooLong }
        enum Verdict { case closed, overflow, fits }
        let verdict: Verdict = state.withLock { state in
            guard !state.isClosed else { return .closed }
            guard state.waitingBytes + line.count <= limits.outbox else { return .overflow }
            state.waitingBytes += line.count
            // Inside the lock, so that lines leave in the order they were counted.
            outboxSink.yield(line)
            return .fits
        }
        switch verdict {
        case .fits: return nil
        case .closed: return .closed
        case .overflow:
            logger.warning("a peer that reads too slowly was dropped", metadata: ["bytes": "\(limits.outbox)"])
            close()
            return .closed
        }
    }

    private func write(to outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>) async {
        for await line in outbox {
            do {
                try await outbound.write(ByteBuffer(bytes: line))
            } catch {
                break
            }
            state.withLock { $0.waitingBytes -= line.count }
        }
    }
}
