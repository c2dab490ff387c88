internal import HAPProtocol

/// The requests that wait for a light's answer, each for 2 s at most (Decision 8).
///
/// All wait equally long, so the order in which they came is the order of their deadlines.
struct CommandWaiters {
    /// Takes the answer.
    typealias Then = @Sendable (HAPStatus) -> Void

    private var waiting: [Int: Then] = [:]
    private var deadlines: [(ticket: Int, at: ContinuousClock.Instant)] = []
    private var lastTicket = 0
    /// The newest: most are answered at once and never wait.
    private var newest: (ticket: Int, then: Then)?

    /// A number for a request that has just come.
    mutating func ticket(_ then: @escaping Then) -> Int {
        if let newest { waiting[newest.ticket] = newest.then }
        lastTicket += 1
        newest = (lastTicket, then)
        return lastTicket
    }

    /// Begins the time of a request that has not been answered at once.
    ///
    /// - Returns: when it will be over; `nil` if the request has its answer.
    mutating func wait(_ ticket: Int, now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        if let newest, newest.ticket == ticket {
            waiting[ticket] = newest.then
            self.newest = nil
        }
        guard waiting[ticket] != nil else { return nil }
        deadlines.append((ticket, now + Self.deadline))
        return now + Self.deadline
    }

    /// Takes out those who have their answer; the caller tells them, because that may bring the next request.
    mutating func take(_ tickets: [Int]) -> [Then] { tickets.compactMap { take($0) } }

    private mutating func take(_ ticket: Int) -> Then? {
        guard let newest, newest.ticket == ticket else { return waiting.removeValue(forKey: ticket) }
        self.newest = nil
        return newest.then
    }

    /// Takes out all whose time is over.
    ///
    /// - Returns: them, and when to ask again; `nil` if nobody waits.
    mutating func expire(now: ContinuousClock.Instant) -> (over: [Then], next: ContinuousClock.Instant?) {
        // In one step: with every session waiting for every light, there are thousands.
        let count = deadlines.firstIndex { $0.at > now && waiting[$0.ticket] != nil } ?? deadlines.count
        let over = deadlines[..<count].compactMap { waiting.removeValue(forKey: $0.ticket) }
        deadlines.removeFirst(count)
        return (over, deadlines.first?.at)
    }
}
