/// An instruction of ``TriggerMachine``.
package enum TriggerOutput: Sendable, Hashable {
    /// Perform actions of a run.
    ///
    /// A run with a higher number replaces the previous one of the same trigger, which must not continue.
    case perform(Trigger.ID, run: Int64, TriggerTask)
    /// Write the values from before a run.
    case restore(Trigger.ID, run: Int64, [CharacteristicWriteAction])
    /// Add an entry to the history.
    case record(TriggerRecord)
    /// Disable the trigger, which was meant to run once.
    case disable(Trigger.ID)
}

/// Actions that are performed together.
package enum TriggerTask: Sendable, Hashable {
    /// Run scenes.
    case runActionSets([ActionSet.ID])
    /// Write values.
    case write([CharacteristicWriteAction])
    /// Send a text to the apps.
    case notify(String)
}

/// An entry in the history of an automation: an evaluation with its cause and result.
package struct TriggerRecord: HomeMessage {
    /// The trigger.
    package let trigger: Trigger.ID
    /// The time of the evaluation.
    package let time: Timestamp
    /// The cause.
    package let cause: TriggerCause
    /// The result.
    package let result: TriggerResult
    /// The number of the run; `nil` without a run.
    package let run: Int64?
}

/// The cause of an evaluation.
package enum TriggerCause: HomeMessage {
    /// An event fired.
    case event(TriggerEvent)
    /// An end event fired.
    case endEvent(TriggerEvent)
    /// A user wanted to run the automation.
    case user
}

/// The result of an evaluation.
package enum TriggerResult: HomeMessage {
    /// The actions ran.
    case ran
    /// The values from before the run were restored.
    case ended
    /// The condition was false; contains the false part.
    case conditionFalse(TriggerCondition)
    /// The automation doesn't run on this day of the week.
    case wrongWeekday
    /// The hub wasn't running at these times, and the policy didn't allow such late runs.
    ///
    /// The count is at most ``TriggerLimits/missedOccurrences``.
    case missed(first: Timestamp, count: Int)
    /// The clock was earlier than in the past.
    case clockNotSet
    /// The automation was the last one of a chain that was too long.
    case chainTooDeep
    /// The automation ran too often and is paused until this time. Until then, its events aren't recorded.
    case paused(until: Timestamp)
}
