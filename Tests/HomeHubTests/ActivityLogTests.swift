import HAPTesting
import HomeModel
import Testing

import enum HAPModel.CharacteristicValue

@testable import HomeHub

@Suite("The latest activity")
struct ActivityLogTests {
    private var log = ActivityLog()
    private let home: Home.ID
    private let accessories: [Accessory.ID]
    private let characteristics: [Characteristic.ID]
    private let anna = ActivityCause(app: "org.example.lights", person: "Anna")

    init() {
        var random = SeededNumbers(seed: 7)
        home = Home.ID(using: &random)
        accessories = (0..<3).map { _ in Accessory.ID(using: &random) }
        characteristics = (0..<200).map { _ in Characteristic.ID(using: &random) }
    }

    private func time(_ seconds: Double) -> Timestamp {
        Timestamp(millisecondsSince1970: 1_700_000_000_000 + Int64(seconds * 1000))
    }

    private func value(
        _ new: CharacteristicValue, _ old: CharacteristicValue = .bool(false), characteristic: Int = 0,
        accessory: Int = 0
    ) -> ActivityChange {
        .value(
            accessory: accessories[accessory], characteristic: characteristics[characteristic], old: old, new: new)
    }

    private func call(_ number: UInt64) -> ActivityLog.Act { .call(Call(SessionID(1), number)) }

    private mutating func report(_ change: ActivityChange, at seconds: Double, isGradual: Bool = false) {
        log.add(
            change, of: .report(accessories[0]), because: ActivityCause(), in: home, at: time(seconds),
            isGradual: isGradual)
    }

    @Test("combines all changes of a call, and separates those of different calls")
    mutating func calls() {
        for index in 0..<3 {
            log.add(value(.bool(true), accessory: index), of: call(1), because: anna, in: home, at: time(0.1))
        }
        log.add(value(.bool(false), .bool(true)), of: call(2), because: anna, in: home, at: time(0.2))
        #expect(log.unsaved.map(\.changes.count) == [3, 1])
        #expect(log.unsaved.allSatisfy { $0.cause == anna })
    }

    @Test("combines the steps of a slider into one change from the first to the last value")
    mutating func slider() {
        for step in 0..<5 as Range<Int64> {
            log.add(
                value(.integer(50 + step), .integer(49 + step)), of: call(UInt64(step)), because: anna, in: home,
                at: time(Double(step) * 9), isGradual: true)
        }
        #expect(log.unsaved.map(\.changes) == [[value(.integer(54), .integer(49))]])
        log.add(
            value(.integer(10), .integer(54)), of: call(9), because: anna, in: home, at: time(47), isGradual: true)
        #expect(log.unsaved.count == 2)
    }

    @Test("combines values that an accessory reports together, but keeps each change of the same value")
    mutating func reports() {
        report(value(.bool(true)), at: 0)
        report(value(.integer(40), .integer(10), characteristic: 1), at: 1, isGradual: true)
        report(value(.bool(false), .bool(true)), at: 1.5)
        report(value(.bool(true)), at: 9)
        #expect(log.unsaved.map(\.changes.count) == [2, 1, 1])
        #expect(log.unsaved.map(\.id) == log.unsaved.map(\.id).sorted())
    }

    @Test("replaces a failure by the result of a later attempt of the same run")
    mutating func retries() {
        var random = SeededNumbers(seed: 8)
        let run = ActivityLog.Act.run(RunID(trigger: Trigger.ID(using: &random), number: 1))
        let failure = ActivityChange.failure(
            accessory: accessories[0], characteristic: characteristics[0], value: .bool(true),
            code: .accessoryNotReachable)
        log.begin(run, because: anna, in: home, at: time(0))
        for second in 1..<4 { log.add(failure, of: run, because: anna, in: home, at: time(Double(second))) }
        #expect(log.unsaved.map(\.changes) == [[failure]])
        log.succeeded(characteristics[0], of: run)
        log.add(value(.bool(true)), of: run, because: anna, in: home, at: time(5))
        #expect(log.unsaved.map(\.changes) == [[value(.bool(true))]])
        // A later part of the run is another entry.
        let later = 5 + Double(ActivityLog.actInterval.components.seconds) + 1
        log.add(value(.bool(false), .bool(true)), of: run, because: anna, in: home, at: time(later))
        #expect(log.unsaved.count == 2)
    }

