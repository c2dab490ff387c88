/// The outcome of one action of a run.
public struct ActionOutcome: Codable, Sendable, Hashable {
    /// The action.
    public let action: TriggerAction
    /// The reason why the action failed; `nil` after a success, and while the action is in progress.
    public package(set) var error: HomeError?
    /// The end of the action.
    ///
    /// It's `nil` while the action is in progress or retried, and if the hub stopped before the end.
    public package(set) var time: Timestamp?

    package init(_ action: TriggerAction, error: HomeError? = nil, time: Timestamp? = nil) {
        self.action = action
        self.error = error
        self.time = time
    }
}
