import HomeModel
import Testing

@Suite("The schedule of automations") struct TriggerScheduleTests {
    private static func daily(_ time: String) -> TriggerEvent { .calendar(CalendarTime(.at(time))) }

    /// Returns the times of an event in a period, in minutes since 1970, UTC.
    private static func times(
        of event: TriggerEvent, in zone: TimeZoneRules, from start: CivilDate, to end: CivilDate,
        on weekdays: Weekdays = .everyDay
    ) -> [Int64] {
        let schedule = TriggerSchedule(zone: zone, location: nil)
        var time = Timestamp(millisecondsSince1970: Int64(zone.time(of: start, seconds: 0)) * 1000 - 1)
        var result: [Int64] = []
        while let next = schedule.next(of: event, after: time, on: weekdays), schedule.localDate(at: next.time) < end {
            #expect(schedule.last(of: event, through: next.time, on: weekdays) == next)
            result.append(next.time.millisecondsSince1970 / 60_000)
            time = next.time
        }
        return result
    }

    @Test("runs once at a daily time on both nights of Berlin's clock changes") func berlin() throws {
        let zone = try #require(try Fixture.zone("Berlin"))
        for (month, day, utc) in [(3, 28, 60), (10, 31, 30)] {
            let date = CivilDate(year: 2027, month: month, day: day)
            let times = Self.times(of: Self.daily("02:30"), in: zone, from: date, to: date.adding(days: 1))
            // In March, 02:30 is skipped, and the gap ends at 01:00 UTC. In October, it first occurs at 00:30 UTC.
            #expect(times == [Int64(date.day1970 * 1440 + utc)])
        }
    }

    @Test(
        "runs once on each day of a year at a daily time, 24 hours apart except at clock changes",
        arguments: [
            ("Berlin", "02:30", [1410, 1410, 1500]), ("Berlin", "12:00", [1380, 1500]),
            ("New_York", "01:30", [1380, 1500]), ("Lord_Howe", "02:15", [1470, 1425, 1425]),
            ("Lord_Howe", "12:00", [1470, 1410]), ("Apia", "12:00", []),
            ("Cairo", "00:30", [1410, 1410, 1500]),
        ] as [(String, String, [Int64])])
    func year(_ name: String, _ time: String, _ gaps: [Int64]) throws {
        let zone = try #require(try Fixture.zone(name))
        let times = Self.times(
            of: Self.daily(time), in: zone, from: CivilDate(year: 2027, month: 1, day: 1),
            to: CivilDate(year: 2028, month: 1, day: 1))
        #expect(times.count == 365)
        #expect(zip(times.dropFirst(), times).map(-).filter { $0 != 1440 }.sorted() == gaps.sorted())
    }

    @Test("doesn't run on a date that the time zone skips") func samoa() throws {
        let apia = try #require(try Fixture.zone("Apia"))
        let times = Self.times(
            of: Self.daily("12:00"), in: apia, from: CivilDate(year: 2011, month: 12, day: 28),
            to: CivilDate(year: 2012, month: 1, day: 2))
        #expect(zip(times.dropFirst(), times).map(-) == [1440, 1440, 1440])
    }

    @Test("runs only on the given dates and weekdays") func dates() {
        func days(_ month: Int?, _ day: Int?, _ weekdays: Weekdays = .everyDay, years: Int = 1) -> [String] {
            Self.times(
                of: .calendar(CalendarTime(.at("06:00"), month: month, day: day)), in: .utc,
                from: CivilDate(year: 2027, month: 1, day: 1), to: CivilDate(year: 2027 + years, month: 1, day: 1),
                on: weekdays
            ).map { "\(CivilDate(day1970: Int($0) / 1440))" }
        }
        #expect(days(2, 29, years: 6) == ["2028-02-29", "2032-02-29"])
        #expect(days(nil, 31).count == 7)
        #expect(days(2, nil).count == 28)
        #expect(days(3, nil, [.monday, .sunday]).prefix(3) == ["2027-03-01", "2027-03-07", "2027-03-08"])
    }

    @Test("runs a timer at its first time and at multiples of its interval") func timer() {
        let schedule = TriggerSchedule(zone: .utc, location: nil)
        let every = TriggerEvent.timer(first: .minute(10), every: .seconds(600))
        for (time, next, last) in [(-100, 10, nil), (9.99, 10, nil), (10, 20, 10), (25, 30, 20)]
            as [(Double, Double, Double?)]
        {
            #expect(schedule.next(of: every, after: .minute(time))?.time == .minute(next))
            #expect(schedule.last(of: every, through: .minute(time))?.time == last.map { .minute($0) })
        }
        let once = TriggerEvent.timer(first: .minute(10), every: nil)
        #expect(schedule.next(of: once, after: .minute(0))?.time == .minute(10))
        #expect(schedule.next(of: once, after: .minute(10)) == nil)
        #expect(schedule.last(of: once, through: .minute(99))?.time == .minute(10))
        // The test's day is a Monday.
        #expect(schedule.next(of: every, after: .minute(0), on: .tuesday)?.time == .minute(1440))
        let weekly = TriggerEvent.timer(first: .minute(0), every: .seconds(7 * 86_400))
        #expect(schedule.next(of: weekly, after: .minute(0), on: .tuesday) == nil)
        for extreme in [Int64.min, .max] {
            let timer = TriggerEvent.timer(first: Timestamp(millisecondsSince1970: extreme), every: .seconds(1))
            #expect(schedule.next(of: timer, after: .minute(0)) == nil)
        }
    }
}
