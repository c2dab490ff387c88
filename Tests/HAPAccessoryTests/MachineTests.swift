import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import LightKit
import Testing

@testable import HAPAccessory

private let start = ContinuousClock.now

private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

@Suite("EventOutbox")
struct EventOutboxTests {
    private let a = CharacteristicID(2, 9)
    private let b = CharacteristicID(2, 10)

    private func entry(_ id: CharacteristicID, _ value: Int64) -> EventOutbox.Entry {
        EventOutbox.Entry(id: id, value: .integer(value))
    }

    @Test("a quiet window: at once; then one message a window, the latest values in the order of first change")
    func table() {
        var outbox = EventOutbox(window: .milliseconds(250))
        #expect(outbox.next(now: at(0)) == .nothing)
        outbox.changed(a, to: .integer(1), now: at(0))
        #expect(outbox.next(now: at(0)) == .send([entry(a, 1)]))
        #expect(outbox.next(now: at(0)) == .nothing)
        outbox.changed(a, to: .integer(2), now: at(10))
        #expect(outbox.next(now: at(10)) == .wake(at: at(250)))
        outbox.changed(b, to: .integer(3), now: at(20))
        outbox.changed(a, to: .integer(4), now: at(30))
        #expect(outbox.next(now: at(249)) == .wake(at: at(250)))
        #expect(outbox.next(now: at(250)) == .send([entry(a, 4), entry(b, 3)]))
        outbox.changed(a, to: .integer(5), now: at(499))
        #expect(outbox.next(now: at(499)) == .wake(at: at(500)))
        #expect(outbox.next(now: at(500)) == .send([entry(a, 5)]))
        outbox.changed(a, to: .integer(6), now: at(750))
        #expect(outbox.next(now: at(750)) == .send([entry(a, 6)]))
    }

    @Test("what is asked late is sent at once: nobody has to ask in time")
    func late() {
        var outbox = EventOutbox(window: .milliseconds(250))
        outbox.changed(a, to: .integer(1), now: at(0))
        _ = outbox.next(now: at(0))
        outbox.changed(a, to: .integer(2), now: at(10))
        #expect(outbox.next(now: at(9000)) == .send([entry(a, 2)]))
    }

    @Test("what is forgotten is not sent; the age is that of the oldest entry")
    func forget() {
        var outbox = EventOutbox(window: .milliseconds(250))
        #expect(outbox.waitingSince == nil)
        outbox.changed(a, to: .integer(1), now: at(0))
        outbox.changed(b, to: .integer(1), now: at(5))
        outbox.changed(a, to: .integer(2), now: at(9))
        #expect(outbox.waitingSince == at(0))
        outbox.forget(b)
        outbox.forget(b)
        #expect(outbox.waitingSince == at(0))
        #expect(!outbox.isEmpty)
        outbox.forget(a)
        #expect(outbox.waitingSince == nil)
        #expect(outbox.isEmpty)
        #expect(outbox.next(now: at(10)) == .nothing)
        outbox.changed(b, to: .integer(3), now: at(20))
        #expect(outbox.waitingSince == at(20))
        #expect(outbox.next(now: at(20)) == .send([entry(b, 3)]))
        #expect(outbox.waitingSince == nil)
    }

    @Test("when the oldest entry is forgotten, the next oldest tells the age")
    func age() {
        var outbox = EventOutbox(window: .milliseconds(250))
        outbox.changed(a, to: .integer(1), now: at(0))
        outbox.changed(b, to: .integer(1), now: at(29_000))
        outbox.forget(a)
        #expect(outbox.waitingSince == at(29_000))
    }
}

@Suite("WritesInFlight")
struct WritesInFlightTests {
    private typealias Outcome = WritesInFlight.Outcome

    private let a = ConnectionID(1)
    private let b = ConnectionID(2)

