import Synchronization

/// A value with listeners.
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
    /// Each listener buffers up to `depth` values; the oldest are dropped.
    init(_ value: Value, depth: Int) {
        contents = Mutex(Contents(value: value))
        self.depth = depth
    }

    var value: Value { contents.withLock { $0.value } }

    /// Sends a value.
    ///
    /// Returns `false` if it equals the current value.
    func send(_ value: Value) -> Bool {
        contents.withLock { contents in
            guard contents.value != value else { return false }
            contents.value = value
            // Inside the lock, so that each listener receives the latest value last.
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
        // In a separate task, because a listener's task holds its lock when it ends, and `send` waits for that lock
        // with ours.
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
        // Outside the lock, because the end of a stream calls back.
        for listener in listeners.values { listener.finish() }
    }
}
