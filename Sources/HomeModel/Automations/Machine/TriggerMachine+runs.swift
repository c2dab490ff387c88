import HAPModel

extension TriggerMachine {
    // MARK: Requests of users

    /// The reason why a user can't run an automation now.
    package enum RunRefusal: Error, Hashable {
        /// The automation is paused, because its events happened too often.
        case paused(until: Timestamp)
        /// Users have run the automation too often in the last minute.
        case tooOften
    }

    /// Runs an automation now, even if it's disabled.
    ///
    /// Runs by users don't count toward the pause of an automation whose events happen too often.
    package mutating func run(
        _ id: Trigger.ID, checksCondition: Bool, at now: Timestamp
    ) throws(RunRefusal) -> [TriggerOutput] {
        guard let index = entries.firstIndex(where: { $0.trigger.id == id }) else { return [] }
        if checksCondition {
            if let until = entries[index].state.pausedUntil, now < until { throw .paused(until: until) }
            if let obstacle = obstacle(entries[index], weekdayAt: now, at: now) {
                return [record(index, .user, obstacle, at: now)]
            }
        }
        entries[index].recentRequests.removeAll { $0.adding(.seconds(60)) <= now }
        guard entries[index].recentRequests.count < TriggerLimits.runsInMinute else { throw .tooOften }
        entries[index].recentRequests.append(now)
        return start(index, .user, depth: 1, at: now)
    }

    /// Evaluates the weekdays and the condition of an automation.
    ///
    /// - Returns: The reason why the automation can't run now; `nil` if it can.
    package func check(_ id: Trigger.ID, at now: Timestamp) -> TriggerResult? {
        entries.first { $0.trigger.id == id }.flatMap { obstacle($0, weekdayAt: now, at: now) }
    }

    private func obstacle(_ entry: Entry, weekdayAt time: Timestamp, at now: Timestamp) -> TriggerResult? {
        if newestStored != nil { return .clockNotSet }
        guard entry.definition.weekdays.contains(schedule.weekday(at: time)) else { return .wrongWeekday }
        return entry.definition.condition.flatMap { falsePart(of: $0, at: now) }.map { .conditionFalse($0) }
    }

    // MARK: Runs

    /// Starts a run if nothing prevents it.
    ///
    /// `weekdayAt` is the time whose day must be one of the trigger's weekdays, by default now. `depth` is the position
    /// in a chain of triggers.
    mutating func fire(
        _ index: Int, _ cause: TriggerCause, weekdayAt time: Timestamp? = nil, depth: Int = 1, at now: Timestamp
    ) -> [TriggerOutput] {
        if let until = entries[index].state.pausedUntil, now < until { return [] }
        if let obstacle = obstacle(entries[index], weekdayAt: time ?? now, at: now) {
            return [record(index, cause, obstacle, at: now)]
        }
        guard depth <= TriggerLimits.chainDepth else { return [record(index, cause, .chainTooDeep, at: now)] }
        entries[index].recentRuns.removeAll { $0.adding(.seconds(60)) <= now }
        guard entries[index].recentRuns.count < TriggerLimits.runsInMinute else {
            let until = now.adding(TriggerLimits.pause)
            entries[index].state.pausedUntil = until
            touch(index, at: now)
            return [record(index, cause, .paused(until: until), at: now)]
        }
        entries[index].recentRuns.append(now)
        return start(index, cause, depth: depth, at: now)
    }

    /// Starts a run, which replaces the previous one of the trigger.
    private mutating func start(_ index: Int, _ cause: TriggerCause, depth: Int, at now: Timestamp) -> [TriggerOutput] {
        let definition = entries[index].definition
        // The number is also the time of the start, unless several runs start in a millisecond.
        lastRun = max(lastRun + 1, now.millisecondsSince1970)
        let durations = definition.endEvents.compactMap { if case .duration(let time) = $0 { time } else { nil } }
        entries[index].state.run = TriggerState.RunState(
            number: lastRun, startedAt: now, depth: depth, nextStep: 0,
            restores: definition.endEvents.isEmpty ? [] : restores(index, definition),
            endsAt: durations.min().map { now.adding($0) })
        for event in definition.endEvents where !definition.events.contains(event) {
            entries[index].state[event] = nil
        }
        observeKnownValues(index, isEnd: true, at: now)
        var outputs = [record(index, cause, .ran, run: lastRun, at: now)]
        if definition.executeOnce, entries[index].isActive {
            entries[index].isActive = false
            outputs.append(.disable(entries[index].trigger.id))
        }
        return outputs + proceed(index, at: now)
    }

