/// Calls to one device over a connection that stays open: one at a time, each with a number, commands before questions.
struct CallQueue<Call: Equatable & Sendable>: Sendable {
    /// How long an answer may take; a device that has not answered until then is out of reach.
    static var timeout: Duration { .seconds(5) }

    private var waiting: [Call] = []
    private var current: (number: Int, call: Call, until: Duration)?
    private var lastNumber = 0

    var isWaiting: Bool { !waiting.isEmpty }

    /// Adds a question behind all else, once.
    mutating func ask(_ call: Call) {
        if !waiting.contains(call) { waiting.append(call) }
    }

    /// Adds a command after other commands and before questions.
    mutating func add(_ call: Call, before isQuestion: (Call) -> Bool) {
        waiting.insert(call, at: waiting.firstIndex(where: isQuestion) ?? waiting.endIndex)
    }

    mutating func repeatNow(_ call: Call) { waiting.insert(call, at: 0) }

    /// Forgets calls that are not sent yet.
    mutating func forget(where isForgotten: (Call) -> Bool) { waiting.removeAll(where: isForgotten) }

    /// The call to send now, if it is its turn.
    mutating func transmit(now: Duration) -> (number: Int, call: Call)? {
        guard current == nil, !waiting.isEmpty else { return nil }
        let call = waiting.removeFirst()
        lastNumber += 1
        current = (lastNumber, call, now + Self.timeout)
        return (lastNumber, call)
    }

    /// An answer has come; returns the call that it answers, if there is one.
    mutating func answered(_ number: Int) -> Call? {
        guard let current, current.number == number else { return nil }
        self.current = nil
        return current.call
    }

    /// When the answer that is awaited is overdue.
    var deadline: Duration? { current?.until }
}
