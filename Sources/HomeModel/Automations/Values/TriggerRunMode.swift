/// The role of the weekdays and the condition when an app runs an automation.
@nonexhaustive
public enum TriggerRunMode: String, Codable, Sendable, Hashable, CaseIterable {
    /// Evaluates the weekdays and the condition, but runs nothing.
    case check
    /// Runs the automation if it runs on this day and the condition is true.
    case conditional
    /// Runs the automation regardless of the weekdays and the condition.
    case always
}
