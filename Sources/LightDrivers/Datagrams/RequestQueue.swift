/// What is asked of one device: one request at a time, repeated until it is answered or given up, and never faster than
/// the device can take.
///
/// Datagrams get lost. A request is sent up to six times within 1.7 s, so that a command has arrived or failed before the
/// host gives it up after 2 s; where one datagram in ten is lost, one command in 20,000 fails.
package struct RequestQueue<Request: Equatable & Sendable>: Sendable {
    package struct Entry: Equatable, Sendable {
        package let request: Request
        /// The command that it belongs to, or `nil` for a question.
        package let command: Int?
        /// Which request it is; the same each time it is sent.
        package let number: UInt8
        fileprivate var attempts = 0
        /// Sent once only: what may well not be there.
        fileprivate let isProbe: Bool
    }

    /// How long an answer is awaited after each time of sending.
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

    /// What was sent and is not answered.
    package var awaited: Entry? { current }

    /// Adds a command, before all questions: one that is on its way is asked again later.
    package mutating func add(_ requests: [Request], command: Int) {
        if let question = current, question.command == nil {
            waiting.insert(question, at: 0)
            current = nil
        }
        let place = waiting.firstIndex { $0.command == nil } ?? waiting.count
        waiting.insert(contentsOf: requests.map { entry($0, command: command) }, at: place)
    }

    /// Adds a question; a probe is sent only once.
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

    /// The awaited request is answered; returns the command that is finished with it, if any.
    package mutating func answered() -> Int? {
        let command = current?.command
        current = nil
        guard let command, !waiting.contains(where: { $0.command == command }) else { return nil }
        return command
    }

    /// Whether the awaited request has been sent as often as it may and stayed without an answer.
    package func isGivenUp(now: Duration) -> Bool {
        guard let current else { return false }
        return current.attempts >= limit(current) && retryAt <= now
    }

    /// Forgets everything; returns the commands among it.
    package mutating func clear() -> [Int] {
        let commands = Set(([current] + waiting).compactMap { $0?.command })
        current = nil
        waiting = []
        return commands.sorted()
    }

    /// Forgets a command's requests that are not answered.
    package mutating func cancel(_ command: Int) {
        waiting.removeAll { $0.command == command }
        if current?.command == command { current = nil }
    }

    /// When ``transmit(now:)`` or ``isGivenUp(now:)`` has something to tell.
    package var deadline: Duration? {
        guard let current else { return waiting.isEmpty ? nil : pace.mayAt }
        if current.attempts == 0 { return pace.mayAt }
        return current.attempts < limit(current) ? max(retryAt, pace.mayAt) : retryAt
    }

    private func limit(_ entry: Entry) -> Int { entry.isProbe ? 1 : Self.timeouts.count }
}
