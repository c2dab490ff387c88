import BoundedJSON
import Synchronization

/// The outcome of one call, and its waiting caller.
///
/// The caller doesn't wait on the manager's actor, because the operation of `withTaskCancellationHandler` runs on an
/// actor only if it uses the actor. Therefore, the answer may arrive while the caller starts to wait.
final class Exchange<Reply: Sendable>: Sendable {
    typealias Outcome = Result<Reply, HomeError>

    private struct State {
        var outcome: Outcome?
        var continuation: CheckedContinuation<Outcome, Never>?
    }

    private let state = Mutex(State())

    /// The first outcome.
    ///
    /// Only one caller may wait for it.
    var outcome: Outcome {
        get async {
            await withCheckedContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.continuation = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        }
    }

    /// Ends the wait, unless the call already has an outcome.
    func finish(_ outcome: Outcome) {
        let continuation: CheckedContinuation<Outcome, Never>? = state.withLock { state in
            guard state.outcome == nil else { return nil }
            state.outcome = outcome
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: outcome)
    }
}

/// A call that the daemon hasn't answered.
struct PendingCall {
    /// Applies the answer, even after the caller stopped waiting, because it may contain a change.
    let receive: (Result<JSONValue, HomeError>) -> Void
    /// Ends the caller's wait without an answer.
    let fail: (HomeError) -> Void
    /// The reason why the call was canceled; `nil` if it wasn't.
    var reason: HomeError?
}