    @Test("one write: taken, it holds and is news to all but its writer; refused, all is as before")
    func one() {
        var taken = WritesInFlight(current: .integer(0))
        var ticket = taken.began()
        #expect(
            taken.ended(ticket, .integer(5), success: true, origin: a)
                == Outcome(value: .integer(5), audience: .everybodyBut([a])))
        var equal = WritesInFlight(current: .integer(0))
        ticket = equal.began()
        #expect(
            equal.ended(ticket, .integer(0), success: true, origin: a) == Outcome(value: .integer(0), audience: nil))
        var refused = WritesInFlight(current: .integer(0))
        ticket = refused.began()
        #expect(
            refused.ended(ticket, .integer(5), success: false, origin: a) == Outcome(value: .integer(0), audience: nil))
        var nobodys = WritesInFlight(current: .integer(0))
        ticket = nobodys.began()
        #expect(
            nobodys.ended(ticket, .integer(5), success: true, origin: nil)
                == Outcome(value: .integer(5), audience: .everybody))
    }

    @Test("two writes: the last one that was taken holds, and those are told who do not know it")
    func two() {
        let rows: [(Bool, Bool, Int64, CharacteristicChange.Audience?)] = [
            (true, true, 2, .everybodyBut([b])), (true, false, 1, .everybodyBut([a])),
            (false, true, 2, .everybodyBut([b])), (false, false, 0, nil),
        ]
        for (first, second, value, audience) in rows {
            var flight = WritesInFlight(current: .integer(0))
            let tickets = [flight.began(), flight.began()]
            #expect(flight.ended(tickets[0], .integer(1), success: first, origin: a) == nil)
            #expect(
                flight.ended(tickets[1], .integer(2), success: second, origin: b)
                    == Outcome(value: .integer(value), audience: audience))
        }
    }

    @Test("a write that is taken back to where all began is news to the first writer alone")
    func thereAndBack() {
        var flight = WritesInFlight(current: .integer(0))
        let tickets = [flight.began(), flight.began()]
        _ = flight.ended(tickets[0], .integer(1), success: true, origin: a)
        #expect(
            flight.ended(tickets[1], .integer(0), success: true, origin: b)
                == Outcome(value: .integer(0), audience: .only([a])))
    }

    @Test("two who write the same both know it")
    func same() {
        var flight = WritesInFlight(current: .integer(0))
        let tickets = [flight.began(), flight.began()]
        _ = flight.ended(tickets[0], .integer(1), success: true, origin: a)
        #expect(
            flight.ended(tickets[1], .integer(1), success: true, origin: b)
                == Outcome(value: .integer(1), audience: .everybodyBut([a, b])))
    }

    @Test("what the device says counts more than its yes")
    func reported() {
        let rows: [(reported: Int64, success: Bool, audience: CharacteristicChange.Audience?)] = [
            // It clamps: all are told, the writer, too.
            (4, true, .everybody),
            // It echoes.
            (5, true, .everybodyBut([a])),
            // It says yes and does nothing: the writer alone thinks otherwise.
            (0, true, .only([a])),
            // It says no and does something.
            (3, false, .everybody), (0, false, nil),
        ]
        for row in rows {
            var flight = WritesInFlight(current: .integer(0))
            let ticket = flight.began()
            flight.reported(.integer(row.reported))
            #expect(
                flight.ended(ticket, .integer(5), success: row.success, origin: a)
                    == Outcome(value: .integer(row.reported), audience: row.audience))
        }
    }

    @Test("what the device said before a write began says nothing about that write")
    func reportedBefore() {
        var flight = WritesInFlight(current: .integer(0))
        let first = flight.began()
        flight.reported(.integer(4))
        let second = flight.began()
        #expect(flight.ended(first, .integer(1), success: true, origin: a) == nil)
        #expect(
            flight.ended(second, .integer(2), success: true, origin: b)
                == Outcome(value: .integer(2), audience: .everybodyBut([b])))
        var failing = WritesInFlight(current: .integer(0))
        let clamped = failing.began()
        failing.reported(.integer(4))
        let refused = failing.began()
        _ = failing.ended(clamped, .integer(5), success: true, origin: a)
        #expect(
            failing.ended(refused, .integer(6), success: false, origin: b)
                == Outcome(value: .integer(4), audience: .everybody))
    }
}

