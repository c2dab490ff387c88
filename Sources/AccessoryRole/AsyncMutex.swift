/// A mutex for asynchronous work within one actor.
///
/// Actors are reentrant, so work that must not overlap across an `await` acquires the mutex first. Callers get the
/// mutex in the order in which they arrive.
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

    /// Passes the mutex to the next waiter directly, so that no other task can acquire it first.
    package func release() {
        if waiting.isEmpty {
            isHeld = false
        } else {
            waiting.removeFirst().resume()
        }
    }
}
