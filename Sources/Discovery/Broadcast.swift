import Synchronization

/// A value of which everybody who listens gets the newest; a slow listener misses values and never makes it grow.
final class Broadcast<Value: Equatable & Sendable>: Sendable {
    private struct Contents {
        var value: Value
        var listeners: [Int: AsyncStream<Value>.Continuation] = [:]
        var nextListener = 0
        var isFinished = false
    }

    private let contents: Mutex<Contents>
    private let depth: Int

    /// Creates one with a first value; of more than `depth` values that wait for a listener, the oldest are dropped.
    init(_ value: Value, depth: Int) {
        contents = Mutex(Contents(value: value))
        self.depth = depth
    }

    var value: Value { contents.withLock { $0.value } }

    /// True when the value is a new one.
    func send(_ value: Value) -> Bool {
        contents.withLock { contents in
            guard contents.value != value else { return false }
            contents.value = value
            // Inside the lock, so that the newest is the last that a listener gets.
            for listener in contents.listeners.values { listener.yield(value) }
            return true
        }
    }

    /// The current value and every later one, until ``finish()``.
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
        // In a task of its own: a listener's task that ends holds its lock, for which `send` waits with ours.
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
        // Outside the lock: the end of a stream calls back.
        for listener in listeners.values { listener.finish() }
    }
}
