import HomeModel

import enum HAPModel.CharacteristicValue

/// The machines of all homes with automations, and their outputs.
///
/// A machine handles its inputs immediately. Its changed states and its outputs wait for ``takeWork()``. The hub first
/// stores the states and then performs the outputs.
package struct Automations {
    /// The states to store, and the outputs to perform afterwards.
    struct Work: Sendable, Equatable {
        var states: [TriggerState]
        var triggers: [TriggerWork]
    }

    /// The delays after startup, and the interval of checks.
    package struct Timing: Sendable {
        /// The delay after startup before scheduled events are handled.
        ///
        /// Accessories report their values during this delay.
        package var firstCheck = Duration.seconds(10)
        /// The time after startup when an accessory that hasn't connected yet counts as unreachable.
        package var reachability = Duration.seconds(30)
        /// The longest time between checks of the clock and the time zones.
        package var check = Duration.seconds(60)
    }

    private let timing: Timing
    private let startedAt = ContinuousClock.now
    private var machines: [Home.ID: TriggerMachine] = [:]
    /// The characteristics whose values machines need, and their homes.
    private var observers: [Characteristic.ID: Home.ID] = [:]
    /// The states from the store, for machines that don't exist yet.
    private var stored: [Trigger.ID: TriggerState]
    private(set) var zones: HomeTimeZones
    private var clock: ClockReading
    /// The triggers that are disabled after their only run, but not in the stored home yet.
    private(set) var disabled: [Trigger.ID: Home.ID] = [:]
    /// The triggers that don't run because their apps have no permission.
    private(set) var withdrawn: Set<Trigger.ID>
    private var evaluations: [Trigger.ID: RecentEvaluations] = [:]
    /// The time of the next check of the clock and the time zones.
    private var nextCheck: ContinuousClock.Instant
    /// A Boolean value that indicates whether accessories that haven't connected yet count as unreachable.
    private var knowsAbsence = false

    // The work that the hub hasn't taken yet.
    private var unsaved: [Trigger.ID: TriggerState] = [:]
    private var work: [TriggerWork] = []
    private var isWorking = false

    /// Creates the machines when the hub starts.
    init(
        homes: [Home], states: [TriggerState], withdrawn: Set<Trigger.ID>, zones: HomeTimeZones, timing: Timing,
        at clock: ClockReading
    ) {
        self.withdrawn = withdrawn
        self.timing = timing
        self.zones = zones
        self.clock = clock
        nextCheck = startedAt + timing.check
        stored = Dictionary(states.map { ($0.trigger, $0) }) { $1 }
        for home in homes where !home.triggers.isEmpty { create(home) }
        stored = [:]
        index()
    }

    // MARK: Inputs

    /// Applies a change of a home.
    ///
    /// New and changed automations react to changes from the current values of reachable accessories.
    mutating func update(_ home: Home, at reading: ClockReading) {
        let now = adopt(reading)
        guard !home.triggers.isEmpty else {
            machines[home.id] = nil
            return index()
        }
        if machines[home.id] == nil {
            create(home)
            for accessory in home.accessories {
                machines[home.id]?.setReachable(accessory.id, accessory.isReachable, at: now)
            }
        } else {
            // The machine keeps its time zone until the rules of the new one are read.
            let (home, zone) = (withDisabled(home), zones.rules(of: home))
            machines[home.id]?.update(home, timeZone: zone, at: now)
        }
        index()
        let unknown = machines[home.id]?.unknownCharacteristics ?? []
        for accessory in home.accessories where accessory.isReachable && !unknown.isEmpty {
            for characteristic in accessory.services.lazy.flatMap(\.characteristics)
            where unknown.contains(characteristic.id) && !characteristic.type.isMomentary {
                guard let value = characteristic.value else { continue }
                collect(machines[home.id]?.receive(value, of: characteristic.id, .baseline, at: now) ?? [], of: home.id)
            }
        }
        collect([], of: home.id)
    }

    /// Replaces the triggers of apps without permission; returns `false` if they haven't changed.
    mutating func withdraw(_ triggers: Set<Trigger.ID>, homes: [Home], at reading: ClockReading) -> Bool {
        guard triggers != withdrawn else { return false }
        withdrawn = triggers
        for home in homes { update(home, at: reading) }
        return true
    }

    /// Removes the machine of a removed home.
    mutating func remove(_ home: Home.ID) {
        machines[home] = nil
        disabled = disabled.filter { $0.value != home }
        index()
    }

    /// Handles a value that a reachable accessory has reported.
    mutating func receive(
        _ value: CharacteristicValue, of id: Characteristic.ID, isOccurrence: Bool, at reading: ClockReading
    ) {
        guard let home = observers[id] else { return }
        let now = adopt(reading)
        let outputs = machines[home]?.receive(value, of: id, isOccurrence ? .event : .result, at: now)
        collect(outputs ?? [], of: home)
    }

    /// Handles the reachability of an accessory; returns `false` if its home has no automations.
    @discardableResult
    mutating func setReachable(
        _ id: Accessory.ID, of home: Home.ID, _ isReachable: Bool, at reading: ClockReading
    ) -> Bool {
        guard machines[home] != nil else { return false }
        let now = adopt(reading)
        machines[home]?.setReachable(id, isReachable, at: now)
        collect([], of: home)
        return true
    }

    mutating func setPresence(_ id: Resident.ID, of home: Home.ID, isHome: Bool, at reading: ClockReading) {
        guard machines[home] != nil else { return }
        let now = adopt(reading)
        collect(machines[home]?.setPresence(id, isHome: isHome, at: now) ?? [], of: home)
    }

    /// Adds the rules of a time zone before a home uses it.
    mutating func add(_ zone: String, _ rules: TimeZoneRules) { zones.add(zone, rules) }

    /// Replaces the rules of all time zones; returns the time zones that can no longer be read.
    mutating func update(_ zones: HomeTimeZones, homes: [Home], at reading: ClockReading) -> [HomeTimeZones.Name] {
        guard let missing = self.zones.update(zones) else { return [] }
        for home in homes { update(home, at: reading) }
        return missing
    }

    /// Runs an automation for a user; returns the history entry, or `nil` if the automation doesn't exist.
    ///
    /// - Throws: `HomeError` with code 48 if the automation is paused, or code 49 if it ran too often in the last
    ///   minute or too many of its runs are waiting for the disk.
    mutating func run(
        _ id: Trigger.ID, of home: Home.ID, checksCondition: Bool, at reading: ClockReading
    ) throws(HomeError) -> TriggerRecord? {
        guard work.first(where: { $0.trigger == id })?.runs.count ?? 0 < TriggerLimits.runsInMinute else {
            throw HomeError(
                .maximumObjectLimitReached, detail: "too many runs of the automation are waiting to be stored",
                remedy: "try again later")
        }
        let now = adopt(reading)
        let outputs: [TriggerOutput]
        do throws(TriggerMachine.RunRefusal) {
            outputs = try machines[home]?.run(id, checksCondition: checksCondition, at: now) ?? []
        } catch {
            switch error {
            case .paused:
                throw HomeError(.operationNotSupported, detail: "the automation is paused because it ran too often")
            case .tooOften:
                throw HomeError(
                    .maximumObjectLimitReached,
                    detail: "apps have run the automation \(TriggerLimits.runsInMinute) times in the last minute",
                    remedy: "try again in a minute")
            }
        }
        collect(outputs, of: home)
        return outputs.lazy.compactMap { if case .record(let record) = $0 { record } else { nil } }.first
    }

    /// Handles durations that have ended and scheduled events that are due.
    mutating func advance(to reading: ClockReading, homes: [Home]) {
        let now = adopt(reading)
        let uptime = ContinuousClock.now - startedAt
        if !knowsAbsence, uptime >= timing.reachability {
            knowsAbsence = true
            for home in homes {
                for accessory in home.accessories where !accessory.isReachable {
                    machines[home.id]?.setReachable(accessory.id, false, at: now)
                }
            }
        }
        guard uptime >= timing.firstCheck else { return }
        for home in machines.keys { collect(machines[home]?.advance(to: now) ?? [], of: home) }
    }

    /// Shifts the ends of durations if the wall clock was set; returns the current time.
    private mutating func adopt(_ reading: ClockReading) -> Timestamp {
        let adjustment = reading.adjustment(since: clock)
        clock = reading
        if adjustment != .zero {
            for home in machines.keys {
                machines[home]?.clockChanged(by: adjustment, at: reading.time)
                collect([], of: home)
            }
        }
        return reading.time
    }

    // MARK: State

    /// The characteristics whose values the machines need.
    var watched: Set<Characteristic.ID> { Set(observers.keys) }

    func watches(_ id: Characteristic.ID) -> Bool { observers[id] != nil }

    /// Returns the characteristics of a home whose values its machine needs but doesn't know.
    func unknownCharacteristics(of home: Home.ID) -> Set<Characteristic.ID> {
        machines[home]?.unknownCharacteristics ?? []
    }

    /// Evaluates the condition of an automation; returns the reason why it can't run now, or `nil` if it can.
    func check(_ id: Trigger.ID, of home: Home.ID, at time: Timestamp) -> TriggerResult? {
        machines[home]?.check(id, at: time)
    }

    /// Returns for each automation of a home the next scheduled time, and the end of its pause, if it ran too often.
    mutating func outlook(
        of home: Home.ID, at time: Timestamp
    ) -> [Trigger.ID: (next: Timestamp?, pausedUntil: Timestamp?)] {
        machines[home]?.outlook(at: time) ?? [:]
    }

    /// Returns a Boolean value that indicates whether the clock and the time zones must be checked.
    ///
    /// They're checked once a minute, because not every system reports that its clock was set.
    mutating func isCheckDue(now: ContinuousClock.Instant) -> Bool {
        guard now >= nextCheck else { return false }
        nextCheck = now + timing.check
        return true
    }

    /// The time at which to call ``advance(to:homes:)`` and ``isCheckDue(now:)``; `nil` if there are no automations.
    func nextDeadline(at reading: ClockReading, now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard !machines.isEmpty else { return nil }
        var deadline = nextCheck
        if let next = machines.values.compactMap(\.nextDeadline).min() {
            let wait = max(.zero, reading.time.duration(to: next))
            if wait < timing.check { deadline = min(deadline, max(now + wait, startedAt + timing.firstCheck)) }
        }
        return knowsAbsence ? deadline : min(deadline, startedAt + timing.reachability)
    }

    // MARK: Work

    /// Returns a Boolean value that indicates whether the hub must start a loop that calls ``takeWork()``.
    mutating func beginWork() -> Bool {
        guard !isWorking, !unsaved.isEmpty || !work.isEmpty else { return false }
        isWorking = true
        return true
    }

    /// Removes and returns the work; `nil` if there is none, which ends the loop.
    mutating func takeWork() -> Work? {
        guard !unsaved.isEmpty || !work.isEmpty else {
            isWorking = false
            return nil
        }
        defer {
            unsaved = [:]
            work = []
        }
        return Work(states: unsaved.values.sorted { $0.trigger < $1.trigger }, triggers: work)
    }

    /// Keeps states that couldn't be stored, for the next attempt.
    mutating func keep(_ states: [TriggerState]) {
        for state in states where unsaved[state.trigger] == nil { unsaved[state.trigger] = state }
        isWorking = false
    }

    /// Re-enables run-once triggers whose run wasn't performed because it couldn't be stored.
    ///
    /// They react to changes from the current values.
    mutating func onlyRunsFailed(_ work: [TriggerWork], homes: [Home], at reading: ClockReading) {
        for trigger in work where trigger.isDisabled {
            disabled[trigger.trigger] = nil
            if let home = homes.first(where: { $0.id == trigger.home }) { update(home, at: reading) }
        }
    }

    /// Records that a trigger is disabled in the stored home.
    mutating func disabledInHome(_ id: Trigger.ID) { disabled[id] = nil }

    private mutating func collect(_ outputs: [TriggerOutput], of home: Home.ID) {
        for state in machines[home]?.takeChangedStates() ?? [] { unsaved[state.trigger] = state }
        for output in outputs {
            if case .record(let record) = output, record.run == nil,
                evaluations[record.trigger, default: RecentEvaluations()].add(at: record.time) == false
            {
                continue
            }
            if case .disable(let trigger) = output { disabled[trigger] = home }
            let index = work.firstIndex { $0.trigger == output.trigger } ?? work.endIndex
            if index == work.endIndex { work.append(TriggerWork(home: home, trigger: output.trigger)) }
            work[index].add(output, at: .now)
        }
    }

    // MARK: Machines

    private mutating func create(_ home: Home) {
        machines[home.id] = TriggerMachine(
            home: withDisabled(home), timeZone: zones.rules(of: home) ?? zones.system,
            states: home.triggers.compactMap { stored[$0.id] }, at: clock.time)
        collect([], of: home.id)
    }

    /// Returns a home in which triggers of apps without permission and run-once triggers that have run are disabled.
    private func withDisabled(_ home: Home) -> Home {
        guard !disabled.isEmpty || !withdrawn.isEmpty else { return home }
        var home = home
        for index in home.triggers.indices {
            let id = home.triggers[index].id
            if disabled[id] != nil || withdrawn.contains(id) { home.triggers[index].isEnabled = false }
        }
        return home
    }

    private mutating func index() {
        observers = [:]
        for (home, machine) in machines {
            for id in machine.watchedCharacteristics { observers[id] = home }
        }
        let present = Set(machines.values.flatMap(\.triggers))
        evaluations = evaluations.filter { present.contains($0.key) }
        disabled = disabled.filter { present.contains($0.key) }
        unsaved = unsaved.filter { present.contains($0.key) }
    }
}

/// The number of evaluations without a run that were recorded for one trigger in the current minute.
///
/// A sensor that reports many times a second would otherwise fill the disk.
private struct RecentEvaluations {
    private var minute: Int64 = .min
    private var count = 0

    /// Adds an evaluation; returns whether to record it.
    mutating func add(at time: Timestamp) -> Bool {
        let minute = time.millisecondsSince1970 / 60_000
        count = minute == self.minute ? count + 1 : 1
        self.minute = minute
        return count <= TriggerLimits.runsInMinute
    }
}