@Suite("CommandPipeline")
struct CommandPipelineTests {
    @Test("one command at a time; those that come meanwhile are merged, the latest value of each wins")
    func merges() {
        var pipeline = CommandPipeline()
        #expect(pipeline.wanted(LightCommand(on: true)) == LightCommand(on: true))
        #expect(pipeline.wanted(LightCommand(brightness: 10)) == nil)
        #expect(pipeline.wanted(LightCommand(on: false)) == nil)
        #expect(pipeline.wanted(LightCommand(brightness: 20, color: .temperature(mired: 300))) == nil)
        let merged = LightCommand(on: false, brightness: 20, color: .temperature(mired: 300))
        #expect(pipeline.waiting == merged)
        #expect(pipeline.ended(success: true, now: at(0)) == merged)
        #expect(pipeline.underWay == merged)
        #expect(pipeline.ended(success: true, now: at(1)) == nil)
        #expect(pipeline.underWay == nil)
        // Free again: the next goes at once, also an equal one.
        #expect(pipeline.wanted(merged) == merged)
    }

    @Test("the next command is sent also if the one before failed")
    func afterFailure() {
        var pipeline = CommandPipeline()
        _ = pipeline.wanted(LightCommand(on: true))
        _ = pipeline.wanted(LightCommand(on: false))
        #expect(pipeline.ended(success: false, now: at(0)) == LightCommand(on: false))
    }

    @Test("somebody at the light is news also right after a command")
    func spontaneous() {
        var pipeline = CommandPipeline()
        _ = pipeline.wanted(LightCommand(on: true))
        _ = pipeline.ended(success: true, now: at(0))
        pipeline.superseded()
        let report = LightReport(on: false)
        #expect(pipeline.reported(report, now: at(0)) == report)
        #expect(pipeline.wakeAt == nil)
    }

    @Test("without a command every report is news")
    func noCommand() {
        var pipeline = CommandPipeline()
        let report = LightReport(on: true, brightness: 3, color: .temperature(mired: 200), reachable: true)
        #expect(pipeline.reported(report, now: at(0)) == report)
        #expect(pipeline.wakeAt == nil)
    }

