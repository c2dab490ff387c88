internal import HAPProtocol

/// The requests that wait for a light's answer, each for 2 s at most (decision 8).
///
/// All wait equally long, so the order in which they came is the order of their deadlines.
struct CommandWaiters {
    private var waiting: [Int: CheckedContinuation<HAPStatus, Never>] = [:]
    private var deadlines: [(ticket: Int, at: ContinuousClock.Instant)] = []
    private var lastTicket = 0
    /// The ticket whose owner does not wait yet, and its answer if that has come already.
    private var unclaimed: (ticket: Int, answer: HAPStatus?)?

    /// A number for a request that is about to wait.
    mutating func ticket() -> Int {
        lastTicket += 1
        unclaimed = (lastTicket, nil)
        return lastTicket
    }

    /// The answer, if it came before its owner waits.
    mutating func takeAnswer(_ ticket: Int) -> HAPStatus? {
        guard let unclaimed, unclaimed.ticket == ticket else { return nil }
        self.unclaimed = nil
        return unclaimed.answer
    }

    /// The owner of a ticket waits from now on.
    mutating func wait(
        _ ticket: Int, _ continuation: CheckedContinuation<HAPStatus, Never>, now: ContinuousClock.Instant
    ) {
        waiting[ticket] = continuation
        deadlines.append((ticket, now + Self.deadline))
    }

    /// Requests have their answer.
    mutating func answer(_ tickets: [Int], _ status: HAPStatus) {
        for ticket in tickets {
            if let continuation = waiting.removeValue(forKey: ticket) {
                continuation.resume(returning: status)
            } else if unclaimed?.ticket == ticket {
                unclaimed?.answer = status
            }
        }
    }

    /// Answers all whose time is over.
    ///
    /// - Returns: when to ask again; `nil` if nobody waits.
    mutating func expire(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        // In one step: with every session waiting for every light, there are thousands.
        let over = deadlines.firstIndex { $0.at > now && waiting[$0.ticket] != nil } ?? deadlines.count
        for entry in deadlines[..<over] { waiting.removeValue(forKey: entry.ticket)?.resume(returning: .timedOut) }
        deadlines.removeFirst(over)
        return deadlines.first?.at
    }
}
