internal import Synchronization

/// The unfinished calls of one accessory's handler.
///
/// A call ends only when the handler returns, possibly long after the request has timed out.
final class HandlerCalls: Sendable {
    private struct State {
        var unfinished = 0
        var wasLate = false
        var wasRefused = false
    }

    let handler: any RequestHandler
    private let state = Mutex(State())

    init(_ handler: any RequestHandler) { self.handler = handler }

    /// Records the start of a call.
    ///
    /// - Returns: Whether the call may start; `false` while too many calls are unfinished.
    func begin() -> Bool {
        state.withLock { state in
            guard state.unfinished < Self.maximumUnfinished else { return false }
            state.unfinished += 1
            return true
        }
    }

    /// Records the end of a call.
    func end() { state.withLock { $0.unfinished -= 1 } }

    /// Records a late call, and returns whether it is the handler's first late call.
    func isFirstLate() -> Bool { isFirst(\.wasLate) }

    /// Records a refused call, and returns whether it is the handler's first refused call.
    func isFirstRefused() -> Bool { isFirst(\.wasRefused) }

    private func isFirst(_ flag: any WritableKeyPath<State, Bool> & Sendable) -> Bool {
        state.withLock { state in
            defer { state[keyPath: flag] = true }
            return !state[keyPath: flag]
        }
    }
}
