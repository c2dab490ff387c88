import HAPModel
import HomeModel
import HomePresentation
import Testing

@testable import homeweb

private typealias House = AutomationHome

extension AutomationHome {
    fileprivate static func write(_ id: Int, _ value: CharacteristicValue) -> CharacteristicWriteAction {
        CharacteristicWriteAction(characteristic: Self.id(id), targetValue: value)
    }

    fileprivate static func key(_ id: Int, _ rest: String = "") -> String {
        let number: Characteristic.ID = Self.id(id)
        return "\(number)\(rest)"
    }

    /// Every day, as a browser sends it.
    fileprivate static let days = Weekdays.everyDay.names.map { "&day-\($0)=1" }.joined()

    fileprivate static func clock(_ hour: Int, _ minute: Int) -> TimeOfDay {
        guard let time = TimeOfDay(hour: hour, minute: minute) else { preconditionFailure("the time is valid") }
        return time
    }
}

@Suite("The form of an automation") struct AutomationFormTests {
    @Test(
        "has fields for the common events",
        arguments: [
            ("event=time&time=06:30", .calendar(CalendarTime(House.clock(6, 30)))),
            ("event=sun&sun=sunset&side=before&offset=30", .significant(SunTime(.sunset, offset: .seconds(-1800)))),
            ("event=sun&sun=civilDawn&side=after&offset=", .significant(SunTime(.civilDawn))),
            ("event=state&state=\(House.key(111, "=true"))", .characteristic(House.id(111), value: .bool(true))),
            ("event=state&state=\(House.key(611, ">"))", .range(House.id(611), ValueRange(minimum: 1))),
            (
                "event=state&state=\(House.key(411, "=false"))&lasting=10",
                .held(House.id(411), .value(.bool(false)), duration: .seconds(600))
            ),
            (
                "event=number&number=\(House.key(121))&number-limit=max&number-value=5,5",
                .range(House.id(121), ValueRange(maximum: 5.5))
            ),
            (
                "event=number&number=\(House.key(121))&number-limit=min&number-value=24&lasting=2",
                .held(House.id(121), .range(ValueRange(minimum: 24)), duration: .seconds(120))
            ),
            ("event=button&press=\(House.key(311, "=double"))", .button(House.id(311), .double)),
            ("event=presence&presence=lastExit", .presence(.lastExit, people: [])),
            ("event=presence&presence=everyEntry=\(House.key(7))", .presence(.everyEntry, people: [House.id(7)])),
            ("event=words&when=every 2h from 7:00", nil), ("event=words&when=hall sensor temperature>=24", nil),
        ] as [(String, TriggerEvent?)])
    func events(fields: String, event: TriggerEvent?) throws {
        let form = AutomationForm(Query(fields + House.days + "&scene=\(House.key(6))"))
        let definition = try form.definition(House.choices, House.parser)
        #expect(definition.events.count == 1 && definition.actionSets == [House.id(6)])
        if let event { #expect(definition.events == [event]) }
        #expect(AutomationForm(definition, House.choices, House.parser).event == form.event || event == nil)
    }

    @Test(
        "has fields for the common conditions",
        arguments: [
            ("condition=always", nil),
            ("condition=time&from=22:00&to=06:00", .time(from: House.clock(22, 0), to: House.clock(6, 0))),
            ("condition=sun&if-sun=after-sunset", .sun(.after, SunTime(.sunset))),
            ("condition=presence&if-presence=none", .presence(.noOneHome)),
            ("condition=presence&if-presence=\(House.key(7))", .presence(.home(House.id(7)))),
            (
                "condition=state&if-state=\(House.key(411, "=false"))",
                .comparison(House.id(411), .equal, .bool(false))
            ),
            (
                "condition=number&if-number=\(House.key(121))&if-number-limit=max&if-number-value=19",
                .comparison(House.id(121), .lessOrEqual, .float(19))
            ),
            (
                "condition=words&if=anyone home and after sunset",
                .all([.presence(.anyoneHome), .sun(.after, SunTime(.sunset))])
            ),
        ] as [(String, TriggerCondition?)])
    func conditions(fields: String, condition: TriggerCondition?) throws {
        let form = AutomationForm(Query("time=07:00&scene=\(House.key(6))&" + fields + House.days))
        let definition = try form.definition(House.choices, House.parser)
        #expect(definition.condition == condition)
        #expect(AutomationForm(definition, House.choices, House.parser).condition == form.condition)
    }

    @Test(
        "has fields for scenes, accessories with levels, steps in words and a notification",
        arguments: [
            ("action-1=\(House.key(411, "=true"))", [.write([House.write(411, .bool(true))])]),
            (
                "action-2=\(House.key(411, "=true"))&level-2=40&action-5=\(House.key(511, "=false"))",
                [
                    .write([
                        House.write(411, .bool(true)), House.write(412, .integer(40)), House.write(511, .bool(false)),
                    ])
                ]
            ),
            ("action-1=\(House.key(612, "=100"))&level-1=30", [.write([House.write(612, .integer(30))])]),
            (
                "action-1=\(House.key(411, "=true"))&steps=wait 10m\r\nset hall lamp off\r\n\r\nnotify Off!&notify=Done",
                [
                    .write([House.write(411, .bool(true))]), .wait(.seconds(600)),
                    .write([House.write(411, .bool(false))]), .notify("Off!"), .notify("Done"),
                ]
            ),
        ] as [(String, [TriggerStep])])
    func actions(fields: String, steps: [TriggerStep]) throws {
        let form = AutomationForm(Query("time=07:00&" + fields + House.days))
        let definition = try form.definition(House.choices, House.parser)
        #expect(definition.steps == steps && definition.actionSets.isEmpty)
        #expect(
            try AutomationForm(definition, House.choices, House.parser).definition(House.choices, House.parser)
                == definition)
    }

