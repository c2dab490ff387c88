import HomeModel

/// The identifier of an automation's run, or of the end of the run.
struct RunID: Sendable, Hashable {
    let trigger: Trigger.ID
    /// The number, which is higher for later runs.
    let number: Int64
    /// A Boolean value that indicates whether this is the end of the run, which restores values.
    var isEnd = false
}

/// The origin of a write.
enum ValueWriter: Sendable {
    /// An app's call, which may run a scene.
    case app(Call, scene: ActionSet.ID? = nil)
    /// A part of a run of an automation.
    case plan(RunPlan.ID)
}
