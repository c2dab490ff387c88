/// An entry in the history of an automation: an evaluation with its cause, its result and the outcomes of its actions.
public struct TriggerRecord: Codable, Sendable, Hashable, Identifiable {
    /// The type of a record's ID.
    public typealias ID = Identifier<TriggerRecord>

    /// The record's ID.
    public let id: ID
    /// The automation.
    public let trigger: Trigger.ID
    /// The time of the evaluation.
    public let time: Timestamp
    /// The cause.
    public let cause: TriggerCause
    /// The result.
    public let result: TriggerResult
    /// The number of the run, which increases with each run of any automation; `nil` if there was no run.
    public let run: Int64?
    /// The actions of the run so far, in order.
    public package(set) var outcomes: [ActionOutcome]

    package init(
        id: ID, trigger: Trigger.ID, time: Timestamp, cause: TriggerCause, result: TriggerResult, run: Int64? = nil,
        outcomes: [ActionOutcome] = []
    ) {
        self.id = id
        self.trigger = trigger
        self.time = time
        self.cause = cause
        self.result = result
        self.run = run
        self.outcomes = outcomes
    }

    /// Creates a record with a new ID.
    package init(
        trigger: Trigger.ID, time: Timestamp, cause: TriggerCause, result: TriggerResult, run: Int64? = nil,
        outcomes: [ActionOutcome] = []
    ) {
        var random = SystemRandomNumbers()
        self.init(
            id: ID(using: &random), trigger: trigger, time: time, cause: cause, result: result, run: run,
            outcomes: outcomes)
    }
}
