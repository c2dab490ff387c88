import AsyncKit
import HomeModel
import Logging

// Performs the runs of automations. `RunQueues` holds them, `RunPlan` their writes and outcomes.
extension HomeHub {
    /// Performs the outputs for one trigger after its state was stored.
    func perform(_ work: TriggerWork) {
        if work.isDisabled { disable(work.trigger, of: work.home) }
        var plans = plans(work)
        let last = plans.popLast()
        add(work, isStored: true, ending: plans, because: .runReplaced, last: last?.id.run)
        if let last { begin(last) }
    }

    /// Reports that actions didn't run because the state couldn't be stored.
    func fail(_ work: TriggerWork, because error: HomeError) {
        add(work, isStored: false, ending: plans(work), because: error, last: nil)
        saveTriggerHistory()
    }

    /// Adds the entries of a machine's outputs to the history, and answers the calls for their runs.
    ///
    /// - Parameters:
    ///   - work: The outputs.
    ///   - isStored: Whether the entries are stored.
    ///   - plans: The parts of runs that won't be performed.
    ///   - error: The reason why these parts won't be performed.
    ///   - last: The run that will be performed, whose calls are answered later.
    private func add(
        _ work: TriggerWork, isStored: Bool, ending plans: [RunPlan], because error: HomeError, last: RunID?
    ) {
        let ofOthers = plans.filter { plan in !work.records.contains { $0.runID == plan.id.run } }
        end(ofOthers, because: error)
        for record in work.records {
            if isStored { triggerHistory.track(record) } else { triggerHistory.add(record) }
            report(record)
            guard let run = record.runID, run != last else { continue }
            end(plans.filter { $0.id.run == run }, because: error)
            // Also answer the calls for a run without parts, which begins with a wait or whose trigger was removed.
            answerRunCalls(of: run)
        }
        if let first = work.records.lazy.compactMap(\.run).first { endRunCalls(of: work.trigger, before: first) }
    }

    private func plans(_ work: TriggerWork) -> [RunPlan] {
        guard let home = graph.home(work.home), let trigger = home.trigger(work.trigger) else { return [] }
        return work.runs.map { RunPlan(runs.makeID($0.id), $0, of: trigger, in: home) }
    }

    /// Reports parts of runs that were replaced by a later run or a change of their trigger.
    func replaced(_ plans: [RunPlan]) { end(plans, because: .runReplaced) }

    private func end(_ plans: [RunPlan], because error: HomeError) {
        for var plan in plans {
            plan.giveUp(because: error)
            update(&plan, isOver: true)
        }
    }

    private func begin(_ plan: RunPlan) {
        var plan = plan
        triggerHistory.begin(plan.id)
        if !plan.isSkipped { beginActivity(of: .plan(plan.id)) }
        for text in plan.takeMessages() { send(text, of: plan) }
        let (replaced, begins) = runs.add(plan)
        self.replaced(replaced)
        guard begins else { return }
        let trigger = plan.id.run.trigger
        start { hub in
            while let plan = hub.runs.take(trigger) { await hub.perform(plan) }
        }
    }

    // MARK: Writing

    /// Performs a part of a run: the first attempt of all writes.
    ///
    /// Writes that failed are retried in parallel with later parts.
    private func perform(_ plan: RunPlan) async {
        var plan = plan
        await fetchRecord(of: plan)
        guard runs.isCurrent(plan.id.run) else { return replaced([plan]) }
        guard !plan.isSkipped else {
            plan.skip()
            return update(&plan, isOver: true)
        }
        // Storing the trigger's state can take longer than the timeout if the disk is blocked.
        guard ContinuousClock.now < plan.time + configuration.actionTimeout else {
            plan.giveUp(because: .storeIsBusy)
            return update(&plan, isOver: true)
        }
        let scenes = plan.actionSets.filter { runningActionSets.insert($0).inserted }
        for id in scenes { setExecuting(id, true) }
        await attempt(&plan)
        for id in scenes {
            runningActionSets.remove(id)
            setExecuting(id, false)
        }
        guard !plan.writes.isEmpty else { return runs.end(plan.id) }
        let signal = runs.beginRetry(by: plan.id)
        let pending = plan
        start { hub in await hub.retry(pending, when: signal) }
    }

