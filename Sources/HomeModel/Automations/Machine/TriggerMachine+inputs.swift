package import HAPModel

extension TriggerMachine {
    // MARK: Time

    /// Handles scheduled events and the ends of durations and waits up to the given time.
    package mutating func advance(to now: Timestamp) -> [TriggerOutput] {
        checkClock(now)
        var outputs: [TriggerOutput] = []
        for index in entries.indices where entries[index].deadline.map({ $0 <= now }) ?? false {
            if newestStored == nil {
                if let time = entries[index].state.run?.resumesAt, time <= now {
                    outputs += isTimely(time, index, at: now) ? proceed(index, at: now) : skipRest(index, at: now)
                }
                if let time = entries[index].state.run?.endsAt, time <= now, let event = durationEvent(index) {
                    outputs += end(index, event, at: now)
                }
                for (event, isEnd) in entries[index].currentEvents {
                    outputs += checkScheduled(index, event, isEnd, at: now)
                    outputs += checkLasting(index, event, isEnd, at: now)
                }
                entries[index].checkedUntil = now
            }
            setDeadline(index)
        }
        if newestStored == nil { skipped = nil }
        return outputs
    }

    /// Fires a scheduled event whose last occurrence hasn't been handled.
    ///
    /// Earlier occurrences count as missed, or as skipped if the clock was set forward past them.
    private mutating func checkScheduled(
        _ index: Int, _ event: TriggerEvent, _ isEnd: Bool, at now: Timestamp
    ) -> [TriggerOutput] {
        let entry = entries[index]
        let weekdays = isEnd ? .everyDay : entry.definition.weekdays
        let start =
            isEnd
            ? entry.state.run.map { $0.startedAt ?? Timestamp(millisecondsSince1970: $0.number) }
            : entry.state.activeSince
        guard event.isScheduled, let start else { return [] }
        let memory = entry.state.memory(of: event)
        var late = openOccurrences(of: event, on: weekdays, memory, after: start, through: now)
        guard let last = late.first else { return [] }
        let isRunning = isTimely(last.time, index, at: now)
        if isRunning { late.removeFirst() }
        let jumped = late.filter { skipped?.contains($0.time) ?? false }
        let missed = late.filter { skipped?.contains($0.time) != true }
        entries[index].state.handle(event, last.number, skipped: isEnd ? [] : jumped.map(\.number))
        touch(index, at: now)
        if isEnd { return end(index, event, at: now) }
        var outputs: [TriggerOutput] = []
        for (times, result) in [(missed, TriggerResult.missed), (jumped, TriggerResult.skippedByClock)] {
            guard let first = times.last?.time else { continue }
            let count = min(times.count, TriggerLimits.missedOccurrences)
            outputs.append(record(index, .event(event), result(first, count), at: now))
        }
        return isRunning ? outputs + fire(index, .event(event), weekdayAt: last.time, at: now) : outputs
    }

    /// Returns the occurrences in a period that haven't been handled, latest first, but only one more than
    /// ``TriggerLimits/missedOccurrences``.
    private func openOccurrences(
        of event: TriggerEvent, on weekdays: Weekdays, _ memory: TriggerState.EventMemory?, after start: Timestamp,
        through end: Timestamp
    ) -> [TriggerSchedule.Occurrence] {
        var open: [TriggerSchedule.Occurrence] = []
        var time = end
        for _ in 0...TriggerLimits.missedOccurrences {
            guard let occurrence = schedule.last(of: event, through: time, on: weekdays), occurrence.time > start,
                occurrence.number >= memory?.firstOpen ?? .min
            else { break }
            if memory?.isOpen(occurrence.number) ?? true { open.append(occurrence) }
            time = occurrence.time.adding(.milliseconds(-1))
        }
        return open
    }

    /// Returns a Boolean value that indicates whether actions that were due at the given time may still run.
    private func isTimely(_ time: Timestamp, _ index: Int, at now: Timestamp) -> Bool {
        let delay = time.duration(to: now)
        return delay <= TriggerLimits.punctuality || entries[index].definition.missedRunPolicy.allows(delay)
    }

    /// Fires an event whose state has lasted long enough.
    private mutating func checkLasting(
        _ index: Int, _ event: TriggerEvent, _ isEnd: Bool, at now: Timestamp
    ) -> [TriggerOutput] {
        guard let time = endOfLasting(entries[index], event), time <= now,
            case .lasting(let since, false) = entries[index].state[event]
        else { return [] }
        entries[index].state[event] = .lasting(since: since, hasFired: true)
        touch(index, at: now)
        return isEnd ? end(index, event, at: now) : fire(index, .event(event), at: now)
    }

