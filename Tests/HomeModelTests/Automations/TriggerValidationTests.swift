import HAPModel
import HomeModel
import Testing

private typealias H = AutomationHome

private let on = TriggerStep.set(H.lampOn, .bool(true))

/// A definition that can't be stored, and the error.
struct InvalidDefinition: CustomTestStringConvertible {
    let testDescription: String
    let code: HomeError.Code
    var definition: TriggerDefinition

    init(_ title: String, _ code: HomeError.Code, _ definition: TriggerDefinition) {
        testDescription = title
        self.code = code
        self.definition = definition
    }

    init(_ title: String, _ code: HomeError.Code, event: TriggerEvent) {
        self.init(title, code, TriggerDefinition(events: [event], steps: [on]))
    }

    init(_ title: String, _ code: HomeError.Code, condition: TriggerCondition) {
        self.init(
            title, code,
            TriggerDefinition(events: [.characteristic(H.motion, value: nil)], condition: condition, steps: [on]))
    }

    init(_ title: String, _ code: HomeError.Code, step: TriggerStep) {
        self.init(title, code, TriggerDefinition(events: [.characteristic(H.motion, value: nil)], steps: [step]))
    }

    static func calendar(_ month: Int?, _ day: Int?) -> TriggerEvent {
        .calendar(CalendarTime(.at("06:00"), month: month, day: day))
    }

    static func timer(_ minute: Double, every: Duration? = nil) -> TriggerEvent {
        .timer(first: .minute(minute), every: every)
    }

    static let motion = TriggerEvent.characteristic(H.motion, value: .bool(true))

    static let all = [
        InvalidDefinition("no event", .missingParameter, TriggerDefinition(events: [], steps: [on])),
        InvalidDefinition(
            "11 events", .maximumObjectLimitReached,
            TriggerDefinition(
                events: Array(repeating: motion, count: 11), steps: [on])),
        InvalidDefinition(
            "11 end events", .maximumObjectLimitReached,
            TriggerDefinition(
                events: [motion], endEvents: Array(repeating: motion, count: 11), steps: [on])),
        InvalidDefinition("no action", .noRegisteredActionSets, TriggerDefinition(events: [motion])),
        InvalidDefinition("only a wait", .noRegisteredActionSets, step: .wait(.seconds(1))),
        InvalidDefinition(
            "51 actions", .maximumObjectLimitReached,
            TriggerDefinition(
                events: [motion], steps: Array(repeating: on, count: 51))),
        InvalidDefinition(
            "an empty scene", .noActionsInActionSet,
            TriggerDefinition(
                events: [motion], actionSets: [H.emptyScene])),
        InvalidDefinition("an unknown scene", .notFound, TriggerDefinition(events: [motion], actionSets: [testID(99)])),
        InvalidDefinition(
            "no weekday", .invalidParameter,
            TriggerDefinition(
                events: [motion], weekdays: [], steps: [on])),
        InvalidDefinition("February 30", .invalidParameter, event: calendar(2, 30)),
        InvalidDefinition("month 13", .invalidParameter, event: calendar(13, nil)),
        InvalidDefinition("a timer in the past", .fireDateInPast, event: timer(-1)),
        InvalidDefinition("a timer after half a minute", .dateMustBeOnSpecifiedBoundaries, event: timer(0.5)),
        InvalidDefinition("a timer after two years", .cannotActivateTriggerTooFarInFuture, event: timer(1_051_200)),
        InvalidDefinition("every 4 minutes", .recurrenceTooSmall, event: timer(0, every: .seconds(240))),
        InvalidDefinition(
            "every 5.5 minutes", .recurrenceMustBeOnSpecifiedBoundaries, event: timer(0, every: .seconds(330))),
        InvalidDefinition("every 6 weeks", .recurrenceTooLarge, event: timer(0, every: .seconds(3_628_800))),
        InvalidDefinition(
            "an endless interval", .recurrenceTooLarge, event: timer(0, every: .seconds(Int64.max))),
        InvalidDefinition("a duration as an event", .invalidParameter, event: .duration(.seconds(60))),
        InvalidDefinition("an unknown value", .notFound, event: .characteristic(testID(99), value: nil)),
        InvalidDefinition("the value of a button", .invalidParameter, event: .characteristic(H.button, value: nil)),
        InvalidDefinition("a press of a lamp", .invalidParameter, event: .button(H.lampOn, .single)),
        InvalidDefinition(
            "a string for a switch", .invalidValueType, event: .characteristic(H.lampOn, value: .string("on"))),
        InvalidDefinition("a range without limits", .invalidParameter, event: .range(H.temperature, ValueRange())),
        InvalidDefinition(
            "an empty range", .invalidParameter,
            event: .range(H.temperature, ValueRange(minimum: 2, maximum: 1))),
        InvalidDefinition("a range of a string", .invalidValueType, event: .range(H.label, ValueRange(minimum: 1))),
        InvalidDefinition(
            "held for no time", .invalidParameter, event: .held(H.contact, .value(.integer(1)), duration: .zero)),
        InvalidDefinition("an unknown accessory", .notFound, event: .unreachable(testID(99), duration: .seconds(60))),
        InvalidDefinition("an unknown person", .notFound, event: .presence(.firstEntry, people: [testID(99)])),
        InvalidDefinition(
            "13 hours before sunset", .invalidParameter,
            event: .significant(SunTime(.sunset, offset: .seconds(-46_800)))),
        InvalidDefinition(
            "five levels of conditions", .invalidParameter,
            condition: .not(.not(.not(.not(.presence(.anyoneHome)))))),
        InvalidDefinition(
            "51 conditions", .maximumObjectLimitReached,
            condition: .any(Array(repeating: .presence(.anyoneHome), count: 50))),
        InvalidDefinition("an empty combination", .invalidParameter, condition: .any([])),
        InvalidDefinition(
            "a string in a less-than comparison", .invalidValueType,
            condition: .comparison(H.label, .less, .string("x"))),
        InvalidDefinition(
            "a value above the maximum", .valueHigherThanMaximum, step: .set(H.brightness, .integer(101))),
        InvalidDefinition("a write to a sensor", .readOnlyCharacteristic, step: .set(H.motion, .bool(true))),
        InvalidDefinition(
            "a long notification", .stringLongerThanMaximum, step: .notify(String(repeating: "x", count: 257))),
        InvalidDefinition(
            "a wait of six weeks", .invalidParameter,
            TriggerDefinition(
                events: [motion], steps: [on, .wait(.seconds(3_628_800))])),
    ]
}

