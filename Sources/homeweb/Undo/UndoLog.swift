import HomeModel
import WebAccess

/// The latest changes that visitors can undo.
///
/// Entries expire, and each visitor has a limited number of them.
struct UndoLog: Sendable {
    /// The maximum number of entries.
    static let limit = 64
    /// The maximum number of entries of one visitor.
    static let limitPerVisitor = 8
    /// The time after which a change can't be undone.
    static let lifetime = Duration.seconds(600)
    /// The time for which pages show a message.
    static let shownFor = Duration.seconds(10)

    struct Entry: Sendable {
        let id: String
        let visitor: Visitor
        let time: ContinuousClock.Instant
        /// The change, as a sentence.
        let text: String
        /// The sentence that is shown after the change was undone.
        var restored = ""
        /// The inverse of the change, or `nil` if the entry is only a message.
        var reversal: Reversal?
        /// Whether the message stays until the visitor dismisses it.
        var isLasting = false
    }

    private var entries: [Entry] = []

    mutating func add(_ entry: Entry) {
        drop(before: entry.time)
        let own = entries.indices.filter { entries[$0].visitor.isSame(as: entry.visitor) }
        if own.count >= Self.limitPerVisitor { entries.remove(at: own[0]) }
        if entries.count >= Self.limit { entries.removeFirst() }
        entries.append(entry)
    }

    /// Returns the message for a visitor; `nil` if it is another visitor's message or too old.
    func entry(_ id: String, of visitor: Visitor, at now: ContinuousClock.Instant) -> Entry? {
        entries.first { $0.id == id && $0.visitor.isSame(as: visitor) && now - $0.time < Self.lifetime }
    }

    /// Returns a change to undo, and removes it, so that it's undone only once.
    mutating func take(_ id: String, of visitor: Visitor, at now: ContinuousClock.Instant) -> Entry? {
        guard let entry = entry(id, of: visitor, at: now), entry.reversal != nil else { return nil }
        entries.removeAll { $0.id == id }
        return entry
    }

    private mutating func drop(before now: ContinuousClock.Instant) {
        entries.removeAll { now - $0.time >= Self.lifetime }
    }
}

extension Visitor {
    /// Returns whether both are the same person with the same permissions.
    func isSame(as other: Visitor) -> Bool {
        guard access == other.access else { return false }
        guard let token, let otherToken = other.token else { return token == nil && other.token == nil }
        return token.matches(otherToken)
    }
}
