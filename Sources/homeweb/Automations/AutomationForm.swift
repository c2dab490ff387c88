import HomeModel

/// The form of an automation: the owner's unchecked input.
///
/// Events, conditions and steps can also be typed in words, because the fields can't represent every automation.
struct AutomationForm: Equatable {
    /// The kinds of events in the form.
    enum EventKind: String, CaseIterable { case time, sun, state, number, button, presence, words }

    /// The kinds of conditions in the form.
    enum ConditionKind: String, CaseIterable { case always, time, sun, state, number, presence, words }

    /// A limit for a number that an accessory measures, such as a temperature of at least 25 °C.
    struct NumberTest: Equatable {
        /// The key of the number in ``AutomationChoices/numbers``.
        var key = ""
        /// A Boolean value that indicates whether the limit is a minimum instead of a maximum.
        var isMinimum = true
        var limit = ""
    }

    /// A state to switch an accessory to.
    struct Action: Equatable {
        /// The key of the action in ``AutomationChoices/actions``.
        var key = ""
        /// The brightness, speed or position in percent; empty to leave it unchanged.
        var level = ""
    }

    /// The maximum number of actions in fields instead of words.
    static let mostActions = 20

    var name = ""

    var event = EventKind.time
    var time = "07:00"
    var sunEvent = SunEvent.sunset
    /// The number of minutes before or after the sun event, depending on ``isBeforeSun``.
    var sunOffset = "0"
    var isBeforeSun = true
    /// The key of a state in ``AutomationChoices/states``.
    var state = ""
    /// The number of minutes that the state or the number must last; empty if the event occurs immediately.
    var lasting = ""
    var number = NumberTest()
    var press = ""
    var presence = ""
    /// Events in words, one per line.
    var eventWords = ""

    var days = Weekdays.everyDay

    var condition = ConditionKind.always
    var conditionFrom = "22:00"
    var conditionTo = "06:00"
    var conditionSun = ""
    var conditionState = ""
    var conditionNumber = NumberTest()
    var conditionPresence = ""
    var conditionWords = ""

    var scenes: [ActionSet.ID] = []
    var actions: [Action] = []
    /// Further steps in words, one per line.
    var stepWords = ""
    var notification = ""
    /// The number of minutes after which the previous values are restored; empty to keep the new values.
    var undoAfter = ""
    /// Events in words that restore the previous values, one per line.
    var undoWords = ""

    var isOnce = false
    /// The treatment of missed runs in words; empty for the default.
    var missed = ""

    init() {}

    /// Creates a form from a browser's request.
    init(_ query: Query) {
        func text(_ name: String) -> String { (query[name] ?? "").trimmed }
        func test(_ name: String) -> NumberTest {
            NumberTest(key: text(name), isMinimum: query["\(name)-limit"] != "max", limit: text("\(name)-value"))
        }
        name = text("name")
        event = query["event"].flatMap(EventKind.init) ?? .time
        time = text("time")
        sunEvent = query["sun"].flatMap(SunEvent.init) ?? .sunset
        sunOffset = text("offset")
        isBeforeSun = query["side"] != "after"
        state = text("state")
        lasting = text("lasting")
        number = test("number")
        press = text("press")
        presence = text("presence")
        eventWords = text("when")
        days = []
        for (index, name) in Weekdays.everyDay.names.enumerated() where query["day-\(name)"] != nil {
            days.insert(Weekdays(rawValue: 1 << UInt8(index)))
        }
        condition = query["condition"].flatMap(ConditionKind.init) ?? .always
        conditionFrom = text("from")
        conditionTo = text("to")
        conditionSun = text("if-sun")
        conditionState = text("if-state")
        conditionNumber = test("if-number")
        conditionPresence = text("if-presence")
        conditionWords = text("if")
        scenes = query.fields.filter { $0.name == "scene" }.compactMap { ActionSet.ID($0.value) }
        actions = (1...Self.mostActions).map { Action(key: text("action-\($0)"), level: text("level-\($0)")) }
        actions.removeAll { $0 == Action() }
        stepWords = text("steps")
        notification = text("notify")
        undoAfter = text("undo")
        undoWords = text("until")
        isOnce = query["once"] != nil
        missed = text("missed")
    }
}

/// The errors of a form, by the names of its fields.
struct AutomationFormErrors: Error, Equatable {
    /// The key of an error that doesn't belong to a single field.
    static let form = "form"

    var fields: [String: String]
}