    /// Returns the values to restore after a run.
    ///
    /// If a previous run still owns a value, the value from before that run is the one to restore.
    private func restores(_ index: Int, _ definition: TriggerDefinition) -> [TriggerState.Restore] {
        var restores: [TriggerState.Restore] = []
        let owned = entries[index].state.run?.restores ?? []
        for action in writes(of: definition) {
            let id = action.characteristic
            // The value that the end of the previous run restores may not have been reported yet.
            let restored = pendingWrites[id].flatMap { $0.trigger == entries[index].trigger.id ? $0.value : nil }
            let owner = owned.first { $0.characteristic == id }
            guard let former = owner?.former ?? restored ?? values[id] ?? lastValues[id] else { continue }
            restores.removeAll { $0.characteristic == id }
            restores.append(
                TriggerState.Restore(characteristic: id, written: owner?.written, former: former))
        }
        return restores
    }

    /// Performs the next tasks of a run, up to a wait.
    mutating func proceed(_ index: Int, at now: Timestamp) -> [TriggerOutput] {
        guard var run = entries[index].state.run else { return [] }
        let definition = entries[index].definition
        let steps = steps(of: definition)
        var outputs: [TriggerOutput] = []
        run.resumesAt = nil
        while run.resumesAt == nil, steps.indices.contains(run.nextStep) {
            switch steps[run.nextStep] {
            case .task(let task):
                outputs.append(.perform(entries[index].trigger.id, run: run.number, task))
                let actions = writes(of: task)
                expect(actions, index, depth: run.depth, at: now)
                for action in actions { run.wrote(action, at: now) }
            case .wait(let duration): run.resumesAt = now.adding(duration)
            }
            run.nextStep += 1
        }
        let isOver = run.resumesAt == nil && definition.endEvents.isEmpty
        entries[index].state.run = isOver ? nil : run
        touch(index, at: now)
        return outputs
    }

    /// Skips the remaining actions of a run whose wait ended too long ago, while the hub wasn't running.
    ///
    /// End events still restore the values that the run has written.
    mutating func skipRest(_ index: Int, at now: Timestamp) -> [TriggerOutput] {
        guard var run = entries[index].state.run else { return [] }
        let definition = entries[index].definition
        let steps = steps(of: definition)
        let outputs = steps.dropFirst(run.nextStep).compactMap { step -> TriggerOutput? in
            guard case .task(let task) = step else { return nil }
            return .skip(entries[index].trigger.id, run: run.number, task)
        }
        run.nextStep = steps.count
        run.resumesAt = nil
        entries[index].state.run = definition.endEvents.isEmpty ? nil : run
        touch(index, at: now)
        return outputs
    }

    private func steps(of definition: TriggerDefinition) -> [Step] {
        (definition.actionSets.isEmpty ? [] : [.task(.runActionSets(definition.actionSets))])
            + definition.steps.map(Step.init)
    }

    /// A step of a run: actions or a wait.
    private enum Step {
        case task(TriggerTask)
        case wait(Duration)

        init(_ step: TriggerStep) {
            switch step {
            case .write(let actions): self = .task(.write(actions))
            case .wait(let duration): self = .wait(duration)
            case .notify(let text): self = .task(.notify(text))
            }
        }
    }

    private func writes(of task: TriggerTask) -> [CharacteristicWriteAction] {
        switch task {
        case .runActionSets(let ids): normalized(ids.flatMap { home.actionSet($0)?.actions ?? [] })
        case .write(let actions): normalized(actions)
        case .notify: []
        }
    }

    /// Records the writes of a run, so that their results are attributed to the run.
    private mutating func expect(
        _ actions: [CharacteristicWriteAction], _ index: Int, depth: Int, at now: Timestamp
    ) {
        for action in actions where watchedCharacteristics.contains(action.characteristic) {
            pendingWrites[action.characteristic] = PendingWrite(
                trigger: entries[index].trigger.id, depth: depth, value: action.targetValue, time: now)
            lastWrites[action.characteristic] = LastWrite(
                action.targetValue, by: entries[index].trigger.id,
                isHue: home.characteristic(action.characteristic)?.type == .hue, at: now)
        }
    }

    /// Ends a run.
    mutating func end(_ index: Int, _ event: TriggerEvent, at now: Timestamp) -> [TriggerOutput] {
        guard var run = entries[index].state.run, !run.hasEnded, newestStored == nil else { return [] }
        run.hasEnded = true
        run.resumesAt = nil
        run.endsAt = nil
        entries[index].state.run = run
        touch(index, at: now)
        return [record(index, .endEvent(event), .ended, run: run.number, at: now)]
            + restoreKnownValues(index, at: now)
    }