@Suite("Checks of automations") struct TriggerValidationTests {
    @Test("rejects invalid definitions with HomeKit's codes", arguments: InvalidDefinition.all)
    func rejects(_ invalid: InvalidDefinition) throws {
        let error = #expect(throws: HomeError.self) {
            try AutomationHome().home.validated(invalid.definition, at: .minute(0))
        }
        #expect(error?.code == invalid.code)
    }

    @Test("converts the values of a valid definition to the formats of their characteristics")
    func accepts() throws {
        let definition = TriggerDefinition(
            events: [
                InvalidDefinition.calendar(2, 29), InvalidDefinition.timer(5), .button(H.button, .long),
                InvalidDefinition.timer(-10, every: .seconds(300)),
                .held(H.temperature, .range(ValueRange(minimum: 24)), duration: .seconds(60)),
            ],
            endEvents: [.duration(.seconds(300))], condition: .not(.any([.presence(.home(H.anna))])),
            actionSets: [H.scene], steps: [.set(H.lampOn, .integer(1)), .wait(.seconds(5)), .notify("Hello")])
        let valid = try AutomationHome().home.validated(definition, at: .minute(0))
        #expect(valid.steps[0] == on)
        #expect(valid.events == definition.events)
    }

    @Test("requires a location for sun events") func location() {
        var home = AutomationHome()
        home.home.location = nil
        for definition in [
            TriggerDefinition(events: [.significant(SunTime(.sunset))], steps: [on]),
            TriggerDefinition(
                events: [InvalidDefinition.motion], condition: .not(.sun(.after, SunTime(.sunset))), steps: [on]),
        ] {
            let error = #expect(throws: HomeError.self) { try home.home.validated(definition, at: .minute(0)) }
            #expect(error?.code == .locationForHomeDisabled)
            home.add(definition)
        }
        #expect(home.home.triggers.map { home.home.activationState(of: $0) } == [.noLocation, .noLocation])
    }

    @Test("stays disabled with the names of the missing parts") func parts() throws {
        var home = AutomationHome()
        home.add(TriggerDefinition(events: [InvalidDefinition.motion], actionSets: [H.scene]))
        #expect(home.home.activationState(of: home.home.triggers[0]) == .enabled)
        let sensor = try #require(home.home.accessory(H.sensor))
        #expect(home.home.triggers(using: sensor) == home.home.triggers)
        #expect(home.home.triggers(using: H.scene) == home.home.triggers)
        home.home.triggers[0].losePart(named: "Sensor")
        #expect(home.home.activationState(of: home.home.triggers[0]) == .missingParts(["Sensor"]))
        #expect(!home.home.triggers[0].isEnabled)
        // Without a record, such as after the import of a database.
        home.home.triggers[0].missingParts = []
        home.home.triggers[0].isEnabled = true
        home.home.accessories.removeAll { $0.id == H.sensor }
        #expect(home.home.activationState(of: home.home.triggers[0]) == .missingParts([]))
    }

    @Test("requires unique names of automations, and allows 200 automations") func names() throws {
        var home = AutomationHome()
        home.add(TriggerDefinition(events: []))
        #expect(try home.home.validatedTriggerName("Lamp") == "Lamp")
        let taken = #expect(throws: HomeError.self) { try home.home.validatedTriggerName("AUTOMATION") }
        #expect(taken?.code == .objectWithSimilarNameExistsInHome)
        for _ in 1..<200 { home.add(TriggerDefinition(events: [])) }
        let full = #expect(throws: HomeError.self) { try home.home.validatedTriggerName("Other") }
        #expect(full?.code == .maximumObjectLimitReached)
        #expect(try home.home.validatedTriggerName("Other", current: "Automation") == "Other")
    }

    @Test(
        "rejects locations with invalid coordinates or time zone names",
        arguments: [(91, 0, nil), (0, -181, nil), (.nan, 0, nil), (0, 0, "../etc/passwd"), (0, 0, "/UTC"), (0, 0, "")]
            as [(Double, Double, String?)])
    func places(_ latitude: Double, _ longitude: Double, _ zone: String?) {
        #expect(throws: HomeError.self) {
            try HomeLocation(latitude: latitude, longitude: longitude, timeZone: zone)
        }
    }
}
