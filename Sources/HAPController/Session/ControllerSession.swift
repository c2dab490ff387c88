package import AsyncKit
internal import HAPCrypto
package import HAPProtocol

/// The controller's end of a connection to an accessory server: ordered requests with deadlines, and events.
///
/// The owner calls ``run(onEvent:onDrop:)`` and sends requests concurrently, and must close the session. The session
/// reads more bytes only after the event handler returns. TCP backpressure therefore slows down an accessory that sends
/// too much, and memory stays bounded. ``EventBudget`` limits the processor time for events.
package actor ControllerSession {
    private let connection: any ByteConnection
    private var stream = MessageStream(role: .controller)
    private var queue = ExchangeQueue<Int>()
    private var askers: [Int: CheckedContinuation<Result<[HTTPResponse], RequestError>, Never>] = [:]
    private var lastToken = 0
    private var limits: [Int: Duration] = [:]
    private let clock: any MonotonicClock
    private let counts: ControllerCounts
    private let deadlineChanged: AsyncSignal
    private var budget = EventBudget()
    /// The deadline of the response to the current request; `nil` if there is no request.
    private(set) var deadline: ContinuousClock.Instant?

    /// The reason for the end of the connection; `nil` while it is open.
    package private(set) var end: SessionEnd?

    /// Creates a session on a connection.
    ///
    /// - Parameters:
    ///   - connection: The connection.
    ///   - clock: The clock for the time limits of responses.
    ///   - counts: The traffic counts of the controller, which the session updates.
    package init(
        _ connection: any ByteConnection, clock: any MonotonicClock = ContinuousClock(),
        counts: ControllerCounts = ControllerCounts()
    ) {
        self.connection = connection
        self.clock = clock
        self.counts = counts
        deadlineChanged = AsyncSignal(clock: clock)
    }

    // MARK: Lifecycle

    /// Processes messages until the connection ends.
    ///
    /// - Parameters:
    ///   - onEvent: Receives the body of each event, in order; more bytes are read only after it returns.
    ///   - onDrop: Called when the session drops events because there are too many, at most once per second. Wait at
    ///     least ``EventBudget/noticeInterval`` before reading the values.
    /// - Returns: The reason why the connection ended.
    @discardableResult
    package func run(
        onEvent: @escaping @Sendable ([UInt8]) async -> Void, onDrop: @escaping @Sendable () async -> Void = {}
    ) async -> SessionEnd {
        async let watching: Void = watchDeadlines()
        await withTaskCancellationHandler {
            while end == nil, let bytes = await connection.receive() {
                stream.received(bytes)
                await take(onEvent, onDrop)
                // While nothing is read, TCP backpressure slows down an accessory that sends too much.
                if budget.isExhausted(now: .now) { try? await Task.sleep(for: Self.floodPause) }
            }
        } onCancel: {
            connection.close()
        }
        close(Task.isCancelled ? .closed : .lost)
        await watching
        return end ?? .lost
    }

    /// Closes the connection.
    ///
    /// If the connection has already ended, the earlier reason remains.
    package func close(_ reason: SessionEnd = .closed) {
        guard end == nil else { return }
        end = reason
        connection.close()
        deadlineChanged.send()
        for token in queue.removeAll() { finish(token, .failure(.ended(reason))) }
    }

    /// The pause between two reads from an accessory that floods the connection.
    private static let floodPause = Duration.milliseconds(50)

    private func take(_ onEvent: @Sendable ([UInt8]) async -> Void, _ onDrop: @Sendable () async -> Void) async {
        do {
            while end == nil, let message = try stream.next() {
                switch message {
                case .response(let response):
                    // A 1xx response is informational; the actual response follows.
                    if response.status >= 200 { perform(queue.received(response)) }
                case .event(let body):
                    if budget.take(now: .now) {
                        counts.count(\.eventMessages)
                        await onEvent(body)
                    } else {
                        counts.count(\.droppedEventMessages)
                        if budget.dropped(now: .now) { await onDrop() }
                    }
                case .request: close(.badAnswer)
                }
            }
        } catch {
            close(.violation(error))
        }
    }

    /// Closes the connection if a response is late, because later responses couldn't be matched to their requests.
    private func watchDeadlines() async {
        while end == nil, !Task.isCancelled {
            if let deadline, deadline <= clock.now {
                close(.timedOut)
            } else {
                await deadlineChanged.wait(until: deadline)
            }
        }
    }

    // MARK: Requests

    /// Sends related requests, each after the response to the previous one, and waits for all responses.
    ///
    /// - Parameters:
    ///   - requests: At least one request. If a request gets an error status, the remaining requests aren't sent.
    ///   - limit: The time limit for each response.
    /// - Returns: One response for each request that was sent.
    /// - Throws: ``RequestError``. If the task is canceled, throws `canceled` immediately, even if a request was
    ///   already sent.
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
    /// A request that was already sent keeps its place and its deadline, because responses arrive in order.
    private func cancel(_ token: Int) {
        queue.cancel(token)
        finish(token, .failure(.canceled))
    }

    /// Sends a request and waits for its response.
    ///
    /// - Throws: ``RequestError``.
    package func request(_ request: HTTPRequest, within limit: Duration) async throws(RequestError) -> HTTPResponse {
        guard let response = try await exchange([request], within: limit).first else { throw .ended(.badAnswer) }
        return response
    }

    /// A Boolean value that indicates whether both directions are encrypted.
    package var isSecured: Bool { stream.isSecured }

    /// Encrypts both directions from now on.
    ///
    /// Call this after the response to M3 and before sending anything else.
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
            deadline = clock.now + (queue.current.flatMap { limits[$0] } ?? .zero)
            deadlineChanged.send()
            counts.count(\.requests)
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

/// The reason why a connection to an accessory ended.
package enum SessionEnd: Error, Equatable, Sendable {
    /// This side closed the connection.
    case closed
    /// The accessory or the network closed the connection.
    case lost
    /// A response didn't arrive in time.
    case timedOut
    /// The accessory violated the protocol.
    case violation(ProtocolViolation)
    /// The accessory sent an unsolicited message, or a body that isn't in HAP's format.
    case badAnswer
    /// The accessory no longer accepts the session (HTTP 401, 403 or 470).
    case notAuthorized
}

/// The reason why a request has no response.
package enum RequestError: Error, Equatable, Sendable {
    /// The connection ended before the response arrived.
    case ended(SessionEnd)
    /// Too many requests are already waiting.
    case tooMany
    /// The caller was canceled; the accessory may still carry out requests that were sent.
    case canceled
}
