internal import Synchronization

/// A value that is set once; later values are ignored.
///
/// One task can wait for the value.
final class FirstValue<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var continuation: CheckedContinuation<Value, Never>?
    }

    private let state = Mutex(State())

    /// The value, or `nil` if it hasn't been set.
    var current: Value? { state.withLock(\.value) }

    /// Sets the value, unless it is already set.
    func set(_ value: Value) {
        let continuation = state.withLock { state in
            guard state.value == nil else { return nil as CheckedContinuation<Value, Never>? }
            state.value = value
            return state.continuation.take()
        }
        continuation?.resume(returning: value)
    }

    /// Waits until the value is set, and returns it.
    func wait() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state in
                if state.value == nil { state.continuation = continuation }
                return state.value
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
