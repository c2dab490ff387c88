/// A message that an automation sends to the apps.
public struct TriggerMessage: Codable, Sendable, Hashable {
    /// The home.
    public let home: Home.ID
    /// The automation.
    public let trigger: Trigger.ID
    /// The message's text.
    public let text: String
    /// The time at which the automation sent the message.
    public let time: Timestamp

    package init(home: Home.ID, trigger: Trigger.ID, text: String, time: Timestamp) {
        self.home = home
        self.trigger = trigger
        self.text = text
        self.time = time
    }
}