    /// Retries the failed writes until they succeed, a later write or run replaces them, or they time out.
    private func retry(_ plan: RunPlan, when signal: AsyncSignal) async {
        var plan = plan
        let deadline = plan.time + configuration.actionTimeout
        defer {
            runs.end(plan.id)
            update(&plan, isOver: true)
        }
        while ContinuousClock.now < deadline, !Task.isCancelled {
            await signal.wait(until: min(deadline, .now + configuration.actionRetryInterval))
            let replaced = plan.writes.map(\.characteristic).filter { !runs.isLast($0, by: plan.id) }
            plan.giveUp(
                runs.isCurrent(plan.id.run) ? replaced : plan.writes.map(\.characteristic), because: .runReplaced)
            guard !plan.writes.isEmpty, !Task.isCancelled else { return }
            await attempt(&plan)
            if plan.writes.isEmpty { return }
        }
    }

    private func attempt(_ plan: inout RunPlan) async {
        let pending = plan.actionSets.filter { !plan.hasSet($0) }
        plan.received(await written(plan.writes, by: .plan(plan.id)))
        let time = Timestamp.now
        for id in pending where plan.hasSet(id) {
            setExecuting(id, runningActionSets.contains(id), last: time)
            start { hub in await hub.save(id, lastExecutionTime: time) }
        }
        update(&plan, isOver: false)
    }

    private func setExecuting(_ id: ActionSet.ID, _ isExecuting: Bool, last: Timestamp? = nil) {
        let last = last ?? graph.home(of: id)?.actionSet(id)?.lastExecutionTime
        apply(.actionSetExecutionUpdated(id, isExecuting: isExecuting, last: last))
    }

    // MARK: History

    /// Notifies apps of a new history entry.
    private func report(_ record: TriggerRecord) {
        if case .paused(let until) = record.result {
            logger.warning(
                "automation paused",
                metadata: ["automation": "\(record.trigger)", "until": "\(until)", "reason": "it ran too often"])
        }
        recordActivity(record)
        perform(feed.received(.triggerFired(record)))
    }

    /// Updates the outcomes of a part of a run in the history.
    private func update(_ plan: inout RunPlan, isOver: Bool) {
        plan.end(at: clock().time, isOver: isOver)
        if let record = triggerHistory.update(plan.id, plan.outcomes(in: graph)) {
            perform(feed.received(.triggerFired(record)))
            saveTriggerHistory()
        }
        if plan.isAttempted || isOver { answerRunCalls(of: plan.id.run) }
    }

    /// Starts to store the changed entries, unless this is already in progress.
    private func saveTriggerHistory() {
        guard triggerHistory.beginSaving() else { return }
        start { hub in await hub.storeTriggerHistory() }
    }

    private func storeTriggerHistory() async {
        while let records = triggerHistory.take() {
            do {
                try await store.save([], records)
            } catch {
                logger.error("automation history write failed", metadata: ["error": "\(error)"])
                return triggerHistory.keepUnsaved()
            }
        }
    }

    /// Loads the entry of a run that began before a restart of the hub.
    private func fetchRecord(of plan: RunPlan) async {
        guard triggerHistory.record(of: plan.id.run) == nil,
            let records = try? await store.triggerRecords(of: plan.id.run.trigger),
            let record = records.first(where: { $0.runID == plan.id.run }),
            triggerHistory.record(of: plan.id.run) == nil
        else { return }
        triggerHistory.resume(record)
        triggerHistory.begin(plan.id)
    }

    // MARK: Notifications

    private func send(_ text: String, of plan: RunPlan) {
        let message = TriggerMessage(home: plan.home, trigger: plan.id.run.trigger, text: text, time: clock().time)
        recordActivity(.message(text: text), of: .plan(plan.id))
        notify(.message(message), messageSessions.sorted())
        let home = graph.home(plan.home)
        messageReceiver?.receive(
            message, home: home?.name ?? "", automation: home?.trigger(message.trigger)?.name ?? "")
    }
}

extension HomeError {
    /// A later run, write or change replaced an action before it was performed.
    static let runReplaced = HomeError(
        .operationCancelled, detail: "a later run or change replaced this action")

    /// The hub wasn't running when an action was due.
    static let hubWasDown = HomeError(
        .operationCancelled, detail: "homehubd wasn't running when this action was due")
}
