/// Lets one piece of work go on at a time, in the order in which they came; kept and used by one actor.
///
/// An actor is re-entrant: work that must not overlap with its own kind over an `await` takes a turn first.
struct Turns {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Takes the turn if nobody has it.
    mutating func takeIfFree() -> Bool {
        if isTaken { return false }
        isTaken = true
        return true
    }

    /// Waits for the turn, which is then taken.
    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }

    /// Hands the turn on, so that nobody slips in between.
    mutating func passOn() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}
