/// The current state of an automation in the hub.
public struct TriggerStatus: Codable, Sendable, Hashable {
    /// The automation.
    public let trigger: Trigger.ID
    /// The next time of a scheduled event.
    ///
    /// It's `nil` if the automation is inactive or has no such event, or if the sun event never occurs.
    public let next: Timestamp?
    /// The latest evaluation; `nil` before the first.
    public let last: TriggerRecord?
    /// The time until which the automation is paused, because it ran too often; `nil` if it isn't paused.
    public let pausedUntil: Timestamp?

    package init(
        trigger: Trigger.ID, next: Timestamp? = nil, last: TriggerRecord? = nil, pausedUntil: Timestamp? = nil
    ) {
        self.trigger = trigger
        self.next = next
        self.last = last
        self.pausedUntil = pausedUntil
    }
}
