import HomeModel
import HomePresentation
import Texts

/// The page with the form to add or edit an automation.
///
/// The page has no live updates, because they would overwrite the owner's input.
struct AutomationFormPage {
    let form: AutomationForm
    let choices: AutomationChoices
    /// The automation to edit; `nil` for a new automation.
    let trigger: Trigger?
    var errors: [String: String] = [:]

    private var home: Home { choices.home }

    var title: String { trigger.map { localized("Edit \($0.name)") } ?? localized("New automation") }

    /// The number of empty fields for further actions.
    private static let emptyActions = 2

    var html: String {
        let homeQuery = home.isPrimary ? "" : "?home=\(home.id)"
        var values: Templates.Values = [
            "title": title, "path": trigger.map { "/automations/\($0.id)/edit" } ?? "/homes/\(home.id)/automations",
            "up": trigger.map { ["path": "/automations/\($0.id)", "name": $0.name] }
                ?? ["path": "/automations\(homeQuery)", "name": localized("Automations")],
            "save": trigger == nil ? localized("Add automation") : localized("Save"),
            "peoplePath": "/people\(homeQuery)",
            "noPeople": home.people.isEmpty, "noLocation": home.location == nil,
            "name": form.name, "time": form.time, "offset": form.sunOffset, "lasting": form.lasting,
            "numberValue": form.number.limit, "eventWords": form.eventWords,
            "from": form.conditionFrom, "to": form.conditionTo, "conditionNumberValue": form.conditionNumber.limit,
            "conditionWords": form.conditionWords, "stepWords": form.stepWords, "notification": form.notification,
            "undo": form.undoAfter, "undoWords": form.undoWords, "once": form.isOnce, "missed": form.missed,
            "more": hasOptions,
            "moreSteps": !form.stepWords.isEmpty || errors["steps"] != nil,
        ]
        values["edited"] = trigger.map { ["home": "\(home.id)", "mark": $0.mark] as Templates.Values }
        values["event"] = [form.event.rawValue: true] as Templates.Values
        values["condition"] = [form.condition.rawValue: true] as Templates.Values
        // Names in templates have no hyphens.
        values["e"] = Dictionary(
            errors.map { ($0.key.replacing("-", with: "_"), $0.value) }, uniquingKeysWith: { first, _ in first })
        if errors[AutomationFormErrors.form] == nil, !errors.isEmpty {
            values["correction"] = localized("The automation wasn't saved. Correct the marked fields.")
        }
        values["sunOptions"] = options(
            SunEvent.allCases.map { ($0.rawValue, $0.words.capitalizedFirst) }, form.sunEvent.rawValue)
        values["sideOptions"] = options(
            [("before", localized("before")), ("after", localized("after"))], form.isBeforeSun ? "before" : "after")
        values["stateOptions"] = states(form.state) { clause($0.event(lasting: nil)) }
        values["conditionStateOptions"] = states(form.conditionState) { choices.phrases.phrase(for: $0.condition) }
        values["numberOptions"] = numbers(form.number)
        values["conditionNumberOptions"] = numbers(form.conditionNumber)
        values["limitOptions"] = limits(form.number, localized("rises to"), localized("falls to"))
        values["conditionLimitOptions"] = limits(
            form.conditionNumber, localized("is at least"), localized("is at most"))
        values["pressOptions"] = grouped(
            choices.presses.map { ($0.key, clause(.button($0.characteristic, $0.kind)), $0.room) }, form.press)
        values["presenceOptions"] = choice(choices.presences.map { ($0.key, clause($0.event)) }, form.presence)
        values["conditionSunOptions"] = choice(
            choices.sunConditions.map { ($0.key, choices.phrases.phrase(for: $0.condition)) }, form.conditionSun)
        values["conditionPresenceOptions"] = choice(
            choices.presenceConditions.map { ($0.key, choices.phrases.phrase(for: $0.condition)) },
            form.conditionPresence)
        values["days"] = Weekdays.everyDay.names.enumerated().map { index, name in
            [
                "key": name, "name": localized(key: name.capitalizedFirst),
                "chosen": form.days.contains(Weekdays(rawValue: 1 << UInt8(index))),
            ] as Templates.Values
        }
        values["scenes"] = home.actionSets.sortedForDisplay.map { scene in
            ["id": "\(scene.id)", "name": scene.name, "chosen": form.scenes.contains(scene.id)] as Templates.Values
        }
        values["actions"] = actions
        return Templates.render("automation-form", values)
    }

    /// Whether to open the section with the rarely used options.
    private var hasOptions: Bool {
        !form.undoWords.isEmpty || form.isOnce || !form.missed.isEmpty || errors["until"] != nil
            || errors["missed"] != nil
    }

    /// The fields of the actions, followed by empty fields for more actions.
    private var actions: [Templates.Values] {
        guard !choices.actions.isEmpty else { return [] }
        let names: [(key: String, name: String, room: Room.ID)] = choices.actions.map {
            ($0.key, choices.phrases.phrase(for: $0.write), $0.room)
        }
        let empty = min(max(form.actions.count + Self.emptyActions, 3), AutomationForm.mostActions) - form.actions.count
        let shown = form.actions + Array(repeating: AutomationForm.Action(), count: max(0, empty))
        return shown.enumerated().map { index, action in
            let number = index + 1
            var values: Templates.Values = [
                "number": "\(number)", "level": action.level,
                "options": grouped(names, action.key, none: localized("Nothing")),
            ]
            values["actionError"] = errors["action-\(number)"]
            values["levelError"] = errors["level-\(number)"]
            return values
        }
    }

    // MARK: Options

    private func clause(_ event: TriggerEvent) -> String {
        choices.phrases.clause(for: event) ?? choices.phrases.phrase(for: event)
    }

    private func states(_ chosen: String, _ phrase: (AutomationChoices.State) -> String) -> String {
        grouped(choices.states.map { ($0.key, phrase($0), $0.room) }, chosen)
    }

    private func numbers(_ test: AutomationForm.NumberTest) -> String {
        grouped(choices.numbers.map { ($0.key, $0.name, $0.place.accessory.room) }, test.key)
    }

    private func limits(_ test: AutomationForm.NumberTest, _ minimum: String, _ maximum: String) -> String {
        options([("min", minimum), ("max", maximum)], test.isMinimum ? "min" : "max")
    }

    /// Returns options grouped by room, after an option that means no choice.
    private func grouped(
        _ items: [(key: String, name: String, room: Room.ID)], _ chosen: String, none: String = localized("Choose…")
    ) -> String {
        let rooms = home.rooms.sortedForDisplay + [home.defaultRoom]
        let groups = rooms.compactMap { room -> Templates.Values? in
            let members = items.filter { $0.room == room.id }
            guard !members.isEmpty else { return nil }
            return [
                "label": home.displayName(of: room),
                "options": members.map { values($0.key, $0.name.capitalizedFirst, chosen) },
            ]
        }
        return Templates.render("options", ["none": none, "groups": groups])
    }

    /// Returns options after an option that means no choice.
    private func choice(_ items: [(key: String, name: String)], _ chosen: String) -> String {
        Templates.render(
            "options",
            ["none": localized("Choose…"), "options": items.map { values($0.key, $0.name.capitalizedFirst, chosen) }])
    }

    private func options(_ items: [(key: String, name: String)], _ chosen: String) -> String {
        Templates.render("options", ["options": items.map { values($0.key, $0.name, chosen) }])
    }

    private func values(_ key: String, _ name: String, _ chosen: String) -> Templates.Values {
        ["key": key, "name": name, "chosen": key == chosen]
    }
}
