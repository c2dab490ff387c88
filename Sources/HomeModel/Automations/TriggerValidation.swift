import HAPModel
import SystemKit

/// The checks of an automation before it's stored.
///
/// The error codes are HomeKit's.
struct TriggerValidation {
    let home: Home
    let now: Timestamp
    /// A Boolean value that indicates whether the automation is disabled; if so, its only time may be in the past.
    let isDisabled: Bool

    /// Checks a definition and returns it with all values in the formats of their characteristics.
    ///
    /// Steps that write to the same characteristic more than once are allowed, because a wait can be between them.
    func validated(_ definition: TriggerDefinition) throws(HomeError) -> TriggerDefinition {
        var result = definition
        guard !definition.events.isEmpty else {
            throw HomeError(.missingParameter, detail: "an automation needs at least one event")
        }
        for events in [definition.events, definition.endEvents] {
            try limit(events.count, TriggerLimits.events, "events")
        }
        for event in definition.events { try check(event) }
        for event in definition.endEvents { try check(event, isEnd: true) }
        if let condition = definition.condition { try check(condition) }
        guard !definition.weekdays.isEmpty else { throw invalid("choose at least one day of the week") }
        if case .runWithin(let duration) = definition.missedRunPolicy {
            try check(duration, "the delay of a missed run", allowsZero: true)
        }
        try limit(definition.actionCount, TriggerLimits.actions, "actions")
        try checkActionSets(of: definition)
        result.steps = []
        for step in definition.steps { result.steps.append(try validated(step)) }
        if home.location == nil, definition.needsLocation {
            throw HomeError(
                .locationForHomeDisabled,
                detail: "the automation needs the position of the sun, but "
                    + "the home has no location", remedy: "set it with \"\(ShellCommand.homehub) homes location\"")
        }
        return result
    }

    // MARK: Events

    private func check(_ event: TriggerEvent, isEnd: Bool = false) throws(HomeError) {
        switch event {
        case .calendar(let time):
            guard time.isValid else { throw invalid("there is no such date") }
        case .significant(let time): try check(time)
        case .timer(let first, let interval): try checkTimer(first, interval)
        case .characteristic(let id, let value):
            let characteristic = try readable(id)
            if let value { try check(value, of: characteristic) }
        case .range(let id, let range):
            try check(.range(range), of: try readable(id))
        case .held(let id, let test, let duration):
            try check(test, of: try readable(id))
            try check(duration, "the duration")
        case .button(let id, _):
            guard try existing(id).type.isMomentary else { throw invalid("this isn't a button") }
        case .unreachable(let accessory, let duration):
            guard home.accessory(accessory) != nil else {
                throw HomeError(.notFound, detail: "there is no such accessory")
            }
            try check(duration, "the duration")
        case .presence(_, let people):
            try limit(people.count, HomeLimits.peopleInHome, "people")
            for person in people { try check(person) }
        case .duration(let duration):
            guard isEnd else { throw invalid("a duration can be used only as the end of an automation") }
            try check(duration, "the duration")
        }
    }

    private func checkTimer(_ first: Timestamp, _ interval: Duration?) throws(HomeError) {
        guard first.millisecondsSince1970 % 60_000 == 0 else { throw HomeError(.dateMustBeOnSpecifiedBoundaries) }
        guard first.millisecondsSince1970 >= 0 else { throw HomeError(.fireDateInPast) }
        guard first.millisecondsSince1970 <= now.adding(TriggerLimits.longestDelay).millisecondsSince1970 else {
            throw HomeError(.cannotActivateTriggerTooFarInFuture)
        }
        guard let interval else {
            guard isDisabled || first > now else { throw HomeError(.fireDateInPast) }
            return
        }
        guard interval >= TriggerLimits.shortestInterval else { throw HomeError(.recurrenceTooSmall) }
        guard interval <= TriggerLimits.longestInterval else { throw HomeError(.recurrenceTooLarge) }
        guard interval.milliseconds % 60_000 == 0 else { throw HomeError(.recurrenceMustBeOnSpecifiedBoundaries) }
    }

