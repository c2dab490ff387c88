/// The events, the condition and the actions of an automation.
///
/// If one of the events fires, the hub checks the weekdays and the condition. If both are true, it runs the scenes and
/// then the steps. An end event restores the values from before the run.
public struct TriggerDefinition: Codable, Sendable, Hashable {
    /// The events, each of which can start a run.
    public var events: [TriggerEvent]
    /// The events that restore the values from before the run, except values that have changed in the meantime.
    public var endEvents: [TriggerEvent]
    /// The condition for a run; `nil` if there is none.
    public var condition: TriggerCondition?
    /// The days on which the trigger runs.
    public var weekdays: Weekdays
    /// A Boolean value that indicates whether the trigger is disabled after its first run.
    public var executeOnce: Bool
    /// The policy for runs that were due while the hub wasn't running.
    public var missedRunPolicy: MissedRunPolicy
    /// The scenes to run.
    public var actionSets: [ActionSet.ID]
    /// The trigger's own actions, in order, after the scenes.
    public var steps: [TriggerStep]

    /// Creates a definition.
    public init(
        events: [TriggerEvent], endEvents: [TriggerEvent] = [], condition: TriggerCondition? = nil,
        weekdays: Weekdays = .everyDay, executeOnce: Bool = false, missedRunPolicy: MissedRunPolicy = .default,
        actionSets: [ActionSet.ID] = [], steps: [TriggerStep] = []
    ) {
        self.events = events
        self.endEvents = endEvents
        self.condition = condition
        self.weekdays = weekdays
        self.executeOnce = executeOnce
        self.missedRunPolicy = missedRunPolicy
        self.actionSets = actionSets
        self.steps = steps
    }
}

extension TriggerDefinition {
    /// The characteristics in events and conditions.
    package var observedCharacteristics: Set<Characteristic.ID> {
        Set((events + endEvents).compactMap(\.characteristic)).union(condition?.characteristics ?? [])
    }

    /// The values that the trigger's own steps write, in order.
    package var ownWrites: [CharacteristicWriteAction] { steps.flatMap(\.writes) }

    /// The number of actions: scenes, values to write, waits and notifications.
    var actionCount: Int {
        steps.reduce(actionSets.count) { count, step in
            if case .write(let actions) = step { count + actions.count } else { count + 1 }
        }
    }

    /// A Boolean value that indicates whether the definition needs the home's location.
    var needsLocation: Bool {
        (events + endEvents).contains(where: \.needsLocation) || condition?.needsLocation == true
    }
}
