/// What the manager does on its own account, because whoever caused it does not wait for it.
enum BackgroundTask: Sendable {
    /// The task of a call was cancelled.
    case cancel(call: Int64, connection: UInt64)
    /// A call whose caller stopped waiting is given some time for its answer.
    case expire(call: Int64, connection: UInt64)
    case endIteration(Characteristic.ID, number: UInt64)
    /// An observation was let go.
    case endObservation(UInt64)
    /// The search has no reader any more.
    case endSearch(UInt64)
    /// No search is wanted any more.
    case stopBrowsing
    /// These are to be reported (again), or no more.
    case reconcile([Characteristic.ID])
    /// The daemon may have forgotten what this session wants to be notified of.
    case resume
    /// This app answers no questions any more.
    case endQuestions(UInt64)
}

/// A queue of tasks that anybody may add to, for one reader.
final class TaskQueue: Sendable {
    let tasks: AsyncStream<BackgroundTask>
    private let sink: AsyncStream<BackgroundTask>.Continuation

    init() {
        // One task for each call, iteration or search of the app: it holds what the app itself holds.
        (tasks, sink) = AsyncStream.makeStream(bufferingPolicy: .unbounded)
    }

    func add(_ task: BackgroundTask) { sink.yield(task) }
}
