import Synchronization

/// A value whose changes are sent to listeners.
///
/// A slow listener misses values instead of buffering without limit.
final class Broadcast<Value: Equatable & Sendable>: Sendable {
    private struct Contents {
        var value: Value
        var listeners: [Int: AsyncStream<Value>.Continuation] = [:]
        var nextListener = 0
        var isFinished = false
    }

    private let contents: Mutex<Contents>
    private let depth: Int

    /// Creates a broadcast with an initial value.
    ///
    /// Each listener buffers up to `depth` values. If the buffer is full, the oldest value is dropped.
    init(_ value: Value, depth: Int) {
        contents = Mutex(Contents(value: value))
        self.depth = depth
    }

    var value: Value { contents.withLock { $0.value } }

    /// Sends a value.
    ///
    /// - Returns: Whether the value differs from the previous one. An equal value isn't sent.
    func send(_ value: Value) -> Bool {
        contents.withLock { contents in
            guard contents.value != value else { return false }
            contents.value = value
            // Values are sent inside the lock, so that each listener receives the latest one last.
            for listener in contents.listeners.values { listener.yield(value) }
            return true
        }
    }

    /// Returns the current value and all later ones, until ``finish()``.
    func values() -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(depth))
        let number: Int? = contents.withLock { contents in
            continuation.yield(contents.value)
            guard !contents.isFinished else { return nil }
            defer { contents.nextListener += 1 }
            contents.listeners[contents.nextListener] = continuation
            return contents.nextListener
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        // A stream holds its lock while it calls this handler, and `send` holds the broadcast's lock while it waits for
        // the stream's. To avoid a deadlock, remove the listener in a separate task.
        continuation.onTermination = { [weak self] _ in
            Task { self?.forget(number) }
        }
        return stream
    }

    private func forget(_ number: Int) { contents.withLock { $0.listeners[number] = nil } }

    func finish() {
        let listeners = contents.withLock { contents in
            contents.isFinished = true
            defer { contents.listeners = [:] }
            return contents.listeners
        }
        // Streams are finished outside the lock, because their termination handlers run at once.
        for listener in listeners.values { listener.finish() }
    }
}
