import HAPTesting
import HomeModel
import Testing

@Suite("A day with 50 automations") struct SimulatedDayTests {
    @Test(
        "runs each occurrence once or records it as missed, although the hub often stops",
        arguments: 1...3 as ClosedRange<UInt64>)
    func day(_ seed: UInt64) throws {
        var day = SimulatedDay(seed: seed, zone: try #require(try Fixture.zone("Berlin")))
        day.pass()
        for (index, times) in day.expected.enumerated() {
            #expect(day.handled[index].keys.sorted() == times, "automation \(index)")
            #expect(day.handled[index].values.allSatisfy { $0 == 1 }, "automation \(index)")
            #expect(day.performed[index].values.allSatisfy { $0 == 1 }, "automation \(index)")
        }
        #expect(day.stops > 10)
        #expect(day.missed > 10)
    }
}

/// The day from 12:00 UTC on March 27, 2027, on which Berlin's clocks go forward at 1:00 UTC.
///
/// Times are minutes since the start. The hub stops at random times, including before it stores the
/// machine's states and between storing them and performing the outputs.
private struct SimulatedDay {
    static let length = 1440.0
    /// The number of minutes from the start of the test's calendar to the start of the day.
    static let start = Double(26 * 1440 + 720)

    /// The times of each automation's event.
    let expected: [[Double]]
    /// The occurrences that were recorded as run or missed, with the number of records.
    private(set) var handled: [[Double: Int]]
    /// The occurrences whose actions were performed, with the number of times.
    private(set) var performed: [[Double: Int]]
    private(set) var stops = 0
    private(set) var missed = 0

    private let home: Home
    private let zone: TimeZoneRules
    private var machine: TriggerMachine
    private var stored: [Trigger.ID: TriggerState] = [:]
    private var random: SeededNumbers

    init(seed: UInt64, zone: TimeZoneRules) {
        random = SeededNumbers(seed: seed)
        self.zone = zone
        var fixture = AutomationHome()
        var expected: [[Double]] = []
        for index in 0..<50 {
            let (event, times) = Self.randomEvent(using: &random)
            fixture.add(
                TriggerDefinition(events: [event], steps: [.notify("\(index)")]), id: testID(UInt64(1000 + index)))
            expected.append(times)
        }
        home = fixture.home
        self.expected = expected
        handled = expected.map { _ in [:] }
        performed = handled
        machine = TriggerMachine(home: home, timeZone: zone, states: [], at: Self.time(0))
        for state in machine.takeChangedStates() { stored[state.trigger] = state }
    }

    static func time(_ minute: Double) -> Timestamp { .minute(start + minute) }

    /// Returns a time of day or a timer, with its times on this day, which are computed independently.
    private static func randomEvent(using random: inout SeededNumbers) -> (TriggerEvent, [Double]) {
        if Bool.random(using: &random) {
            let interval = Int.random(in: 5...300, using: &random)
            let first = Int.random(in: 1...600, using: &random)
            return (
                .timer(first: time(Double(first)), every: .seconds(interval * 60)),
                stride(from: first, to: Int(length), by: interval).map(Double.init)
            )
        }
        let minute = Int.random(in: 0..<1440, using: &random)
        // 12:00 UTC is 13:00 local time. From 1:00 UTC on, the difference is two hours; 2:00 to 3:00 doesn't exist.
        let times =
            minute > 780 ? [minute - 780] : minute < 120 ? [minute + 660] : minute < 180 ? [780] : [minute + 600]
        let time = TimeOfDay(hour: minute / 60, minute: minute % 60)
        return (.calendar(CalendarTime(time ?? .at("00:00"))), times.map(Double.init))
    }

    /// Lets the day pass.
    mutating func pass() {
        var minute = 0.0
        while minute < Self.length {
            let stop = min(minute + .random(in: 1...120, using: &random), Self.length)
            minute = run(from: minute, until: stop)
            guard minute < Self.length else { break }
            stops += 1
            minute = min(minute + .random(in: 0...20, using: &random), Self.length - 0.01)
            machine = TriggerMachine(
                home: home, timeZone: zone, states: stored.values.sorted { $0.trigger < $1.trigger },
                at: Self.time(minute))
        }
    }

    /// Runs until the hub stops, and returns the time.
    private mutating func run(from start: Double, until stop: Double) -> Double {
        while let deadline = machine.nextDeadline, deadline < Self.time(stop) {
            let now = max(deadline, Self.time(start))
            let outputs = machine.advance(to: now)
            let minute = Double(now.millisecondsSince1970 - Self.time(0).millisecondsSince1970) / 60_000
            let crash = Int.random(in: 0..<40, using: &random)
            if crash == 0 { return minute }
            for state in machine.takeChangedStates() { stored[state.trigger] = state }
            for case .record(let record) in outputs { note(record, at: minute) }
            if crash == 1 { return minute }
            for case .perform(let trigger, _, _) in outputs { performed[index(of: trigger)][minute, default: 0] += 1 }
        }
        return stop
    }

    private mutating func note(_ record: TriggerRecord, at minute: Double) {
        let index = index(of: record.trigger)
        switch record.result {
        case .ran:
            guard let time = expected[index].last(where: { $0 <= minute && minute - $0 <= 5 }) else { return }
            handled[index][time, default: 0] += 1
        case .missed(let first, let count):
            missed += count
            let times = expected[index].filter { Self.time($0) >= first }.prefix(count)
            for time in times where time <= minute { handled[index][time, default: 0] += 1 }
        default: Issue.record("unexpected \(record.result)")
        }
    }

    private func index(of trigger: Trigger.ID) -> Int {
        home.triggers.firstIndex { $0.id == trigger } ?? 0
    }
}
