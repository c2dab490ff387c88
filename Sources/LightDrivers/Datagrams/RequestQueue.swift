/// The requests to one device: one at a time, repeated until it is answered or times out, and limited to the device's
/// pace.
///
/// Datagrams get lost. A request is sent up to six times within 1.7 s, so that a command has succeeded or failed before
/// the host gives up after 2 s. If one datagram in ten is lost, one command in 20,000 fails.
package struct RequestQueue<Request: Equatable & Sendable>: Sendable {
    package struct Entry: Equatable, Sendable {
        package let request: Request
        /// The command that it belongs to, or `nil` for a query.
        package let command: Int?
        /// The request's number, which stays the same for each attempt.
        package let number: UInt8
        fileprivate var attempts = 0
        /// A Boolean value that indicates whether it is sent only once, because the device is probably absent.
        fileprivate let isProbe: Bool
    }

    /// The time to wait for an answer after each attempt.
    static var timeouts: [Duration] { [200, 200, 250, 300, 350, 400].map { .milliseconds($0) } }

    private var pace: Pace
    private var current: Entry?
    private var waiting: [Entry] = []
    private var retryAt: Duration = .zero
    private var number: UInt8 = 0

    package init(burst: Int, perSecond: Int) {
        pace = Pace(interval: .seconds(1) / max(perSecond, 1), burst: max(burst, 1))
    }

    package var isEmpty: Bool { current == nil && waiting.isEmpty }

    package var hasCommand: Bool { current?.command != nil || waiting.contains { $0.command != nil } }

    /// The request that was sent and isn't answered.
    package var awaited: Entry? { current }

    /// Adds a command before all queries; a query in flight is repeated later.
    package mutating func add(_ requests: [Request], command: Int) {
        if let question = current, question.command == nil {
            waiting.insert(question, at: 0)
            current = nil
        }
        let place = waiting.firstIndex { $0.command == nil } ?? waiting.count
        waiting.insert(contentsOf: requests.map { entry($0, command: command) }, at: place)
    }

    /// Adds a query; a probe is sent only once.
    package mutating func ask(_ request: Request, isProbe: Bool = false) {
        waiting.append(entry(request, command: nil, isProbe: isProbe))
    }

    private mutating func entry(_ request: Request, command: Int?, isProbe: Bool = false) -> Entry {
        number &+= 1
        return Entry(request: request, command: command, number: number, isProbe: isProbe)
    }

    package mutating func transmit(now: Duration) -> Entry? {
        if current == nil, !waiting.isEmpty {
            current = waiting.removeFirst()
            current?.attempts = 0
        }
        guard var entry = current, entry.attempts < limit(entry), pace.mayAt <= now,
            entry.attempts == 0 || retryAt <= now
        else { return nil }
        retryAt = now + Self.timeouts[min(entry.attempts, Self.timeouts.count - 1)]
        entry.attempts += 1
        current = entry
        pace.sent(now: now)
        return entry
    }

    /// Removes the answered request; returns its command if that is complete, otherwise `nil`.
    package mutating func answered() -> Int? {
        let command = current?.command
        current = nil
        guard let command, !waiting.contains(where: { $0.command == command }) else { return nil }
        return command
    }

    /// Returns whether all attempts of the current request have timed out.
    package func isGivenUp(now: Duration) -> Bool {
        guard let current else { return false }
        return current.attempts >= limit(current) && retryAt <= now
    }

    /// Removes all requests; returns the commands among them.
    package mutating func clear() -> [Int] {
        let commands = Set(([current] + waiting).compactMap { $0?.command })
        current = nil
        waiting = []
        return commands.sorted()
    }

    /// Removes a command's unanswered requests.
    package mutating func cancel(_ command: Int) {
        waiting.removeAll { $0.command == command }
        if current?.command == command { current = nil }
    }

    /// The time at which ``transmit(now:)`` or ``isGivenUp(now:)`` has a new result.
    package var deadline: Duration? {
        guard let current else { return waiting.isEmpty ? nil : pace.mayAt }
        if current.attempts == 0 { return pace.mayAt }
        return current.attempts < limit(current) ? max(retryAt, pace.mayAt) : retryAt
    }

    private func limit(_ entry: Entry) -> Int { entry.isProbe ? 1 : Self.timeouts.count }
}
