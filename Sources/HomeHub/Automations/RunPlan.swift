import HomeModel

/// A part of a run, up to the next wait, and the outcomes of its actions.
///
/// The values of all steps are written together, with one request for each accessory server. If several steps write
/// the same characteristic, only the last value is written.
struct RunPlan: Sendable {
    struct ID: Sendable, Hashable {
        let run: RunID
        /// A number that distinguishes the parts of a run.
        let number: UInt64
    }

    private struct Action: Sendable {
        let action: TriggerAction
        /// The characteristics that the action writes.
        var characteristics: [Characteristic.ID] = []
        var error: HomeError?
        var end: Timestamp?
    }

    let id: ID
    let home: Home.ID
    /// The definition of the trigger.
    let definition: TriggerDefinition
    /// The time when the machine requested the actions.
    let time: ContinuousClock.Instant
    /// A Boolean value that indicates whether the actions are reported as failed without being performed, because they
    /// are too late.
    let isSkipped: Bool
    /// The scenes that run.
    private(set) var actionSets: [ActionSet.ID] = []
    private var actions: [Action] = []
    private var targets: [Characteristic.ID: ValueWrite] = [:]
    private var order: [Characteristic.ID] = []
    private var results: [Characteristic.ID: ValueResult] = [:]
    private var hasSentMessages = false

    init(_ id: ID, _ run: TriggerWork.Run, of trigger: Trigger, in home: Home) {
        self.id = id
        self.home = home.id
        definition = trigger.definition
        time = run.time
        isSkipped = run.isSkipped
        for step in run.steps {
            switch step {
            case .task(.runActionSets(let ids)): for id in ids { add(home.actionSet(id), id) }
            case .task(.write(let writes)): for write in writes { add(.write(write), [write]) }
            case .task(.notify(let text)): actions.append(Action(action: .notify(text)))
            case .restore(let writes): for write in writes { add(.restore(write), [write]) }
            }
        }
    }

    private mutating func add(_ actionSet: ActionSet?, _ id: ActionSet.ID) {
        let action = TriggerAction.actionSet(id, name: actionSet?.name ?? "")
        guard let actionSet else {
            let error = HomeError(.notFound, detail: "this scene doesn't exist")
            return actions.append(Action(action: action, error: error))
        }
        guard !actionSet.actions.isEmpty else {
            return actions.append(Action(action: action, error: HomeError(.noActionsInActionSet)))
        }
        actionSets.append(id)
        add(action, actionSet.actions)
    }

    private mutating func add(_ action: TriggerAction, _ writes: [CharacteristicWriteAction]) {
        for write in writes {
            if targets[write.characteristic] == nil { order.append(write.characteristic) }
            targets[write.characteristic] = ValueWrite(
                characteristic: write.characteristic, value: write.targetValue)
        }
        actions.append(Action(action: action, characteristics: writes.map(\.characteristic)))
    }

    /// The pending writes: writes without a result, and writes that failed but may succeed later.
    var writes: [ValueWrite] {
        order.compactMap { id in results[id].map { $0.error?.isRetried == true } ?? true ? targets[id] : nil }
    }

    /// A Boolean value that indicates whether each write has been attempted.
    var isAttempted: Bool { results.count == order.count }

    mutating func received(_ results: [ValueResult]) {
        for result in results { self.results[result.characteristic] = result }
    }

    /// Returns the messages to send, but only when it's called for the first time.
    mutating func takeMessages() -> [String] {
        guard !hasSentMessages, !isSkipped else { return [] }
        hasSentMessages = true
        return actions.compactMap { if case .notify(let text) = $0.action { text } else { nil } }
    }

    /// Marks the given writes, which haven't succeeded, as failed.
    mutating func giveUp(_ ids: some Sequence<Characteristic.ID>, because error: HomeError) {
        for id in ids { results[id] = ValueResult(characteristic: id, error: error) }
    }

    /// Marks all actions that haven't succeeded as failed.
    mutating func giveUp(because error: HomeError) {
        giveUp(writes.map(\.characteristic), because: error)
        guard !hasSentMessages else { return }
        for index in actions.indices {
            if case .notify = actions[index].action { actions[index].error = error }
        }
    }

    /// Marks all actions as failed, because the hub wasn't running when they were due.
    mutating func skip() {
        for index in actions.indices { actions[index].error = actions[index].error ?? .hubWasDown }
    }

    /// Sets the end time of all actions if `isOver` is `true`, otherwise only of actions that aren't retried.
    mutating func end(at time: Timestamp, isOver: Bool) {
        for index in actions.indices where actions[index].end == nil {
            let isDone = actions[index].characteristics.allSatisfy { id in
                results[id].map { $0.error?.isRetried != true } ?? false
            }
            if isOver || isDone { actions[index].end = time }
        }
    }

    /// Returns the outcomes of all actions.
    ///
    /// Actions that are in progress or retried have no end time.
    func outcomes(in graph: HomeGraph) -> [ActionOutcome] {
        actions.map { action in
            let parts = action.characteristics.compactMap { results[$0] }
            let isScene = if case .actionSet = action.action { true } else { false }
            let error = action.error ?? (isScene ? graph.error(ofScene: parts) : parts.first?.error)
            return ActionOutcome(action.action, error: error, time: action.end)
        }
    }

    /// Returns a Boolean value that indicates whether a scene has set at least one value.
    func hasSet(_ actionSet: ActionSet.ID) -> Bool {
        actions.contains { action in
            guard case .actionSet(actionSet, _) = action.action else { return false }
            return action.characteristics.contains { results[$0].map { $0.error == nil } ?? false }
        }
    }
}

extension HomeError {
    /// A Boolean value that indicates whether another attempt can succeed soon, because the accessory may return.
    var isRetried: Bool {
        switch code {
        case .accessoryNotReachable, .bridgedAccessoryNotReachable, .accessoryCommunicationFailure,
            .communicationFailure, .operationTimedOut, .accessoryIsBusy, .accessoryOutOfResources:
            true
        default: false
        }
    }
}
