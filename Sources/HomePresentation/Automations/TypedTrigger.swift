import HAPModel
package import HomeModel

/// An automation as people type it: on the command line, in a file, or in a form.
package struct TypedTrigger: Sendable, Equatable {
    /// A field of the automation.
    package enum Field: String, Sendable, Hashable, CaseIterable {
        case at, every, when
        case forAtLeast = "for-at-least"
        case days
        case condition = "if"
        case run, set, after, notify
        case endsAfter = "for"
        case until, missed
    }

    /// A step after the scenes.
    package enum Step: Sendable, Equatable {
        /// Values to write.
        case set([String])
        /// A wait.
        case after(String)
        /// A message to send to apps.
        case notify(String)
    }

    /// Times of events, such as `sunset-30m`.
    package var at: [String] = []
    /// Intervals of events, such as `2h`.
    package var every: [String] = []
    /// Events of accessories and people, such as `hall sensor motion` or `anyone arrives`.
    package var when: [String] = []
    /// The time for which the states in ``when`` must last.
    package var forAtLeast: String?
    /// The days, such as `mon-fri`; `nil` for every day.
    package var days: String?
    /// Conditions, all of which must be true.
    package var conditions: [String] = []
    /// The names of scenes.
    package var run: [String] = []
    /// The steps after the scenes.
    package var steps: [Step] = []
    /// The time after which the previous values are restored.
    package var endsAfter: String?
    /// Events that restore the previous values.
    package var until: [String] = []
    /// A Boolean value that indicates whether the automation is disabled after its first run.
    package var isOnce = false
    /// The policy for missed runs: `skip`, or the longest delay; `nil` for the default.
    package var missed: String?

    /// Creates an empty automation.
    package init() {}
}

/// An error in a field of a typed automation.
package struct TypedTriggerError: Error {
    /// The field.
    package let field: TypedTrigger.Field
    /// The index of the invalid text in the field, or of the invalid step.
    package let index: Int
    /// The problem.
    package let error: HomeError
}

extension TypedTrigger {
    /// Parses the fields.
    ///
    /// - Throws: ``TypedTriggerError`` for the first field with an error.
    package func definition(_ parser: TriggerParser) throws(TypedTriggerError) -> TriggerDefinition {
        var definition = TriggerDefinition(events: [])
        definition.events =
            try Self.parsed(.at, at, parser.timeEvent) + Self.parsed(.every, every, parser.intervalEvent)
        let lasting = try Self.parsed(.forAtLeast, forAtLeast, parser.duration)
        definition.events += try Self.parsed(.when, when) { typed throws(HomeError) in
            try parser.event(typed: typed, for: lasting)
        }
        if lasting != nil, when.isEmpty {
            throw TypedTriggerError(
                field: .forAtLeast, index: 0,
                error: HomeError(
                    .invalidParameter, detail: "a duration requires a state that can last; add the state to when"))
        }
        definition.weekdays = try Self.parsed(.days, days, parser.weekdays) ?? .everyDay
        let conditions = try Self.parsed(.condition, conditions, parser.condition)
        // Conditions can be nested only up to a limit, so merge combinations with "and" into one combination.
        definition.condition = conditions.count > 1 ? .all(conditions.flatMap(\.conjuncts)) : conditions.first
        definition.actionSets = try Self.parsed(.run, run) { typed throws(HomeError) in
            try parser.scene(typed: typed).id
        }
        for index in steps.indices { definition.steps.append(try Self.step(steps[index], at: index, parser)) }
        definition.endEvents = try Self.parsed(.until, until, parser.endEvent)
        if let duration = try Self.parsed(.endsAfter, endsAfter, parser.duration) {
            definition.endEvents.insert(.duration(duration), at: 0)
        }
        definition.executeOnce = isOnce
        definition.missedRunPolicy = try Self.parsed(.missed, missed, parser.missedRunPolicy) ?? .default
        return definition
    }

    private static func step(
        _ step: Step, at index: Int, _ parser: TriggerParser
    ) throws(TypedTriggerError) -> TriggerStep {
        do throws(HomeError) {
            switch step {
            case .set(let texts):
                var actions: [CharacteristicWriteAction] = []
                for text in texts {
                    actions += try parser.writes(typed: text).map {
                        CharacteristicWriteAction(characteristic: $0.place.characteristic.id, targetValue: $0.value)
                    }
                }
                return .write(actions)
            case .after(let typed): return .wait(try parser.duration(typed: typed))
            case .notify(let text): return .notify(text)
            }
        } catch {
            let field: Field =
                switch step {
                case .set: .set
                case .after: .after
                case .notify: .notify
                }
            throw TypedTriggerError(field: field, index: index, error: error)
        }
    }

    private static func parsed<Value>(
        _ field: Field, _ texts: [String], _ parse: (String) throws(HomeError) -> Value
    ) throws(TypedTriggerError) -> [Value] {
        var values: [Value] = []
        for (index, text) in texts.enumerated() {
            do throws(HomeError) {
                values.append(try parse(text))
            } catch {
                throw TypedTriggerError(field: field, index: index, error: error)
            }
        }
        return values
    }

    private static func parsed<Value>(
        _ field: Field, _ text: String?, _ parse: (String) throws(HomeError) -> Value
    ) throws(TypedTriggerError) -> Value? {
        try parsed(field, text.map { [$0] } ?? [], parse).first
    }
}

extension TypedTrigger {
    /// Returns the typed form of a definition.
    package init(_ definition: TriggerDefinition, _ parser: TriggerParser) {
        let text = TriggerText(parser)
        for event in definition.events {
            let (key, typed) = text.text(of: event)
            switch key {
            case .at: at.append(typed)
            case .every: every.append(typed)
            case .when, .duration: when.append(typed)
            }
        }
        days = definition.weekdays == .everyDay ? nil : definition.weekdays.typedText
        conditions = definition.condition.map { [text.text(of: $0)] } ?? []
        run = definition.actionSets.map { id in
            let name = parser.home.actionSet(id)?.name ?? ""
            return (try? parser.scene(typed: name).id) == id ? name : "\(id)"
        }
        steps = definition.steps.map { step in
            switch step {
            case .write(let actions): .set(text.texts(of: actions))
            case .wait(let duration): .after(TypedDuration.text(of: duration))
            case .notify(let message): .notify(message)
            }
        }
        for event in definition.endEvents {
            let (key, typed) = text.text(of: event)
            if key == .duration, endsAfter == nil { endsAfter = typed } else { until.append(typed) }
        }
        isOnce = definition.executeOnce
        switch definition.missedRunPolicy {
        case .default: missed = nil
        case .skip: missed = "skip"
        case .runWithin(let duration): missed = TypedDuration.text(of: duration)
        }
    }
}

extension TriggerCondition {
    /// The conditions that must all be true for this condition to be true.
    fileprivate var conjuncts: [TriggerCondition] {
        guard case .all(let parts) = self else { return [self] }
        return parts
    }
}
