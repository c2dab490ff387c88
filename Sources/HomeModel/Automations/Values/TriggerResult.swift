/// The result of an evaluation of an automation.
@nonexhaustive
public enum TriggerResult: Codable, Sendable, Hashable {
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
    /// The count is at most 1000.
    case missed(first: Timestamp, count: Int)
    /// The clock was set forward past these times. If it's set back, the automation runs at them.
    ///
    /// The count is at most 1000.
    case skippedByClock(first: Timestamp, count: Int)
    /// The clock was earlier than a stored time, so it probably wasn't set.
    case clockNotSet
    /// The automation was the last one of a chain that was too long.
    case chainTooDeep
    /// The automation ran too often and is paused until the given time. Until then, its events aren't recorded.
    case paused(until: Timestamp)
}
