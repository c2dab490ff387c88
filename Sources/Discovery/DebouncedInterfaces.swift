/// The interfaces to publish on, with debounced changes.
///
/// The first interfaces take effect immediately. A later change takes effect once it has been stable for a second, or
/// five seconds after the first of several changes. As a result, a veth that flaps a hundred times has no effect, and
/// an interface that keeps changing is still followed. A change that is reverted is dropped.
struct DebouncedInterfaces {
    static let quiet = Duration.seconds(1)
    static let longestDelay = Duration.seconds(5)

    private struct Change {
        var chosen: [Int32]
        var began: ContinuousClock.Instant
        var latest: ContinuousClock.Instant
    }

    /// The indices of the interfaces in use, in ascending order.
    private(set) var chosen: [Int32] = []
    private var selection = InterfaceSelection.automatic
    private var facts: [InterfaceFacts] = []
    private var change: Change?

    /// Changes the selection immediately.
    mutating func select(_ selection: InterfaceSelection) {
        guard self.selection != selection else { return }
        self.selection = selection
        chosen = resolved
        change = nil
    }

    /// Updates the list of existing interfaces.
    ///
    /// - Returns: Whether the interfaces in use have changed.
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

    /// Applies a pending change that is due.
    ///
    /// - Returns: Whether the interfaces in use have changed.
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
