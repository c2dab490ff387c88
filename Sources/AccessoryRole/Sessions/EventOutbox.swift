import HAPModel

/// What one connection has still to be told, and when (HAP 10.2, Decision 2).
///
/// After a quiet window the first change leaves at once; changes that come within the window behind it are collected,
/// the latest value of each characteristic, and leave when it ends. An urgent change waits for no window, and takes along
/// what waits. The answer to a write that came out differently begins a window, too. Momentary events such as presses of a
/// button are never merged: each is sent in a separate message. It holds at most one entry for each characteristic that the
/// connection subscribes to, and ``maximumMomentaryEvents`` of a button.
struct EventOutbox: Equatable, Sendable {
    /// What to do next.
    package enum Action: Equatable, Sendable {
        case nothing
        /// Send these as one message.
        case send([Entry])
        /// Ask again at this time.
        case wake(at: ContinuousClock.Instant)
    }

    /// A characteristic and its latest value.
    package struct Entry: Equatable, Sendable {
        package var id: CharacteristicID
        package var value: CharacteristicValue
    }

    /// For how long later changes are collected.
    package var window: Duration
    private var entries: [Entry] = []
    /// Since when each entry has waited, the oldest first.
    private var ages: [ContinuousClock.Instant] = []
    private var windowEnd: ContinuousClock.Instant?
    /// Whether an urgent change is among the entries.
    private var isUrgent = false
    /// Whether a characteristic has several entries.
    private var hasRepetition = false

    package init(window: Duration) { self.window = window }

    package var isEmpty: Bool { entries.isEmpty }

    /// How many changes wait.
    package var count: Int { entries.count }

    /// Since when the oldest entry has waited; `nil` if there is none.
    var waitingSince: ContinuousClock.Instant? { ages.first }

    /// A characteristic has changed.
    ///
    /// An urgent change is sent before the window ends, and a momentary one doesn't replace the event before.
    ///
    /// - Returns: whether an older value, which waited, will never be told.
    @discardableResult
    package mutating func changed(
        _ id: CharacteristicID, to value: CharacteristicValue, isUrgent: Bool = false, isMomentary: Bool = false,
        now: ContinuousClock.Instant
    ) -> Bool {
        if isUrgent { self.isUrgent = true }
        if let index = entries.lastIndex(where: { $0.id == id }) {
            guard isMomentary, entries.count(where: { $0.id == id }) < Self.maximumMomentaryEvents else {
                entries[index].value = value
                return true
            }
            hasRepetition = true
        }
        entries.append(Entry(id: id, value: value))
        ages.append(now)
        return false
    }

    /// A window begins, as it does when a message is sent.
    package mutating func beginWindow(now: ContinuousClock.Instant) { windowEnd = now + window }

    /// Whether a change of a characteristic waits.
    package func holds(_ id: CharacteristicID) -> Bool { entries.contains { $0.id == id } }

    /// The connection needs no word about a characteristic: it wrote it itself or has unsubscribed.
    package mutating func forget(_ id: CharacteristicID) {
        while let index = entries.firstIndex(where: { $0.id == id }) {
            entries.remove(at: index)
            ages.remove(at: index)
        }
    }

    /// What is due; the caller asks when something changed, when it was told to wake, and when the peer reads again.
    package mutating func next(now: ContinuousClock.Instant) -> Action {
        guard !entries.isEmpty else { return .nothing }
        if !isUrgent, let windowEnd, now < windowEnd { return .wake(at: windowEnd) }
        beginWindow(now: now)
        let count = hasRepetition ? countBeforeRepetition : entries.count
        defer {
            // Without a rest, this copies nothing.
            entries = Array(entries[count...])
            ages = Array(ages[count...])
            // The rest begins with a momentary event.
            isUrgent = !entries.isEmpty
            hasRepetition = !entries.isEmpty
        }
        return .send(count == entries.count ? entries : Array(entries[..<count]))
    }

    /// The number of entries before the second one of a characteristic.
    private var countBeforeRepetition: Int {
        var seen: Set<CharacteristicID> = []
        return entries.firstIndex { !seen.insert($0.id).inserted } ?? entries.count
    }
}