    /// Returns the time at which an event fires if its current state lasts; `nil` if the state doesn't apply, isn't
    /// known, or the event has already fired.
    private func endOfLasting(_ entry: Entry, _ event: TriggerEvent) -> Timestamp? {
        guard case .lasting(let since, false) = entry.state[event] else { return nil }
        switch event {
        case .held(let id, let test, let duration):
            return values[id].map(test.passes) == true ? since.adding(duration) : nil
        case .unreachable(let accessory, let duration):
            return reachability[accessory] == false ? since.adding(duration) : nil
        case .calendar, .significant, .timer, .characteristic, .range, .button, .presence, .duration: return nil
        }
    }

    /// Computes an entry's deadline, which is the next time at which the entry needs ``advance(to:)``.
    ///
    /// The deadline may be in the past, because other inputs can arrive before ``advance(to:)`` is called for it.
    mutating func setDeadline(_ index: Int) {
        let entry = entries[index]
        var times = [entry.state.run?.resumesAt, entry.state.run?.endsAt].compactMap { $0 }
        for (event, isEnd) in entry.currentEvents {
            if event.isScheduled {
                let weekdays = isEnd ? .everyDay : entry.definition.weekdays
                let next = schedule.next(of: event, after: entry.checkedUntil, on: weekdays)
                if let next { times.append(next.time) }
            } else if let time = endOfLasting(entry, event) {
                times.append(time)
            }
        }
        // Nothing fires before the clock is set.
        entries[index].deadline = times.min().map { max($0, newestStored ?? $0) }
    }

    /// Returns the end event with the shortest duration.
    private func durationEvent(_ index: Int) -> TriggerEvent? {
        entries[index].definition.endEvents.filter { if case .duration = $0 { true } else { false } }.min {
            if case .duration(let a) = $0, case .duration(let b) = $1 { a < b } else { false }
        }
    }

    // MARK: Values

    /// Handles a value of a characteristic.
    ///
    /// The first value, and the first value after an outage of the accessory, are always baselines.
    package mutating func receive(
        _ value: CharacteristicValue, of id: Characteristic.ID, _ source: ValueSource, at now: Timestamp
    ) -> [TriggerOutput] {
        checkClock(now)
        guard watchedCharacteristics.contains(id) else { return [] }
        let former = values[id]
        values[id] = value
        lastValues[id] = value
        lastWrites[id]?.receive(value, at: now)
        keepFade(of: id, at: now)
        let observation = Observation(value: value, former: source == .baseline ? nil : former, source: source)
        let origin = origin(of: value, id, isChange: former.map { !$0.isSame(as: value) } ?? true, at: now)
        var outputs: [TriggerOutput] = []
        for index in observers[id] ?? [] {
            if origin?.trigger != entries[index].trigger.id { forgetRestore(index, id, value, at: now) }
            outputs += restoreKnownValues(index, at: now)
            for (event, isEnd) in entries[index].currentEvents where event.characteristic == id {
                // A trigger doesn't react to its own writes.
                guard observe(index, event, observation, at: now), origin?.trigger != entries[index].trigger.id else {
                    continue
                }
                let depth = (origin?.depth ?? 0) + 1
                outputs +=
                    isEnd ? end(index, event, at: now) : fire(index, .event(event), depth: depth, at: now)
            }
        }
        return outputs
    }

    /// Stores the progress of a fade, so that the next step doesn't look like a change by someone else after a restart.
    private mutating func keepFade(of id: Characteristic.ID, at now: Timestamp) {
        guard let write = lastWrites[id], write.isFading(at: now) else { return }
        for index in observers[id] ?? [] where entries[index].trigger.id == write.trigger {
            guard let position = entries[index].state.run?.restores.firstIndex(where: { $0.characteristic == id }),
                let kept = entries[index].state.run?.restores[position].fadesAt,
                kept.duration(to: now) >= TriggerLimits.fadeStorage
            else { continue }
            entries[index].state.run?.restores[position].fadesAt = now
            entries[index].state.run?.restores[position].step = values[id]
            touch(index, at: now)
        }
    }

    /// A value with the previous value, which is `nil` if the value is a baseline.
    private struct Observation {
        var value: CharacteristicValue
        var former: CharacteristicValue?
        var source: ValueSource
    }