    @Test("has fields for days, the end, a single run and late runs") func options() throws {
        let form = AutomationForm(
            Query(
                "time=07:00&day-monday=1&day-sunday=1&scene=\(House.key(6))&undo=5&until=hall sensor no motion&once=1&missed=skip"
            ))
        let definition = try form.definition(House.choices, House.parser)
        #expect(
            definition.weekdays == [.monday, .sunday] && definition.executeOnce && definition.missedRunPolicy == .skip)
        #expect(
            definition.endEvents == [.duration(.seconds(300)), .characteristic(House.id(111), value: .bool(false))])
    }

    /// The automations include events, conditions and steps that the form has no fields for.
    @Test(
        "keeps an automation unchanged if its form is saved without a change",
        arguments: [
            TriggerDefinition(
                events: [
                    .calendar(CalendarTime(House.clock(7, 0))), .significant(SunTime(.sunset, offset: .seconds(-90))),
                ],
                endEvents: [.duration(.seconds(90)), .significant(SunTime(.sunrise))],
                condition: .any([.not(.presence(.anyoneHome)), .weekday(.weekend)]), weekdays: .workdays,
                executeOnce: true, missedRunPolicy: .runWithin(.seconds(3600)), actionSets: [House.id(6), House.id(9)],
                steps: [.wait(.seconds(60)), .notify("One"), .write([House.write(412, .integer(20))]), .notify("Two")]),
            TriggerDefinition(
                events: [.unreachable(House.id(400), duration: .seconds(300))],
                steps: [.write([House.write(511, .bool(true))]), .write([House.write(411, .bool(true))])]),
            TriggerDefinition(
                events: [.characteristic(House.id(121), value: nil)],
                condition: .comparison(House.id(121), .greater, .float(20.5)),
                steps: [.write([House.write(411, .bool(true)), House.write(412, .integer(100))])]),
            TriggerDefinition(
                events: [.calendar(CalendarTime(House.clock(18, 0), month: 12, day: 24))], actionSets: [House.id(6)]),
            TriggerDefinition(
                events: [.timer(first: Timestamp(millisecondsSince1970: 1_795_737_600_000), every: .seconds(7200))],
                actionSets: [House.id(6)]),
            TriggerDefinition(
                events: [.presence(.firstEntry, people: [House.id(7), House.id(8)])], actionSets: [House.id(6)]),
            TriggerDefinition(
                events: [.range(House.id(121), ValueRange(minimum: 18, maximum: 20))], actionSets: [House.id(6)]),
        ])
    func saving(definition: TriggerDefinition) throws {
        let form = AutomationForm(definition, House.choices, House.parser)
        #expect(try form.definition(House.choices, House.parser) == definition)
    }

    @Test(
        "shows an error next to each invalid field",
        arguments: [
            ("", ["days", "name", "scenes", "time"]), ("time=25:00", ["time"]), ("event=sun&offset=x", ["offset"]),
            ("event=sun&offset=721", ["form"]), ("event=state", ["state"]), ("event=state&state=x", ["state"]),
            ("event=state&state=\(House.key(111, "=true"))&lasting=0", ["lasting"]),
            ("event=number&number=\(House.key(121))", ["number-value"]),
            ("event=number&number-value=1", ["number"]), ("event=button", ["press"]),
            ("event=presence", ["presence"]), ("event=words", ["when"]), ("event=words&when=hal sensor", ["when"]),
            ("condition=time&from=7&to=8:00", ["from"]), ("condition=time&from=7:00&to=7:00", ["to"]),
            ("condition=sun", ["if-sun"]), ("condition=state", ["if-state"]), ("condition=presence", ["if-presence"]),
            ("condition=number&if-number=\(House.key(121))&if-number-value=nan", ["if-number-value"]),
            ("condition=words&if=", ["if"]), ("condition=words&if=sometimes", ["if"]),
            ("scene=\(House.key(55))", ["scenes"]), ("action-1=x", ["action-1"]), ("level-3=5", ["action-1"]),
            ("action-1=\(House.key(411, "=true"))&level-1=101", ["level-1"]),
            ("action-1=\(House.key(411, "=false"))&level-1=1", ["level-1"]),
            ("action-1=\(House.key(511, "=true"))&level-1=1", ["level-1"]), ("steps=dance", ["steps"]),
            ("steps=wait", ["steps"]), ("undo=-1", ["undo"]), ("until=never", ["until"]), ("missed=later", ["missed"]),
            ("name=", ["name"]), ("notify=\(String(repeating: "x", count: 257))", ["form"]),
        ] as [(String, [String])])
    func errors(fields: String, expected: [String]) {
        let valid = ["name=A", "event=time", "time=07:00", "scene=\(House.key(6))"]
        // The fields of the case replace valid fields.
        let names = fields.split(separator: "&").map { $0.prefix { $0 != "=" } }
        let rest =
            fields.isEmpty
            ? "" : valid.filter { !names.contains($0.prefix { $0 != "=" }) }.joined(separator: "&") + House.days
        let form = AutomationForm(Query(fields + "&" + rest))
        let error = #expect(throws: AutomationFormErrors.self) {
            try AutomationActions.checked(form, nil, House.choices, House.parser)
        }
        #expect(error?.fields.keys.sorted() == expected)
    }

    @Test("is shown again with the input and the errors, and escapes all names") func escaping() throws {
        let typed = "</textarea><script>alert(1)</script>\"'&"
        var form = AutomationForm()
        form.name = typed
        (form.event, form.eventWords) = (.words, typed)
        (form.condition, form.conditionWords) = (.words, typed)
        (form.stepWords, form.notification, form.undoWords, form.missed) = (typed, typed, typed, typed)
        form.scenes = [House.id(9)]
        form.actions = [AutomationForm.Action(key: House.key(511, "=true"), level: typed)]
        let page = AutomationFormPage(
            form: form, choices: House.choices, trigger: nil,
            errors: ["when": typed, "action-1": typed, "level-1": "No"])
        let html = page.html
        for evil in ["<script>", "<b>", "<i>", "<u>", "\"Evil\""] { #expect(!html.contains(evil), "\(evil)") }
        #expect(html.matches(of: /&lt;script&gt;/).count >= 9)
        #expect(html.contains("value=\"\(House.key(9))\" checked") && html.contains("value=\"words\" checked"))
        #expect(html.contains("value=\"\(House.key(511, "=true"))\" selected"))
        #expect(
            html.contains("id=\"e-when\"") && html.contains("id=\"e-action-1\"") && html.contains("id=\"e-level-1\""))
        #expect(html.contains("The automation wasn&#39;t saved") || html.contains("The automation wasn't saved"))
    }

    @Test("has labels for all fields, and uses each ID only once") func labels() throws {
        let html = AutomationFormPage(form: AutomationForm(), choices: House.choices, trigger: nil).html
        let ids = html.matches(of: /[ ]id="([^"]+)"/).map { String($0.1) }
        #expect(Set(ids).count == ids.count)
        for field in html.matches(of: /<(select|textarea|input)[^>]*>/).map({ String($0.0) }) {
            let before = html.prefix(upTo: try #require(html.firstRange(of: field)).lowerBound)
            let isInLabel = before.matches(of: /<label/).count > before.matches(of: /<\/label>/).count
            #expect(isInLabel || field.contains("aria-label=") || field.contains("type=\"hidden\""), "\(field)")
        }
    }
}

