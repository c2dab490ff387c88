import HAPModel
import HomeModel
import Testing

@testable import HomePresentation

@Suite("The text of automations") struct TriggerTextTests {
    private let parser = AutomationHouse.parser
    private let phrases = AutomationHouse.phrases
    private let text = TriggerText(AutomationHouse.parser)

    // MARK: Events

    @Test(
        "parses a time, shows it in words, and writes it back",
        arguments: [
            ("7:00", "at 07:00", "07:00"), ("at 7pm", "at 19:00", "19:00"), ("noon", "at 12:00", "12:00"),
            ("sunset", "at sunset", "sunset"), ("sunset-30m", "30 minutes before sunset", "sunset-30m"),
            ("Sunset − 30 min", "30 minutes before sunset", "sunset-30m"),
            ("1 hour after dawn", "1 hour after dawn", "dawn+1h"),
            ("30 minutes before civil dusk", "30 minutes before dusk", "dusk-30m"),
            ("2026-12-24 18:00", "at 2026-12-24 18:00", "2026-12-24 18:00"),
            ("December 24 at 18:00", "at 18:00 on December 24", "18:00 on december 24"),
            ("9:00 on the 1st", "at 09:00 on day 1", "09:00 on day 1"),
            ("6:30 in jul", "at 06:30 in July", "06:30 in july"),
            ("9:00 am on December 24", "at 09:00 on December 24", "09:00 on december 24"),
            ("2026-12-24 6 pm", "at 2026-12-24 18:00", "2026-12-24 18:00"),
        ])
    func times(typed: String, words: String, canonical: String) throws {
        let event = try parser.timeEvent(typed: typed)
        #expect(phrases.phrase(for: event) == words)
        #expect(text.text(of: event).text == canonical)
        #expect(try parser.timeEvent(typed: canonical) == event)
    }

    @Test(
        "rejects text that isn't a time",
        arguments: [
            "24:00", "13pm", "0:00 am", "7:00 every month", "7:00 8:00", "7", "sunset-30", "before sunset", "February",
            "2026-02-30 18:00", "1 hour after", "sunset-30m+1h", "2026-12-24",
        ])
    func wrongTimes(typed: String) { #expect(throws: HomeError.self) { try parser.timeEvent(typed: typed) } }

    @Test(
        "finds accessories and people whose names are keywords, such as Or",
        arguments: [
            ("Or", "Or on or Or off"), ("Or", "Hall Sensor motion and Or on"), ("Or", "Or on and Hall Sensor motion"),
            ("Or", "Or home or Hall Sensor motion"), ("And", "And on or And off and Hall Sensor motion"),
            ("And", "And home and And on"), ("For", "For on and For home"), ("24", "24 on and 24 home"),
        ])
    func wordsAsNames(name: String, typed: String) throws {
        var home = AutomationHouse.home
        let lamp = try #require(home.accessories.firstIndex { $0.name == "Hall Lamp" })
        home.accessories[lamp].name = name
        home.accessories[lamp].services[0].name = name
        home.people[0].name = name
        let parser = TriggerParser(home: home, time: AutomationHouse.time)
        let condition = try parser.condition(typed: typed)
        #expect(TriggerText(parser).text(of: condition).contains("00000000-") == false)
        #expect(try parser.condition(typed: TriggerText(parser).text(of: condition)) == condition)
        #expect(
            try parser.event(typed: "\(name) or Ben arrives")
                == .presence(.everyEntry, people: [home.people[0].id, home.people[1].id]))
    }

    @Test("writes whole numbers without identifiers, whatever their type", arguments: [true, false])
    func wholeNumbers(isFloat: Bool) {
        let value = isFloat ? CharacteristicValue.float(20) : .integer(20)
        let id: Characteristic.ID = AutomationHouse.id(1211)
        #expect(text.text(of: .characteristic(id, value: value)).text == "Heater current-temperature=20")
        #expect(text.text(of: .comparison(id, .less, value)) == "Heater current-temperature<20")
    }