    /// Restores the values that an ended run wrote, except values that have changed since.
    ///
    /// After a restart or an outage, some of the values aren't known yet. They're restored once they are received.
    mutating func restoreKnownValues(_ index: Int, at now: Timestamp) -> [TriggerOutput] {
        guard let run = entries[index].state.run, run.hasEnded else { return [] }
        let written = run.restores.filter { $0.written != nil }
        let unknown = written.filter { values[$0.characteristic] == nil }
        guard unknown.isEmpty || unknown.count < written.count else { return [] }
        if unknown.isEmpty { entries[index].state.run = nil } else { entries[index].state.run?.restores = unknown }
        touch(index, at: now)
        let trigger = entries[index].trigger.id
        let actions = written.filter { restore in
            guard let value = values[restore.characteristic], let written = restore.written,
                !restore.former.isSame(as: written)
            else { return false }
            // A write that is being retried must be replaced, or it would take effect after the end.
            let isPending = pendingWrites[restore.characteristic].map {
                $0.trigger == trigger && $0.value.isSame(as: written)
                    && $0.time.duration(to: now) <= TriggerLimits.attribution
            }
            // The end of the run can come before the end of a fade.
            let isFading = lastWrites[restore.characteristic].map { $0.trigger == trigger && $0.isFading(at: now) }
            return value.isSame(as: written) || isPending == true || isFading == true
        }.map { CharacteristicWriteAction(characteristic: $0.characteristic, targetValue: $0.former) }
        expect(actions, index, depth: run.depth, at: now)
        return actions.isEmpty ? [] : [.restore(trigger, run: run.number, actions)]
    }

    /// Handles a value that may have been changed by someone else during a run.
    ///
    /// A value that was changed after the run wrote it is kept at the end of the run. A value that was changed before the
    /// run writes it is the value to restore.
    mutating func forgetRestore(
        _ index: Int, _ id: Characteristic.ID, _ value: CharacteristicValue, at now: Timestamp
    ) {
        let restores = entries[index].state.run?.restores ?? []
        guard let position = restores.firstIndex(where: { $0.characteristic == id }) else { return }
        guard let written = restores[position].written else {
            guard !restores[position].former.isSame(as: value) else { return }
            entries[index].state.run?.restores[position].former = value
            return touch(index, at: now)
        }
        guard !written.isSame(as: value), pendingWrites[id]?.trigger != entries[index].trigger.id else { return }
        if let last = lastWrites[id], last.trigger == entries[index].trigger.id, last.isFollowed { return }
        entries[index].state.run?.restores.removeAll { $0.characteristic == id }
        touch(index, at: now)
    }

    func record(
        _ index: Int, _ cause: TriggerCause, _ result: TriggerResult, run: Int64? = nil, at now: Timestamp
    ) -> TriggerOutput {
        .record(TriggerRecord(trigger: entries[index].trigger.id, time: now, cause: cause, result: result, run: run))
    }

    // MARK: Conditions

    /// Returns the part that makes a condition false; `nil` if the condition is true.
    private func falsePart(of condition: TriggerCondition, at now: Timestamp) -> TriggerCondition? {
        switch condition {
        case .all(let parts): parts.lazy.compactMap { falsePart(of: $0, at: now) }.first
        case .any(let parts): parts.contains { falsePart(of: $0, at: now) == nil } ? nil : condition
        case .not(let part): falsePart(of: part, at: now) == nil ? condition : nil
        case .time, .sun, .weekday, .comparison, .presence: isTrue(condition, at: now) ? nil : condition
        }
    }

    /// Returns a Boolean value that indicates whether a condition is true.
    private func isTrue(_ condition: TriggerCondition, at now: Timestamp) -> Bool {
        switch condition {
        case .time(let start, let end):
            let time = schedule.timeOfDay(at: now)
            let isAfterStart = time >= start.minutes * 60
            let isBeforeEnd = time < end.minutes * 60
            return start < end ? isAfterStart && isBeforeEnd : isAfterStart || isBeforeEnd
        case .sun(let relation, let time): return schedule.isTime(now, relation, time)
        case .weekday(let days): return days.contains(schedule.weekday(at: now))
        case .comparison(let id, let comparison, let value):
            return values[id].map { comparison.compare($0, value) } ?? false
        case .presence(.anyoneHome): return home.people.contains(where: \.isHome)
        case .presence(.noOneHome): return !home.people.contains(where: \.isHome)
        case .presence(.home(let person)): return home.person(person)?.isHome ?? false
        case .all, .any, .not: return falsePart(of: condition, at: now) == nil
        }
    }
}

extension TriggerState.RunState {
    /// Records a value that the run has written.
    fileprivate mutating func wrote(_ action: CharacteristicWriteAction, at now: Timestamp) {
        for index in restores.indices where restores[index].characteristic == action.characteristic {
            restores[index].written = action.targetValue
            restores[index].fadesAt = now
            restores[index].step = nil
        }
    }
}
