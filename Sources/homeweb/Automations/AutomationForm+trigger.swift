import HAPModel
import HomeModel
import HomePresentation

extension AutomationForm {
    /// Creates the form of an existing automation.
    ///
    /// Events, conditions and actions that the fields can't represent are written in words.
    init(_ trigger: Trigger, _ choices: AutomationChoices, _ parser: TriggerParser) {
        self.init(trigger.definition, choices, parser)
        name = trigger.name
    }

    /// Creates a form from a definition, with an empty name.
    init(_ definition: TriggerDefinition, _ choices: AutomationChoices, _ parser: TriggerParser) {
        let typed = TypedTrigger(definition, parser)
        if definition.events.count != 1 || !setEvent(definition.events[0], choices) {
            event = .words
            eventWords = (typed.at.map { "at \($0)" } + typed.every.map { "every \($0)" } + typed.when).inLines
        }
        days = definition.weekdays
        if let condition = definition.condition, !setCondition(condition, choices) {
            self.condition = .words
            conditionWords = typed.conditions.joined(separator: " and ")
        }
        scenes = definition.actionSets
        setSteps(definition.steps, typed, choices)
        if definition.endEvents.count == 1, case .duration(let duration) = definition.endEvents[0],
            let minutes = duration.wholeMinutes
        {
            undoAfter = minutes
        } else {
            undoWords = ([typed.endsAfter].compactMap(\.self) + typed.until).inLines
        }
        isOnce = definition.executeOnce
        missed = typed.missed ?? ""
    }

    /// Sets the fields of an event; returns `false` if the fields can't represent it.
    private mutating func setEvent(_ event: TriggerEvent, _ choices: AutomationChoices) -> Bool {
        switch event {
        case .calendar(let calendar) where calendar.month == nil && calendar.day == nil:
            self.event = .time
            time = "\(calendar.time)"
        case .significant(let sun):
            guard let minutes = (sun.offset < .zero ? .zero - sun.offset : sun.offset).wholeMinutes else {
                return false
            }
            self.event = .sun
            sunEvent = sun.event
            sunOffset = minutes
            isBeforeSun = sun.offset <= .zero
        case .characteristic(let id, let value?): return setState(id, .value(value), lasting: nil, choices)
        case .range(let id, let range): return setState(id, .range(range), lasting: nil, choices)
        case .held(let id, let test, let duration):
            guard let minutes = duration.wholeMinutes else { return false }
            return setState(id, test, lasting: minutes, choices)
        case .button(let id, let kind):
            guard let press = choices.presses.first(where: { $0.characteristic == id && $0.kind == kind }) else {
                return false
            }
            self.event = .button
            self.press = press.key
        case .presence:
            guard let presence = choices.presences.first(where: { $0.event == event }) else { return false }
            self.event = .presence
            self.presence = presence.key
        case .calendar, .timer, .characteristic, .unreachable, .duration: return false
        }
        return true
    }

    private mutating func setState(
        _ id: Characteristic.ID, _ test: ValueTest, lasting: String?, _ choices: AutomationChoices
    ) -> Bool {
        if let state = choices.state(id, test) {
            event = .state
            self.state = state.key
        } else if case .range(let range) = test, let number = choices.test(id, range) {
            event = .number
            self.number = number
        } else {
            return false
        }
        self.lasting = lasting ?? ""
        return true
    }

    /// Sets the fields of a condition; returns `false` if the fields can't represent it.
    private mutating func setCondition(_ condition: TriggerCondition, _ choices: AutomationChoices) -> Bool {
        switch condition {
        case .time(let from, let to):
            self.condition = .time
            conditionFrom = "\(from)"
            conditionTo = "\(to)"
        case .sun:
            guard let sun = choices.sunConditions.first(where: { $0.condition == condition }) else { return false }
            self.condition = .sun
            conditionSun = sun.key
        case .presence:
            guard let presence = choices.presenceConditions.first(where: { $0.condition == condition }) else {
                return false
            }
            self.condition = .presence
            conditionPresence = presence.key
        case .comparison(let id, let comparison, let value):
            if comparison == .equal, let state = choices.state(id, .value(value)) {
                self.condition = .state
                conditionState = state.key
            } else if let number = value.number, comparison == .greaterOrEqual || comparison == .lessOrEqual {
                let isMinimum = comparison == .greaterOrEqual
                let range = isMinimum ? ValueRange(minimum: number) : ValueRange(maximum: number)
                if let state = choices.state(id, .range(range)) {
                    self.condition = .state
                    conditionState = state.key
                } else if let test = choices.test(id, range) {
                    self.condition = .number
                    conditionNumber = test
                } else {
                    return false
                }
            } else {
                return false
            }
        case .all, .any, .not, .weekday: return false
        }
        return true
    }

