import HomeModel

/// A text of an automation for a receiver outside the hub, with the names that apply when it is sent.
struct OutgoingMessage: Equatable, Sendable {
    let text: String
    let home: String
    let automation: String
    /// The time at which the automation sent the text.
    let time: Timestamp
    /// The time at which the receiver got the text.
    let received: ContinuousClock.Instant

    init(_ message: TriggerMessage, home: String, automation: String, received: ContinuousClock.Instant = .now) {
        text = message.text
        time = message.time
        self.home = home
        self.automation = automation
        self.received = received
    }

    /// Returns a template with the values in place of `{text}`, `{home}`, `{automation}` and `{time}`.
    ///
    /// Placeholders in values and other text in braces stay.
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
