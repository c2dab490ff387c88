/// The pending requests to one device.
///
/// They are sent one at a time, no faster than the device allows. Each is repeated until it is answered or times out.
///
/// Datagrams can get lost. Therefore a request is sent up to six times, and fails 1.7 s after the first attempt. This
/// is shorter than the 2 s after which the host gives up on a command. If one datagram in ten is lost, one request in
/// 20,000 fails.
package struct RequestQueue<Request: Equatable & Sendable>: Sendable {
    package struct Entry: Equatable, Sendable {
        package let request: Request
        /// The command that the request belongs to, or `nil` for a query.
        package let command: Int?
        /// The request's number, which is the same for all attempts.
        package let number: UInt8
        fileprivate var attempts = 0
        /// A Boolean value that indicates whether the request is sent only once, because the device is probably absent.
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

    /// The current request, which is unanswered.
    package var awaited: Entry? { current }

    /// Adds the requests of a command before all queries.
    ///
    /// If a query is in flight, it is sent again after the command.
    package mutating func add(_ requests: [Request], command: Int) {
        if let question = current, question.command == nil {
            waiting.insert(question, at: 0)
            current = nil
        }
        let place = waiting.firstIndex { $0.command == nil } ?? waiting.count
        waiting.insert(contentsOf: requests.map { entry($0, command: command) }, at: place)
    }

    /// Adds a query.
    ///
    /// A probe is a query that is sent only once.
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

    /// Removes the current request after its answer.
    ///
    /// Returns the number of its command if this was the command's last request, otherwise `nil`.
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

    /// Removes all requests.
    ///
    /// Returns the numbers of the commands that they belonged to.
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

    /// The time at which the result of ``transmit(now:)`` or ``isGivenUp(now:)`` changes; `nil` if there are no
    /// requests.
    package var deadline: Duration? {
        guard let current else { return waiting.isEmpty ? nil : pace.mayAt }
        if current.attempts == 0 { return pace.mayAt }
        return current.attempts < limit(current) ? max(retryAt, pace.mayAt) : retryAt
    }

    private func limit(_ entry: Entry) -> Int { entry.isProbe ? 1 : Self.timeouts.count }
}
