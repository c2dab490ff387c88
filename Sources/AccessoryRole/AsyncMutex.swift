/// Lets one piece of work go on at a time, in the order in which they came; kept and used by one actor.
///
/// An actor is re-entrant: work that must not overlap with its own kind across an `await` acquires the mutex first.
package final class AsyncMutex {
    private var isHeld = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// Waits until the mutex is free, and acquires it.
    package func acquire() async {
        guard isHeld else {
            isHeld = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Hands the mutex to the next in line, so that no other task slips in between.
    package func release() {
        if waiting.isEmpty {
            isHeld = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}
