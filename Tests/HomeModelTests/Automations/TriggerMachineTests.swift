import BoundedJSON
import HAPModel
import HomeModel
import Testing

private typealias H = AutomationHome

private let lampOn = TriggerStep.set(H.lampOn, .bool(true))

private let motion = TriggerEvent.characteristic(H.motion, value: .bool(true))

private func daily(_ time: String) -> TriggerEvent { .calendar(CalendarTime(.at(time))) }

@Suite("The machine of automations") struct TriggerMachineTests {
    // MARK: Rule 1: events, conditions and weekdays

    @Test("runs when any of its events fires and the weekday and the condition match") func conditions() {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [motion, .button(H.button, .single)],
                condition: .comparison(H.temperature, .less, .integer(20)),
                weekdays: .monday, steps: [.notify("Hi")]))
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        bench.receive(.float(19.5), of: H.temperature, .baseline, at: 2)
        bench.receive(.integer(0), of: H.button, at: 3)
        bench.receive(.integer(1), of: H.button, at: 4)
        bench.receive(.float(20), of: H.temperature, at: 5)
        bench.receive(.integer(0), of: H.button, at: 6)
        bench.receive(.integer(0), of: H.button, at: 1500)
        #expect(bench.log == ["1 false", "3 ran", "3 notify Hi", "6 false", "1500 wrongWeekday"])
    }

    @Test(
        "evaluates conditions and names the false part",
        arguments: [
            (.time(from: .at("08:00"), to: .at("12:00")), true), (.time(from: .at("22:00"), to: .at("10:00")), false),
            (.time(from: .at("22:00"), to: .at("10:01")), true), (.time(from: .at("09:00"), to: .at("10:00")), false),
            (.weekday(.monday), true), (.weekday(.weekend), false), (.sun(.after, SunTime(.sunrise)), true),
            (.sun(.before, SunTime(.sunrise)), false),
            (.sun(.before, SunTime(.sunset, offset: .seconds(-36_000))), false),
            (.presence(.noOneHome), true), (.presence(.anyoneHome), false), (.presence(.home(H.anna)), false),
            (.not(.presence(.anyoneHome)), true), (.not(.weekday(.monday)), false),
            (.any([.presence(.anyoneHome), .weekday(.monday)]), true),
            (.any([.presence(.anyoneHome), .weekday(.sunday)]), false),
            (.comparison(H.motion, .equal, .bool(true)), true),
            (.comparison(H.motion, .notEqual, .integer(1)), false),
            (.comparison(H.brightness, .less, .integer(1)), false),
        ] as [(TriggerCondition, Bool)])
    func evaluation(_ condition: TriggerCondition, _ isTrue: Bool) {
        let definition = TriggerDefinition(
            events: [motion], condition: .all([.weekday(.everyDay), condition]), steps: [lampOn])
        var bench = TriggerBench(definition, at: 600)
        bench.receive(.bool(true), of: H.motion, .baseline, at: 600)
        #expect(bench.machine.check(H.trigger, at: .minute(600)) == (isTrue ? nil : .conditionFalse(condition)))
    }

    // MARK: Rules 2 to 6: time

    @Test("runs at a daily time once on each day, even in the night of a clock change") func daylight() throws {
        let berlin = try #require(try Fixture.zone("Berlin"))
        // March 28 starts 27 days later, at 23:00 UTC of the 27th.
        let night = Double(27 * 1440)
        var bench = TriggerBench(
            TriggerDefinition(events: [daily("02:30")], steps: [lampOn]), zone: berlin, at: night - 1440)
        bench.advance(night + 2880)
        #expect(bench.runs == [night - 1350, night + 60, night + 1470, night + 2910].dropLast().map { "\(Int($0))" })
    }

    @Test(
        "runs late or records a missed run after the hub was down",
        arguments: [
            (.default, 423, ["423 ran"]), (.default, 430, ["430 missed 1 from 420"]),
            (.skip, 423, ["423 missed 1 from 420"]),
            (.skip, 420.5, ["420.5 ran"]), (.runWithin(.seconds(3600)), 480, ["480 ran"]),
            (.runWithin(.seconds(3600)), 4801, ["4801 missed 4 from 420"]),
        ] as [(MissedRunPolicy, Double, [String])])
    func missed(_ policy: MissedRunPolicy, _ start: Double, _ log: [String]) {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [daily("07:00")], missedRunPolicy: policy, steps: [lampOn]), at: 400)
        bench.advance(418)
        bench.restart(at: start)
        bench.advance(start + 1)
        #expect(bench.log(without: "write") == log)
        bench.restart(at: start + 2)
        #expect(bench.log(without: "write") == log)
    }

    @Test("counts at most the last 1,000 missed times") func manyMissed() {
        let timer = TriggerEvent.timer(first: .minute(0), every: .seconds(300))
        var bench = TriggerBench(TriggerDefinition(events: [timer], missedRunPolicy: .skip, steps: [lampOn]))
        bench.restart(at: 6001)
        #expect(bench.log(without: "write") == ["6001 missed 1000 from 1000"])
    }

    @Test("runs an occurrence at most once, even across restarts and changes of the clock or the time zone")
    func identity() throws {
        var bench = TriggerBench(TriggerDefinition(events: [daily("07:00")], steps: [lampOn]), at: 400)
        bench.advance(420)
        bench.restart(at: 420)
        bench.advance(600)
        bench.setClock(to: 415)
        bench.advance(430)
        // 7:00 in New York is 12:00 UTC, on the same date.
        bench.update(at: 431, zone: try Fixture.zone("New_York"))
        bench.advance(1440 + 719)
        #expect(bench.runs == ["420"])
        bench.advance(1440 + 720)
        #expect(bench.runs == ["420", "2160"])
    }

    @Test("runs a due occurrence even if another input arrives first") func race() {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [daily("07:00"), .range(H.temperature, ValueRange(minimum: 24))], steps: [lampOn]), at: 400)
        _ = bench.machine.receive(.float(20), of: H.temperature, .event, at: .minute(420.1))
        bench.advance(420.2)
        #expect(bench.runs == ["420"])
        bench.advance(1440)
        #expect(bench.runs.count == 1)
    }

    @Test("records times that a clock change skips as missed, and runs at later times") func forward() {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [daily("07:00"), .held(H.contact, .value(.integer(1)), duration: .seconds(600))],
                steps: [lampOn]), at: 400)
        bench.receive(.integer(0), of: H.contact, .baseline, at: 400)
        bench.receive(.integer(1), of: H.contact, at: 415)
        bench.advance(416)
        bench.setClock(to: 596)
        bench.advance(700)
        // The contact has been open for a minute when the clock is set.
        #expect(bench.log(without: "write") == ["596 skipped 1 from 420", "605 ran"])
    }

    @Test(
        "runs once at a skipped time when the corrected clock reaches it, even across a restart",
        arguments: [[], ["wrong"], ["corrected"], ["late"]])
    func correctedClock(_ restarts: [String]) {
        var bench = TriggerBench(TriggerDefinition(events: [daily("07:00")], steps: [lampOn]), at: 400)
        bench.advance(410)
        bench.setClock(to: 590)
        bench.advance(600)
        if restarts == ["wrong"] { bench.restart(at: 600) }
        #expect(bench.log == ["590 skipped 1 from 420"])
        bench.setClock(to: 411)
        if restarts == ["corrected"] { bench.restart(at: 411) }
        if restarts == ["late"] { bench.restart(at: 424) }
        bench.advance(430)
        #expect(bench.runs == [restarts == ["late"] ? "424" : "420"])
        bench.setClock(to: 415)
        bench.advance(440)
        #expect(bench.runs.count == 1)
    }

    @Test("records a skipped time as missed if the hub isn't running when the corrected clock reaches it")
    func missedAfterCorrection() {
        var bench = TriggerBench(TriggerDefinition(events: [daily("07:00")], steps: [lampOn]), at: 410)
        bench.setClock(to: 590)
        bench.setClock(to: 411)
        bench.restart(at: 500)
        bench.advance(510)
        #expect(bench.log == ["590 skipped 1 from 420", "500 missed 1 from 420"])
    }

    @Test("repeats only those times of a corrected clock that haven't run") func partlyRun() {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [.timer(first: .minute(0), every: .seconds(3600))],
                missedRunPolicy: .runWithin(.seconds(600)), steps: [lampOn]), at: 400)
        bench.setClock(to: 605)
        bench.advance(700)
        #expect(bench.log(without: "write") == ["605 skipped 3 from 420", "605 ran", "660 ran"])
        bench.setClock(to: 470)
        bench.advance(471)
        #expect(bench.runs == ["605", "660"])
        // Another wrong clock skips them again.
        bench.setClock(to: 800)
        bench.setClock(to: 450)
        bench.advance(730)
        #expect(bench.log(without: "write").suffix(4) == ["800 skipped 4 from 480", "480 ran", "540 ran", "720 ran"])
    }

    @Test("remembers the times of the last eight clock changes") func manyClockChanges() {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [.timer(first: .minute(0), every: .seconds(3600))], missedRunPolicy: .skip, steps: [lampOn]),
            at: 10)
        for hour in 0..<9 { bench.setClock(to: Double(hour * 60 + 70)) }
        bench.setClock(to: 20)
        bench.advance(600)
        #expect(bench.runs == (2...9).map { "\($0 * 60)" } + ["600"])
    }

    @Test("runs nothing before the clock reaches the newest stored time") func clock() {
        var bench = TriggerBench(
            TriggerDefinition(events: [daily("07:00"), motion], steps: [lampOn]), at: 400)
        bench.advance(420)
        bench.restart(at: -100_000)
        bench.receive(.bool(false), of: H.motion, .baseline, at: -100_000)
        bench.receive(.bool(true), of: H.motion, at: -99_999)
        bench.advance(-90_000)
        #expect(bench.log(without: "write") == ["420 ran", "-99999 clockNotSet"])
        bench.receive(.bool(false), of: H.motion, at: 500)
        bench.receive(.bool(true), of: H.motion, at: 501)
        #expect(bench.runs == ["420", "501"])
    }

    // MARK: Rule 7: baselines

    @Test("treats the first value after a start, a restart or an outage as a baseline") func baselines() {
        var bench = TriggerBench(
            TriggerDefinition(events: [.range(H.temperature, ValueRange(minimum: 24)), motion], steps: [.notify("")]))
        bench.receive(.float(25), of: H.temperature, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 0)
        bench.restart(at: 1)
        bench.receive(.float(25), of: H.temperature, at: 1)
        bench.setReachable(H.sensor, true, at: 1)
        bench.setReachable(H.sensor, false, at: 2)
        bench.setReachable(H.sensor, true, at: 3)
        bench.receive(.float(23), of: H.temperature, at: 3)
        bench.receive(.bool(true), of: H.motion, at: 3)
        bench.setReachable(H.sensor, false, at: 4)
        bench.setReachable(H.sensor, true, at: 4)
        bench.receive(.float(25), of: H.temperature, at: 4)
        bench.receive(.float(25.5), of: H.temperature, at: 5)
        #expect(bench.runs.isEmpty)
        bench.receive(.float(23), of: H.temperature, at: 6)
        bench.receive(.float(25), of: H.temperature, at: 7)
        bench.receive(.float(26), of: H.temperature, at: 8)
        #expect(bench.runs == ["7"])
    }

    @Test("fires once after a value has lasted, even across a restart and an outage") func held() {
        let window = TriggerDefinition(
            events: [.held(H.contact, .value(.integer(1)), duration: .seconds(600))], steps: [.notify("Window")])
        var bench = TriggerBench(window)
        bench.receive(.integer(0), of: H.contact, .baseline, at: 0)
        bench.receive(.integer(1), of: H.contact, at: 1)
        bench.receive(.integer(0), of: H.contact, at: 10.9)
        bench.receive(.integer(1), of: H.contact, at: 20)
        bench.restart(at: 25)
        bench.receive(.integer(1), of: H.contact, .baseline, at: 26)
        bench.setReachable(H.sensor, false, at: 28)
        // While the value is unknown, the event waits.
        bench.advance(31)
        #expect(bench.runs.isEmpty)
        bench.setReachable(H.sensor, true, at: 32)
        bench.receive(.integer(1), of: H.contact, .baseline, at: 32)
        bench.advance(33)
        bench.restart(at: 34)
        bench.receive(.integer(1), of: H.contact, .baseline, at: 35)
        bench.advance(100)
        #expect(bench.runs == ["32"])
    }

    @Test(
        "keeps the stored start of a state when the clock is set after the start of the hub", arguments: [true, false])
    func lateClock(isStored: Bool) {
        let window = TriggerDefinition(
            events: [.held(H.contact, .value(.integer(1)), duration: .seconds(600))], steps: [.notify("Window")])
        var bench = TriggerBench(window)
        if isStored { bench.receive(.integer(1), of: H.contact, at: 21) }
        // A computer without a clock starts in the past.
        bench.restart(at: -5000)
        bench.receive(.integer(1), of: H.contact, .baseline, at: -4999)
        bench.setClock(to: 25)
        bench.advance(100)
        #expect(bench.runs == [isStored ? "31" : "35"])
    }

    @Test("fires once after an accessory has been unreachable, even across a restart") func unreachable() {
        var bench = TriggerBench(
            TriggerDefinition(events: [.unreachable(H.lamp, duration: .seconds(600))], steps: [.notify("Lamp")]))
        bench.setReachable(H.lamp, true, at: 0)
        bench.setReachable(H.lamp, false, at: 1)
        bench.restart(at: 5)
        bench.advance(12)
        #expect(bench.runs.isEmpty)
        bench.setReachable(H.lamp, false, at: 12)
        bench.advance(30)
        bench.setReachable(H.lamp, true, at: 31)
        bench.setReachable(H.lamp, false, at: 32)
        bench.advance(60)
        #expect(bench.runs == ["12", "42"])
    }

    // MARK: Rule 8: buttons

    @Test("treats only event messages as presses, including repeated ones") func buttons() {
        var bench = TriggerBench(TriggerDefinition(events: [.button(H.button, .double)], steps: [.notify("")]))
        for (minute, source) in [.baseline, .result, .event, .event].enumerated()
            as EnumeratedSequence<[TriggerMachine.ValueSource]>
        {
            bench.receive(.integer(1), of: H.button, source, at: Double(minute))
        }
        bench.receive(.integer(0), of: H.button, at: 9)
        #expect(bench.runs == ["2", "3"])
    }

    // MARK: Rule 9: waits

    @Test("restarts a run that is waiting, and continues it after a restart of the hub") func waits() {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [motion], actionSets: [H.scene], steps: [.wait(.seconds(600)), .notify("Later")]))
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        bench.receive(.bool(false), of: H.motion, at: 2)
        bench.receive(.bool(true), of: H.motion, at: 5)
        bench.restart(at: 7)
        bench.advance(20)
        #expect(bench.log == ["1 ran", "1 scenes 1", "5 ran", "5 scenes 1", "15 notify Later"])
    }

    @Test(
        "skips the remaining actions of a run whose wait ended too long ago while the hub was down",
        arguments: [
            (.default, 15.75, false), (.default, 16.25, true), (.skip, 11.25, false), (.skip, 11.75, true),
            (.runWithin(.seconds(3600)), 70, false),
        ] as [(MissedRunPolicy, Double, Bool)])
    func lateWait(_ policy: MissedRunPolicy, _ start: Double, _ isSkipped: Bool) {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [motion], missedRunPolicy: policy,
                steps: [lampOn, .wait(.seconds(600)), .notify("Later"), .wait(.seconds(60)), .notify("Last")]))
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        bench.restart(at: start)
        bench.advance(start + 1)
        let rest =
            isSkipped
            ? ["\(start) skip notify Later", "\(start) skip notify Last"]
            : ["\(TriggerBench.text(start)) notify Later", "\(TriggerBench.text(start + 1)) notify Last"]
        #expect(bench.log == ["1 ran", "1 write true"] + rest)
    }

    @Test("restores the values that a run wrote before its remaining actions were skipped") func skippedWrite() {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [motion], endEvents: [.duration(.seconds(900))],
                steps: [
                    .set(H.brightness, .integer(100)), .wait(.seconds(600)), .set(H.brightness, .integer(20)), lampOn,
                ]))
        bench.receive(.integer(50), of: H.brightness, .baseline, at: 0)
        bench.receive(.bool(false), of: H.lampOn, .baseline, at: 0)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        bench.restart(at: 60)
        bench.receive(.integer(100), of: H.brightness, .baseline, at: 61)
        #expect(
            bench.log == [
                "1 ran", "1 write 100.0", "60 skip 20.0", "60 skip true", "60 ended", "61 restore 50.0",
            ])
    }

    @Test("restores the value from before a write that follows a wait") func changeDuringWait() {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [motion], endEvents: [.duration(.seconds(900))],
                steps: [.notify(""), .wait(.seconds(300)), .set(H.brightness, .integer(20))]))
        bench.receive(.integer(50), of: H.brightness, .baseline, at: 0)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        bench.receive(.integer(70), of: H.brightness, at: 3)
        bench.advance(60)
        #expect(bench.log == ["1 ran", "1 notify ", "6 write 20.0", "16 ended", "16 restore 70.0"])
    }

    // MARK: Rule 10: end events

    private static let motionLight = TriggerDefinition(
        events: [motion], endEvents: [.duration(.seconds(300))], steps: [lampOn])

    @Test("restores values when the duration since the last run has passed") func duration() {
        var bench = TriggerBench(Self.motionLight)
        bench.receive(.bool(false), of: H.lampOn, .baseline, at: 0)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        bench.receive(.bool(false), of: H.motion, at: 2)
        bench.receive(.bool(true), of: H.motion, at: 5)
        bench.restart(at: 6)
        bench.receive(.bool(true), of: H.lampOn, .baseline, at: 6)
        bench.advance(60)
        #expect(bench.log == ["1 ran", "1 write true", "5 ran", "5 write true", "10 ended", "10 restore false"])
    }

    @Test("restores values as soon as they're known after a restart", arguments: [true, false])
    func lateRestore(_ isStillOn: Bool) {
        var bench = TriggerBench(Self.motionLight)
        bench.receive(.bool(false), of: H.lampOn, .baseline, at: 0)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        bench.restart(at: 7)
        bench.advance(8)
        bench.restart(at: 9)
        bench.receive(.bool(isStillOn), of: H.lampOn, .baseline, at: 10)
        bench.receive(.bool(true), of: H.lampOn, .event, at: 11)
        #expect(bench.log == ["1 ran", "1 write true", "7 ended"] + (isStillOn ? ["10 restore false"] : []))
    }

    @Test(
        "doesn't restore a value that a person has changed, or that the run didn't change",
        arguments: [(false, true), (true, false)])
    func personal(_ former: Bool, _ isChanged: Bool) {
        var bench = TriggerBench(Self.motionLight)
        bench.receive(.bool(former), of: H.lampOn, .baseline, at: 0)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        if isChanged {
            bench.receive(.bool(false), of: H.lampOn, at: 3)
            bench.receive(.bool(true), of: H.lampOn, at: 4)
        }
        bench.advance(60)
        #expect(bench.log == ["1 ran", "1 write true", "6 ended"])
    }

    @Test("restores the first value if it runs again before the restored value is reported") func quickReturn() {
        var bench = TriggerBench(Self.motionLight)
        bench.echoesWrites = false
        bench.receive(.bool(false), of: H.lampOn, .baseline, at: 0)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        bench.receive(.bool(true), of: H.lampOn, .result, at: 1)
        bench.receive(.bool(false), of: H.motion, at: 2)
        bench.receive(.bool(true), of: H.motion, at: 6.01)
        bench.receive(.bool(true), of: H.lampOn, .result, at: 6.02)
        bench.advance(60)
        #expect(bench.log.suffix(4) == ["6.01 ran", "6.01 write true", "11.01 ended", "11.01 restore false"])
    }

    @Test("replaces a write that hasn't succeeded at the end of the run", arguments: [(1.5, true), (3, false)])
    func earlyEnd(_ end: Double, _ isRestored: Bool) {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [motion], endEvents: [.characteristic(H.motion, value: .bool(false))], steps: [lampOn]))
        bench.echoesWrites = false
        bench.receive(.bool(false), of: H.lampOn, .baseline, at: 0)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        bench.receive(.bool(false), of: H.motion, at: end)
        #expect(bench.log.contains { $0.hasSuffix("restore false") } == isRestored)
    }

    @Test("restores values after an outage during the first write", arguments: [true, false])
    func outageDuringWrite(_ isReachableBefore: Bool) {
        var bench = TriggerBench(Self.motionLight)
        bench.echoesWrites = false
        bench.receive(.bool(false), of: H.lampOn, .baseline, at: 0)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        if !isReachableBefore { bench.setReachable(H.lamp, false, at: 0.5) }
        bench.receive(.bool(true), of: H.motion, at: 1)
        bench.setReachable(H.lamp, false, at: 1.1)
        bench.setReachable(H.lamp, true, at: 1.3)
        bench.receive(.bool(false), of: H.lampOn, .baseline, at: 1.3)
        bench.receive(.bool(true), of: H.lampOn, .result, at: 1.4)
        bench.advance(60)
        #expect(bench.log == ["1 ran", "1 write true", "6 ended", "6 restore false"])
    }

    @Test("restores a value that a run sets twice, or that fades") func fade() {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [motion], endEvents: [.duration(.seconds(300))],
                steps: [
                    .set(H.brightness, .integer(100)), .wait(.seconds(60)), .set(H.brightness, .integer(20)),
                ]))
        bench.receive(.integer(50), of: H.brightness, .baseline, at: 0)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        bench.receive(.integer(80), of: H.brightness, at: 1.1)
        bench.receive(.integer(100), of: H.brightness, at: 1.15)
        bench.advance(60)
        #expect(bench.log == ["1 ran", "1 write 100.0", "2 write 20.0", "6 ended", "6 restore 50.0"])
    }

    @Test(
        "restores a value that fades for longer than ten seconds, but not one that a person changes",
        arguments: [
            ("a fade of two minutes", [(1.1, 60), (1.5, 70), (2.1, 80), (3, 100)], true),
            ("a fade that lasts until the end", (0..<15).map { (1.1 + Double($0), 51 + Int64($0)) }, true),
            ("a fade that stops", [(1.1, 60), (1.5, 70)], false),
            ("a person during the fade", [(1.1, 60), (1.5, 70), (1.8, 65), (3, 100)], false),
            ("a person after the fade", [(1.1, 60), (1.5, 100), (1.8, 90), (3, 100)], false),
            ("a person long after a step", [(1.1, 60), (2.7, 70), (3, 100)], false),
            ("a person after a minute", [(2, 70), (3, 100)], false),
        ] as [(String, [(Double, Int64)], Bool)])
    func longFade(_ title: String, _ values: [(minute: Double, value: Int64)], _ isRestored: Bool) {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [motion], endEvents: [.duration(.seconds(900))], steps: [.set(H.brightness, .integer(100))]))
        bench.receive(.integer(50), of: H.brightness, .baseline, at: 0)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        for (minute, value) in values { bench.receive(.integer(value), of: H.brightness, at: minute) }
        bench.advance(60)
        #expect(bench.log.contains { $0.hasSuffix("restore 50.0") } == isRestored, "\(title)")
    }

    @Test(
        "restores a value whose fade a restart interrupts, but not one that a person changes",
        arguments: [
            ("a restart before the first step", [], 1.2, [(1.4, 60), (1.8, 80), (3, 100)], true),
            ("a restart during the fade", [(1.1, 60), (1.6, 70)], 1.7, [(2, 75), (2.5, 80), (3, 100)], true),
            (
                "a fade that lasts until the end", [(1.1, 59), (1.6, 60)], 1.7,
                (0..<14).map { (2 + Double($0), 61 + $0) }, true
            ),
            ("a person during the restart", [(1.1, 60), (1.6, 70)], 1.7, [(2, 65), (3, 100)], false),
            ("a long outage", [(1.1, 60), (1.6, 70)], 1.7, [(4, 75), (5, 100)], false),
        ] as [(String, [(Double, Int64)], Double, [(Double, Int64)], Bool)])
    func interruptedFade(
        _ title: String, _ before: [(minute: Double, value: Int64)], _ restart: Double,
        _ after: [(minute: Double, value: Int64)], _ isRestored: Bool
    ) {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [motion], endEvents: [.duration(.seconds(900))], steps: [.set(H.brightness, .integer(100))]))
        bench.receive(.integer(50), of: H.brightness, .baseline, at: 0)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        for (minute, value) in before { bench.receive(.integer(value), of: H.brightness, at: minute) }
        bench.restart(at: restart)
        for (minute, value) in after { bench.receive(.integer(value), of: H.brightness, at: minute) }
        bench.advance(60)
        #expect(bench.log.contains { $0.hasSuffix("restore 50.0") } == isRestored, "\(title)")
    }

    @Test(
        "restores a hue that fades across 0 degrees",
        arguments: [
            (350, 20, [355, 0, 10, 20], true), (20, 350, [10, 0, 355, 350], true),
            (350, 20, [300, 200, 100, 20], true), (350, 20, [355, 5, 2, 20], false),
        ] as [(Double, Double, [Double], Bool)])
    func hueFade(_ former: Double, _ target: Double, _ steps: [Double], _ isRestored: Bool) {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [motion], endEvents: [.duration(.seconds(900))], steps: [.set(H.hue, .float(target))]))
        bench.receive(.float(former), of: H.hue, .baseline, at: 0)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        for (index, value) in steps.enumerated() {
            bench.receive(.float(value), of: H.hue, at: 1.1 + Double(index) / 4)
        }
        bench.advance(60)
        #expect(bench.log.contains { $0.hasSuffix("restore \(former)") } == isRestored)
    }

    @Test("ends at a time of day after the clock was set back during the run") func endAfterClockChange() {
        var bench = TriggerBench(
            TriggerDefinition(events: [motion], endEvents: [daily("19:00")], steps: [lampOn]), at: 1200)
        bench.receive(.bool(false), of: H.lampOn, .baseline, at: 1200)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 1200)
        bench.receive(.bool(true), of: H.motion, at: 1201)
        bench.setClock(to: 1021)
        bench.advance(1200)
        #expect(bench.log == ["1201 ran", "1201 write true", "1140 ended", "1140 restore false"])
    }

    @Test("keeps durations and waits when the clock is set during the run", arguments: [-180.0, 180])
    func durationsAfterClockChange(difference: Double) {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [motion], endEvents: [.duration(.seconds(300))],
                steps: [lampOn, .wait(.seconds(120)), .notify("Later")]), at: 400)
        bench.receive(.bool(false), of: H.lampOn, .baseline, at: 400)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 400)
        bench.receive(.bool(true), of: H.motion, at: 401)
        bench.advance(402)
        bench.setClock(to: 402 + difference)
        bench.advance(420 + difference)
        let (later, end) = (Int(403 + difference), Int(406 + difference))
        #expect(
            bench.log == [
                "401 ran", "401 write true", "\(later) notify Later", "\(end) ended", "\(end) restore false",
            ])
    }

    @Test(
        "restores a scene's values when the end event occurs, even if its state was already true when the run started")
    func heldEnd() {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [.button(H.button, .single)],
                endEvents: [.held(H.motion, .value(.bool(false)), duration: .seconds(120))], actionSets: [H.scene]))
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.integer(90), of: H.brightness, .baseline, at: 0)
        bench.receive(.integer(0), of: H.button, at: 10)
        bench.receive(.integer(40), of: H.brightness, .result, at: 10)
        bench.receive(.bool(true), of: H.motion, at: 11)
        bench.receive(.bool(false), of: H.motion, at: 20)
        bench.advance(60)
        #expect(bench.log == ["10 ran", "10 scenes 1", "22 ended", "22 restore 90.0"])
    }

    // MARK: Rule 11: loops

    @Test("doesn't react to its own writes") func ownWrites() {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [.characteristic(H.lampOn, value: nil)], steps: [.set(H.lampOn, .bool(false))]))
        bench.receive(.bool(false), of: H.lampOn, .baseline, at: 0)
        bench.receive(.bool(true), of: H.lampOn, at: 1)
        bench.receive(.bool(true), of: H.lampOn, at: 2)
        #expect(bench.log == ["1 ran", "1 write false", "2 ran", "2 write false"])
    }

    @Test("expects the result of a write for 90 seconds", arguments: [(2.5, 1), (2.6, 2)])
    func lateResult(_ minute: Double, _ runs: Int) {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [.characteristic(H.lampOn, value: .bool(false)), .button(H.button, .single)],
                steps: [.set(H.lampOn, .bool(false))]))
        bench.echoesWrites = false
        bench.receive(.bool(true), of: H.lampOn, .baseline, at: 0)
        bench.receive(.integer(0), of: H.button, at: 1)
        bench.receive(.bool(false), of: H.lampOn, .result, at: minute)
        #expect(bench.runs.count == runs)
    }

    @Test("stops a chain of triggers after eight runs") func chain() {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [.characteristic(H.lampOn, value: .bool(true))], steps: [.set(H.lampOn, .bool(false))]),
            TriggerDefinition(events: [.characteristic(H.lampOn, value: .bool(false))], steps: [lampOn]))
        bench.receive(.bool(false), of: H.lampOn, .baseline, at: 0)
        bench.receive(.bool(true), of: H.lampOn, at: 1)
        #expect(bench.runs.count == 8)
        #expect(bench.log.last == "1 chainTooDeep")
    }

    @Test("pauses a trigger whose events fire more than 20 times in a minute") func pause() {
        var bench = TriggerBench(TriggerDefinition(events: [.button(H.button, .single)], steps: [.notify("")]))
        for second in 0..<60 { bench.receive(.integer(0), of: H.button, at: Double(second) / 60) }
        #expect(bench.runs.count == 20)
        #expect(bench.log(without: "ran", "notify").count == 1)
        bench.receive(.integer(0), of: H.button, at: 10)
        bench.receive(.integer(0), of: H.button, at: 11)
        #expect(bench.runs.last == "11" && bench.runs.count == 21)
    }

    @Test("keeps the pause across a restart and a clock change, until a user enables the trigger again")
    func lastingPause() {
        var bench = TriggerBench(TriggerDefinition(events: [.button(H.button, .single)], steps: [.notify("")]))
        for second in 0...20 { bench.receive(.integer(0), of: H.button, at: Double(second) / 60) }
        bench.restart(at: 1)
        bench.setClock(to: 61)
        bench.receive(.integer(0), of: H.button, at: 69)
        #expect(bench.runs.count == 20)
        bench.receive(.integer(0), of: H.button, at: 71)
        #expect(bench.runs.last == "71")
        for second in 0...20 { bench.receive(.integer(0), of: H.button, at: 80 + Double(second) / 60) }
        #expect(bench.log.last?.hasSuffix(" paused") == true)
        bench.update(at: 81) { $0.triggers[0].isEnabled = false }
        bench.update(at: 81) { $0.triggers[0].isEnabled = true }
        bench.receive(.integer(0), of: H.button, at: 82)
        #expect(bench.runs.last == "82")
    }

    @Test("refuses more than 20 requests in a minute, but doesn't count requests toward the pause") func manyRequests()
    {
        var bench = TriggerBench(TriggerDefinition(events: [.button(H.button, .single)], steps: [.notify("")]))
        for second in 0...20 { bench.run(checksCondition: second % 2 == 0, at: Double(second) / 60) }
        #expect(bench.runs.count == 20 && bench.log.last?.hasSuffix(" refused") == true)
        bench.receive(.integer(0), of: H.button, at: 0.5)
        bench.run(checksCondition: false, at: 1)
        #expect(bench.runs.count == 22)
        for second in 0..<60 { bench.receive(.integer(0), of: H.button, at: 2 + Double(second) / 60) }
        bench.run(checksCondition: true, at: 4)
        #expect(bench.log.last == "4 refused because of the pause")
        bench.run(checksCondition: false, at: 5)
        #expect(bench.runs.last == "5")
    }

    // MARK: Rules 13 and 14: parts and records

    @Test("stops when a part is removed, and starts from a baseline when the user enables it again") func parts() throws
    {
        var bench = TriggerBench(TriggerDefinition(events: [motion], steps: [lampOn, .wait(.seconds(600)), lampOn]))
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        let sensor = try #require(bench.home.accessory(H.sensor))
        bench.update(at: 2) { home in
            home.accessories.removeAll { $0.id == H.sensor }
            home.triggers[0].losePart(named: "Sensor")
        }
        bench.receive(.bool(false), of: H.motion, at: 3)
        bench.update(at: 4) { $0.accessories.append(sensor) }
        bench.receive(.bool(true), of: H.motion, at: 5)
        bench.advance(60)
        #expect(bench.log == ["1 ran", "1 write true"])
        bench.update(at: 61) { $0.triggers[0].missingParts = [] }
        bench.update(at: 61) { $0.triggers[0].isEnabled = true }
        bench.receive(.bool(false), of: H.motion, at: 62)
        bench.receive(.bool(true), of: H.motion, at: 63)
        #expect(bench.runs == ["1", "63"])
    }

    @Test("checks the condition of a manual run only if requested, and disables a run-once trigger after it runs")
    func requests() {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [motion], condition: .presence(.anyoneHome), executeOnce: true, steps: [lampOn]))
        bench.run(checksCondition: true, at: 1)
        bench.run(checksCondition: false, at: 2)
        bench.setPresence(H.anna, true, at: 3)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 3)
        bench.receive(.bool(true), of: H.motion, at: 4)
        #expect(bench.log == ["1 false", "2 ran", "2 disable", "2 write true"])
    }

    @Test(
        "fires when people arrive or leave",
        arguments: [
            (.firstEntry, [], ["1"]), (.everyEntry, [], ["1", "2"]), (.lastExit, [], ["4"]),
            (.everyExit, [], ["3", "4"]), (.everyEntry, [H.ben], ["2"]), (.lastExit, [H.anna], ["3"]),
        ] as [(PresenceChange, [Resident.ID], [String])])
    func presence(_ change: PresenceChange, _ people: [Resident.ID], _ runs: [String]) {
        var bench = TriggerBench(TriggerDefinition(events: [.presence(change, people: people)], steps: [.notify("")]))
        bench.setPresence(H.anna, true, at: 1)
        bench.setPresence(H.anna, true, at: 1.5)
        bench.setPresence(H.ben, true, at: 2)
        bench.setPresence(H.anna, false, at: 3)
        bench.setPresence(H.ben, false, at: 4)
        #expect(bench.runs == runs)
    }

    // MARK: Rules 16 and 17: the sun, and bounds

    @Test("runs at an offset from a sun event") func sun() throws {
        var bench = TriggerBench(
            TriggerDefinition(
                events: [.significant(SunTime(.sunset, offset: .seconds(-1800)))], steps: [.notify("")]))
        bench.advance(2 * 1440)
        // Sunset in Berlin is at 16:46 and 16:48 UTC.
        let minutes = bench.runs.compactMap { Double($0) }
        #expect(minutes.count == 2)
        #expect(abs(minutes[0] - 976) < 2 && abs(minutes[1] - 1440 - 978) < 2)
    }

    @Test("stays fast and small with 200 triggers on a value that changes 50 times a second") func load() {
        var fixture = AutomationHome()
        for index in 0..<200 {
            fixture.add(
                TriggerDefinition(
                    events: [
                        .characteristic(H.temperature, value: nil), .range(H.temperature, ValueRange(minimum: 20)),
                    ],
                    steps: [.notify("")]),
                id: testID(UInt64(100 + index)))
        }
        var machine = TriggerMachine(home: fixture.home, timeZone: .utc, states: [], at: .minute(0))
        var outputs = 0
        let clock = ContinuousClock()
        let duration = clock.measure {
            for change in 0..<3000 {
                let value = CharacteristicValue.float(Double(change % 40))
                outputs += machine.receive(value, of: H.temperature, .event, at: .minute(Double(change) / 3000)).count
                #expect(machine.takeChangedStates().count <= 200)
            }
        }
        // Each trigger runs 20 times, and is paused.
        #expect(outputs == 200 * (20 * 2 + 1))
        #expect(duration < .seconds(60))
    }

    @Test("decodes the states that it has encoded as JSON") func states() throws {
        var bench = TriggerBench(Self.motionLight, Self.motionLight)
        bench.receive(.bool(false), of: H.lampOn, .baseline, at: 0)
        bench.receive(.bool(false), of: H.motion, .baseline, at: 0)
        bench.receive(.bool(true), of: H.motion, at: 1)
        let state = try #require(bench.stored[H.trigger])
        #expect(try TriggerState(json: JSONValue(parsing: state.json.text)) == state)
        #expect(bench.stored.count == 2)
    }

    @Test("stores skipped times as JSON, and reads states without them") func skippedTimes() throws {
        var bench = TriggerBench(TriggerDefinition(events: [daily("07:00")], steps: [lampOn]), at: 410)
        bench.setClock(to: 590)
        let state = try #require(bench.stored[H.trigger])
        let text = state.json.text
        #expect(try TriggerState(json: JSONValue(parsing: text)) == state)
        let skipped = #","skipped":[{"first":20878,"last":20878,"isDue":false}]"#
        #expect(text.contains(skipped), "\(text)")
        _ = try TriggerState(json: JSONValue(parsing: text.replacing(skipped, with: "")))
    }
}
