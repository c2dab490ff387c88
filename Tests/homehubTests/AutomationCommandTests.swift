import BoundedJSON
import Glibc
import HAPModel
import HomeModel
import HomePresentation
import Synchronization
import TestTimeouts
import Testing

@testable import homehub

@Suite("The commands for automations and people", .timeout)
struct AutomationCommandTests {
    private typealias Outcome = FakeHub.Outcome

    /// Adds an automation that turns off a lamp at 23:00.
    private func add(_ hub: FakeHub, _ name: String = "Night", _ options: String...) async throws {
        let words = ["automations", "add", name, "--at", "23:00", "--set", "reading lamp off"]
        #expect(try await hub.run(words + options) == Outcome())
    }

    @Test("adds, shows, changes, disables, renames and removes automations silently")
    func life() async throws {
        let hub = FakeHub()
        #expect(try await hub.run("people", "add", "Anna") == Outcome())
        try await add(
            hub, "Night", "--when", "fan off for 10m", "--days", "mon-fri", "--if", "anyone home", "--after", "10m",
            "--notify", "Good night", "--set", "ceiling fan/light off", "--run", "movie night", "--for", "1h", "--once")
        let shown = try await hub.run("automations", "show", "night").output
        #expect(
            shown == """
                name         Night
                state        on
                when         at 23:00
                             when Ceiling Fan has been off for 10 minutes
                days         on weekdays
                condition    if anyone is home
                actions      run Movie Night
                             turn off Reading Lamp
                             wait 10 minutes
                             send "Good night"
                             turn off Ceiling Fan/Light
                end          1 hour later, restore the previous values
                once         disabled after the first run
                missed runs  run up to 5 minutes late if the hub wasn't running

                """)
        #expect(
            try await hub.run(
                "automations", "edit", "Night", "--at", "22:00", "--if", "none", "--for", "none", "--days", "every day",
                "--no-once", "--missed", "skip") == Outcome())
        let definition = try #require(hub.homes[0].triggers.first?.definition)
        #expect(definition.events == [.calendar(CalendarTime(try #require(TimeOfDay("22:00"))))])
        #expect(definition.condition == nil && definition.endEvents.isEmpty && !definition.executeOnce)
        #expect(definition.steps.count == 4 && definition.missedRunPolicy == .skip)
        #expect(try await hub.run("automations", "disable", "night") == Outcome())
        #expect(hub.homes[0].triggers.first?.isEnabled == false)
        #expect(try await hub.run("automations", "enable", "night") == Outcome())
        #expect(try await hub.run("automations", "rename", "night", "Bedtime") == Outcome())
        #expect(try await hub.run("automations", "remove", "bedtime") == Outcome())
        #expect(hub.homes[0].triggers.isEmpty)
    }

    @Test("lists the next and the last run of each automation")
    func list() async throws {
        let hub = FakeHub()
        #expect(
            try await hub.run("automations").output
                == "My Home has no automations yet. To add one: homehub automations add NAME\n")
        try await add(hub)
        try await add(hub, "Off", "--disabled")
        let id = try #require(hub.homes[0].triggers.first?.id)
        let part = TriggerCondition.presence(.anyoneHome)
        let record = TriggerRecord(
            id: House.id(900), trigger: id, time: .init(millisecondsSince1970: 0), cause: .user,
            result: .conditionFalse(part))
        hub.state.withLock {
            $0.statuses = [TriggerStatus(trigger: id, next: .init(millisecondsSince1970: 0), last: record)]
        }
        let listing = try await hub.run("automations").output.split(separator: "\n").map(String.init)
        #expect(listing.count == 3)
        #expect(listing[1].contains("on     at 23:00  1970-01-01 ") && listing[1].hasSuffix("not run: no one was home"))
        #expect(listing[2] == "Off    off    at 23:00")
        let json = try await hub.run("automations", "--json").output
        let objects = try #require(try JSONValue(parsing: Array(json.utf8)).array)
        #expect(objects[0]["when"] == "at 23:00" && objects[0]["next"] == 0)
        #expect(objects[0]["actions"]?.array == ["turn off Reading Lamp"])
        #expect(objects[0]["last"]?["resultText"] == "not run: no one was home")
    }

    @Test("runs an automation, or only checks it, and reports failed actions")
    func run() async throws {
        let hub = FakeHub()
        try await add(hub)
        let id = try #require(hub.homes[0].triggers.first?.id)
        let time = Timestamp(millisecondsSince1970: 2)
        func answer(_ result: TriggerResult, _ outcomes: [ActionOutcome]) {
            hub.state.withLock {
                $0.records = [
                    TriggerRecord(
                        id: House.id(900), trigger: id, time: time, cause: .user, result: result, run: 1,
                        outcomes: outcomes)
                ]
            }
        }
        let action = CharacteristicWriteAction(characteristic: House.id(121), targetValue: .bool(false))
        let success = ActionOutcome(.write(action), time: time)
        answer(.ran, [success])
        #expect(try await hub.run("automations", "run", "night") == Outcome(output: "ran\n"))
        answer(.ran, [success, ActionOutcome(.notify("x"), error: HomeError(.accessoryNotReachable), time: time)])
        let partial = try await hub.run("automations", "run", "night", "--conditional")
        #expect(partial.code == 1 && partial.output == "ran, but 1 of 2 actions failed\n")
        #expect(partial.errors.contains("send \"x\": the accessory doesn't respond"))
        answer(.conditionFalse(.sun(.after, SunTime(.sunset))), [])
        #expect(
            try await hub.run("automations", "run", "night", "--check")
                == Outcome(output: "it wouldn't run now: it isn't after sunset\n"))
        let json = try await hub.run("automations", "run", "night", "--check", "--json").output
        #expect(try JSONValue(parsing: Array(json.utf8))["resultText"] == "it wouldn't run now: it isn't after sunset")
        #expect(hub.calls == ["always", "conditional", "check", "check"].map { "run \(id) \($0)" })
    }

    @Test("shows the history, oldest first")
    func history() async throws {
        let hub = FakeHub()
        try await add(hub)
        #expect(try await hub.run("automations", "history", "night").errors == "homehub: Night hasn't run yet\n")
        let id = try #require(hub.homes[0].triggers.first?.id)
        let time = Timestamp(millisecondsSince1970: 60_000)
        hub.state.withLock {
            $0.records = [
                TriggerRecord(id: House.id(901), trigger: id, time: time, cause: .user, result: .wrongWeekday),
                TriggerRecord(
                    id: House.id(900), trigger: id, time: time, cause: .event(.significant(SunTime(.sunset))),
                    result: .missed(first: time, count: 3)),
            ]
        }
        let lines = try await hub.run("automations", "history").output.split(separator: "\n").map(String.init)
        #expect(lines[0].contains("AUTOMATION  CAUSE"))
        #expect(lines[1].contains("Night       at sunset  missed 3 times since 1970-01-01 "))
        #expect(lines[2].hasSuffix("Night       by hand    not run: it doesn't run on Thursdays"))
    }

    @Test("explains an invalid or missing option")
    func errors() async throws {
        let hub = FakeHub()
        let add = ["automations", "add", "Night"]
        for (words, text) in [
            (["--at", "23:00"], "Add an action"), (["--notify", "x"], "Add an event"),
            (["--at", "25:00", "--notify", "x"], "don't understand \"25:00\"; use a time such as 7:00"),
            (["--at", "sunset", "--notify", "x"], "the home has no location; set it with \"homehub homes location\""),
            (["--at", "7:00", "--run", "movi night"], "did you mean \"Movie Night\"?"),
            (["--at", "7:00", "--set", "raeding lamp on"], "did you mean \"Reading Lamp\"?"),
            (["--at", "7:00", "--set", "reading lamp toggle"], "an automation needs a fixed value"),
        ] {
            let refused = try await hub.run(add + words)
            #expect(refused.code != 0 && refused.errors.contains(text), "\(refused.errors)")
        }
        #expect(hub.homes[0].triggers.isEmpty)
    }

    @Test("adds, renames and removes people, and sets their presence")
    func people() async throws {
        let hub = FakeHub()
        #expect(
            try await hub.run("people").output == "My Home has no people yet. To add one: homehub people add NAME\n")
        #expect(try await hub.run("people", "add", "Anna") == Outcome())
        #expect(try await hub.run("people", "add", "Ben") == Outcome())
        #expect(try await hub.run("people", "set", "ben", "home") == Outcome())
        #expect(try await hub.run("people", "rename", "anna", "Eve") == Outcome())
        #expect(try await hub.run("people").output == "NAME  PRESENCE\nBen   home\nEve   away\n")
        #expect(try await hub.run("people", "remove", "Eve") == Outcome())
        #expect(hub.homes[0].people.map(\.name) == ["Ben"])
    }

    @Test("sets and removes the location of a home, and shows sunrise and sunset")
    func location() async throws {
        let sunset = Timestamp(millisecondsSince1970: 1_795_791_240_000)
        let hub = FakeHub {
            $0.daylight = Daylight(civilDawn: nil, sunrise: nil, sunset: sunset, civilDusk: nil, timeZone: "UTC")
        }
        #expect(try await hub.run("homes", "location", "My Home").output == "My Home has no location\n")
        #expect(
            try await hub.run("homes", "location", "My Home", "-33.87,151.21", "--time-zone", "UTC").output == """
                location    33.87° S, 151.21° E
                time zone   UTC
                dawn        none today
                sunrise     none today
                sunset      14:54
                dusk        none today

                """)
        #expect(hub.homes[0].location?.latitude == -33.87)
        let wrong = try await hub.run("homes", "location", "My Home", "99,0")
        #expect(wrong.code == 1 && wrong.errors.contains("the latitude must be from -90 to 90 degrees"))
        #expect(try await hub.run("homes", "location", "My Home", "none").output == "My Home has no location\n")
        #expect(try await hub.run("homes", "location", "My Home", "1,2", "--speed").code == 64)
    }

    @Test(
        "parses positions",
        arguments: [("52.52,13.40", 52.52, 13.4), ("33.87S 151.21E", -33.87, 151.21), ("0, -0.5", 0, -0.5)])
    func positions(typed: String, latitude: Double, longitude: Double) throws {
        #expect(try Position(typed: typed) == Position(latitude: latitude, longitude: longitude))
    }

    @Test("rejects positions", arguments: ["", "52.52", "a,b", "1,2,3", "nan,0", "1e2,0"])
    func wrongPositions(typed: String) { #expect(throws: HomeError.self) { try Position(typed: typed) } }

    // MARK: Files

    private var parser: TriggerParser {
        TriggerParser(home: House.home, time: HomeTime(zone: .utc, now: Timestamp(millisecondsSince1970: 1)))
    }

    @Test("exports automations so that an import leaves them unchanged")
    func export() async throws {
        let hub = FakeHub()
        try await add(hub, "Night", "--days", "mon-fri", "--notify", "It's: \"late\" # now", "--missed", "1h")
        try await add(hub, "Off", "--disabled", "--until", "reading lamp on", "--once")
        let yaml = try await hub.run("automations", "export").output
        #expect(
            yaml == """
                # The automations of My Home. To load them: homehub automations import FILE
                automations:
                  - name: Night
                    at: "23:00"
                    days: mon-fri
                    steps:
                      - set: Reading Lamp off
                      - notify: "It's: \\"late\\" # now"
                    missed: 1h
                  - name: "Off"
                    enabled: false
                    at: "23:00"
                    set: Reading Lamp off
                    until: Reading Lamp on
                    once: true

                """)
        let path = Self.pathOfNewFile()
        defer { unlink(path) }
        try #require(fopen(path, "w").map { fputs(yaml, $0) >= 0 && fclose($0) == 0 } == true)
        #expect(try await hub.run("automations", "import", path).output == "Night: unchanged\nOff: unchanged\n")
        let other = FakeHub()
        #expect(
            try await other.run("automations", "import", path, "--check").output
                == "Night: would be added\nOff: would be added\n")
        #expect(other.homes[0].triggers.isEmpty)
        #expect(try await other.run("automations", "import", path).output == "Night: added\nOff: added\n")
        #expect(other.homes[0].triggers.map(\.definition) == hub.homes[0].triggers.map(\.definition))
        #expect(other.homes[0].triggers.map(\.isEnabled) == [true, false])
        #expect(try await other.run("automations", "import", "/nowhere.yaml").code == 66)
    }

    /// - Returns: The path of a file that no other test uses; the tests run at the same time.
    private static func pathOfNewFile() -> String {
        "/tmp/homehub-automations-\(getpid())-\(UInt32.random(in: 0 ... .max)).yaml"
    }

    /// Imports a file that changes two automations and adds two.
    private func importFour(into hub: FakeHub) async throws -> Outcome {
        let path = Self.pathOfNewFile()
        defer { unlink(path) }
        let yaml = """
            automations:
              - name: Porch
                at: "20:00"
                set: reading lamp on
              - name: Night
                at: "22:00"
                enabled: false
                set: reading lamp on
              - name: Evening
                at: "18:00"
                notify: Hello
              - name: Door
                at: "23:00"
                notify: Open

            """
        try #require(fopen(path, "w").map { fputs(yaml, $0) >= 0 && fclose($0) == 0 } == true)
        return try await hub.run("automations", "import", path)
    }

    @Test("undoes an import of which the hub refuses one automation") func refusedImport() async throws {
        let hub = FakeHub { $0.refusedTriggers = ["Door"] }
        try await add(hub)
        try await add(hub, "Evening", "--disabled")
        let before = hub.homes[0].triggers
        let outcome = try await importFour(into: hub)
        #expect(outcome.code != 0 && outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("homehub: Door: "), "\(outcome.errors)")
        #expect(outcome.errors.contains("; the import changed nothing"), "\(outcome.errors)")
        #expect(hub.homes[0].triggers == before)
        hub.state.withLock { $0.refusedTriggers = [] }
        #expect(
            try await importFour(into: hub).output
                == "Porch: added\nNight: changed\nEvening: changed\nDoor: added\n")
    }

    @Test("names the automations whose import it can't undo") func lastingImport() async throws {
        let hub = FakeHub { ($0.refusedTriggers, $0.refusedWrites) = (["Door"], ["automations.remove"]) }
        try await add(hub)
        let outcome = try await importFour(into: hub)
        #expect(outcome.errors.contains("; the import couldn't undo its changes of Porch, Evening"), "\(outcome)")
        #expect(hub.homes[0].triggers.map(\.name) == ["Night", "Porch", "Evening"])
    }

    @Test("changes nothing if the file has too many automations") func longImport() async throws {
        let definition = TriggerDefinition(events: [.calendar(CalendarTime(.midnight))], steps: [.notify("Hi")])
        let hub = FakeHub { state in
            for number in 1..<HomeLimits.triggersInHome {
                _ = try? state.graph.perform(
                    .addTrigger(House.home.id, name: "Number \(number)", definition, isEnabled: true),
                    using: &state.random)
            }
        }
        let outcome = try await importFour(into: hub)
        #expect(outcome.errors.contains("Night: there are already 200 automations"), "\(outcome.errors)")
        #expect(hub.homes[0].triggers.count == HomeLimits.triggersInHome - 1)
    }

    @Test("imports a disabled automation whose only time has passed") func past() async throws {
        let hub = FakeHub()
        let path = Self.pathOfNewFile()
        defer { unlink(path) }
        func run(isEnabled: Bool) async throws -> (output: String, code: Int32) {
            let yaml = """
                automations:
                  - name: Party
                    at: "2020-12-31 18:00"
                    notify: Hello
                    enabled: \(isEnabled)

                """
            try #require(fopen(path, "w").map { fputs(yaml, $0) >= 0 && fclose($0) == 0 } == true)
            let outcome = try await hub.run("automations", "import", path)
            return (outcome.output, outcome.code)
        }
        #expect(try await run(isEnabled: true).code != 0)
        #expect(try await run(isEnabled: false).output == "Party: added\n")
        #expect(hub.homes[0].triggers.map(\.isEnabled) == [false])
        #expect(try await run(isEnabled: true).code != 0)
        #expect(try await hub.run("automations", "enable", "Party").code != 0)
    }

    @Test(
        "reports the line and the cause of an error in a file",
        arguments: [
            (
                "automations:\n  - name: A\n    at: 7:00x\n    notify: x\n",
                "f:3:9: automations[0].at: don't understand \"7:00x\"; use a time such as 7:00, sunset, sunset-30m or "
                    + "\"2026-12-24 18:00\""
            ),
            (
                "automations:\n  - name: A\n    at: \"7:00\"\n    steps:\n      - after: 1m\n      - set: raeding lamp on\n",
                "f:6:14: automations[0].steps[1].set: there's no accessory called \"raeding lamp\" in My Home; "
                    + "did you mean \"Reading Lamp\"?"
            ),
            (
                "automations:\n  - name: A\n    at: \"7:00\"\n    whn: x\n",
                "f:4:5: automations[0].whn: unknown key; use when"
            ),
            (
                "automations:\n  - name: A\n    at: \"7:00\"\n",
                "f:2:5: automations[0]: the automation does nothing; add a scene or another action"
            ),
            (
                "automations:\n  - name: A\n    at: \"7:00\"\n    notify: x\n  - name: a\n    at: \"8:00\"\n    notify: x\n",
                "f:5:11: automations[1].name: the name \"a\" is used twice; choose another name"
            ),
            ("automation: []\n", "f:1:1: automation: unknown key; use automations"),
            (
                "automations:\n  - name: A\n    at:\n      - \"7:00\"\n      - \"7:00x\"\n    notify: x\n",
                "f:5:9: automations[0].at[1]: don't understand \"7:00x\"; use a time such as 7:00, sunset, sunset-30m or "
                    + "\"2026-12-24 18:00\""
            ),
            (
                "automations:\n" + String(repeating: "  - {name: A, at: \"7:00\", notify: x}\n", count: 201),
                "f:202:5: automations[200]: 201 automations, but a home can have at most 200; remove some"
            ),
            (
                "automations:\n  - name: A\n    at: [" + String(repeating: "\"7:00\",", count: 51)
                    + "]\n    notify: x\n",
                "f:3:9: automations[0].at: 51 items, but the list can have at most 50; remove some"
            ),
            (
                "automations: [&a {name: A, at: \"7:00\", notify: x}, *a]\n",
                "f:1:25: automations[1].name: the name \"A\" is used twice; choose another name"
            ),
            (
                "automations:\n  - !!python/object:os.system {name: A}\n",
                "f:2:5: automations[0]: a YAML tag (!...) isn't supported here; remove it"
            ),
        ])
    func wrongFiles(text: String, message: String) {
        let error = #expect(throws: (any Error).self) {
            try AutomationFile(Array(text.utf8), file: "f", parser: parser)
        }
        #expect(error.map { "\($0)" } == message)
    }

    @Test("reads lists of days")
    func days() throws {
        let text = "automations: [{name: A, at: \"7:00\", days: [mon, wed-thu], notify: x}]"
        let file = try AutomationFile(Array(text.utf8), file: "f", parser: parser)
        #expect(file.entries.first?.definition.weekdays.typedText == "mon,wed,thu")
    }

    /// A home with an automation.
    private func home(_ definition: TriggerDefinition, _ missingParts: [String] = []) -> Home {
        var home = House.home
        home.triggers = [
            Trigger(id: House.id(950), home: home.id, name: "A", definition: definition, missingParts: missingParts)
        ]
        return home
    }

    private func imported(_ home: Home) throws -> [AutomationFile.Entry] {
        let parser = TriggerParser(home: home, time: parser.time)
        return try AutomationFile(Array(AutomationFile.text(of: home, parser).utf8), file: "f", parser: parser).entries
    }

    @Test(
        "exports notifications with any text",
        arguments: [
            "a\u{7F}\u{80}\u{FEFF}\u{FFFF}b", "\u{1B}[31m\ttab\nline\\n", "🎄 l'été: \"ja\" # no", "- x",
            "&a *a !b %", " x ", "~", "1e3",
        ])
    func notifications(text: String) throws {
        let definition = TriggerDefinition(
            events: [.calendar(CalendarTime(.midnight))], steps: [.notify(text)])
        #expect(try imported(home(definition)).first?.definition == definition)
    }

    @Test(
        "exports names that look like other values",
        arguments: ["Or", "and", "24", "1e5", "on", "No", "null", "7am", "Anna's", "sunset", "灯り"])
    func names(name: String) throws {
        let scene = try #require(House.home.actionSets.first?.id)
        var home = home(TriggerDefinition(events: [.calendar(CalendarTime(.midnight))], actionSets: [scene]))
        home.triggers[0].name = name
        for index in home.actionSets.indices where home.actionSets[index].id == scene {
            home.actionSets[index].name = name
        }
        let entries = try imported(home)
        #expect(entries.map(\.name) == [name])
        #expect(entries.map(\.definition) == home.triggers.map(\.definition))
    }

    @Test("exports automations that refer to removed objects as comments, so that the file can be imported")
    func removedParts() throws {
        let definition = TriggerDefinition(
            events: [.characteristic(House.id(949), value: nil)], steps: [.notify("x")])
        var home = home(definition, ["Fan"])
        #expect(try imported(home).isEmpty)
        home.triggers.append(
            Trigger(
                id: House.id(951), home: home.id, name: "B",
                definition: TriggerDefinition(events: [.calendar(CalendarTime(.midnight))], steps: [.notify("x")])))
        #expect(try imported(home).map(\.name) == ["B"])
    }

    @Test("accepts a past time only in an unchanged automation")
    func pastTimes() throws {
        let past = Timestamp(millisecondsSince1970: 0)
        let definition = TriggerDefinition(events: [.timer(first: past, every: nil)], steps: [.notify("x")])
        let entries = try imported(home(definition))
        #expect(entries.map(\.definition) == [definition])
        let text = AutomationFile.text(of: home(definition), parser)
        let error = #expect(throws: (any Error).self) {
            try AutomationFile(Array(text.utf8), file: "f", parser: parser)
        }
        #expect(error.map { "\($0)" } == "f:3:5: automations[0]: the time is in the past")
    }

    // MARK: Watching

    @Test("prints the messages of automations while watching")
    func messages() async throws {
        let hub = FakeHub()
        try await add(hub)
        let trigger = try #require(hub.homes[0].triggers.first?.id)
        hub.state.withLock {
            $0.messages = [
                TriggerMessage(
                    home: House.home.id, trigger: trigger, text: "Good night", time: .init(millisecondsSince1970: 0))
            ]
        }
        let outcome = try await hub.run(["watch"], until: { $0.contains("Good night") })
        #expect(outcome.output.contains("  Night: Good night\n"))
    }
}
