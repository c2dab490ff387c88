/// The cause of an evaluation of an automation.
@nonexhaustive
public enum TriggerCause: Codable, Sendable, Hashable {
    /// An event fired.
    case event(TriggerEvent)
    /// An end event fired.
    case endEvent(TriggerEvent)
    /// An app ran the automation.
    case user
}
