import Synchronization

/// A byte-limited queue of lines to send to a peer.
final class LineOutbox: Sendable {
    enum Verdict {
        case fits
        /// The line would exceed the limit of buffered bytes.
        case overflow
        case closed
    }

    private struct Waiter {
        let mark: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var isClosed = false
        var bytes = 0
        var lastWaiter = 0
        var waiters: [Int: Waiter] = [:]

        mutating func takeWaiters(_ isDone: (Waiter) -> Bool) -> [Waiter] {
            let done = waiters.filter { isDone($1) }
            for key in done.keys { waiters[key] = nil }
            return Array(done.values)
        }
    }

    private let state = Mutex(State())
    private let limit: Int
    private let sink: AsyncStream<[UInt8]>.Continuation

    /// The queued lines, for a single writer.
    ///
    /// The writer calls ``sent(_:)`` after it has written a line.
    let lines: AsyncStream<[UInt8]>

    /// Creates an outbox.
    ///
    /// - Parameter limit: The maximum number of buffered bytes.
    init(limit: Int) {
        self.limit = limit
        // The stream needs no limit, because `append` limits the buffered bytes.
        (lines, sink) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    func append(_ line: [UInt8]) -> Verdict {
        state.withLock { state in
            guard !state.isClosed else { return .closed }
            guard state.bytes + line.count <= limit else { return .overflow }
            state.bytes += line.count
            // Yield while the lock is held, so that lines are sent in the order in which they were counted.
            sink.yield(line)
            return .fits
        }
    }

    /// Records that a line of the given length was handed to the system.
    func sent(_ count: Int) {
        let done = state.withLock { state in
            let bytes = state.bytes - count
            state.bytes = bytes
            return state.takeWaiters { bytes < $0.mark }
        }
        for waiter in done { waiter.continuation.resume() }
    }

    /// Waits until fewer than `mark` bytes are buffered, the outbox is closed, or the caller is canceled.
    func drained(below mark: Int) async {
        let key = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    guard !state.isClosed, state.bytes >= mark else { return true }
                    state.waiters[key] = Waiter(mark: mark, continuation: continuation)
                    return false
                }
                if isDone {
                    continuation.resume()
                } else if Task.isCancelled {
                    // The cancellation handler may have run before the waiter was stored.
                    giveUp(key)
                }
            }
        } onCancel: {
            giveUp(key)
        }
    }

    private func giveUp(_ key: Int) {
        state.withLock { $0.waiters.removeValue(forKey: key) }?.continuation.resume()
    }

    func close() {
        let all = state.withLock { state in
            state.isClosed = true
            return state.takeWaiters { _ in true }
        }
        sink.finish()
        for waiter in all { waiter.continuation.resume() }
    }
}
