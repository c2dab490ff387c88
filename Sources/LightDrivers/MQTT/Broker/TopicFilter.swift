/// A topic to subscribe to that may stand for several (MQTT 3.1.1, 4.7): `+` for one level, `#` for all that follow.
struct TopicFilter: Hashable, Sendable {
    let text: String
    private let levels: [Substring]

    /// Reads a filter; `nil` if a wildcard stands where it may not.
    init?(_ text: String) {
        self.text = text
        levels = text.split(separator: "/", omittingEmptySubsequences: false)
        for (index, level) in levels.enumerated() where level.contains(where: { "+#".contains($0) }) {
            guard level == "+" || (level == "#" && index == levels.count - 1) else { return nil }
        }
    }

    var hasWildcard: Bool { levels.contains { $0 == "+" || $0 == "#" } }

    func matches(_ topic: String) -> Bool {
        let others = topic.split(separator: "/", omittingEmptySubsequences: false)
        // Topics of the broker's own are meant only where they are named.
        if topic.hasPrefix("$"), levels.first == "+" || levels.first == "#" { return false }
        for (index, level) in levels.enumerated() {
            if level == "#" { return true }
            guard index < others.count, level == "+" || level == others[index] else { return false }
        }
        return levels.count == others.count
    }
}
