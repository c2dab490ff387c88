import HomeModel
import Testing

@Suite("Time zones") struct TimeZoneRulesTests {
    @Test(
        "resolves local times, including times that clocks skip or repeat",
        arguments: [
            ("Berlin", "2027-03-28T01:59Z+1"), ("Berlin", "2027-03-28T02:30>03:00"),
            ("Berlin", "2027-03-28T03:00>03:00"), ("Berlin", "2027-10-31T02:30Z+2"), ("Berlin", "2027-10-31T03:00Z+1"),
            ("Berlin", "1950-06-01T12:00Z+1"), ("Berlin", "2500-07-01T12:00Z+2"),
            ("Lord_Howe", "2027-10-03T02:15>02:30"),
            ("Lord_Howe", "2027-04-04T01:45Z+11"), ("Apia", "2011-12-30T12:00>00:00"), ("Apia", "2027-01-01T00:00Z+13"),
            ("New_York", "2027-03-14T02:00>03:00"), ("New_York", "2027-11-07T01:30Z-4"),
            ("Cairo", "2027-04-30T00:30>01:00"), ("Dublin", "2027-03-28T01:30>02:00"),
            ("Dublin", "2027-07-01T12:00Z+1"),
        ])
    func local(_ name: String, _ text: String) throws {
        let zone = try #require(try Fixture.zone(name))
        let numbers = text.prefix(16).split { !$0.isNumber }.compactMap { Int($0) }
        let date = CivilDate(year: numbers[0], month: numbers[1], day: numbers[2])
        let time = zone.time(of: date, seconds: numbers[3] * 3600 + numbers[4] * 60)
        if let shown = text.split(separator: ">").dropFirst().first {
            let local = zone.local(time).seconds
            #expect(TimeOfDay(hour: local / 3600, minute: local / 60 % 60) == TimeOfDay(String(shown)))
            #expect(zone.offset(at: time) > zone.offset(at: time - 1))
        } else {
            let offset = try #require(text.split(separator: "Z").last.flatMap { Int($0) })
            #expect(time == date.day1970 * 86_400 + (numbers[3] - offset) * 3600 + numbers[4] * 60)
        }
    }

    @Test("recognizes the date that Samoa skipped") func dateLine() throws {
        let apia = try #require(try Fixture.zone("Apia"))
        #expect((29...31).map { apia.has(CivilDate(year: 2011, month: 12, day: $0)) } == [true, false, true])
    }

    @Test("rejects damaged files without crashing") func damaged() throws {
        let file = try Fixture.bytes("zoneinfo/Berlin")
        for count in file.indices { #expect(TimeZoneRules(file: Array(file.prefix(count))) == nil) }
        // A changed byte can give another valid file.
        for index in file.indices {
            for value in [0, 0x7F, 0xFF] as [UInt8] {
                var changed = file
                changed[index] = value
                _ = TimeZoneRules(file: changed)?.time(of: CivilDate(year: 2027, month: 3, day: 28), seconds: 9000)
            }
        }
        #expect(TimeZoneRules(file: file + Array(repeating: 0, count: 65_537 - file.count)) == nil)
        #expect(TimeZoneRules(file: file + Array(repeating: 0, count: 65_536 - file.count)) != nil)
        #expect(TimeZoneRules(file: []) == nil)
    }

    @Test("converts dates to days and back") func dates() {
        for day in stride(from: -800_000, through: 800_000, by: 7) {
            let date = CivilDate(day1970: day)
            #expect(CivilDate(year: date.year, month: date.month, day: date.day) == date)
        }
        #expect("\(CivilDate(day1970: 0))" == "1970-01-01" && CivilDate(day1970: 0).weekday == .thursday)
        #expect("\(CivilDate(day1970: 11_016))" == "2000-02-29" && "\(CivilDate(day1970: -1))" == "1969-12-31")
    }
}