    private func check(_ time: SunTime) throws(HomeError) {
        guard time.offset <= TriggerLimits.longestOffset, time.offset + TriggerLimits.longestOffset >= .zero else {
            throw invalid("the offset from sunrise or sunset must be at most 12 hours")
        }
    }

    private func check(_ duration: Duration, _ subject: String, allowsZero: Bool = false) throws(HomeError) {
        guard duration >= .zero, allowsZero || duration >= .seconds(1), duration <= TriggerLimits.longestInterval else {
            throw invalid("\(subject) must be between one second and five weeks")
        }
    }

    private func check(_ person: Resident.ID) throws(HomeError) {
        guard home.person(person) != nil else { throw HomeError(.notFound, detail: "there is no such person") }
    }

    // MARK: Conditions

    private func check(_ condition: TriggerCondition) throws(HomeError) {
        guard condition.depth <= TriggerLimits.conditionDepth else {
            throw invalid("conditions can be nested up to \(TriggerLimits.conditionDepth) levels")
        }
        let all = condition.flattened
        try limit(all.count, TriggerLimits.conditions, "conditions")
        for part in all { try checkAlone(part) }
    }

    /// Checks a condition, but not its parts.
    private func checkAlone(_ condition: TriggerCondition) throws(HomeError) {
        switch condition {
        case .all(let parts), .any(let parts):
            guard !parts.isEmpty else { throw invalid("a combination needs at least one condition") }
        case .not: break
        case .time(let start, let end):
            guard start != end else { throw invalid("the two times must be different") }
        case .sun(_, let time): try check(time)
        case .weekday(let days):
            guard !days.isEmpty else { throw invalid("choose at least one day of the week") }
        case .comparison(let id, let comparison, let value):
            let characteristic = try readable(id)
            try check(value, of: characteristic)
            guard !comparison.needsNumbers || value.comparableNumber != nil else {
                throw HomeError(.invalidValueType, detail: "only numbers can be compared with \(comparison.rawValue)")
            }
        case .presence(.home(let person)): try check(person)
        case .presence(.anyoneHome), .presence(.noOneHome): break
        }
    }

    // MARK: Values

    private func existing(_ id: Characteristic.ID) throws(HomeError) -> Characteristic {
        guard let characteristic = home.characteristic(id) else {
            throw HomeError(.notFound, detail: "there is no such value")
        }
        return characteristic
    }

    private func readable(_ id: Characteristic.ID) throws(HomeError) -> Characteristic {
        let characteristic = try existing(id)
        try characteristic.metadata.validateRead()
        guard !characteristic.type.isMomentary else {
            throw invalid("a button has no value; use one of its presses as the event")
        }
        return characteristic
    }

    private func check(_ value: CharacteristicValue, of characteristic: Characteristic) throws(HomeError) {
        let isText = characteristic.metadata.format == .string
        let isBytes = characteristic.metadata.format == .data || characteristic.metadata.format == .tlv8
        guard !isBytes, isText ? value.string != nil : value.comparableNumber?.isFinite == true else {
            throw HomeError(.invalidValueType)
        }
    }

    private func check(_ test: ValueTest, of characteristic: Characteristic) throws(HomeError) {
        switch test {
        case .value(let value): try check(value, of: characteristic)
        case .range(let range):
            guard range.isValid else { throw invalid("the range contains no number") }
            try check(.float(range.minimum ?? range.maximum ?? 0), of: characteristic)
        }
    }

    // MARK: Actions

    private func checkActionSets(of definition: TriggerDefinition) throws(HomeError) {
        guard !definition.actionSets.isEmpty || definition.steps.contains(where: \.isAction) else {
            throw HomeError(
                .noRegisteredActionSets, detail: "the automation does nothing", remedy: "add a scene or another action")
        }
        for id in definition.actionSets {
            guard let actionSet = home.actionSet(id) else {
                throw HomeError(.notFound, detail: "there is no such scene")
            }
            guard !actionSet.actions.isEmpty else {
                throw HomeError(
                    .noActionsInActionSet, detail: "the scene \"\(actionSet.name)\" doesn't set anything yet",
                    remedy: "add values with \(ShellCommand.homehub) scenes set")
            }
        }
    }

