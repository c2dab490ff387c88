import HAPModel
package import HomeModel
import Texts

/// The phrases of a home's automations, in the language of the request.
package struct TriggerPhrases: Sendable {
    /// The home.
    package let home: Home
    /// The home's local time.
    package let time: HomeTime

    /// Creates the phrases of a home.
    package init(home: Home, time: HomeTime) {
        self.home = home
        self.time = time
    }

    // MARK: Automations

    /// Returns the events and the days in one line: `30 minutes before sunset on weekdays`.
    package func events(of definition: TriggerDefinition) -> String {
        let events = definition.events.map(phrase(for:)).joined(with: localized("or"))
        return definition.weekdays == .everyDay ? events : "\(events), \(definition.weekdays.phrase)"
    }

    /// Returns the condition of a definition: `if anyone is home`; `nil` if there is none.
    package func condition(of definition: TriggerDefinition) -> String? {
        definition.condition.map { localized("if \(phrase(for: $0))") }
    }

    /// Returns the phrases for the actions in order, one for each line.
    package func actions(of definition: TriggerDefinition) -> [String] {
        let scenes = definition.actionSets.map { localized("run \(home.actionSet($0)?.name ?? Self.removed)") }
        return scenes + definition.steps.flatMap(phrases(for:))
    }

    /// Returns the end of a run: `5 minutes later, restore the previous values`; `nil` if there is none.
    package func end(of definition: TriggerDefinition) -> String? {
        guard !definition.endEvents.isEmpty else { return nil }
        let events = definition.endEvents.map(phrase(for:)).joined(with: localized("or"))
        return localized("\(events), restore the previous values")
    }

    /// Returns the policy for runs that the hub missed while it wasn't running; `nil` if no event has a time.
    package func missedRuns(of definition: TriggerDefinition) -> String? {
        guard definition.events.contains(where: \.isScheduled) else { return nil }
        switch definition.missedRunPolicy {
        case .skip: return localized("skip runs that the hub missed")
        case .runWithin(let duration):
            return localized("run up to \(TypedDuration.words(of: duration)) late if the hub wasn't running")
        }
    }

    /// Returns the state of an automation: `on`, `off`, or `off: Hall Lamp was removed`.
    package func state(of trigger: Trigger) -> String {
        switch home.activationState(of: trigger) {
        case .enabled: localized("on")
        case .disabled: localized("off")
        case .noLocation: localized("off: the home has no location")
        case .missingParts(let names):
            names.count > 1
                ? localized("off: \(names.joined(with: localized("and"))) were removed")
                : names.first.map { localized("off: \($0) was removed") } ?? localized("off: a part was removed")
        }
    }

    // MARK: Events

    /// Returns an event as a phrase: `at 07:00`, `when Hall Sensor detects motion`.
    package func phrase(for event: TriggerEvent) -> String {
        if let clause = clause(for: event) { return localized("when \(clause)") }
        switch event {
        case .calendar(let time): return time.phrase
        case .significant(let time): return time.offset == .zero ? localized("at \(time.words)") : time.words
        case .timer(let first, nil): return localized("at \(time.shownText(of: first))")
        case .timer(let first, let interval?):
            return localized("\(TypedDuration.interval(interval)) from \(time.shownText(of: first))")
        case .duration(let duration): return localized("\(TypedDuration.words(of: duration)) later")
        case .characteristic, .range, .held, .button, .unreachable, .presence: return ""
        }
    }

    /// Returns an event of an accessory or a person as a clause without "when"; `nil` for a time.
    package func clause(for event: TriggerEvent) -> String? {
        switch event {
        case .characteristic(let id, let value): return change(id, value)
        case .range(let id, let range): return entry(id, range)
        case .held(let id, let test, let duration):
            return localized("\(state(id, test)) for \(TypedDuration.words(of: duration))")
        case .button(let id, let kind):
            let name = home.place(of: id)?.phraseName ?? Self.removed
            switch kind {
            case .single: return localized("\(name) is pressed")
            case .double: return localized("\(name) is pressed twice")
            case .long: return localized("\(name) is held")
            }
        case .unreachable(let accessory, let duration):
            let name = home.accessory(accessory)?.name ?? Self.removed
            return localized("\(name) hasn't responded for \(TypedDuration.words(of: duration))")
        case .presence(let change, let people): return phrase(for: change, people)
        case .calendar, .significant, .timer, .duration: return nil
        }
    }

    private func change(_ id: Characteristic.ID, _ value: CharacteristicValue?) -> String {
        guard let place = home.place(of: id) else { return localized("\(Self.removed) changes") }
        guard let value else { return localized("\(subject(place)) changes") }
        if let phrase = place.characteristic.phrase(for: value) { return "\(place.phraseName) \(phrase.becomes)" }
        return localized("\(subject(place)) becomes \(words(value, place))")
    }

    private func entry(_ id: Characteristic.ID, _ range: ValueRange) -> String {
        guard let place = home.place(of: id) else { return localized("\(Self.removed) changes") }
        if place.isOpen(range) { return localized("\(place.phraseName) opens") }
        let limits = [range.minimum, range.maximum].map { $0.map { words(.float($0), place) } }
        return switch (limits[0], limits[1]) {
        case (let low?, nil): localized("\(subject(place)) rises to \(low) or more")
        case (nil, let high?): localized("\(subject(place)) falls to \(high) or less")
        case (let low?, let high?): localized("\(subject(place)) becomes \(low) to \(high)")
        case (nil, nil): localized("\(subject(place)) changes")
        }
    }

    /// Returns the clause for a lasting state: `Bedroom Window has been open`.
    private func state(_ id: Characteristic.ID, _ test: ValueTest) -> String {
        guard let place = home.place(of: id) else { return localized("\(Self.removed) hasn't changed") }
        switch test {
        case .value(let value):
            if let phrase = place.characteristic.phrase(for: value) { return "\(place.phraseName) \(phrase.lasts)" }
            return localized("\(subject(place)) has been \(words(value, place))")
        case .range(let range):
            if place.isOpen(range) { return localized("\(place.phraseName) has been open") }
            let limits = [range.minimum, range.maximum].map { $0.map { words(.float($0), place) } }
            return switch (limits[0], limits[1]) {
            case (let low?, nil): localized("\(subject(place)) has been at least \(low)")
            case (nil, let high?): localized("\(subject(place)) has been at most \(high)")
            case (let low?, let high?): localized("\(subject(place)) has been \(low) to \(high)")
            case (nil, nil): localized("\(Self.removed) hasn't changed")
            }
        }
    }

    private func phrase(for change: PresenceChange, _ people: [Resident.ID]) -> String {
        let names = people.map { home.person($0)?.name ?? Self.removed }
        if people.count == 1 {
            return change.isArrival ? localized("\(names[0]) arrives") : localized("\(names[0]) leaves")
        }
        return switch change {
        case .firstEntry:
            names.isEmpty
                ? localized("the first person arrives")
                : localized("the first of \(names.joined(with: localized("and"))) arrives")
        case .everyEntry:
            names.isEmpty ? localized("anyone arrives") : localized("\(names.joined(with: localized("or"))) arrives")
        case .lastExit:
            names.isEmpty
                ? localized("the last person leaves")
                : localized("the last of \(names.joined(with: localized("and"))) leaves")
        case .everyExit:
            names.isEmpty ? localized("anyone leaves") : localized("\(names.joined(with: localized("or"))) leaves")
        }
    }

    // MARK: Actions

    /// Returns the phrases for a step, one for each written value.
    package func phrases(for step: TriggerStep) -> [String] {
        switch step {
        case .write(let actions): actions.map(phrase(for:))
        case .wait(let duration): [localized("wait \(TypedDuration.words(of: duration))")]
        case .notify(let text): [localized("send \"\(text)\"")]
        }
    }

    /// Returns the phrase for a write: `turn on Hall Lamp`, `set the brightness of Hall Lamp to 40 %`.
    package func phrase(for action: CharacteristicWriteAction) -> String {
        guard let place = home.place(of: action.characteristic) else { return localized("set \(Self.removed)") }
        let value = action.targetValue
        if let toggle = place.service.toggle, toggle.characteristic == action.characteristic,
            let verbs = Self.verbs[place.characteristic.type]
        {
            if value.isSame(as: toggle.on) { return verbs(place.phraseName).on }
            if value.isSame(as: toggle.off) { return verbs(place.phraseName).off }
        }
        return localized(
            "set the \(place.characteristic.labelInSentence) of \(place.phraseName) to \(words(value, place))")
    }

    /// The phrases for setting both states of an accessory with the given name.
    private static let verbs: [CharacteristicType: @Sendable (String) -> (on: String, off: String)] = [
        .on: turning, .active: turning, .targetDoorState: opening, .targetPosition: opening,
        .lockTargetState: { (localized("unlock \($0)"), localized("lock \($0)")) },
    ]

    private static let turning: @Sendable (String) -> (on: String, off: String) = {
        (localized("turn on \($0)"), localized("turn off \($0)"))
    }

    private static let opening: @Sendable (String) -> (on: String, off: String) = {
        (localized("open \($0)"), localized("close \($0)"))
    }

    // MARK: Values

    /// The name of an object that the home no longer has.
    static var removed: String { localized("a removed object") }

    /// Returns the noun phrase for a value: `the brightness of Hall Lamp`.
    func subject(_ place: ValuePlace) -> String { localized("the \(place.characteristic.noun) of \(place.phraseName)") }

    func words(_ value: CharacteristicValue, _ place: ValuePlace) -> String {
        place.accessory.words(for: value, of: place.characteristic)
    }
}

extension PresenceChange {
    /// A Boolean value that indicates whether people arrive.
    fileprivate var isArrival: Bool { self == .firstEntry || self == .everyEntry }
}

extension ValuePlace {
    /// The accessory's name, with the part's name if it's needed to distinguish parts, such as two buttons.
    package var phraseName: String {
        let kin = accessory.services.filter { $0.isUserInteractive && $0.type == service.type }
        guard kin.count > 1, NameKey(service.name) != NameKey(accessory.name) else { return shownName }
        return "\(accessory.name)/\(service.name)"
    }

    /// Returns a Boolean value that indicates whether the range covers all positions in which the service is open.
    func isOpen(_ range: ValueRange) -> Bool {
        characteristic.type == .currentPosition && range.minimum == 1 && range.maximum == nil
    }
}
