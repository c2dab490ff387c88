/// The interfaces to publish on, once a change has lasted.
///
/// The first choice counts at once. Later ones count when they have not changed for a second, or when five seconds
/// have passed since they began to change: a veth that flaps a hundred times costs nothing, and an interface that
/// never comes to rest is still followed. A choice that returns to what it was is forgotten.
struct DebouncedInterfaces {
    static let quiet = Duration.seconds(1)
    static let longestDelay = Duration.seconds(5)

    private struct Change {
        var chosen: [Int32]
        var began: ContinuousClock.Instant
        var latest: ContinuousClock.Instant
    }

    /// The indices in use, ascending.
    private(set) var chosen: [Int32] = []
    private var selection = InterfaceSelection.automatic
    private var facts: [InterfaceFacts] = []
    private var change: Change?

    /// A new wish counts at once.
    mutating func select(_ selection: InterfaceSelection) {
        guard self.selection != selection else { return }
        self.selection = selection
        chosen = resolved
        change = nil
    }

    /// True when the choice in use has changed.
    mutating func seen(_ facts: [InterfaceFacts], now: ContinuousClock.Instant) -> Bool {
        self.facts = facts
        let resolved = resolved
        if resolved == chosen {
            change = nil
            return false
        }
        if chosen.isEmpty {
            chosen = resolved
            change = nil
            return true
        }
        if change?.chosen != resolved {
            change = Change(chosen: resolved, began: change?.began ?? now, latest: now)
        }
        return applyDue(now: now)
    }

    /// True when a change has lasted long enough and is now in use.
    mutating func applyDue(now: ContinuousClock.Instant) -> Bool {
        guard let change, let due = dueAt, due <= now else { return false }
        chosen = change.chosen
        self.change = nil
        return true
    }

    var dueAt: ContinuousClock.Instant? {
        change.map { min($0.latest + Self.quiet, $0.began + Self.longestDelay) }
    }

    private var resolved: [Int32] {
        selection.resolve(facts).map(\.index).sorted()
    }
}