    private func validated(_ step: TriggerStep) throws(HomeError) -> TriggerStep {
        switch step {
        case .write(let actions):
            guard !actions.isEmpty else { throw invalid("a step sets no values") }
            var result = actions
            for index in actions.indices {
                let metadata = try existing(actions[index].characteristic).metadata
                result[index].targetValue = try metadata.validatedWrite(actions[index].targetValue)
            }
            return .write(result)
        case .wait(let duration):
            try check(duration, "a wait")
            return step
        case .notify(let text):
            guard !text.isEmpty else { throw invalid("the notification has no text") }
            guard text.utf8.count <= TriggerLimits.notificationBytes else {
                throw HomeError(
                    .stringLongerThanMaximum,
                    detail: "the notification is longer than \(TriggerLimits.notificationBytes) bytes")
            }
            return step
        }
    }

    // MARK: Errors

    private func invalid(_ detail: String) -> HomeError { HomeError(.invalidParameter, detail: detail) }

    private func limit(_ count: Int, _ maximum: Int, _ things: String) throws(HomeError) {
        guard count <= maximum else {
            throw HomeError(
                .maximumObjectLimitReached, detail: "an automation can have at most \(maximum) \(things)")
        }
    }
}

extension Home {
    /// Checks a new, changed or newly enabled automation.
    ///
    /// The only time of a disabled automation may be in the past. HomeKit, too, disables a timer after that time.
    ///
    /// - Returns: The definition, with all values in the formats of their characteristics.
    /// - Throws: `HomeError` with code 26 if there are no actions, 28 or 71 if a time is in the past or too far in the
    ///   future, 42, 69, 70 or 72 if a timer is invalid, 84 if the definition needs the home's location and it isn't
    ///   set, 49 if a limit is exceeded, or 2, 3, 5, 6, 25, 27 or 43 to 46 if an event, a condition or an action is
    ///   invalid.
    package func validated(
        _ definition: TriggerDefinition, isEnabled: Bool = true, at now: Timestamp
    ) throws(HomeError) -> TriggerDefinition {
        try TriggerValidation(home: self, now: now, isDisabled: !isEnabled).validated(definition)
    }

    /// Checks the name of a new or renamed automation, which must be unique among the automations of the home.
    ///
    /// - Returns: The name's composed form (NFC).
    /// - Throws: `HomeError` with code 51, 46, 35, 36 or 60 if the name violates a rule, 33 if it's the current name, 31
    ///   if it's in use, and 49 if the home can't have another automation.
    package func validatedTriggerName(_ name: String, current: String? = nil) throws(HomeError) -> String {
        guard current != nil || triggers.count < HomeLimits.triggersInHome else {
            throw HomeError(
                .maximumObjectLimitReached,
                detail: "there are already \(HomeLimits.triggersInHome) automations; remove one first")
        }
        var namespace = Namespace(.objectWithSimilarNameExistsInHome, place: "in this home")
        for trigger in triggers { namespace.insert(trigger.name, of: "an automation") }
        return try namespace.checked(name, current: current, context: NameContext(noun: "Automation", taken: []))
    }
}

extension TriggerStep {
    /// A Boolean value that indicates whether the step has an effect.
    var isAction: Bool { if case .wait = self { false } else { true } }
}

extension Duration {
    /// The duration in milliseconds, rounded toward zero and limited to about 10,000 years.
    var milliseconds: Int64 {
        let limit: Int64 = 315_576_000_000
        let (seconds, attoseconds) = components
        guard -limit...limit ~= seconds else { return seconds < 0 ? -limit * 1000 : limit * 1000 }
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}

extension Timestamp {
    /// Returns the time after a duration; the result of an overflow is the last or the first possible time.
    func adding(_ duration: Duration) -> Timestamp {
        let (sum, overflows) = millisecondsSince1970.addingReportingOverflow(duration.milliseconds)
        return Timestamp(millisecondsSince1970: overflows ? (duration < .zero ? .min : .max) : sum)
    }
}
