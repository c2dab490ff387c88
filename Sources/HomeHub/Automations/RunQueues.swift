import AsyncKit
import HomeModel

/// The runs in progress.
///
/// The parts of a trigger's runs are performed in order. Failed writes are retried independently, so that they don't
/// delay the next part.
///
/// A later run of the same trigger replaces an earlier run: parts that haven't started are dropped, and failed writes
/// are no longer retried. The retries of a write also end when an app or another automation writes the same
/// characteristic.
struct RunQueues {
    private struct Retry {
        let run: RunID
        /// The signal that ends the wait before the next attempt, either because the attempt may now succeed or because
        /// there is nothing left to write.
        let signal: AsyncSignal
    }

    /// The parts of each trigger's latest run that haven't started.
    private var queues: [Trigger.ID: [RunPlan]] = [:]
    /// The latest runs of triggers with a queue or a retry.
    private var latest: [Trigger.ID: (run: RunID, definition: TriggerDefinition)] = [:]
    private var retries: [RunPlan.ID: Retry] = [:]
    /// The part of a run that was the last to write each characteristic, until that part ends.
    private var owners: [Characteristic.ID: RunPlan.ID] = [:]
    private var lastNumber: UInt64 = 0

    /// Returns the ID of a new part of a run.
    mutating func makeID(_ run: RunID) -> RunPlan.ID {
        lastNumber += 1
        return RunPlan.ID(run: run, number: lastNumber)
    }

    /// Adds a part of a run.
    ///
    /// - Returns: The parts of earlier runs that it replaces, and whether the caller must start a loop that calls
    ///   ``take(_:)``.
    mutating func add(_ plan: RunPlan) -> (replaced: [RunPlan], begins: Bool) {
        let trigger = plan.id.run.trigger
        let waiting = queues[trigger]
        let replaced = (waiting ?? []).filter { $0.id.run != plan.id.run }
        queues[trigger] = (waiting ?? []).filter { $0.id.run == plan.id.run } + [plan]
        latest[trigger] = (plan.id.run, plan.definition)
        wakeReplaced(trigger)
        return (replaced, waiting == nil)
    }

    /// Removes and returns the trigger's next part; `nil` if there is none, which ends the loop.
    mutating func take(_ trigger: Trigger.ID) -> RunPlan? {
        guard let queue = queues[trigger], !queue.isEmpty else {
            queues[trigger] = nil
            forget(trigger)
            return nil
        }
        return queues[trigger]?.removeFirst()
    }

    /// Ends the runs of triggers that were removed, changed or disabled, or whose app has lost its permission.
    ///
    /// - Returns: The parts that haven't started.
    mutating func homesChanged(_ graph: HomeGraph, withdrawn: Set<Trigger.ID>) -> [RunPlan] {
        guard !latest.isEmpty else { return [] }
        let triggers = Dictionary(graph.homes.flatMap(\.triggers).map { ($0.id, $0) }) { $1 }
        var ended: [RunPlan] = []
        for (id, (_, definition)) in latest {
            if let trigger = triggers[id], trigger.definition == definition,
                trigger.isEnabled || definition.executeOnce, !withdrawn.contains(id)
            {
                continue
            }
            latest[id] = nil
            wakeReplaced(id)
            guard let waiting = queues[id] else { continue }
            ended += waiting
            queues[id] = []
        }
        return ended
    }

    /// Returns a Boolean value that indicates whether no later run has replaced the run.
    func isCurrent(_ run: RunID) -> Bool { latest[run.trigger]?.run == run }

    // MARK: Retries

    /// Begins to retry failed writes; returns the signal to wait for.
    mutating func beginRetry(by plan: RunPlan.ID) -> AsyncSignal {
        let signal = AsyncSignal()
        retries[plan] = Retry(run: plan.run, signal: signal)
        return signal
    }

    /// Returns a Boolean value that indicates whether this part of a run was the last to write a characteristic.
    func isLast(_ id: Characteristic.ID, by plan: RunPlan.ID) -> Bool { owners[id] == plan }

    /// Ends a part of a run.
    mutating func end(_ plan: RunPlan.ID) {
        retries[plan] = nil
        owners = owners.filter { $0.value != plan }
        forget(plan.run.trigger)
    }

    /// Handles the start of a write, which ends retries of earlier writes.
    mutating func willWrite(_ ids: some Sequence<Characteristic.ID>, by writer: ValueWriter) {
        let plan: RunPlan.ID? =
            switch writer {
            case .app: nil
            case .plan(let plan): plan
            }
        guard plan != nil || !owners.isEmpty else { return }
        for id in ids {
            if let owner = owners[id], owner != plan { retries[owner]?.signal.send() }
            owners[id] = plan
        }
    }

    /// Retries all failed writes now, because an accessory has become reachable.
    func accessoryReturned() { for retry in retries.values { retry.signal.send() } }

    private func wakeReplaced(_ trigger: Trigger.ID) {
        for retry in retries.values where retry.run.trigger == trigger && !isCurrent(retry.run) { retry.signal.send() }
    }

    private mutating func forget(_ trigger: Trigger.ID) {
        if queues[trigger] == nil, !retries.keys.contains(where: { $0.run.trigger == trigger }) {
            latest[trigger] = nil
        }
    }
}