@Suite("The list of automations") struct AutomationSummaryTests {
    private static let trigger = Trigger(
        id: House.id(20), home: House.id(1), name: "<script>",
        definition: TriggerDefinition(
            events: [.characteristic(House.id(511), value: .bool(true))], endEvents: [.duration(.seconds(300))],
            condition: .presence(.home(House.id(8))), actionSets: [House.id(9)], steps: [.notify("<s>")]))

    private func html(isOwner: Bool, _ trigger: Trigger = trigger) -> String {
        let summary = AutomationSummary(home: House.home, time: House.time)
        let record = TriggerRecord(
            id: House.id(30), trigger: trigger.id, time: House.time.now, cause: .user,
            result: .conditionFalse(.presence(.anyoneHome)))
        let status = TriggerStatus(
            trigger: trigger.id,
            next: Timestamp(millisecondsSince1970: House.time.now.millisecondsSince1970 + 3_600_000),
            last: record)
        return Templates.render(
            "automation-row", summary.values(of: trigger, status, isOwner: isOwner, back: "/automations"))
    }

    @Test("shows events and actions, the next run, and why the last run was skipped") func words() {
        let html = html(isOwner: true)
        for text in [
            "turns on, if ", "5 minutes later, restore", "Next: today 13:00", "today 12:00, not run: no one was home",
        ] {
            #expect(html.contains(text), "\(text)")
        }
        for evil in ["<script>", "<b>", "<i>", "<u>", "<s>"] { #expect(!html.contains(evil), "\(evil)") }
    }

    @Test("has no buttons for guests") func guests() {
        #expect(html(isOwner: true).contains("<form"))
        #expect(!html(isOwner: false).contains("<form") && !html(isOwner: false).contains("/edit"))
    }

    @Test("shows why an automation can't run") func missingParts() {
        var broken = Self.trigger
        broken.losePart(named: "Old Lamp")
        #expect(html(isOwner: true, broken).contains("Off: Old Lamp was removed. Edit the automation"))
    }
}

@Suite("The form of a location") struct LocationFormTests {
    @Test(
        "accepts two fields with a number each, or one field with both numbers as maps copy them",
        arguments: [
            ("latitude=52.52&longitude=13.4&zone=", 52.52, 13.4, nil), ("latitude=52.52, 13.4", 52.52, 13.4, nil),
            ("latitude=-33,9&longitude=18,4&zone=UTC", -33.9, 18.4, "UTC"),
        ] as [(String, Double, Double, String?)])
    func valid(fields: String, latitude: Double, longitude: Double, zone: String?) throws {
        let location = try LocationForm(Query(fields)).location()
        #expect(location.latitude == latitude && location.longitude == longitude && location.timeZone == zone)
    }

    @Test(
        "rejects invalid numbers and unknown time zones",
        arguments: [
            "", "latitude=north&longitude=1", "latitude=91&longitude=1", "latitude=1&longitude=nan",
            "latitude=1&longitude=1&zone=../etc/passwd", "latitude=1&longitude=1&zone=Europe/Nowhere",
        ])
    func invalid(fields: String) {
        #expect(throws: HomeError.self) { try LocationForm(Query(fields)).location() }
    }
}
