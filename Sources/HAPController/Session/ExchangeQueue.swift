internal import HAPProtocol

/// A queue of requests, one of which is in progress.
///
/// Accessories respond in order, and many don't accept a second request before they have answered the first. Related
/// requests, such as a prepare request and its timed write, form an exchange; no other request comes between them.
struct ExchangeQueue<Token: Equatable & Sendable>: Sendable {
    /// The maximum number of waiting exchanges.
    static var capacity: Int { 256 }

    /// A group of related requests, and the responses received so far.
    struct Exchange: Sendable {
        let token: Token
        fileprivate var remaining: ArraySlice<HTTPRequest>
        fileprivate(set) var responses: [HTTPResponse] = []
    }

    /// The next step for the session.
    enum Action: Sendable {
        case wait
        case send(HTTPRequest)
        /// The exchange is complete; call ``next()`` again.
        case finish(Token, [HTTPResponse])
        /// No request matches this response.
        case refuse
    }

    private var underWay: Exchange?
    private var waiting: [Exchange] = []

    /// The token of the exchange in progress.
    var current: Token? { underWay?.token }

    /// Adds related requests as one exchange.
    ///
    /// - Returns: `false` if too many exchanges are already waiting.
    mutating func add(_ requests: [HTTPRequest], as token: Token) -> Bool {
        guard waiting.count < Self.capacity else { return false }
        waiting.append(Exchange(token: token, remaining: requests[...]))
        return true
    }

    /// Starts the next exchange, unless one is in progress.
    mutating func next() -> Action {
        guard underWay == nil, !waiting.isEmpty else { return .wait }
        var exchange = waiting.removeFirst()
        guard let request = exchange.remaining.popFirst() else { return .finish(exchange.token, []) }
        underWay = exchange
        return .send(request)
    }

    /// Records a response and returns the next step.
    ///
    /// If a request gets an error status, the remaining requests of its exchange aren't sent.
    mutating func received(_ response: HTTPResponse) -> Action {
        guard var exchange = underWay else { return .refuse }
        exchange.responses.append(response)
        if (200...299).contains(response.status), let request = exchange.remaining.popFirst() {
            underWay = exchange
            return .send(request)
        }
        underWay = nil
        return .finish(exchange.token, exchange.responses)
    }

    /// Cancels an exchange: drops its unsent requests, and ignores responses to sent ones.
    mutating func cancel(_ token: Token) {
        waiting.removeAll { $0.token == token }
        if underWay?.token == token { underWay?.remaining = [] }
    }

    /// Removes all exchanges and returns their tokens, because the connection has ended.
    mutating func removeAll() -> [Token] {
        defer {
            underWay = nil
            waiting = []
        }
        return (underWay.map { [$0.token] } ?? []) + waiting.map(\.token)
    }
}