    // MARK: Actions

    private mutating func setSteps(_ steps: [TriggerStep], _ typed: TypedTrigger, _ choices: AutomationChoices) {
        var indices = steps.indices
        if let last = indices.last, case .notify(let text) = steps[last], !text.contains(where: \.isNewline) {
            notification = text
            indices.removeLast()
        }
        if let first = indices.first, case .write(let writes) = steps[first],
            let actions = Self.actions(writes, choices)
        {
            self.actions = actions
            indices.removeFirst()
        }
        stepWords =
            indices.flatMap { index -> [String] in
                switch typed.steps[index] {
                case .set(let changes): changes.map { "set \($0)" }
                case .after(let duration): ["wait \(duration)"]
                case .notify(let text): ["notify " + text.split(whereSeparator: \.isNewline).joined(separator: " ")]
                }
            }.inLines
    }

    /// Returns the form's actions for writes; `nil` if the fields can't represent all of them.
    private static func actions(
        _ writes: [CharacteristicWriteAction], _ choices: AutomationChoices
    ) -> [Action]? {
        var actions: [(choice: AutomationChoices.Action, level: String)] = []
        for write in writes {
            if let found = choices.actions.first(where: { $0.write.isSame(as: write) }) {
                actions.append((found, ""))
            } else if let last = actions.last, last.level.isEmpty, !last.choice.isOff,
                last.choice.service.level?.id == write.characteristic, let level = write.targetValue.number
            {
                actions[actions.count - 1].level = level.formText
            } else if let level = write.targetValue.number,
                let found = choices.actions.first(where: {
                    !$0.isOff && $0.write.characteristic == write.characteristic
                        && $0.service.level?.id == write.characteristic
                })
            {
                // A blind's position is both its level and its state, so one write contains both.
                actions.append((found, level.formText))
            } else {
                return nil
            }
        }
        return actions.count <= mostActions ? actions.map { Action(key: $0.choice.key, level: $0.level) } : nil
    }
}

extension AutomationChoices {
    /// Returns the choice for a state; `nil` if the form doesn't offer it.
    fileprivate func state(_ id: Characteristic.ID, _ test: ValueTest) -> State? {
        states.first { $0.characteristic == id && $0.test.isSame(as: test) }
    }

    /// Returns the fields for a number's range; `nil` if the form doesn't offer the number or the range has two limits.
    fileprivate func test(_ id: Characteristic.ID, _ range: ValueRange) -> AutomationForm.NumberTest? {
        guard let number = numbers.first(where: { $0.place.characteristic.id == id }) else { return nil }
        return switch (range.minimum, range.maximum) {
        case (let limit?, nil): AutomationForm.NumberTest(key: number.key, isMinimum: true, limit: limit.formText)
        case (nil, let limit?): AutomationForm.NumberTest(key: number.key, isMinimum: false, limit: limit.formText)
        default: nil
        }
    }
}

extension ValueTest {
    fileprivate func isSame(as other: ValueTest) -> Bool {
        switch (self, other) {
        case (.value(let value), .value(let other)): value.isSameState(as: other)
        case (.range(let range), .range(let other)): range == other
        case (.value, .range), (.range, .value): false
        }
    }
}

extension CharacteristicWriteAction {
    fileprivate func isSame(as other: CharacteristicWriteAction) -> Bool {
        characteristic == other.characteristic && targetValue.isSameState(as: other.targetValue)
    }
}

extension CharacteristicValue {
    /// Returns whether two values are equal, regardless of their formats.
    fileprivate func isSameState(as other: CharacteristicValue) -> Bool {
        func number(_ value: CharacteristicValue) -> Double? { value.bool.map { $0 ? 1 : 0 } ?? value.number }
        return self == other || number(self) != nil && number(self) == number(other)
    }
}

extension Duration {
    /// The duration in minutes as text; `nil` if it's negative or not a whole number of minutes.
    fileprivate var wholeMinutes: String? {
        let (seconds, attoseconds) = components
        return attoseconds == 0 && seconds >= 0 && seconds.isMultiple(of: 60) ? "\(seconds / 60)" : nil
    }
}

extension [String] {
    fileprivate var inLines: String { joined(separator: "\n") }
}