    @Test("while a command is under way, what differs from it is held, what it does not name is news")
    func held() {
        var pipeline = CommandPipeline()
        _ = pipeline.wanted(LightCommand(brightness: 80))
        #expect(
            pipeline.reported(LightReport(on: true, brightness: 40), now: at(0)) == LightReport(on: true))
        #expect(pipeline.wakeAt == nil)
        _ = pipeline.ended(success: true, now: at(100))
        #expect(pipeline.wakeAt == at(1100))
        #expect(pipeline.settled(now: at(1099)) == nil)
        #expect(pipeline.settled(now: at(1100)) == LightReport(brightness: 40))
        #expect(pipeline.wakeAt == nil)
        #expect(pipeline.settled(now: at(1200)) == nil)
    }

    @Test("a step on the way that the light takes back is not shown when all has settled, be it power, level or colour")
    func takenBack() {
        let rows: [(LightCommand, LightReport, LightReport)] = [
            (LightCommand(on: true), LightReport(on: false), LightReport(on: true)),
            (LightCommand(brightness: 80), LightReport(brightness: 3), LightReport(brightness: 80)),
            (
                LightCommand(color: .temperature(mired: 300)), LightReport(color: .temperature(mired: 200)),
                LightReport(color: .temperature(mired: 301))
            ),
        ]
        for (command, step, end) in rows {
            var pipeline = CommandPipeline()
            _ = pipeline.wanted(command)
            _ = pipeline.ended(success: true, now: at(0))
            #expect(pipeline.reported(step, now: at(100)) == LightReport())
            #expect(pipeline.wakeAt == at(1000))
            _ = pipeline.reported(end, now: at(200))
            #expect(pipeline.wakeAt == nil)
            #expect(pipeline.settled(now: at(2000)) == nil)
        }
    }

    @Test("the steps of a fade are held; the end of it takes them back")
    func fade() {
        var pipeline = CommandPipeline()
        _ = pipeline.wanted(LightCommand(brightness: 80, transition: .seconds(3)))
        _ = pipeline.ended(success: true, now: at(0))
        for step in [10, 40, 70] {
            #expect(pipeline.reported(LightReport(brightness: step), now: at(2900)) == LightReport())
        }
        #expect(pipeline.wakeAt == at(3000))
        #expect(pipeline.reported(LightReport(brightness: 80), now: at(2950)) == LightReport(brightness: 80))
        #expect(pipeline.wakeAt == nil)
    }

    @Test("once all is confirmed, echoes are held for 300 ms only: what comes then is somebody at the light")
    func confirmed() {
        var pipeline = CommandPipeline()
        _ = pipeline.wanted(LightCommand(on: true, brightness: 80))
        _ = pipeline.ended(success: true, now: at(0))
        _ = pipeline.reported(LightReport(on: true), now: at(50))
        _ = pipeline.reported(LightReport(brightness: 80), now: at(100))
        #expect(pipeline.reported(LightReport(on: false), now: at(399)) == LightReport())
        #expect(pipeline.wakeAt == at(400))
        #expect(pipeline.settled(now: at(400)) == LightReport(on: false))
        var early = CommandPipeline()
        _ = early.wanted(LightCommand(on: true))
        _ = early.reported(LightReport(on: true), now: at(0))
        _ = early.ended(success: true, now: at(10))
        #expect(early.reported(LightReport(on: false), now: at(310)) == LightReport(on: false))
    }

    @Test("echoes of an older command are held while a newer one waits, is under way, or settles")
    func olderEchoes() {
        var pipeline = CommandPipeline()
        _ = pipeline.wanted(LightCommand(brightness: 10))
        _ = pipeline.wanted(LightCommand(brightness: 20))
        #expect(pipeline.reported(LightReport(brightness: 10), now: at(0)) == LightReport())
        _ = pipeline.ended(success: true, now: at(10))
        #expect(pipeline.reported(LightReport(brightness: 10), now: at(20)) == LightReport())
        _ = pipeline.ended(success: true, now: at(30))
        #expect(pipeline.reported(LightReport(brightness: 10), now: at(40)) == LightReport())
        #expect(pipeline.reported(LightReport(brightness: 20), now: at(50)) == LightReport(brightness: 20))
        #expect(pipeline.settled(now: at(5000)) == nil)
    }

    @Test("a command that failed expects nothing: what was held meanwhile comes out at once")
    func failed() {
        var pipeline = CommandPipeline()
        _ = pipeline.wanted(LightCommand(brightness: 80))
        _ = pipeline.reported(LightReport(brightness: 40), now: at(0))
        _ = pipeline.ended(success: false, now: at(100))
        #expect(pipeline.wakeAt == at(100))
        #expect(pipeline.settled(now: at(100)) == LightReport(brightness: 40))
        #expect(pipeline.reported(LightReport(brightness: 41), now: at(101)) == LightReport(brightness: 41))
    }

    @Test("a command that was over long ago expects nothing while the next one is under way")
    func stale() {
        var pipeline = CommandPipeline()
        _ = pipeline.wanted(LightCommand(on: true))
        _ = pipeline.ended(success: true, now: at(0))
        _ = pipeline.wanted(LightCommand(brightness: 50))
        #expect(pipeline.reported(LightReport(on: false), now: at(60_000)) == LightReport(on: false))
    }

    @Test("the light's own rounding of a colour is no news; another colour is, once all has settled")
    func colors() {
        var pipeline = CommandPipeline()
        _ = pipeline.wanted(LightCommand(color: .hueSaturation(hue: 359.5, saturation: 50)))
        _ = pipeline.ended(success: true, now: at(0))
        let rounded = LightReport(color: .hueSaturation(hue: 0.4, saturation: 49))
        #expect(pipeline.reported(rounded, now: at(10)) == LightReport())
        #expect(pipeline.settled(now: at(2000)) == nil)
        var other = CommandPipeline()
        _ = other.wanted(LightCommand(color: .temperature(mired: 300)))
        _ = other.ended(success: true, now: at(0))
        let different = LightReport(color: .hueSaturation(hue: 30, saturation: 20))
        #expect(other.reported(different, now: at(10)) == LightReport())
        #expect(other.settled(now: at(1000)) == different)
    }

    @Test("a light that is lost expects nothing any more")
    func reset() {
        var pipeline = CommandPipeline()
        _ = pipeline.wanted(LightCommand(on: true))
        _ = pipeline.wanted(LightCommand(brightness: 20))
        _ = pipeline.reported(LightReport(on: false), now: at(0))
        pipeline.reset()
        #expect(pipeline.ended(success: false, now: at(1)) == nil)
        #expect(pipeline.settled(now: at(5000)) == nil)
        #expect(pipeline.reported(LightReport(on: false), now: at(2)) == LightReport(on: false))
    }

    @Test(
        "colours that are the same but for rounding",
        arguments: [
            (
                LightColor.hueSaturation(hue: 0, saturation: 50), LightColor.hueSaturation(hue: 360, saturation: 50),
                true
            ),
            (.hueSaturation(hue: 1, saturation: 50), .hueSaturation(hue: 359.6, saturation: 51.5), true),
            (.hueSaturation(hue: 1, saturation: 50), .hueSaturation(hue: 3, saturation: 50), false),
            (.hueSaturation(hue: 1, saturation: 50), .hueSaturation(hue: 1, saturation: 52), false),
            (.hueSaturation(hue: 10, saturation: 1), .hueSaturation(hue: 200, saturation: 0), true),
            (.temperature(mired: 300), .temperature(mired: 301), true),
            (.temperature(mired: 300), .temperature(mired: 302), false),
            (.temperature(mired: 300), .hueSaturation(hue: 30, saturation: 50), false),
        ])
    func resembles(a: LightColor, b: LightColor, same: Bool) {
        #expect(a.resembles(b) == same)
        #expect(b.resembles(a) == same)
    }
}

