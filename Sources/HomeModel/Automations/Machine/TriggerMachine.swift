import HAPModel

/// The state machine of a home's automations.
///
/// Its inputs are values, reachability, presence and time. Its outputs are runs. It has no clock, timer or storage.
/// After each input, its owner stores ``takeChangedStates()``, performs the outputs, and sets a timer for
/// ``nextDeadline``. States must be stored before the actions of the outputs begin, so that a crash never repeats an
/// action.
///
/// A trigger *observes* an event, and remembers it in its ``TriggerState``. The event *fires* if the observation is a
/// change. Then, the machine checks the weekday, the condition and the limits, and starts a run. A run performs its
/// tasks in order and pauses at each wait. It's over after its last task or, if there are end events, after one of them
/// has fired.
package struct TriggerMachine: Sendable {
    /// The source of a value.
    package enum ValueSource: Sendable, Hashable {
        /// The first value after a start or a reconnect.
        case baseline
        /// The result of a later read or of a write.
        case result
        /// An event message of the accessory.
        case event
    }

    /// A trigger with its state.
    struct Entry: Sendable {
        var trigger: Trigger
        var state: TriggerState
        /// A Boolean value that indicates whether events can fire the trigger.
        var isActive: Bool
        /// The time up to which scheduled events have been handled.
        var checkedUntil: Timestamp
        /// The next time at which the entry needs ``TriggerMachine/advance(to:)``.
        var deadline: Timestamp?
        /// The next time of a scheduled event after `start`.
        var next: (start: Timestamp, time: Timestamp?)?
        /// The times of the runs in the last minute that events started.
        var recentRuns: [Timestamp] = []
        /// The times of the runs in the last minute that users started.
        var recentRequests: [Timestamp] = []

        var definition: TriggerDefinition { trigger.definition }

        /// The events that can fire now, with end events only during a run.
        var currentEvents: [(event: TriggerEvent, isEnd: Bool)] {
            (isActive ? definition.events.map { ($0, false) } : [])
                + (state.run?.hasEnded == false ? definition.endEvents.map { ($0, true) } : [])
        }
    }

    /// A write of a run whose result may arrive soon.
    struct PendingWrite: Sendable {
        var trigger: Trigger.ID
        var depth: Int
        var value: CharacteristicValue
        var time: Timestamp
    }

    var home: Home
    var schedule: TriggerSchedule
    var entries: [Entry] = []
    /// The indexes of the entries whose events depend on a characteristic.
    var observers: [Characteristic.ID: [Int]] = [:]
    /// The known values of watched characteristics.
    var values: [Characteristic.ID: CharacteristicValue] = [:]
    var reachability: [Accessory.ID: Bool] = [:]
    /// The last known values, which remain during an outage.
    var lastValues: [Characteristic.ID: CharacteristicValue] = [:]
    /// The writes of runs whose results haven't arrived.
    var pendingWrites: [Characteristic.ID: PendingWrite] = [:]
    /// The last writes of runs, after which a lamp may report intermediate values.
    var lastWrites: [Characteristic.ID: LastWrite] = [:]
    var changed: Set<Trigger.ID> = []
    var lastRun: Int64
    /// The time of the hub's start, according to the clock at that time.
    let startedAt: Timestamp
    /// The time of the latest input.
    var latestInput: Timestamp
    /// The times that the clock has skipped since the last ``advance(to:)``, because it was set forward; `nil` for none.
    var skipped: ClosedRange<Timestamp>?
    /// The newest stored time while the clock is earlier, because it isn't set yet; `nil` once it's plausible.
    var newestStored: Timestamp?

    /// The characteristics whose values the machine needs.
    package private(set) var watchedCharacteristics: Set<Characteristic.ID> = []

    /// Creates a machine when the hub starts.
    ///
    /// The first call of ``advance(to:)`` handles the times that have passed while the hub wasn't running.
    package init(home: Home, timeZone: TimeZoneRules, states: [TriggerState], at now: Timestamp) {
        self.home = home
        schedule = TriggerSchedule(zone: timeZone, location: home.location)
        startedAt = now
        latestInput = now
        lastRun = states.compactMap(\.run?.number).max() ?? 0
        newestStored = states.map(\.updatedAt).max()
        let stored = Dictionary(states.map { ($0.trigger, $0) }) { $1 }
        for trigger in home.triggers {
            let state =
                stored[trigger.id] ?? TriggerState(trigger: trigger.id, updatedAt: now, activeSince: now)
            let isActive = home.activationState(of: trigger) == .enabled
            entries.append(
                Entry(trigger: trigger, state: state, isActive: isActive, checkedUntil: state.activeSince))
            // Store the state, because the next restart would otherwise count as the activation.
            if stored[trigger.id] == nil { changed.insert(trigger.id) }
        }
        index()
        for entry in entries {
            for restore in entry.state.run?.restores ?? [] {
                let isHue = home.characteristic(restore.characteristic)?.type == .hue
                lastWrites[restore.characteristic] = LastWrite(restore, by: entry.trigger.id, isHue: isHue)
            }
        }
        checkClock(now)
        for index in entries.indices { setDeadline(index) }
    }

    /// The IDs of the triggers.
    package var triggers: [Trigger.ID] { entries.map(\.trigger.id) }

    /// The watched characteristics whose values are unknown.
    package var unknownCharacteristics: Set<Characteristic.ID> {
        watchedCharacteristics.filter { values[$0] == nil }
    }

    /// The next time at which the machine needs ``advance(to:)``.
    package var nextDeadline: Timestamp? { entries.compactMap(\.deadline).min() }

    /// Returns the states that have changed since the last call.
    ///
    /// They must be stored before the actions of outputs begin.
    package mutating func takeChangedStates() -> [TriggerState] {
        guard !changed.isEmpty else { return [] }
        defer { changed = [] }
        return entries.map(\.state).filter { changed.contains($0.trigger) }
    }

    /// Returns for each trigger the next time of a scheduled event, `nil` for a trigger without one or an inactive one,
    /// and the end of its pause, if it ran too often.
    package mutating func outlook(
        at now: Timestamp
    ) -> [Trigger.ID: (next: Timestamp?, pausedUntil: Timestamp?)] {
        var outlook: [Trigger.ID: (next: Timestamp?, pausedUntil: Timestamp?)] = [:]
        for index in entries.indices {
            let pause = entries[index].state.pausedUntil.flatMap { $0 > now ? $0 : nil }
            outlook[entries[index].trigger.id] = (nextOccurrence(index, after: now), pause)
        }
        return outlook
    }

    /// Returns the next time of a scheduled event.
    ///
    /// Sun events take long to compute, so the time is kept until it's reached, or for an hour if there is none.
    private mutating func nextOccurrence(_ index: Int, after time: Timestamp) -> Timestamp? {
        guard entries[index].isActive else { return nil }
        if let (start, next) = entries[index].next, start <= time, time < next ?? start.adding(.seconds(3600)) {
            return next
        }
        let weekdays = entries[index].definition.weekdays
        let next = entries[index].definition.events.compactMap {
            schedule.next(of: $0, after: time, on: weekdays)?.time
        }.min()
        entries[index].next = (time, next)
        return next
    }

    // MARK: Changes of the home and the clock

    /// Applies a changed home or time zone.
    ///
    /// A changed or newly enabled trigger starts from the current values, and its pause is over. The run of a trigger
    /// ends without effects if its definition has changed or a user has disabled it.
    ///
    /// - Parameters:
    ///   - home: The changed home.
    ///   - timeZone: The rules of the home's time zone; `nil` if they haven't changed.
    ///   - now: The current time.
    package mutating func update(_ home: Home, timeZone: TimeZoneRules? = nil, at now: Timestamp) {
        let timeZone = timeZone ?? schedule.zone
        let isRescheduled = timeZone != schedule.zone || home.location != schedule.location
        self.home = home
        schedule = TriggerSchedule(zone: timeZone, location: home.location)
        let former = Dictionary(entries.map { ($0.trigger.id, $0) }) { $1 }
        var started: [Int] = []
        entries = home.triggers.enumerated().map { index, trigger in
            let isActive = home.activationState(of: trigger) == .enabled
            if var entry = former[trigger.id], entry.definition == trigger.definition, entry.isActive == isActive {
                entry.trigger = trigger
                return entry
            }
            started.append(index)
            let state = TriggerState(trigger: trigger.id, updatedAt: now, activeSince: now)
            return Entry(trigger: trigger, state: state, isActive: isActive, checkedUntil: now)
        }
        self.index()
        reachability = reachability.filter { home.accessory($0.key) != nil }
        for index in started {
            observeKnownValues(index, at: now)
            touch(index, at: now)
        }
        guard isRescheduled else { return }
        for index in entries.indices {
            // Times that have passed according to the new rules count as missed.
            entries[index].checkedUntil = entries[index].state.activeSince
            entries[index].next = nil
            setDeadline(index)
        }
    }

    /// Shifts all running durations after the clock was set, by the difference between the new and the old time.
    ///
    /// Times of day don't shift: skipped times don't fire, unless the clock is set back to a time before them, and
    /// repeated times don't fire again. If the clock wasn't set before, stored times don't shift, either.
    package mutating func clockChanged(by difference: Duration, at now: Timestamp) {
        let wasSet = newestStored == nil
        let wrongTimes = startedAt...max(startedAt, now.adding(.zero - difference))
        if wasSet {
            let start = skipped?.lowerBound ?? latestInput
            skipped = start < now && (difference > .zero || skipped != nil) ? start...now : nil
        }
        latestInput = now
        for index in entries.indices {
            var state = entries[index].state
            for memory in state.memories.indices {
                if case .lasting(let since, let hasFired) = state.memories[memory].content,
                    wasSet || wrongTimes.contains(since)
                {
                    state.memories[memory].content = .lasting(since: since.adding(difference), hasFired: hasFired)
                }
                if wasSet, difference < .zero, !state.memories[memory].skipped.isEmpty,
                    let next = schedule.next(
                        of: state.memories[memory].event, after: now, on: entries[index].definition.weekdays)
                {
                    state.memories[memory].reopen(from: next.number)
                }
            }
            if wasSet { state.pausedUntil = state.pausedUntil?.adding(difference) }
            if wasSet, var run = state.run {
                run.resumesAt = run.resumesAt?.adding(difference)
                run.endsAt = run.endsAt?.adding(difference)
                run.startedAt = run.startedAt?.adding(difference)
                for restore in run.restores.indices {
                    run.restores[restore].fadesAt = run.restores[restore].fadesAt?.adding(difference)
                }
                state.run = run
            }
            state.activeSince = min(state.activeSince, now)
            entries[index].recentRuns = entries[index].recentRuns.map { $0.adding(difference) }
            entries[index].recentRequests = entries[index].recentRequests.map { $0.adding(difference) }
            // After the next start, a state with a time in the future would look as if the clock weren't set.
            let isChanged = state != entries[index].state || state.updatedAt > now
            entries[index].state = state
            entries[index].checkedUntil = min(entries[index].checkedUntil, now)
            if isChanged { touch(index, at: now) } else { setDeadline(index) }
        }
        pendingWrites = pendingWrites.mapValues { write in
            var write = write
            write.time = write.time.adding(difference)
            return write
        }
        for (id, write) in lastWrites where wasSet || wrongTimes.contains(write.time) {
            lastWrites[id]?.shift(by: difference)
        }
    }

    /// Checks whether the clock has become plausible, that is, no earlier than the newest stored time.
    mutating func checkClock(_ now: Timestamp) {
        latestInput = now
        if let newest = newestStored, now >= newest { newestStored = nil }
    }

    /// Marks the state of an entry as changed, and computes its deadline.
    mutating func touch(_ index: Int, at now: Timestamp) {
        entries[index].state.updatedAt = now
        changed.insert(entries[index].trigger.id)
        setDeadline(index)
    }

    /// Computes the watched characteristics and their observers, and drops values that are no longer needed.
    private mutating func index() {
        observers = [:]
        watchedCharacteristics = []
        for (index, entry) in entries.enumerated() {
            let events = entry.definition.events + entry.definition.endEvents
            let written = entry.definition.endEvents.isEmpty ? [] : writes(of: entry.definition).map(\.characteristic)
            for id in Set(events.compactMap(\.characteristic) + written) { observers[id, default: []].append(index) }
            watchedCharacteristics.formUnion(entry.definition.observedCharacteristics)
            watchedCharacteristics.formUnion(written)
        }
        values = values.filter { watchedCharacteristics.contains($0.key) }
        lastValues = lastValues.filter { watchedCharacteristics.contains($0.key) }
        lastWrites = lastWrites.filter { watchedCharacteristics.contains($0.key) }
    }

    /// Returns the values that a run writes, in order, in the formats of their characteristics.
    func writes(of definition: TriggerDefinition) -> [CharacteristicWriteAction] {
        normalized(definition.actionSets.flatMap { home.actionSet($0)?.actions ?? [] } + definition.ownWrites)
    }

    /// Returns actions with their values in the formats of their characteristics.
    func normalized(_ actions: [CharacteristicWriteAction]) -> [CharacteristicWriteAction] {
        actions.map { action in
            let metadata = home.characteristic(action.characteristic)?.metadata
            let value = try? metadata?.validatedWrite(action.targetValue)
            return CharacteristicWriteAction(
                characteristic: action.characteristic, targetValue: value ?? action.targetValue)
        }
    }
}
