import BoundedJSON
import HAPModel
import HomeModel
import Testing

private typealias H = AutomationHome

@Suite("The JSON form of automations") struct TriggerWireFormTests {
    private static let events: [(TriggerEvent, String)] = [
        (
            .calendar(CalendarTime(.at("06:30"), month: 12, day: 24)),
            #"{"kind":"calendar","time":"06:30","month":12,"day":24}"#
        ),
        (
            .significant(SunTime(.civilDusk, offset: .seconds(-1800))),
            #"{"kind":"significant","event":"civilDusk","offset":-1800}"#
        ),
        (
            .timer(first: .init(millisecondsSince1970: 60_000), every: .seconds(300)),
            #"{"kind":"timer","first":60000,"every":300}"#
        ),
        (.timer(first: .init(millisecondsSince1970: 60_000), every: nil), #"{"kind":"timer","first":60000}"#),
        (
            .characteristic(H.motion, value: .bool(true)),
            #"{"kind":"characteristic","characteristic":"\#(H.motion)","value":true}"#
        ),
        (.characteristic(H.motion, value: nil), #"{"kind":"characteristic","characteristic":"\#(H.motion)"}"#),
        (
            .range(H.temperature, ValueRange(minimum: 24)),
            #"{"kind":"range","characteristic":"\#(H.temperature)","range":{"min":24}}"#
        ),
        (
            .held(H.contact, .value(.integer(1)), duration: .seconds(600)),
            #"{"kind":"held","characteristic":"\#(H.contact)","value":1,"for":600}"#
        ),
        (
            .held(H.temperature, .range(ValueRange(maximum: 5.5)), duration: .seconds(600)),
            #"{"kind":"held","characteristic":"\#(H.temperature)","range":{"max":5.5},"for":600}"#
        ),
        (.button(H.button, .double), #"{"kind":"button","characteristic":"\#(H.button)","press":"double"}"#),
        (.unreachable(H.lamp, duration: .seconds(60)), #"{"kind":"unreachable","accessory":"\#(H.lamp)","for":60}"#),
        (.presence(.lastExit, people: []), #"{"kind":"presence","change":"lastExit"}"#),
        (
            .presence(.everyEntry, people: [H.anna]),
            #"{"kind":"presence","change":"everyEntry","people":["\#(H.anna)"]}"#
        ),
        (.duration(.seconds(300)), #"{"kind":"duration","for":300}"#),
    ]

    @Test("encodes events", arguments: events.indices) func event(_ index: Int) throws {
        try check(Self.events[index].0, Self.events[index].1)
    }

    private static let conditions: [(TriggerCondition, String)] = [
        (
            .all([.not(.presence(.noOneHome)), .any([.presence(.home(H.anna)), .presence(.anyoneHome)])]),
            #"{"kind":"all","of":[{"kind":"not","of":{"kind":"presence","people":"noOneHome"}},"#
                + #"{"kind":"any","of":[{"kind":"presence","people":{"home":"\#(H.anna)"}},"#
                + #"{"kind":"presence","people":"anyoneHome"}]}]}"#
        ),
        (.time(from: .at("22:00"), to: .at("06:00")), #"{"kind":"time","from":"22:00","to":"06:00"}"#),
        (
            .sun(.after, SunTime(.sunset, offset: .seconds(60))),
            #"{"kind":"sun","relation":"after","event":"sunset","offset":60}"#
        ),
        (.weekday(.weekend), #"{"kind":"weekday","days":["saturday","sunday"]}"#),
        (
            .comparison(H.temperature, .greaterOrEqual, .float(21.5)),
            #"{"kind":"comparison","characteristic":"\#(H.temperature)","is":">=","value":{"float":"21.5"}}"#
        ),
    ]

    @Test("encodes conditions", arguments: conditions.indices) func condition(_ index: Int) throws {
        try check(Self.conditions[index].0, Self.conditions[index].1)
    }

    @Test("encodes an automation without members that have default values") func trigger() throws {
        let base = #"{"id":"\#(H.trigger)","home":"\#(testID(20) as Home.ID)","name":"Evening","isEnabled":true,"#
        let brief = TriggerDefinition(events: [.duration(.seconds(1))], actionSets: [H.scene])
        try check(
            Trigger(id: H.trigger, home: testID(20), name: "Evening", definition: brief),
            base + #""events":[{"kind":"duration","for":1}],"actionSets":["\#(H.scene)"]}"#)
        let long = TriggerDefinition(
            events: [], condition: .weekday(.monday), weekdays: .workdays, executeOnce: true, missedRunPolicy: .skip,
            steps: [.set(H.lampOn, .bool(true)), .wait(.seconds(600)), .notify("Done")])
        try check(
            Trigger(id: H.trigger, home: testID(20), name: "Evening", definition: long, missingParts: ["Lamp"]),
            base + #""condition":{"kind":"weekday","days":["monday"]},"#
                + #""weekdays":["monday","tuesday","wednesday","thursday","friday"],"executeOnce":true,"#
                + #""missedRuns":"skip","steps":[{"kind":"write","values":[{"characteristic":"\#(H.lampOn)","#
                + #""value":true}]},{"kind":"wait","for":600},{"kind":"notify","text":"Done"}],"#
                + #""missingParts":["Lamp"]}"#)
    }

    @Test("reads homes that were encoded before automations existed") func former() throws {
        var home = AutomationHome().home
        home.people = []
        home.location = nil
        #expect(home.json["triggers"] == nil && home.json["people"] == nil && home.json["location"] == nil)
        #expect(try Home(json: home.json) == home)
        #expect(try Home(json: AutomationHome().home.json) == AutomationHome().home)
    }

    @Test(
        "rejects malformed events",
        arguments: [
            #"{"kind":"calendar","time":"24:00"}"#, #"{"kind":"calendar","time":"6:30"}"#, #"{"kind":"later"}"#,
            #"{"kind":"held","characteristic":"\#(H.contact)","for":1}"#,
            #"{"kind":"timer","first":60000,"every":99999999999999999999}"#,
        ])
    func malformed(_ text: String) throws {
        let json = try JSONValue(parsing: text)
        #expect(throws: HomeError.self) { try TriggerEvent(json: json) }
    }

    private func check<Message: HomeMessage>(_ message: Message, _ text: String) throws {
        #expect(message.json.text == text)
        #expect(try Message(json: JSONValue(parsing: text)) == message)
    }
}
