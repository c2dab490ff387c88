import BoundedJSON
import HomeModel
import Logging
import SystemKit

// Performs requests about automations.
extension HomeHub {
    // MARK: Running

    /// Runs an automation, or only evaluates its condition.
    ///
    /// The hub answers the call after the first attempt at each action.
    func runTrigger(_ id: Trigger.ID, _ mode: TriggerRunMode, _ call: Call) {
        guard let home = graph.homes.first(where: { $0.trigger(id) != nil }) else {
            return answer(call, with: .automationNotFound)
        }
        let reading = clock()
        guard mode != .check else {
            let result = automations.check(id, of: home.id, at: reading.time) ?? .ran
            let record = TriggerRecord(trigger: id, time: reading.time, cause: .user, result: result)
            return answer(call, .success(record.json))
        }
        guard calls.takesEffect(call) else { return }
        do throws(HomeError) {
            defer { automationsChanged() }
            let record = try automations.run(id, of: home.id, checksCondition: mode == .conditional, at: reading)
            guard let record else { return answer(call, with: .automationNotFound) }
            guard let run = record.runID else { return answer(call, .success(record.json)) }
            runCalls[run, default: []].append(call)
        } catch {
            answer(call, with: error)
        }
    }

    /// Answers the calls that wait for the given run.
    func answerRunCalls(of run: RunID) {
        guard let calls = runCalls.removeValue(forKey: run) else { return }
        for call in calls {
            if let record = triggerHistory.record(of: run) {
                answer(call, .success(record.json))
            } else {
                answer(call, with: .automationNotFound)
            }
        }
    }

    /// Answers the calls for runs that were replaced by later runs while they waited for the disk.
    func endRunCalls(of trigger: Trigger.ID, before number: Int64) {
        for run in runCalls.keys
        where run.trigger == trigger && run.number < number && triggerHistory.record(of: run) == nil {
            for call in runCalls.removeValue(forKey: run) ?? [] { answer(call, with: .runReplaced) }
        }
    }

    // MARK: Reading

    /// Answers with the next and the last run of each automation of a home.
    ///
    /// Apps ask for them often, so the hub keeps the last entries and their JSON.
    func triggerStatuses(of id: Home.ID, _ call: Call) async {
        if !triggerHistory.hasLatest(of: id) {
            let records = await loadRecords(of: id, call) { store in try await store.latestTriggerRecords(of: id) }
            guard let records else { return }
            triggerHistory.keepLatest(merged(records, of: id), of: id)
        }
        guard isAwaited(call) else { return }
        guard let home = graph.home(id) else {
            return answer(call, with: HomeError(.notFound, detail: "this home doesn't exist"))
        }
        let outlook = automations.outlook(of: id, at: clock().time)
        let statuses = home.triggers.map { trigger in
            TriggerStatus(
                trigger: trigger.id, next: outlook[trigger.id]?.next, last: triggerHistory.latest(of: trigger.id),
                pausedUntil: outlook[trigger.id]?.pausedUntil)
        }
        answer(call, .success(triggerStatusTexts[id, default: EncodedTexts()].json(of: statuses, by: \.trigger)))
    }

    /// Answers with the latest records of a home's history, newest first.
    func triggerRecords(of home: Home.ID, _ call: Call) async {
        let limit = TriggerLimits.recordsInAnswer
        let records = await loadRecords(of: home, call) { store in
            try await store.triggerRecords(of: home, limit: limit)
        }
        guard let records else { return }
        answer(call, .success(Array(merged(records, of: home).prefix(limit)).json))
    }

    /// Answers with the history of an automation, newest first.
    func triggerRecords(of trigger: Trigger.ID, in home: Home.ID, _ call: Call) async {
        guard isAwaited(call) else { return }
        guard graph.home(home)?.trigger(trigger) != nil else { return answer(call, with: .automationNotFound) }
        if let json = triggerHistory.json(of: trigger) { return answer(call, .success(json)) }
        triggerHistory.beginReading(trigger)
        let records = await loadRecords(of: home, call) { store in try await store.triggerRecords(of: trigger) }
        guard let records else { return }
        triggerHistory.endReading(trigger, records)
        if let json = triggerHistory.json(of: trigger) { return answer(call, .success(json)) }
        // The automation was removed, or more recent calls for other histories have taken its place.
        let merged = triggerHistory.merged(records) { $0 == trigger }
        answer(call, .success(Array(merged.prefix(TriggerLimits.records)).json))
    }

    private func merged(_ stored: [TriggerRecord], of home: Home.ID) -> [TriggerRecord] {
        let present = Set(graph.home(home)?.triggers.map(\.id) ?? [])
        return triggerHistory.merged(stored, where: present.contains)
    }

    /// Returns stored records of a home's automations.
    ///
    /// If the records can't be read, the method answers the call with an error and returns `nil`.
    private func loadRecords(
        of home: Home.ID, _ call: Call, load: (any HomeStore) async throws -> [TriggerRecord]
    ) async -> [TriggerRecord]? {
        guard isAwaited(call) else { return nil }
        guard graph.home(home) != nil else {
            answer(call, with: HomeError(.notFound, detail: "this home doesn't exist"))
            return nil
        }
        do {
            return try await load(store)
        } catch {
            logger.error("automation history read failed", metadata: ["error": "\(error)"])
            answer(call, with: store.failure("the history can't be read", after: error))
            return nil
        }
    }

    /// Answers with today's sun events at a home.
    func daylight(of id: Home.ID, _ call: Call) {
        guard let home = graph.home(id) else {
            return answer(call, with: HomeError(.notFound, detail: "this home doesn't exist"))
        }
        guard home.location != nil else {
            return answer(
                call,
                with: HomeError(
                    .locationForHomeDisabled, detail: "\"\(home.name)\" has no location",
                    remedy: "set it with \"\(ShellCommand.homehub) homes location\""))
        }
        let schedule = TriggerSchedule(
            zone: automations.zones.rules(of: home) ?? automations.zones.system, location: home.location)
        let today = schedule.localDate(at: clock().time)
        let daylight = Daylight(
            civilDawn: schedule.time(of: .civilDawn, on: today), sunrise: schedule.time(of: .sunrise, on: today),
            sunset: schedule.time(of: .sunset, on: today), civilDusk: schedule.time(of: .civilDusk, on: today),
            timeZone: home.location?.timeZone ?? automations.zones.systemName)
        answer(call, .success(daylight.json))
    }

    /// Reads the rules of the location's time zone, and then sets the location of a home.
    func setLocation(_ location: HomeLocation, of home: Home.ID, _ call: Call) async {
        if let name = location.timeZone {
            guard let rules = await Self.read(name, using: timeZones) else {
                return answer(
                    call,
                    with: HomeError(
                        .invalidParameter, detail: "the time zone \(name) doesn't exist",
                        remedy: "use a name such as Europe/Berlin, and check that the tzdata package is installed"))
            }
            guard isAwaited(call) else { return }
            automations.add(name, rules)
        }
        write(.setLocation(home, location), call)
    }

    /// Registers a session that receives messages from automations.
    func receiveMessages(_ call: Call) {
        messageSessions.insert(call.session)
        answer(call, .success([:]))
    }
}

extension HomeError {
    fileprivate static let automationNotFound = HomeError(.notFound, detail: "this automation doesn't exist")
}