@Suite("ConnectionPolicy")
struct ConnectionPolicyTests {
    private func strangers(_ count: Int, from first: UInt64 = 1, pairing: Bool = false) -> [ConnectionPolicy.Candidate]
    {
        (0..<count).map {
            ConnectionPolicy.Candidate(
                id: ConnectionID(first + UInt64($0)), isVerified: false, lastHeard: at($0), isPairing: pairing)
        }
    }

    private func sessions(_ count: Int, heard: Int) -> [ConnectionPolicy.Candidate] {
        (0..<count).map {
            ConnectionPolicy.Candidate(
                id: ConnectionID(1000 + UInt64($0)), isVerified: true, lastHeard: at(heard + $0), isPairing: false)
        }
    }

    @Test("each row of hap.md 7.2 and decision 6")
    func table() {
        #expect(ConnectionPolicy.verdict(on: [], now: at(0)) == .admit)
        #expect(ConnectionPolicy.verdict(on: strangers(31), now: at(0)) == .admit)
        #expect(ConnectionPolicy.verdict(on: strangers(32).reversed(), now: at(0)) == .evict(ConnectionID(1)))
        #expect(ConnectionPolicy.verdict(on: strangers(32, pairing: true), now: at(0)) == .refuse)
        // No session gives way to too many strangers.
        #expect(
            ConnectionPolicy.verdict(on: strangers(32, pairing: true) + sessions(9, heard: 0), now: at(90_000))
                == .refuse)
        #expect(ConnectionPolicy.verdict(on: sessions(127, heard: 0), now: at(90_000)) == .admit)
        #expect(ConnectionPolicy.verdict(on: sessions(128, heard: 0), now: at(59_999)) == .refuse)
        #expect(ConnectionPolicy.verdict(on: sessions(128, heard: 0), now: at(60_000)) == .evict(ConnectionID(1000)))
        #expect(
            ConnectionPolicy.verdict(on: sessions(127, heard: -200_000) + strangers(1), now: at(0))
                == .evict(ConnectionID(1)))
        #expect(
            ConnectionPolicy.verdict(on: sessions(127, heard: -200_000) + strangers(1, pairing: true), now: at(0))
                == .evict(ConnectionID(1000)))
    }
}

