import HomeModel

/// A run of an automation, or its end.
struct RunID: Sendable, Hashable {
    let trigger: Trigger.ID
    /// The number, which is higher for later runs.
    let number: Int64
    /// A Boolean value that indicates whether this is the end of the run, which restores values.
    var isEnd = false
}

/// The sender of a request that writes values.
enum ValueWriter: Sendable {
    /// An app's call.
    case app(Call)
    /// A part of a run of an automation.
    case plan(RunPlan.ID)
}
