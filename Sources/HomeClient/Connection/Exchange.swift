import BoundedJSON

/// One call that waits for its answer; used by the manager alone.
final class Exchange<Reply: Sendable> {
    private var outcome: Result<Reply, HomeError>?
    private var continuation: CheckedContinuation<Result<Reply, HomeError>, Never>?

    /// The first outcome counts.
    func finish(_ result: Result<Reply, HomeError>) {
        guard outcome == nil else { return }
        outcome = result
        continuation?.resume(returning: result)
        continuation = nil
    }

    func wait(_ continuation: CheckedContinuation<Result<Reply, HomeError>, Never>) {
        if let outcome { continuation.resume(returning: outcome) } else { self.continuation = continuation }
    }
}

/// A call, whatever it is answered with.
struct PendingCall {
    /// Takes the answer, also after the caller stopped waiting: it may tell of a change.
    let receive: (Result<JSONValue, HomeError>) -> Void
    /// The caller stopped waiting.
    let fail: (HomeError) -> Void
    /// Why the call was cancelled.
    var reason: HomeError?
}
