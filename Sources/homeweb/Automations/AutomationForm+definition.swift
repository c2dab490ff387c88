import HAPModel
import HomeModel
import HomePresentation
import TerminalKit
import Texts

extension AutomationForm {
    /// Checks the form and returns the automation.
    ///
    /// - Throws: ``AutomationFormErrors`` with the errors of all fields.
    func definition(
        _ choices: AutomationChoices, _ parser: TriggerParser
    ) throws(AutomationFormErrors) -> TriggerDefinition {
        var reader = AutomationFormReader(form: self, choices: choices, parser: parser)
        let definition = reader.definition()
        guard reader.errors.isEmpty else { throw AutomationFormErrors(fields: reader.errors) }
        return definition
    }
}

/// Reads the fields of a form, and collects their errors.
private struct AutomationFormReader {
    let form: AutomationForm
    let choices: AutomationChoices
    let parser: TriggerParser
    var errors: [String: String] = [:]

    mutating func definition() -> TriggerDefinition {
        let (form, parser) = (form, parser)
        var definition = TriggerDefinition(events: events(), condition: condition(), weekdays: form.days)
        if form.days.isEmpty { errors["days"] = localized("Choose at least one day.") }
        definition.actionSets = form.scenes.filter { choices.home.actionSet($0) != nil }
        if definition.actionSets != form.scenes {
            errors["scenes"] = localized("A scene no longer exists. Choose again.")
        }
        definition.steps = steps()
        if form.scenes.isEmpty, definition.steps.isEmpty, errors.keys.allSatisfy({ !Self.isAction($0) }) {
            errors["scenes"] = localized("Choose at least one scene or accessory, or enter a notification.")
        }
        if let duration = minutes(form.undoAfter, "undo") { definition.endEvents = [.duration(duration)] }
        definition.endEvents += lines(form.undoWords, "until", parser.endEvent)
        definition.executeOnce = form.isOnce
        if !form.missed.isEmpty,
            let policy = parsed("missed", { () throws(HomeError) in try parser.missedRunPolicy(typed: form.missed) })
        {
            definition.missedRunPolicy = policy
        }
        return definition
    }

    private static func isAction(_ field: String) -> Bool {
        field == "scenes" || field == "steps" || field.hasPrefix("action-") || field.hasPrefix("level-")
    }

    // MARK: Events

    private mutating func events() -> [TriggerEvent] {
        switch form.event {
        case .words:
            let parser = parser
            let events = lines(form.eventWords, "when") { line throws(HomeError) in try parser.event(typed: line) }
            if form.eventWords.isEmpty {
                errors["when"] = localized("Enter at least one event, such as hall sensor motion.")
            }
            return events
        case .time:
            guard let time = time(form.time, "time") else { return [] }
            return [.calendar(CalendarTime(time))]
        case .sun:
            guard let offset = minutes(form.sunOffset.isEmpty ? "0" : form.sunOffset, "offset", allowsZero: true) else {
                return []
            }
            return [.significant(SunTime(form.sunEvent, offset: form.isBeforeSun ? .zero - offset : offset))]
        case .state:
            let lasting = minutes(form.lasting, "lasting")
            guard let state = choice("state", choices.states.first { $0.key == form.state }) else { return [] }
            return [state.event(lasting: lasting)]
        case .number:
            let lasting = minutes(form.lasting, "lasting")
            guard let (id, limit) = number(form.number, "number") else { return [] }
            let range = form.number.isMinimum ? ValueRange(minimum: limit) : ValueRange(maximum: limit)
            return [lasting.map { .held(id, .range(range), duration: $0) } ?? .range(id, range)]
        case .button:
            guard let press = choice("press", choices.presses.first { $0.key == form.press }) else { return [] }
            return [.button(press.characteristic, press.kind)]
        case .presence:
            guard let presence = choice("presence", choices.presences.first { $0.key == form.presence }) else {
                return []
            }
            return [presence.event]
        }
    }

    // MARK: Conditions

    private mutating func condition() -> TriggerCondition? {
        switch form.condition {
        case .always: return nil
        case .words:
            let (form, parser) = (form, parser)
            return parsed("if") { () throws(HomeError) in try parser.condition(typed: form.conditionWords) }
        case .time:
            guard let from = time(form.conditionFrom, "from"), let to = time(form.conditionTo, "to") else {
                return nil
            }
            if from == to { errors["to"] = localized("Enter two different times.") }
            return .time(from: from, to: to)
        case .sun:
            return choice("if-sun", choices.sunConditions.first { $0.key == form.conditionSun })?.condition
        case .state:
            return choice("if-state", choices.states.first { $0.key == form.conditionState })?.condition
        case .number:
            guard let (id, limit) = number(form.conditionNumber, "if-number") else { return nil }
            return .comparison(id, form.conditionNumber.isMinimum ? .greaterOrEqual : .lessOrEqual, .float(limit))
        case .presence:
            return choice("if-presence", choices.presenceConditions.first { $0.key == form.conditionPresence })?
                .condition
        }
    }

