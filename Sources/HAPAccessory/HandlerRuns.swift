internal import Synchronization

/// Runs the handlers of accessories.
///
/// Each handler runs until its accessory is removed or replaced, or until the host ends.
final class HandlerRuns: Sendable {
    /// A change of an accessory's handler; `nil` if the accessory has been removed.
    private typealias Change = (accessory: String?, handler: HostedHandler?)

    private struct State {
        /// The handlers to start when the host runs.
        var handlers: [String?: HostedHandler] = [:]
        var changes: AsyncStream<Change>.Continuation?
    }

    private let state = Mutex(State())

    /// Sets or removes the handler of an accessory.
    func set(_ handler: HostedHandler?, of accessory: String?) {
        state.withLock { state in
            if let changes = state.changes {
                changes.yield((accessory, handler))
            } else {
                state.handlers[accessory] = handler
            }
        }
    }

    /// Runs the handlers until the task is canceled.
    ///
    /// - Throws: The first error of a handler.
    func run() async throws {
        let (changes, change) = AsyncStream.makeStream(of: Change.self)
        state.withLock { state in
            for handler in state.handlers { change.yield((handler.key, handler.value)) }
            (state.handlers, state.changes) = ([:], change)
        }
        defer { state.withLock { $0.changes = nil } }
        try await withThrowingDiscardingTaskGroup { group in
            var tasks: [String?: Task<Void, any Error>] = [:]
            for await (accessory, handler) in changes {
                tasks.removeValue(forKey: accessory)?.cancel()
                guard let handler else { continue }
                let task = Task { try await handler.run() }
                tasks[accessory] = task
                group.addTask {
                    let result = await withTaskCancellationHandler {
                        await task.result
                    } onCancel: {
                        task.cancel()
                    }
                    guard case .failure(let error) = result, !task.isCancelled else { return }
                    // An error in a child task doesn't cancel the body of the task group, so end the stream that the
                    // body reads.
                    change.finish()
                    throw error
                }
            }
        }
    }
}