    @Test("suggests setting days if a time contains a day of the week")
    func timeWithDay() {
        let error = #expect(throws: HomeError.self) { try parser.timeEvent(typed: "7:00 on Monday") }
        #expect(
            error?.message
                == "don't understand \"7:00 on Monday\"; a time can't contain days of the week; set the days separately"
        )
    }

    @Test("counts intervals from midnight or from a given time")
    func intervals() throws {
        let event = try parser.intervalEvent(typed: "2h")
        #expect(phrases.phrase(for: event) == "every 2 hours from 2026-11-27 00:00")
        #expect(text.text(of: event).text == "2h from 2026-11-27 00:00")
        #expect(try parser.intervalEvent(typed: "2h from 2026-11-27 00:00") == event)
        #expect(
            try phrases.phrase(for: parser.intervalEvent(typed: "90 min from 7:30"))
                == "every 1 hour 30 minutes from 2026-11-27 07:30")
        #expect(try phrases.phrase(for: parser.intervalEvent(typed: "1h")) == "every hour from 2026-11-27 00:00")
    }

    @Test(
        "parses an event of an accessory or of people, shows it in words, and writes it back",
        arguments: [
            ("hall sensor motion=yes", "when Hall Sensor detects motion", "Hall Sensor motion"),
            ("hall sensor motion", "when Hall Sensor detects motion", "Hall Sensor motion"),
            ("when Hall Sensor detects motion", "when Hall Sensor detects motion", "Hall Sensor motion"),
            (
                "hall sensor no motion for 5m", "when Hall Sensor hasn't detected motion for 5 minutes",
                "Hall Sensor no motion for 5m"
            ),
            (
                "hall sensor battery low", "when Hall Sensor reports a low battery",
                "Hall Sensor battery low"
            ),
            (
                "hall sensor temperature>=24",
                "when the temperature of Hall Sensor/Temperature rises to 24 °C or more",
                "Hall Sensor current-temperature>=24"
            ),
            (
                "hall sensor temperature falls below 18.5",
                "when the temperature of Hall Sensor/Temperature falls to 18.5 °C or less",
                "Hall Sensor current-temperature<=18.5"
            ),
            (
                "hall sensor temperature=18..24",
                "when the temperature of Hall Sensor/Temperature becomes 18 °C to 24 °C",
                "Hall Sensor current-temperature=18..24"
            ),
            (
                "hall sensor temperature changes", "when the temperature of Hall Sensor/Temperature changes",
                "Hall Sensor current-temperature changes"
            ),
            ("bedroom window open", "when Bedroom Window opens", "Bedroom Window open"),
            ("Bedroom Window opens", "when Bedroom Window opens", "Bedroom Window open"),
            (
                "bedroom window open for 10m", "when Bedroom Window has been open for 10 minutes",
                "Bedroom Window open for 10m"
            ),
            (
                "kitchen switch/button 2 double press", "when Kitchen Switch/Button 2 is pressed twice",
                "Kitchen Switch/Button 2 double press"
            ),
            ("bell pressed", "when Bell is pressed", "Bell single press"),
            ("hall lamp turns on", "when Hall Lamp turns on", "Hall Lamp on"),
            ("hall light off", "when Hall Lamp turns off", "Hall Lamp off"),
            (
                "hall lamp brightness>50%", "when the brightness of Hall Lamp rises to 51 % or more",
                "Hall Lamp brightness>=51"
            ),
            ("front door unlocked", "when Front Door unlocks", "Front Door unlocked"),
            ("bedroom shade open", "when Shade opens", "Shade open"),
            ("bedroom shade closed", "when Shade closes", "Shade closed"),
            ("Hall Lamp unreachable", "when Hall Lamp hasn't responded for 1 minute", "Hall Lamp unreachable for 1m"),
            ("salt and pepper on", "when Salt and Pepper turns on", "Salt and Pepper on"),
            ("Anna arrives", "when Anna arrives", "Anna arrives"),
            ("anna or ben comes home", "when Anna or Ben arrives", "Anna or Ben arrives"),
            ("anyone leaves", "when anyone leaves", "anyone leaves"),
            ("everyone left", "when the last person leaves", "last person leaves"),
            (
                "the first of Anna and Ben arrives", "when the first of Anna and Ben arrives",
                "first of Anna and Ben arrives"
            ),
            ("the first of Anna arrives", "when Anna arrives", "first of Anna arrives"),
            ("the last of Anna leaves", "when Anna leaves", "last of Anna leaves"),
            ("Lea and Max or Anna leaves", "when Lea and Max or Anna leaves", "Lea and Max or Anna leaves"),
            ("every 2h", "every 2 hours from 2026-11-27 00:00", "2h from 2026-11-27 00:00"),
            ("the front door locks", "when Front Door locks", "Front Door locked"),
            (
                "hall sensor temperature < −5",
                "when the temperature of Hall Sensor/Temperature falls to -5 °C or less",
                "Hall Sensor current-temperature<=-5"
            ),
            (
                "heater below 5", "when the temperature of Heater falls to 5 °C or less",
                "Heater current-temperature<=5"
            ),
            (
                "hall sensor temperature between 18 and 24",
                "when the temperature of Hall Sensor/Temperature becomes 18 °C to 24 °C",
                "Hall Sensor current-temperature=18..24"
            ),
            (
                "heater target-temperature=21", "when the target temperature of Heater becomes 21 °C",
                "Heater target-temperature=21"
            ),
            ("house alarm goes off", "when House Alarm is triggered", "House Alarm alarm"),
            ("house alarm off", "when House Alarm is disarmed", "House Alarm off"),
            ("house alarm armed, away", "when House Alarm becomes armed, away", "House Alarm armed, away"),
            ("right turns on", "when Two Sockets/Right turns on", "Two Sockets/Right on"),
            ("two sockets on", "when Two Sockets/Left turns on", "Two Sockets on"),
            ("After Sunset on", "when After Sunset turns on", "After Sunset on"),
        ])
    func events(typed: String, words: String, canonical: String) throws {
        let event = try parser.event(typed: typed)
        #expect(phrases.phrase(for: event) == words)
        let written = text.text(of: event)
        #expect(written.text == canonical)
        let again = try written.key == .every ? parser.intervalEvent(typed: canonical) : parser.event(typed: canonical)
        #expect(again == event)
    }

    @Test(
        "explains invalid events and suggests valid ones",
        arguments: [
            ("hal sensor motion", "there's no accessory called \"hal sensor\" in My House; try \"Hall Sensor\""),
            (
                "garage open",
                "\"garage open\" doesn't begin with the name of an accessory in My House; list them with homehub accessories"
            ),
            ("hall lamp", "a state is missing after \"Hall Lamp\"; add one, such as off, on, brightness>NUMBER"),
            ("bedroom window opn", "Bedroom Window has no state \"opn\"; try \"open\""),
            (
                "kitchen switch single press",
                "\"Kitchen Switch\" is ambiguous; use \"Kitchen Switch/Button 1\" (a button) or "
                    + "\"Kitchen Switch/Button 2\" (a button)"
            ),
            ("bell event=triple", "don't understand \"triple\"; use single, double or long"),
            ("hall sensor temperature>warm", "current-temperature must be a number from -270 to 100 °C"),
            ("Ana arrives", "there's no person called \"Ana\" in My House; try \"Anna\""),
            ("", "the text is empty"),
            ("hall lamp 25", "Hall Lamp has no state \"25\"; it has off, on, brightness>NUMBER"),
            ("hall lamp 8%", "Hall Lamp has no state \"8%\"; it has off, on, brightness>NUMBER"),
            ("hall lamp brightness>100", "brightness can't be >100 %; it goes from 0 to 100 %"),
            ("hall lamp brightness=50..150", "brightness can't be 150 %; it goes from 0 to 100 %"),
            ("hall lamp brightness<0", "brightness can't be <0 %; it goes from 0 to 100 %"),
            (
                "two sockets/middle on",
                "there's no part called \"middle\" of Two Sockets; list them with homehub show \"Two Sockets\""
            ),
            (
                "anyone home",
                "\"anyone home\" is a condition; use an event, such as \"anyone arrives\" or \"last person leaves\""
            ),
            (
                "everyone arrives",
                "don't understand \"everyone arrives\"; use anyone arrives, first person arrives, anyone leaves, "
                    + "last person leaves, or the name of a person"
            ),
        ])
    func wrongEvents(typed: String, message: String) {
        let error = #expect(throws: HomeError.self) { try parser.event(typed: typed) }
        #expect(error?.message == message)
    }

    // MARK: Conditions

    @Test(
        "parses a condition, shows it in words, and writes it back",
        arguments: [
            ("anyone home", "anyone is home", "no one was home", "anyone home"),
            ("nobody is at home", "no one is home", "someone was home", "no one home"),
            ("Anna away", "Anna is away", "Anna was home", "not Anna home"),
            ("Anna isn't at home", "Anna is away", "Anna was home", "not Anna home"),
            ("Anna is away", "Anna is away", "Anna was home", "not Anna home"),
            (
                "Anna or Lea and Max home", "Anna is home or Lea and Max is home",
                "Anna was away and Lea and Max was away", "Anna home or Lea and Max home"
            ),
            (
                "Anna, Ben away", "Anna is away and Ben is away", "Anna was home or Ben was home",
                "(not Anna home) and (not Ben home)"
            ),
            (
                "not salt and pepper on", "Salt and Pepper isn't on", "Salt and Pepper was on",
                "not Salt and Pepper on"
            ),
            ("hall lamp isn’t on", "Hall Lamp isn't on", "Hall Lamp was on", "not Hall Lamp on"),
            (
                "the front door is not locked", "Front Door isn't locked", "Front Door was locked",
                "not Front Door locked"
            ),
            (
                "after sunset on and after sunset", "After Sunset is on and it's after sunset",
                "After Sunset wasn't on or it wasn't after sunset", "After Sunset on and after sunset"
            ),
            (
                "from 22:00 to 24:00", "it's between 22:00 and 00:00", "it wasn't between 22:00 and 00:00",
                "between 22:00 and 00:00"
            ),
            (
                "hall sensor temperature between 18 and 24",
                "the temperature of Hall Sensor/Temperature is at least 18 °C and the temperature of Hall Sensor/Temperature is at most 24 °C",
                "the temperature of Hall Sensor/Temperature wasn't at least 18 °C or the temperature of Hall Sensor/Temperature wasn't at most 24 °C",
                "Hall Sensor current-temperature>=18 and Hall Sensor current-temperature<=24"
            ),
            ("Anna home", "Anna is home", "Anna was away", "Anna home"),
            ("it's after sunset", "it's after sunset", "it wasn't after sunset", "after sunset"),
            (
                "before sunrise+30m", "it's before sunrise + 30 minutes", "it wasn't before sunrise + 30 minutes",
                "before sunrise+30m"
            ),
            (
                "between 22:00 and 6:00", "it's between 22:00 and 06:00", "it wasn't between 22:00 and 06:00",
                "between 22:00 and 06:00"
            ),
            (
                "after 22:00", "it's between 22:00 and 00:00", "it wasn't between 22:00 and 00:00",
                "between 22:00 and 00:00"
            ),
            (
                "between sunset and 23:00", "it's after sunset and it's between 12:00 and 23:00",
                "it wasn't after sunset or it wasn't between 12:00 and 23:00",
                "after sunset and between 12:00 and 23:00"
            ),
            ("between sunrise and sunset", "it's after sunrise", "it wasn't after sunrise", "after sunrise"),
            ("on weekdays", "it's a weekday", "it wasn't a weekday", "on mon-fri"),
            ("sat,sun", "it's Saturday or Sunday", "it wasn't Saturday or Sunday", "on sat,sun"),
            ("hall lamp on", "Hall Lamp is on", "Hall Lamp wasn't on", "Hall Lamp on"),
            ("not (hall lamp on)", "Hall Lamp isn't on", "Hall Lamp was on", "not Hall Lamp on"),
            (
                "hall sensor temperature>24", "the temperature of Hall Sensor/Temperature is above 24 °C",
                "the temperature of Hall Sensor/Temperature wasn't above 24 °C", "Hall Sensor current-temperature>24"
            ),
            (
                "anyone home and (after sunset or not hall lamp on)",
                "anyone is home and (it's after sunset or Hall Lamp isn't on)",
                "no one was home or (it wasn't after sunset and Hall Lamp was on)",
                "anyone home and (after sunset or (not Hall Lamp on))"
            ),
            (
                "salt and pepper on and between 22:00 and 6:00 and no one home",
                "Salt and Pepper is on and it's between 22:00 and 06:00 and no one is home",
                "Salt and Pepper wasn't on or it wasn't between 22:00 and 06:00 or someone was home",
                "Salt and Pepper on and between 22:00 and 06:00 and no one home"
            ),
        ])
    func conditions(typed: String, words: String, reason: String, canonical: String) throws {
        let condition = try parser.condition(typed: typed)
        #expect(phrases.phrase(for: condition) == words)
        #expect(phrases.reason(for: condition) == reason)
        #expect(text.text(of: condition) == canonical)
        #expect(try parser.condition(typed: canonical) == condition)
    }

    @Test(
        "applies an interval with a sun event only to one night or day",
        arguments: [
            ("between 20:00 and sunrise", ["00:00 1", "06:00 1", "09:00 0", "19:59 0", "20:00 1", "23:59 1"]),
            ("between sunrise and 23:00", ["06:00 0", "09:00 1", "15:00 1", "22:59 1", "23:00 0", "00:00 0"]),
            ("between sunrise and 1:00", ["00:59 1", "01:00 0", "06:00 0", "09:00 1", "23:00 1"]),
            ("between 6:00 and sunset", ["05:59 0", "06:00 1", "09:00 1", "12:00 1", "16:00 0", "23:00 0"]),
            ("between 23:00 and sunset", ["22:59 0", "23:00 1", "00:00 1", "14:00 1", "16:00 0"]),
            ("between sunset and 10:00", ["14:00 0", "16:00 1", "00:00 1", "09:59 1", "10:00 0", "13:00 0"]),
            ("between sunset-30m and sunrise+30m", ["14:45 1", "14:00 0", "00:00 1", "07:15 1", "07:45 0"]),
            ("between sunset-30m and sunset+30m", ["14:20 0", "14:40 1", "15:10 1", "15:40 0", "07:00 0"]),
            ("between sunset and dusk", ["14:45 0", "15:20 1", "16:00 0", "06:30 0"]),
            ("between 5:00 and sunrise", ["04:59 0", "05:00 1", "06:00 1", "07:30 0", "20:00 0"]),
        ])
    func sunIntervals(typed: String, samples: [String]) throws {
        let condition = try parser.condition(typed: typed)
        let written = text.text(of: condition)
        #expect(try parser.condition(typed: written) == condition, "\(written)")
        // In Berlin on November 27, 2026, sunrise is at 6:47 and sunset at 14:59 UTC.
        let schedule = TriggerSchedule(zone: .utc, location: AutomationHouse.home.location)
        for sample in samples {
            let clock = try #require(TimeOfDay(String(sample.prefix(5))))
            let time = Timestamp(millisecondsSince1970: 1_795_737_600_000 + Int64(clock.minutes) * 60_000)
            #expect(schedule.holds(condition, at: time) == sample.hasSuffix("1"), "\(sample)")
        }
    }

    @Test(
        "explains invalid conditions and suggests valid ones",
        arguments: [
            ("anyone home and", "a condition is missing next to \"and\", \"or\", \"not\" or a parenthesis"),
            ("(anyone home", "a parenthesis in the condition is missing"),
            (
                "after breakfast",
                "don't understand \"after breakfast\"; use a time such as after sunset, before 7:00 or after sunset-30m"
            ),
            ("between 22:00", "don't understand \"between 22:00\"; use two times, such as between 22:00 and 6:00"),
            ("Ana home", "there's no person called \"Ana\" in My House; try \"Anna\""),
            ("Ana away", "there's no person called \"Ana\" in My House; try \"Anna\""),
            ("everyone home", "don't understand \"everyone home\"; name the people, such as Anna home and Ben home"),
            ("hall lamp 25", "Hall Lamp has no state \"25\"; it has off, on, brightness>NUMBER"),
            (
                "hall lamp on for 5m",
                "a condition can't have a duration; use an event instead, such as \"hall lamp on for 5m\""
            ),
            (
                "between 22 and 6:00",
                "don't understand \"between 22 and 6:00\"; use two times, such as between 22:00 and 6:00"
            ),
            (
                "between dusk-1h and sunset",
                "don't understand \"between dusk-1h and sunset\"; use two times on one day, such as between sunset and 23:00"
            ),
            ("bell pressed", "a button press can only be an event, not a condition"),
            ("anyone home or hal lamp on", "there's no accessory called \"hal lamp\" in My House; try \"Hall Lamp\""),
        ])
    func wrongConditions(typed: String, message: String) {
        let error = #expect(throws: HomeError.self) { try parser.condition(typed: typed) }
        #expect(error?.message == message)
    }

    @Test("rejects long and deeply nested text without delay")
    func hostileTexts() {
        let nested = String(repeating: "(", count: 400) + "anyone home" + String(repeating: ")", count: 400)
        let texts = [
            nested, String(repeating: "not ", count: 150) + "anyone home",
            String(repeating: "a and ", count: 160) + "b",
            String(repeating: "x", count: 5000), String(repeating: "or ", count: 60), ")(", "((((", "\"", "= = =",
            "it's", "if", "when", "for 5m", "not", "between",
        ]
        for text in texts {
            #expect(throws: HomeError.self) { try parser.condition(typed: text) }
            #expect(throws: HomeError.self) { try parser.event(typed: text) }
        }
    }

    // MARK: Days and durations

    @Test(
        "parses days, shows them in words, and writes them back",
        arguments: [
            ("mon-fri", "on weekdays", "mon-fri"), ("weekend", "on weekends", "sat,sun"),
            ("Monday, Wednesday and Friday", "on Mondays, Wednesdays and Fridays", "mon,wed,fri"),
            ("fri-mon", "on Mondays and Friday to Sunday", "mon,fri-sun"), ("every day", "every day", "every day"),
            ("tues-thurs", "on Tuesday to Thursday", "tue-thu"), ("every monday", "on Mondays", "mon"),
        ])
    func days(typed: String, words: String, canonical: String) throws {
        let days = try parser.weekdays(typed: typed)
        #expect(days.phrase == words)
        #expect(days.typedText == canonical)
        #expect(try parser.weekdays(typed: canonical) == days)
    }

    @Test(
        "parses durations",
        arguments: [
            ("90s", 90, "1m30s"), ("10m", 600, "10m"), ("1h30m", 5400, "1h30m"), ("1.5 hours", 5400, "1h30m"),
            ("2 weeks", 1_209_600, "14d"), ("0s", 0, "0s"),
        ])
    func durations(typed: String, seconds: Int, canonical: String) {
        #expect(TypedDuration.parse(typed) == .seconds(seconds))
        #expect(TypedDuration.text(of: .seconds(seconds)) == canonical)
    }

    @Test("rejects text that isn't a duration", arguments: ["", "10", "m", "1x", "1..5h", "-5m", "400d", "1e3s"])
    func wrongDurations(typed: String) { #expect(TypedDuration.parse(typed) == nil) }

    // MARK: Automations

    @Test("parses a whole automation, and writes it back")
    func automation() throws {
        var typed = TypedTrigger()
        typed.at = ["sunset-30m"]
        typed.when = ["Bedroom Window open"]
        typed.forAtLeast = "10m"
        typed.days = "mon-fri"
        typed.conditions = ["anyone home", "not hall lamp on"]
        typed.run = ["evening lights"]
        typed.steps = [
            .set(["hall lamp on brightness=40"]), .after("10m"), .set(["hall lamp off"]), .notify("Good night"),
        ]
        typed.endsAfter = "5m"
        typed.until = ["front door locked"]
        typed.isOnce = true
        typed.missed = "skip"
        let definition = try typed.definition(parser)
        #expect(try AutomationHouse.home.validated(definition, at: AutomationHouse.time.now) == definition)
        #expect(
            phrases.events(of: definition)
                == "30 minutes before sunset or when Bedroom Window has been open for 10 minutes, on weekdays")
        #expect(phrases.condition(of: definition) == "if anyone is home and Hall Lamp isn't on")
        #expect(
            phrases.actions(of: definition) == [
                "run Evening Lights", "turn on Hall Lamp", "set the brightness of Hall Lamp to 40 %", "wait 10 minutes",
                "turn off Hall Lamp", "send \"Good night\"",
            ])
        #expect(phrases.end(of: definition) == "5 minutes later or when Front Door locks, restore the previous values")
        var written = TypedTrigger(definition, parser)
        #expect(try written.definition(parser) == definition)
        #expect(written.when == ["Bedroom Window open for 10m"])
        #expect(written.run == ["Evening Lights"])
        #expect(written.steps.first == .set(["Hall Lamp on brightness=40"]))
        written.steps[2] = .set(["hal lamp off"])
        let error = #expect(throws: TypedTriggerError.self) { try written.definition(parser) }
        #expect(error?.field == .set && error?.index == 2)
    }

    @Test(
        "parses actions that write values",
        arguments: [
            ("side lock lock", [1112: 1]), ("Side Lock unlock", [1112: 0]), ("hall lamp brightness = 40", [412: 40]),
            ("heater temperature=21", [1212: 21]), ("shade position=50%", [612: 50]),
            ("two sockets/right off", [1021: 0]),
            ("salt and pepper on", [711: 1]), ("hall lamp on brightness=30", [411: 1, 412: 30]),
        ])
    func writes(typed: String, values: [Int: Double]) throws {
        let changes = try parser.writes(typed: typed)
        let found = changes.map { ($0.place.characteristic.id, $0.value.bool.map { $0 ? 1 : 0 } ?? $0.value.number) }
        #expect(found.count == values.count)
        for (id, number) in values {
            #expect(found.contains { $0.0 == AutomationHouse.id(id) && $0.1 == number }, "\(found)")
        }
        let actions = changes.map {
            CharacteristicWriteAction(characteristic: $0.place.characteristic.id, targetValue: $0.value)
        }
        let written = text.texts(of: actions)
        #expect(written.allSatisfy { !$0.contains("-8000-") }, "names instead of IDs: \(written)")
    }

    @Test("refers to accessories with the same name by ID")
    func namesakes() throws {
        var home = AutomationHouse.home
        home.accessories[1].name = "Hall Lamp"
        let parser = TriggerParser(home: home, time: AutomationHouse.time)
        let event = TriggerEvent.characteristic(AutomationHouse.id(211), value: .integer(1))
        let typed = TriggerText(parser).text(of: event).text
        #expect(try parser.event(typed: typed) == event)
    }

    // MARK: States

    @Test("names the reason why an automation is inactive")
    func states() {
        var home = AutomationHouse.home
        home.location = nil
        func state(_ trigger: Trigger) -> String {
            TriggerPhrases(home: home, time: AutomationHouse.time).state(of: trigger)
        }
        let definition = TriggerDefinition(events: [.significant(SunTime(.sunset))], steps: [.notify("Hello")])
        #expect(
            state(Trigger(id: AutomationHouse.id(9), home: home.id, name: "A", definition: definition))
                == "off: the home has no location")
        home.location = AutomationHouse.home.location
        #expect(
            state(
                Trigger(
                    id: AutomationHouse.id(9), home: home.id, name: "A", isEnabled: false, definition: definition,
                    missingParts: ["Desk Lamp", "Fan"])) == "off: Desk Lamp and Fan were removed")
    }
}

extension TriggerSchedule {
    /// Returns whether a condition that depends only on the time is true.
    fileprivate func holds(_ condition: TriggerCondition, at time: Timestamp) -> Bool {
        switch condition {
        case .all(let parts): parts.allSatisfy { holds($0, at: time) }
        case .any(let parts): parts.contains { holds($0, at: time) }
        case .not(let part): !holds(part, at: time)
        case .sun(let relation, let sun): isTime(time, relation, sun)
        case .time(let start, let end):
            {
                let minute = Int(time.millisecondsSince1970 / 60_000 % 1440)
                return start < end
                    ? start.minutes..<end.minutes ~= minute : minute >= start.minutes || minute < end.minutes
            }()
        case .weekday, .comparison, .presence: false
        }
    }
}
