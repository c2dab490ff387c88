import HAPModel

/// The pending events of one connection and the time of the next delivery (HAP 10.2, Decision 2).
///
/// The first change is sent immediately and starts a window. Changes within the window are coalesced to the latest
/// value of each characteristic, and sent when the window ends. An urgent change is sent immediately, together with all
/// pending changes. The response to a write with a different result also starts a window. Momentary events, such as
/// button presses, are never merged: each is sent in a separate message. The outbox holds at most one entry for each
/// characteristic that the connection subscribes to, and ``maximumMomentaryEvents`` entries for a button.
struct EventOutbox: Equatable, Sendable {
    /// The next step.
    package enum Action: Equatable, Sendable {
        case nothing
        /// Send the given entries as one message.
        case send([Entry])
        /// Call `next(now:)` again at the given time.
        case wake(at: ContinuousClock.Instant)
    }

    /// A characteristic and its latest value.
    package struct Entry: Equatable, Sendable {
        package var id: CharacteristicID
        package var value: CharacteristicValue
    }

    /// The period after a message during which changes are coalesced.
    package var window: Duration
    private var entries: [Entry] = []
    /// The time at which each entry was added, in the order of the entries.
    private var ages: [ContinuousClock.Instant] = []
    private var windowEnd: ContinuousClock.Instant?
    /// A Boolean value that indicates whether the entries include an urgent change.
    private var isUrgent = false
    /// A Boolean value that indicates whether any characteristic has several entries.
    private var hasRepetition = false

    package init(window: Duration) { self.window = window }

    package var isEmpty: Bool { entries.isEmpty }

    /// The number of pending changes.
    package var count: Int { entries.count }

    /// The time at which the oldest entry was added, or `nil` if the outbox is empty.
    var waitingSince: ContinuousClock.Instant? { ages.first }

    /// Adds a change of a characteristic.
    ///
    /// An urgent change is sent before the window ends. A momentary change doesn't replace the previous event. The new
    /// change is inserted before a pending change of `follower`.
    ///
    /// - Returns: Whether the change replaces a pending older value.
    @discardableResult
    package mutating func changed(
        _ id: CharacteristicID, to value: CharacteristicValue, isUrgent: Bool = false, isMomentary: Bool = false,
        before follower: CharacteristicID? = nil, now: ContinuousClock.Instant
    ) -> Bool {
        if isUrgent { self.isUrgent = true }
        if let index = entries.lastIndex(where: { $0.id == id }) {
            guard isMomentary, entries.count(where: { $0.id == id }) < Self.maximumMomentaryEvents else {
                entries[index].value = value
                return true
            }
            hasRepetition = true
        }
        if let follower, let index = entries.firstIndex(where: { $0.id == follower }) {
            entries.insert(Entry(id: id, value: value), at: index)
            ages.insert(ages[index], at: index)
        } else {
            entries.append(Entry(id: id, value: value))
            ages.append(now)
        }
        return false
    }

    /// Starts a window, as if a message had been sent.
    package mutating func beginWindow(now: ContinuousClock.Instant) { windowEnd = now + window }

    /// Returns whether a change of a characteristic is pending.
    package func holds(_ id: CharacteristicID) -> Bool { entries.contains { $0.id == id } }

    /// Removes pending changes of a characteristic that the connection wrote itself or unsubscribed from.
    package mutating func forget(_ id: CharacteristicID) {
        while let index = entries.firstIndex(where: { $0.id == id }) {
            entries.remove(at: index)
            ages.remove(at: index)
        }
    }

    /// Returns the due events.
    ///
    /// Call this method after a change, at the requested wake time, and when the connection becomes writable again.
    package mutating func next(now: ContinuousClock.Instant) -> Action {
        guard !entries.isEmpty else { return .nothing }
        if !isUrgent, let windowEnd, now < windowEnd { return .wake(at: windowEnd) }
        beginWindow(now: now)
        let count = hasRepetition ? countBeforeRepetition : entries.count
        defer {
            // If no entries remain, this copies nothing.
            entries = Array(entries[count...])
            ages = Array(ages[count...])
            // The remaining entries start with a momentary event, which is urgent.
            isUrgent = !entries.isEmpty
            hasRepetition = !entries.isEmpty
        }
        return .send(count == entries.count ? entries : Array(entries[..<count]))
    }

    /// The number of entries before the first that repeats a characteristic.
    private var countBeforeRepetition: Int {
        var seen: Set<CharacteristicID> = []
        return entries.firstIndex { !seen.insert($0.id).inserted } ?? entries.count
    }
}