    @Test("limits the changes of an entry, the changes that an accessory reports, and the waiting entries")
    mutating func limits() {
        for index in 0..<ActivityEntry.maximumChanges + 5 {
            log.add(
                value(.bool(true), characteristic: index), of: call(1), because: anna, in: home, at: time(0))
        }
        #expect(log.unsaved.map(\.changes.count) == [ActivityEntry.maximumChanges])
        _ = log.take()
        log.saved(isStored: true)
        for index in 0..<3 * ActivityLog.maximumPending {
            log.add(value(.bool(true)), of: call(UInt64(100 + index)), because: anna, in: home, at: time(70))
            #expect(log.size <= 2 * ActivityLog.maximumPending)
        }
        #expect(log.unsaved.count >= ActivityLog.maximumPending / 2)
        #expect(log.unsaved.last.map { $0.id > log.unsaved[0].id } == true)
        // Large entries count by their changes, also those whose write failed.
        _ = log.take()
        for call in 0..<200 as Range<UInt64> {
            for index in 0..<50 {
                log.add(
                    value(.bool(true), characteristic: index), of: self.call(call), because: anna, in: home,
                    at: time(80))
            }
        }
        log.saved(isStored: false)
        #expect(log.size <= 2 * ActivityLog.maximumPending)
        #expect(log.size == log.unsaved.reduce(0) { $0 + 1 + $1.changes.count })
    }

    @Test(
        "records only some changes of a sensor that changes each second, also across writes, and no further revisions")
    mutating func flood() {
        var stored = 0
        let period = Int(ActivityLog.period.components.seconds)
        for second in 0..<6 * period {
            let revision = log.revision
            report(value(.bool(second % 2 == 0)), at: Double(second))
            #expect((log.revision != revision) == (second % period < ActivityLog.changesInPeriod))
            guard second % 300 == 299 else { continue }
            stored += log.take().count
            log.saved(isStored: true)
            log.keepRates(of: [accessories[0]])
        }
        #expect(stored == 6 * ActivityLog.changesInPeriod)
    }

    @Test(
        "keeps entries in order after a small step of the clock, and follows it after a large one", arguments: [1, 30])
    mutating func clock(days: Int) {
        func record(_ seconds: Double) -> ActivityEntry? {
            log.begin(call(UInt64(seconds)), because: anna, in: home, at: time(seconds))
            return log.unsaved.last
        }
        let ahead = Double(days) * 86_400
        let entries = [record(0), record(ahead), record(10), record(20)].compactMap(\.self)
        #expect(entries.map(\.time) == [0, ahead, 10, 20].map(time))
        #expect(Set(entries.map(\.id)).count == 4 && entries[2].id < entries[3].id)
        #expect((entries[1].id < entries[2].id) == (days == 1))
        #expect((entries[3].id.time == time(20)) == (days == 30))
    }

    @Test("returns entries that are being stored, and keeps them if that fails")
    mutating func saving() {
        report(value(.bool(true)), at: 0)
        let taken = log.take()
        report(value(.bool(false), .bool(true)), at: 1)
        #expect(log.unsaved.count == 2 && log.size == 2)
        log.remove { $0.accessory == accessories[1] }
        log.saved(isStored: false)
        #expect(log.take().map(\.id).first == taken.first?.id)
        log.remove { $0.accessory == accessories[0] }
        #expect(log.unsaved.isEmpty)
    }
}