@Suite("SetupAttempts and PreparedWrite")
struct SmallMachineTests {
    @Test("an owner is busy until it has been silent for 30 s; then it is a rival to be reset")
    func attempts() {
        var attempts = SetupAttempts(failures: 99)
        let (a, b) = (ConnectionID(1), ConnectionID(2))
        #expect(!attempts.areExhausted)
        #expect(!attempts.isBusy(for: a, now: at(0)))
        attempts.heard(from: a, now: at(0))
        #expect(!attempts.isBusy(for: a, now: at(1)))
        #expect(attempts.isBusy(for: b, now: at(29_999)))
        #expect(!attempts.isBusy(for: b, now: at(30_000)))
        #expect(attempts.rival(of: b) == a)
        #expect(attempts.rival(of: a) == nil)
        attempts.heard(from: b, now: at(30_000))
        attempts.release(a)
        #expect(attempts.isBusy(for: a, now: at(30_001)))
        attempts.release(b)
        #expect(!attempts.isBusy(for: a, now: at(30_001)))
        attempts.failures += 1
        #expect(attempts.areExhausted)
    }

    @Test("an announcement is good for one attempt, within its time, for its number")
    func prepared() throws {
        let request = try #require(PrepareRequest(parsing: Array(#"{"ttl":1000,"pid":7}"#.utf8)))
        var write = PreparedWrite()
        #expect(write.redeem(7, now: at(0)) == false)
        write.prepare(request, now: at(0))
        #expect(write.redeem(7, now: at(1000)) == true)
        #expect(write.redeem(7, now: at(1000)) == false)
        write.prepare(request, now: at(0))
        #expect(write.redeem(7, now: at(1001)) == false)
        write.prepare(request, now: at(0))
        #expect(write.redeem(8, now: at(1)) == false)
        #expect(write.redeem(7, now: at(1)) == false)
    }
}

@Suite("ConfigurationNumber")
struct ConfigurationNumberTests {
    private func lamp(_ description: LightDescription = .lamp, on: Bool = false) -> Accessory {
        var state = LightState()
        state.on = on
        return LightbulbAdapter(description: description, name: description.name, ids: InstanceIDs())
            .accessory(2, state: state)
    }

    @Test("the first database takes the number as it is; a value raises nothing")
    func first() {
        var number = ConfigurationNumber(StoredConfiguration(number: 1, databaseHash: []))
        #expect(number.databaseChanged([lamp()], firmware: "1") == true)
        #expect(number.number == 1)
        #expect(number.databaseChanged([lamp(on: true)], firmware: "1") == false)
        #expect(number.databaseChanged([lamp()], firmware: "1") == false)
        #expect(number.number == 1)
        var again = ConfigurationNumber(number.stored)
        #expect(again.databaseChanged([lamp()], firmware: "1") == false)
    }

    @Test("anything else raises it by one, also on the way back")
    func rises() throws {
        var number = ConfigurationNumber(StoredConfiguration(number: 7, databaseHash: []))
        _ = number.databaseChanged([lamp()], firmware: "1")
        var plain = LightDescription.lamp
        plain.capabilities.color = false
        var narrow = LightDescription.lamp
        narrow.capabilities.temperature = 200...400
        var hidden = lamp()
        hidden.services[1].isHidden = true
        var permissions = lamp()
        permissions.services[1].characteristics[0].metadata.permissions.insert(.timedWrite)
        var databases: [(accessories: [Accessory], firmware: String)] = []
        for accessories in [[lamp(plain)], [lamp(narrow)], [hidden], [permissions], [], [lamp(), .gadget]] {
            databases.append((accessories, "1"))
            databases.append(([lamp()], "1"))
        }
        databases.append(([lamp()], "2"))
        for (index, database) in databases.enumerated() {
            #expect(number.databaseChanged(database.accessories, firmware: database.firmware) == true)
            #expect(number.number == 8 + UInt16(index))
        }
    }

    @Test("the order of the accessories is no part of the database")
    func order() {
        var number = ConfigurationNumber(StoredConfiguration(number: 1, databaseHash: []))
        _ = number.databaseChanged([lamp(), .gadget], firmware: "1")
        #expect(number.databaseChanged([.gadget, lamp()], firmware: "1") == false)
    }

    @Test("behind 65535 comes 1")
    func wraps() {
        var number = ConfigurationNumber(StoredConfiguration(number: 65535, databaseHash: []))
        _ = number.databaseChanged([lamp()], firmware: "1")
        #expect(number.number == 65535)
        _ = number.databaseChanged([], firmware: "1")
        #expect(number.number == 1)
    }
}
