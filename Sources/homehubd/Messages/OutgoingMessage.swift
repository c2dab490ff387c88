import HomeModel

/// A message of an automation for a receiver outside the hub, with the current names of the home and the automation.
struct OutgoingMessage: Equatable, Sendable {
    let text: String
    let home: String
    let automation: String
    /// The time at which the automation sent the message.
    let time: Timestamp
    /// The time at which the receiver got the message.
    let received: ContinuousClock.Instant

    init(_ message: TriggerMessage, home: String, automation: String, received: ContinuousClock.Instant = .now) {
        text = message.text
        time = message.time
        self.home = home
        self.automation = automation
        self.received = received
    }

    /// Replaces `{text}`, `{home}`, `{automation}` and `{time}` in a template by the properties of the message.
    ///
    /// Other text in braces, and placeholders within the properties, are left unchanged.
    func fill(_ template: String) -> String {
        let values = [
            ("{text}", text), ("{home}", home), ("{automation}", automation), ("{time}", time.description),
        ]
        var result = ""
        var rest = template[...]
        scan: while let brace = rest.firstIndex(of: "{") {
            result += rest[..<brace]
            rest = rest[brace...]
            for (placeholder, value) in values where rest.hasPrefix(placeholder) {
                result += value
                rest = rest.dropFirst(placeholder.count)
                continue scan
            }
            result.append(rest.removeFirst())
        }
        return result + rest
    }
}