    /// Stores an observed value in the memory of an event; returns a Boolean value that indicates whether the event
    /// fires.
    private mutating func observe(
        _ index: Int, _ event: TriggerEvent, _ observation: Observation, at now: Timestamp
    ) -> Bool {
        let value = observation.value
        switch event {
        case .characteristic(_, let expected):
            guard let former = observation.former, !former.isSame(as: value) else { return false }
            return expected.map(value.isSame) ?? true
        case .range(_, let range):
            let isInside = range.contains(value)
            let side = TriggerState.EventMemory.Content.side(isInside: isInside)
            let former = entries[index].state[event] ?? observation.former.map { .side(isInside: range.contains($0)) }
            if entries[index].state[event] != side {
                entries[index].state[event] = side
                touch(index, at: now)
            }
            return observation.former != nil && isInside && former == .side(isInside: false)
        case .held(_, let test, _):
            setLasting(index, event, test.passes(value), at: now)
            return false
        case .button(_, let press):
            return observation.source == .event && value.isSame(as: press.value)
        case .calendar, .significant, .timer, .unreachable, .presence, .duration:
            return false
        }
    }

    /// Stores the start or the end of a state in the memory of an event.
    ///
    /// The start remains during a restart or an outage, because only short changes could go unnoticed.
    private mutating func setLasting(_ index: Int, _ event: TriggerEvent, _ isLasting: Bool, at now: Timestamp) {
        switch (entries[index].state[event], isLasting) {
        case (nil, true): entries[index].state[event] = .lasting(since: now, hasFired: false)
        case (.some, false): entries[index].state[event] = nil
        case (nil, false): return
        // After an outage, the deadline is still unknown.
        case (.some, true): return setDeadline(index)
        }
        touch(index, at: now)
    }

    /// Gives the known values and states to a new trigger, or to the end events of a new run, as baselines.
    mutating func observeKnownValues(_ index: Int, isEnd: Bool = false, at now: Timestamp) {
        for event in isEnd ? entries[index].definition.endEvents : entries[index].definition.events {
            if let id = event.characteristic, let value = values[id] {
                _ = observe(index, event, Observation(value: value, former: nil, source: .baseline), at: now)
            } else if case .unreachable(let accessory, _) = event, reachability[accessory] == false {
                setLasting(index, event, true, at: now)
            }
        }
    }

    /// Returns the run whose write caused a change of a value, and forgets the write.
    private mutating func origin(
        of value: CharacteristicValue, _ id: Characteristic.ID, isChange: Bool, at now: Timestamp
    ) -> PendingWrite? {
        guard let write = pendingWrites[id] else { return nil }
        let isExpected = write.time.duration(to: now) <= TriggerLimits.attribution
        // Another value may precede the result: a value from before a reconnect, or a step of a fade.
        guard write.value.isSame(as: value) || !isExpected else { return nil }
        pendingWrites[id] = nil
        return isChange && isExpected ? write : nil
    }

    // MARK: Reachability and presence

    /// Handles the reachability of an accessory.
    package mutating func setReachable(_ id: Accessory.ID, _ isReachable: Bool, at now: Timestamp) {
        checkClock(now)
        guard reachability.updateValue(isReachable, forKey: id) != isReachable else { return }
        if !isReachable {
            for service in home.accessory(id)?.services ?? [] {
                for characteristic in service.characteristics { values[characteristic.id] = nil }
            }
        }
        for index in entries.indices {
            for (event, _) in entries[index].currentEvents {
                if case .unreachable(id, _) = event { setLasting(index, event, !isReachable, at: now) }
            }
        }
    }

    /// Handles the presence of a person.
    package mutating func setPresence(_ id: Resident.ID, isHome: Bool, at now: Timestamp) -> [TriggerOutput] {
        checkClock(now)
        guard let index = home.people.firstIndex(where: { $0.id == id }), home.people[index].isHome != isHome else {
            return []
        }
        home.people[index].isHome = isHome
        var outputs: [TriggerOutput] = []
        for index in entries.indices {
            for (event, isEnd) in entries[index].currentEvents {
                guard case .presence(let change, let people) = event, people.isEmpty || people.contains(id) else {
                    continue
                }
                let others = home.people.filter { $0.id != id && (people.isEmpty || people.contains($0.id)) }
                guard change.matches(isHome: isHome, isAnyOtherHome: others.contains(where: \.isHome)) else { continue }
                outputs += isEnd ? end(index, event, at: now) : fire(index, .event(event), at: now)
            }
        }
        return outputs
    }
}

extension PresenceChange {
    /// Returns a Boolean value that indicates whether a person's arrival or departure matches this change.
    fileprivate func matches(isHome: Bool, isAnyOtherHome: Bool) -> Bool {
        switch self {
        case .firstEntry: isHome && !isAnyOtherHome
        case .everyEntry: isHome
        case .lastExit: !isHome && !isAnyOtherHome
        case .everyExit: !isHome
        }
    }
}

extension MissedRunPolicy {
    /// Returns a Boolean value that indicates whether a run may start after the given delay.
    func allows(_ delay: Duration) -> Bool {
        switch self {
        case .skip: false
        case .runWithin(let duration): delay <= duration
        }
    }
}
