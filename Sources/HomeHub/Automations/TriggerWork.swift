import HomeModel

/// The outputs of a machine for one trigger, which wait until the trigger's state is stored.
///
/// The number of outputs is limited, so that they don't fill the memory while the disk is blocked.
struct TriggerWork: Sendable, Equatable {
    /// The steps of a run, without waits.
    struct Run: Sendable, Equatable {
        let id: RunID
        /// The time of the first step.
        let time: ContinuousClock.Instant
        /// A Boolean value that indicates whether the steps are reported as failed without being performed, because the
        /// hub wasn't running when they were due.
        let isSkipped: Bool
        fileprivate(set) var steps: [Step] = []
    }

    /// A step of a run.
    enum Step: Sendable, Equatable {
        case task(TriggerTask)
        case restore([CharacteristicWriteAction])
    }

    let home: Home.ID
    let trigger: Trigger.ID
    /// The new history entries, oldest first.
    private(set) var records: [TriggerRecord] = []
    /// The runs in order; each replaces the previous run.
    private(set) var runs: [Run] = []
    /// A Boolean value that indicates whether the trigger must be disabled after its only run.
    private(set) var isDisabled = false

    init(home: Home.ID, trigger: Trigger.ID) {
        self.home = home
        self.trigger = trigger
    }

    mutating func add(_ output: TriggerOutput, at now: ContinuousClock.Instant) {
        switch output {
        case .perform(_, let run, let task): add(.task(task), of: RunID(trigger: trigger, number: run), at: now)
        case .skip(_, let run, let task):
            add(.task(task), of: RunID(trigger: trigger, number: run), isSkipped: true, at: now)
        case .restore(_, let run, let actions):
            add(.restore(actions), of: RunID(trigger: trigger, number: run, isEnd: true), at: now)
        case .record(let record):
            records.append(record)
            if records.count > TriggerLimits.records { records.removeFirst() }
        case .disable: isDisabled = true
        }
    }

    private mutating func add(
        _ step: Step, of run: RunID, isSkipped: Bool = false, at now: ContinuousClock.Instant
    ) {
        if runs.last?.id != run || runs.last?.isSkipped != isSkipped {
            runs.append(Run(id: run, time: now, isSkipped: isSkipped))
            if runs.count > TriggerLimits.records { runs.removeFirst() }
        }
        runs[runs.endIndex - 1].steps.append(step)
    }
}

extension TriggerOutput {
    /// The trigger that the output concerns.
    var trigger: Trigger.ID {
        switch self {
        case .perform(let id, _, _), .skip(let id, _, _), .restore(let id, _, _), .disable(let id): id
        case .record(let record): record.trigger
        }
    }
}
