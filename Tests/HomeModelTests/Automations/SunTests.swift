import HomeModel
import Testing

@Suite("The sun") struct SunTests {
    @Test("agrees with astral within a minute, and within three minutes beyond 60° of latitude") func astral() throws {
        let lines = try Fixture.lines("sun-times.txt")
        #expect(lines.count == 1000)
        for line in lines {
            let latitude = try #require(Double(line[0]))
            let location = try HomeLocation(latitude: latitude, longitude: #require(Double(line[1])))
            let parts = line[2].split(separator: "-").compactMap { Int($0) }
            let date = CivilDate(year: parts[0], month: parts[1], day: parts[2])
            let schedule = TriggerSchedule(zone: .utc, location: location)
            for (event, text) in zip([.civilDawn, .sunrise, .sunset, .civilDusk] as [SunEvent], line[3...]) {
                let found = schedule.time(of: event, on: date)
                guard let seconds = Double(text) else {
                    #expect(found == nil, "\(line) \(event)")
                    continue
                }
                // astral returns the event on the date in UTC, which can belong to the previous or next local date.
                let distances = [0, -1, 1].lazy.compactMap { schedule.time(of: event, on: date.adding(days: $0)) }
                    .map { abs(Double($0.millisecondsSince1970) / 1000 - seconds) }
                #expect(distances.contains { $0 <= (abs(latitude) > 60 ? 180 : 60) }, "\(line) \(event)")
            }
        }
    }

    @Test("has no events in polar night, which counts as after sunset, and polar day, which counts as before sunset")
    func polar() throws {
        let tromso = try HomeLocation(latitude: 69.65, longitude: 18.96)
        let schedule = TriggerSchedule(zone: .utc, location: tromso)
        for (month, isNight) in [(12, true), (6, false)] {
            let date = CivilDate(year: 2027, month: month, day: 21)
            #expect(schedule.time(of: .sunset, on: date) == nil && schedule.time(of: .sunrise, on: date) == nil)
            for hour in 0..<24 {
                let time = Timestamp(millisecondsSince1970: Int64(date.day1970 * 24 + hour) * 3_600_000)
                #expect(schedule.isTime(time, .after, SunTime(.sunset)) == isNight)
                #expect(schedule.isTime(time, .before, SunTime(.sunset)) == !isNight)
            }
        }
        // The sun returns in the middle of January.
        let winter = Timestamp(millisecondsSince1970: 1_829_347_200_000)
        let next = try #require(schedule.next(of: .significant(SunTime(.sunrise)), after: winter))
        #expect("\(next.time)".hasPrefix("2028-01-1"))
    }

    @Test("applies the offset only to the sun event that a condition names", arguments: [-1800, 1800])
    func offset(_ offset: Int) throws {
        let berlin = try HomeLocation(latitude: 52.52, longitude: 13.40)
        let schedule = TriggerSchedule(zone: .utc, location: berlin)
        let date = CivilDate(year: 2027, month: 3, day: 1)
        let sunset = try #require(schedule.time(of: .sunset, on: date)?.millisecondsSince1970)
        let sunrise = try #require(schedule.time(of: .sunrise, on: date.adding(days: 1))?.millisecondsSince1970)
        func changes(_ relation: SunRelation, _ event: SunEvent) -> [Int64] {
            let condition = { (time: Int64) in
                schedule.isTime(
                    Timestamp(millisecondsSince1970: time), relation, SunTime(event, offset: .seconds(offset)))
            }
            let minutes = (-120...900).map { sunset + $0 * 60_000 }
            return zip(minutes, minutes.dropFirst()).filter { condition($0) != condition($1) }.map(\.1)
        }
        let shift = Int64(offset) * 1000
        for (relation, event, start, end) in [
            (.after, .sunset, sunset + shift, sunrise), (.before, .sunrise, sunset, sunrise + shift),
            (.before, .sunset, sunset + shift, sunrise), (.after, .sunrise, sunset, sunrise + shift),
        ] as [(SunRelation, SunEvent, Int64, Int64)] {
            let found = changes(relation, event)
            #expect(found.count == 2)
            #expect(zip(found, [start, end]).allSatisfy { abs($0 - $1) <= 60_000 }, "\(relation) \(event)")
        }
    }
}
