/// The pending calls, by number.
package struct PendingCalls<Failure: Error> {
    fileprivate var waiting: [Int: CheckedContinuation<Failure?, Never>] = [:]

    package init() {}

    /// Returns a result to the caller, unless the call has already ended.
    package mutating func finish(_ call: Int, _ error: Failure?) {
        waiting.removeValue(forKey: call)?.resume(returning: error)
    }

    package mutating func failAll(_ error: Failure) {
        for continuation in waiting.values { continuation.resume(returning: error) }
        waiting = [:]
    }
}

/// An actor that starts calls and receives their results later.
package protocol PendingCallOwner: Actor {
    associatedtype Failure: Error

    var pendingCalls: PendingCalls<Failure> { get set }

    /// Abandons a call because its caller was canceled, and returns the error to throw.
    func cancelled(call: Int) -> Failure
}

extension PendingCallOwner {
    /// Waits for the result of a call.
    ///
    /// `begin` is called when the result can be received; it starts the call.
    ///
    /// - Throws: The call's error, or that of ``cancelled(call:)`` if the task is canceled.
    package func finish(_ call: Int, begin: () -> Void = {}) async throws(Failure) {
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Failure?, Never>) in
                pendingCalls.waiting[call] = continuation
                begin()
                if Task.isCancelled { cancel(call) }
            }
        } onCancel: {
            Task { await self.cancel(call) }
        }
        if let error { throw error }
    }

    private func cancel(_ call: Int) {
        let error = cancelled(call: call)
        pendingCalls.finish(call, error)
    }
}
