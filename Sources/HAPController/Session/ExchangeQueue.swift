internal import HAPProtocol

/// Requests in the order in which they were made, one of them under way: accessories answer in order, and many take no
/// second request before they have answered the first.
///
/// Some belong together, such as a timed write and what announces it; nothing comes between them.
struct ExchangeQueue<Token: Equatable & Sendable>: Sendable {
    /// The most that wait.
    static var capacity: Int { 256 }

    /// Requests that belong together, and what has come back.
    struct Exchange: Sendable {
        let token: Token
        fileprivate var remaining: ArraySlice<HTTPRequest>
        fileprivate(set) var responses: [HTTPResponse] = []
    }

    /// What to do next.
    enum Action: Sendable {
        case wait
        case send(HTTPRequest)
        /// The exchange is over; look for more.
        case finish(Token, [HTTPResponse])
        /// There is no request for this answer.
        case refuse
    }

    private var underWay: Exchange?
    private var waiting: [Exchange] = []

    /// The exchange that is under way.
    var current: Token? { underWay?.token }

    /// Takes requests that belong together.
    ///
    /// - Returns: false if too many wait already.
    mutating func add(_ requests: [HTTPRequest], as token: Token) -> Bool {
        guard waiting.count < Self.capacity else { return false }
        waiting.append(Exchange(token: token, remaining: requests[...]))
        return true
    }

    /// What can be sent now, if anything.
    mutating func next() -> Action {
        guard underWay == nil, !waiting.isEmpty else { return .wait }
        var exchange = waiting.removeFirst()
        guard let request = exchange.remaining.popFirst() else { return .finish(exchange.token, []) }
        underWay = exchange
        return .send(request)
    }

    /// An answer came; the rest of an exchange is not sent if one of its requests fails as a whole.
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

    /// The caller no longer waits: what hasn't been sent is dropped, and so are answers to what has been sent.
    mutating func cancel(_ token: Token) {
        waiting.removeAll { $0.token == token }
        if underWay?.token == token { underWay?.remaining = [] }
    }

    /// Takes everything out: the connection has ended.
    mutating func removeAll() -> [Token] {
        defer {
            underWay = nil
            waiting = []
        }
        return (underWay.map { [$0.token] } ?? []) + waiting.map(\.token)
    }
}