    // MARK: Actions

    private mutating func steps() -> [TriggerStep] {
        var writes: [CharacteristicWriteAction] = []
        for (index, action) in form.actions.enumerated() { writes += self.writes(action, index + 1) }
        var steps: [TriggerStep] = writes.isEmpty ? [] : [.write(writes)]
        steps += stepsInWords()
        if !form.notification.isEmpty { steps.append(.notify(form.notification)) }
        return steps
    }

    private mutating func writes(_ action: AutomationForm.Action, _ number: Int) -> [CharacteristicWriteAction] {
        guard let found = choice("action-\(number)", choices.actions.first { $0.key == action.key }) else { return [] }
        guard !action.level.isEmpty else { return [found.write] }
        let field = "level-\(number)"
        guard !found.isOff else {
            errors[field] = localized("Leave the level empty to turn something off.")
            return []
        }
        guard let level = found.service.level else {
            errors[field] = localized("This accessory has no level. Leave the field empty.")
            return []
        }
        guard let value = self.number(action.level, field),
            let valid = parsed(field, { () throws(HomeError) in try level.metadata.validatedWrite(.float(value)) })
        else { return [] }
        let write = CharacteristicWriteAction(characteristic: level.id, targetValue: valid)
        return level.id == found.write.characteristic ? [write] : [found.write, write]
    }

    /// Reads lines such as `set hall lamp on`, `wait 10m` and `notify It's late`.
    private mutating func stepsInWords() -> [TriggerStep] {
        var typed = TypedTrigger()
        for line in Self.lines(form.stepWords) {
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            let rest = words.count > 1 ? words[1].trimmed : ""
            switch words[0].lowercased() {
            case "wait", "after": typed.steps.append(.after(rest))
            case "notify", "send": typed.steps.append(.notify(rest))
            case let word:
                let change = word == "set" ? rest : line
                if case .set(let changes)? = typed.steps.last {
                    typed.steps[typed.steps.count - 1] = .set(changes + [change])
                } else {
                    typed.steps.append(.set([change]))
                }
            }
        }
        do throws(TypedTriggerError) {
            return try typed.definition(parser).steps
        } catch {
            errors["steps"] = error.error.localizedMessage.sentence
            return []
        }
    }

    // MARK: Fields

    private mutating func time(_ text: String, _ field: String) -> TimeOfDay? {
        let time = TimeOfDay(typed: text)
        if time == nil { errors[field] = localized("Enter a time such as 07:30.") }
        return time
    }

    /// Returns a number of minutes; `nil` if the field is empty or invalid.
    private mutating func minutes(_ text: String, _ field: String, allowsZero: Bool = false) -> Duration? {
        guard !text.isEmpty else { return nil }
        // The longest duration of an automation is five weeks.
        guard let minutes = Int64(text), (allowsZero ? 0 : 1)...50_400 ~= minutes else {
            errors[field] = localized("Enter whole minutes from \(allowsZero ? 0 : 1) to 50,400.")
            return nil
        }
        return .seconds(minutes * 60)
    }

    private mutating func number(_ text: String, _ field: String) -> Double? {
        let digits = text.replacing(",", with: ".").replacing("−", with: "-")
        guard let number = Double(digits), number.isFinite else {
            errors[field] = localized("Enter a number.")
            return nil
        }
        return number
    }

    private mutating func number(
        _ test: AutomationForm.NumberTest, _ field: String
    ) -> (id: Characteristic.ID, limit: Double)? {
        let found = choice(field, choices.numbers.first { $0.key == test.key })
        let limit = number(test.limit, "\(field)-value")
        guard let found, let limit else { return nil }
        return (found.place.characteristic.id, limit)
    }

    private mutating func choice<Choice>(_ field: String, _ choice: Choice?) -> Choice? {
        if choice == nil { errors[field] = localized("Choose one from the list.") }
        return choice
    }

    private mutating func parsed<Value>(
        _ field: String, _ parse: () throws(HomeError) -> Value
    ) -> Value? {
        do throws(HomeError) {
            return try parse()
        } catch {
            errors[field] = error.localizedMessage.sentence
            return nil
        }
    }

    private mutating func lines<Value>(
        _ text: String, _ field: String, _ parse: (String) throws(HomeError) -> Value
    ) -> [Value] {
        var values: [Value] = []
        for line in Self.lines(text) {
            guard let value = parsed(field, { () throws(HomeError) in try parse(line) }) else { return [] }
            values.append(value)
        }
        return values
    }

    private static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map { String($0).trimmed }.filter { !$0.isEmpty }
    }
}
