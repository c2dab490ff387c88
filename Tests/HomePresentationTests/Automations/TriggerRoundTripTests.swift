import HAPModel
import HomeModel
import Testing

// HAPModel has types with the same names.
import struct HomeModel.Accessory
import struct HomeModel.Characteristic

@testable import HomePresentation

@Suite("The round trip of automations") struct TriggerRoundTripTests {
    /// Names that look like keywords.
    private static let names = [
        "On", "Or", "And", "For", "Left", "Wait for 5m", "50%", "The \"Big\" Lamp", "Weekend", "Anyone Home",
        "Not Open", "7am", "Sunset", "Every 2h", "When", "If",
        "The Lamp", "Between 7am and Noon", "Anna", "Lamp off", "Lights", "Is not on", "Front Lock", "灯り", "24",
        "Brightness above 5",
    ]

    /// The house with names that begin at an offset in the list.
    private static func home(_ offset: Int) -> Home {
        var home = AutomationHouse.home
        for index in home.accessories.indices {
            let name = names[(index + offset) % names.count]
            home.accessories[index].name = name
            if home.accessories[index].services.count == 1 { home.accessories[index].services[0].name = name }
        }
        home.people[0].name = ["Anna and Ben", "Or", "First Person", "Anyone"][offset % 4]
        return home
    }

    private static func values(of characteristic: Characteristic) -> [CharacteristicValue] {
        let metadata = characteristic.metadata
        if metadata.format == .bool { return [.bool(true), .bool(false)] }
        let names = characteristic.type.valueNames.keys.sorted()
        guard names.isEmpty else { return names.map { .integer($0) } }
        guard metadata.format.isNumeric else { return [] }
        return metadata.format == .float ? [.float(-5), .float(18.5), .float(40)] : [.integer(0), .integer(40)]
    }

    private static func events(of home: Home) -> [TriggerEvent] {
        var events: [TriggerEvent] = []
        for characteristic in home.accessories.flatMap(\.services).flatMap(\.characteristics) {
            let id = characteristic.id
            if characteristic.type == .programmableSwitchEvent {
                events += PressKind.allCases.map { .button(id, $0) }
                continue
            }
            let values = values(of: characteristic)
            events += values.map { .characteristic(id, value: $0) } + [.characteristic(id, value: nil)]
            events += values.map { .held(id, .value($0), duration: .seconds(90)) }
            let numbers = values.compactMap(\.number)
            for range in [
                numbers.first.map { ValueRange(minimum: $0) }, numbers.last.map { ValueRange(maximum: $0) },
                numbers.first.map { ValueRange(minimum: $0, maximum: numbers.last) },
            ].compactMap(\.self) {
                events += [.range(id, range), .held(id, .range(range), duration: .seconds(3600))]
            }
        }
        events += home.accessories.map { .unreachable($0.id, duration: .seconds(300)) }
        let people = home.people.map(\.id)
        for change in [PresenceChange.firstEntry, .everyEntry, .lastExit, .everyExit] {
            events += [[], [people[0]], [people[1], people[0]], people].map { .presence(change, people: $0) }
        }
        return events
    }

    private static func times() -> [TriggerEvent] {
        let clocks = [0, 7 * 60 + 5, 23 * 60 + 59].compactMap { TimeOfDay(hour: $0 / 60, minute: $0 % 60) }
        var events: [TriggerEvent] = []
        for (month, day) in [(nil, nil), (2, 29), (12, nil), (nil, 31), (5, 1)] as [(Int?, Int?)] {
            events += clocks.map { .calendar(CalendarTime($0, month: month, day: day)) }
        }
        for event in SunEvent.allCases {
            events += [0, 1, -90, 3600, -43_200].map { .significant(SunTime(event, offset: .seconds($0))) }
        }
        let minute: Int64 = 60_000
        let now = AutomationHouse.time.now.millisecondsSince1970 / minute * minute
        let first = Timestamp(millisecondsSince1970: now + 61 * minute)
        return events + [
            .timer(first: first, every: nil), .timer(first: first, every: .seconds(300)),
            .timer(first: first, every: .seconds(35 * 86_400)),
        ]
    }

    private static func conditions(of home: Home) -> [TriggerCondition] {
        var conditions: [TriggerCondition] = [
            .presence(.anyoneHome), .presence(.noOneHome), .weekday(.workdays), .weekday(.weekend),
            .sun(.after, SunTime(.sunset)),
            .sun(.before, SunTime(.civilDawn, offset: .seconds(-90))),
        ]
        conditions += home.people.map { .presence(.home($0.id)) }
        if let start = TimeOfDay("22:00") { conditions.append(.time(from: start, to: .midnight)) }
        for characteristic in home.accessories.flatMap(\.services).flatMap(\.characteristics) {
            for value in values(of: characteristic) {
                conditions += [ValueComparison.equal, .notEqual, .lessOrEqual, .greaterOrEqual].map {
                    .comparison(characteristic.id, $0, value)
                }
            }
        }
        let parts = conditions
        for index in parts.indices {
            let (one, other) = (parts[index], parts[(index * 7 + 3) % parts.count])
            conditions += [
                .not(one), .not(.not(one)), .all([one, other]), .any([.not(one), .all([other, one])]),
                .not(.any([one, .not(other)])),
            ]
        }
        return conditions
    }

    /// The share of the definitions that one case checks, which differ from case to case.
    private static let share = 17

    @Test("each event, condition and value means the same after it was written as text", arguments: 0..<4)
    func definitions(offset: Int) throws {
        let home = Self.home(offset * 6)
        let parser = TriggerParser(home: home, time: AutomationHouse.time)
        var definitions = (Self.events(of: home) + Self.times()).map {
            TriggerDefinition(events: [$0], steps: [.notify("x")])
        }
        let morning = TriggerEvent.calendar(CalendarTime(.midnight))
        definitions += Self.conditions(of: home).map {
            TriggerDefinition(events: [morning], condition: $0, steps: [.notify("x")])
        }
        for characteristic in home.accessories.flatMap(\.services).flatMap(\.characteristics) {
            definitions += Self.values(of: characteristic).map {
                let write = CharacteristicWriteAction(characteristic: characteristic.id, targetValue: $0)
                return TriggerDefinition(events: [morning], steps: [.write([write])])
            }
        }
        var checked = 0
        for index in stride(from: offset, to: definitions.count, by: Self.share) {
            let definition = definitions[index]
            guard let valid = try? home.validated(definition, at: AutomationHouse.time.now) else { continue }
            let typed = TypedTrigger(valid, parser)
            let again = try? home.validated(typed.definition(parser), at: AutomationHouse.time.now)
            #expect(again == valid, "\(typed)")
            checked += 1
        }
        #expect(checked > 40)
    }
}
