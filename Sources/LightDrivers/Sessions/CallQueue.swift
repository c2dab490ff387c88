/// The pending calls to one device over a persistent connection.
///
/// They are sent one at a time, each with a number, and commands before queries.
struct CallQueue<Call: Equatable & Sendable>: Sendable {
    /// The time limit for an answer.
    ///
    /// If it is exceeded, the device counts as unreachable.
    static var timeout: Duration { .seconds(5) }

    private var waiting: [Call] = []
    private var current: (number: Int, call: Call, until: Duration)?
    private var lastNumber = 0

    var isWaiting: Bool { !waiting.isEmpty }

    /// Adds a query after all other calls, unless the same query is already waiting.
    mutating func ask(_ call: Call) {
        if !waiting.contains(call) { waiting.append(call) }
    }

    /// Adds a command after other commands and before queries.
    ///
    /// `isQuestion` returns whether a call is a query.
    mutating func add(_ call: Call, before isQuestion: (Call) -> Bool) {
        waiting.insert(call, at: waiting.firstIndex(where: isQuestion) ?? waiting.endIndex)
    }

    mutating func repeatNow(_ call: Call) { waiting.insert(call, at: 0) }

    /// Removes unsent calls.
    mutating func forget(where isForgotten: (Call) -> Bool) { waiting.removeAll(where: isForgotten) }

    /// Returns the next call to send, or `nil` if no call is waiting or another call is in flight.
    mutating func transmit(now: Duration) -> (number: Int, call: Call)? {
        guard current == nil, !waiting.isEmpty else { return nil }
        let call = waiting.removeFirst()
        lastNumber += 1
        current = (lastNumber, call, now + Self.timeout)
        return (lastNumber, call)
    }

    /// Processes an answer.
    ///
    /// Returns the call that it answers, or `nil` if no call with this number is in flight.
    mutating func answered(_ number: Int) -> Call? {
        guard let current, current.number == number else { return nil }
        self.current = nil
        return current.call
    }

    /// The time at which the pending answer is overdue.
    var deadline: Duration? { current?.until }
}
