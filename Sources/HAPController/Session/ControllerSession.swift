internal import AsyncKit
internal import HAPCrypto
package import HAPProtocol

/// A connection to an accessory server, seen by the controller: requests in order, each with its deadline, and events.
///
/// Whoever makes one runs ``run(onEvent:)`` beside its requests, and closes it. Bytes are taken no faster than events are:
/// an accessory that sends without end is slowed down by TCP and costs no memory, and ``EventBudget`` limits its processor
/// time.
package actor ControllerSession {
    private let connection: any ByteConnection
    private var stream = MessageStream(role: .controller)
    private var queue = ExchangeQueue<Int>()
    private var askers: [Int: CheckedContinuation<Result<[HTTPResponse], RequestError>, Never>] = [:]
    private var lastToken = 0
    private var limits: [Int: Duration] = [:]
    private let deadlineChanged = AsyncSignal()
    private var budget = EventBudget()
    /// When the answer to the request under way is due; `nil` while there is none.
    private(set) var deadline: ContinuousClock.Instant?

    /// Why the connection has ended; `nil` as long as it has not.
    package private(set) var end: SessionEnd?

    package init(_ connection: any ByteConnection) { self.connection = connection }

    // MARK: Life

    /// Carries the connection until it ends.
    ///
    /// - Parameters:
    ///   - onEvent: gets the body of each event, in order; the next bytes are taken when it returns.
    ///   - onDrop: is called when events were dropped because there were too many, once a second at most; values must be
    ///     read no earlier than ``EventBudget/noticeInterval`` later.
    /// - Returns: why the connection has ended.
    @discardableResult
    package func run(
        onEvent: @escaping @Sendable ([UInt8]) async -> Void, onDrop: @escaping @Sendable () async -> Void = {}
    ) async -> SessionEnd {
        async let watching: Void = watchDeadlines()
        await withTaskCancellationHandler {
            while end == nil, let bytes = await connection.receive() {
                stream.received(bytes)
                await take(onEvent, onDrop)
                // TCP slows down an accessory that floods.
                if budget.isExhausted(now: .now) { try? await Task.sleep(for: Self.floodPause) }
            }
        } onCancel: {
            connection.close()
        }
        close(Task.isCancelled ? .closed : .lost)
        await watching
        return end ?? .lost
    }

    /// Ends the connection; only the first reason counts.
    package func close(_ reason: SessionEnd = .closed) {
        guard end == nil else { return }
        end = reason
        connection.close()
        deadlineChanged.send()
        for token in queue.removeAll() { finish(token, .failure(.ended(reason))) }
    }

    /// The pause before more is read from an accessory that floods.
    private static let floodPause = Duration.milliseconds(50)

    private func take(_ onEvent: @Sendable ([UInt8]) async -> Void, _ onDrop: @Sendable () async -> Void) async {
        do {
            while end == nil, let message = try stream.next() {
                switch message {
                case .response(let response):
                    // 1xx announces an answer and is none.
                    if response.status >= 200 { perform(queue.received(response)) }
                case .event(let body):
                    if budget.take(now: .now) {
                        await onEvent(body)
                    } else if budget.dropped(now: .now) {
                        await onDrop()
                    }
                case .request: close(.badAnswer)
                }
            }
        } catch {
            close(.violation(error))
        }
    }

    /// An answer that does not come leaves no way to tell what the next one belongs to.
    private func watchDeadlines() async {
        while end == nil, !Task.isCancelled {
            if let deadline, deadline <= .now {
                close(.timedOut)
            } else {
                await deadlineChanged.wait(until: deadline)
            }
        }
    }

    // MARK: Requests

    /// Sends requests that belong together, each when the one before has been answered, and waits for the answers.
    ///
    /// - Parameters:
    ///   - requests: one or more; those behind one that fails as a whole are not sent.
    ///   - limit: how long each answer may take.
    /// - Returns: one answer for each request that was sent.
    /// - Throws: ``RequestError``; `canceled` at once if the task is canceled, whether or not a request was sent.
    package func exchange(
        _ requests: [HTTPRequest], within limit: Duration
    ) async throws(RequestError) -> [HTTPResponse] {
        if let end { throw .ended(end) }
        if Task.isCancelled { throw .canceled }
        lastToken += 1
        let token = lastToken
        guard queue.add(requests, as: token) else { throw .tooMany }
        limits[token] = limit
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                askers[token] = continuation
                perform(queue.next())
                if Task.isCancelled { cancel(token) }
            }
        } onCancel: {
            Task { await self.cancel(token) }
        }
        return try result.get()
    }

    /// Ends the wait of a canceled caller.
    ///
    /// A request that was sent keeps its place and its deadline, because answers come in order.
    private func cancel(_ token: Int) {
        queue.cancel(token)
        finish(token, .failure(.canceled))
    }

    /// Sends a request and waits for its answer.
    ///
    /// - Throws: ``RequestError``.
    package func request(_ request: HTTPRequest, within limit: Duration) async throws(RequestError) -> HTTPResponse {
        guard let response = try await exchange([request], within: limit).first else { throw .ended(.badAnswer) }
        return response
    }

    /// Whether both directions are sealed.
    package var isSecured: Bool { stream.isSecured }

    /// Seals both directions from here on; to be called when the answer to M3 has come and before anything else is sent.
    package func secure(with keys: SessionKeys) { stream.secure(with: keys) }

    private func perform(_ action: ExchangeQueue<Int>.Action) {
        var action = action
        while true {
            switch action {
            case .wait:
                return
            case .refuse:
                close(.badAnswer)
                return
            case .send(let request):
                send(request)
                return
            case .finish(let token, let responses):
                deadline = nil
                deadlineChanged.send()
                finish(token, .success(responses))
                action = queue.next()
            }
        }
    }

    private func send(_ request: HTTPRequest) {
        do throws(ProtocolViolation) {
            let bytes = try stream.encode(.request(request))
            deadline = .now + (queue.current.flatMap { limits[$0] } ?? .zero)
            deadlineChanged.send()
            connection.send(bytes)
        } catch {
            close(.violation(error))
        }
    }

    private func finish(_ token: Int, _ result: Result<[HTTPResponse], RequestError>) {
        limits[token] = nil
        askers.removeValue(forKey: token)?.resume(returning: result)
    }
}

/// Why a connection to an accessory has ended.
package enum SessionEnd: Error, Equatable, Sendable {
    /// We wanted it.
    case closed
    /// The accessory closed it, or the network did.
    case lost
    /// An answer did not come in time.
    case timedOut
    /// The accessory broke the protocol.
    case violation(ProtocolViolation)
    /// The accessory sent what it was not asked for, or a body that is not of HAP's form.
    case badAnswer
    /// The accessory does not take the connection for a session any more (HTTP 401, 403 or 470).
    case notAuthorized
}

/// Why a request has no answer.
package enum RequestError: Error, Equatable, Sendable {
    /// The connection ended first.
    case ended(SessionEnd)
    /// Too many requests wait already.
    case tooMany
    /// The caller was canceled; what was sent may be carried out.
    case canceled
}
