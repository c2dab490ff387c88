/// A topic filter (MQTT 3.1.1, 4.7), in which `+` matches one level and `#` all remaining levels.
struct TopicFilter: Hashable, Sendable {
    let text: String
    private let levels: [Substring]

    /// Parses a filter.
    ///
    /// Returns `nil` if a wildcard is in an invalid place.
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
        // A wildcard in the first level doesn't match the broker's internal topics, which begin with `$`.
        if topic.hasPrefix("$"), levels.first == "+" || levels.first == "#" { return false }
        for (index, level) in levels.enumerated() {
            if level == "#" { return true }
            guard index < others.count, level == "+" || level == others[index] else { return false }
        }
        return levels.count == others.count
    }
}
