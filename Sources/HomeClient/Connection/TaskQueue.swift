/// Background work of the manager, for callers that don't wait for it.
enum BackgroundTask: Sendable {
    /// Cancels a call after its task was canceled.
    case cancel(call: Int64, connection: UInt64)
    /// Ends a call some time after its caller stopped waiting.
    case expire(call: Int64, connection: UInt64)
    case endIteration(Characteristic.ID, number: UInt64)
    /// Ends an observation that was released.
    case endObservation(UInt64)
    /// Removes a reader of the search.
    case endSearch(UInt64)
    /// Stops the daemon's search after its last reader was removed.
    case stopBrowsing
    /// Starts or stops reports of the given values, as the app's observations require.
    case reconcile([Characteristic.ID])
    /// Requests this session's notifications again, which the daemon may have dropped.
    case resume
    /// Removes a reader of questions.
    case endQuestions(UInt64)
    /// Removes a reader of messages.
    case endMessages(UInt64)
}

/// A queue of background tasks, with any number of writers and one reader.
final class TaskQueue: Sendable {
    let tasks: AsyncStream<BackgroundTask>
    private let sink: AsyncStream<BackgroundTask>.Continuation

    init() {
        // The number of tasks is bounded by the number of the app's calls, iterations and searches.
        (tasks, sink) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    func add(_ task: BackgroundTask) { sink.yield(task) }
}
