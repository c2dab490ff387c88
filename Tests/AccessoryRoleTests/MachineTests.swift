import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import Testing

@testable import AccessoryRole

private let start = ContinuousClock.now

private func at(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

@Suite("EventOutbox")
struct EventOutboxTests {
    private let a = CharacteristicID(2, 9)
    private let b = CharacteristicID(2, 10)

    private func entry(_ id: CharacteristicID, _ value: Int64) -> EventOutbox.Entry {
        EventOutbox.Entry(id: id, value: .integer(value))
    }

    @Test("sends the first change immediately, then one message per window with the latest values")
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

    @Test("delays normal changes during a window that began without a message, but not urgent ones")
    func begunWindow() {
        var outbox = EventOutbox(window: .milliseconds(250))
        outbox.changed(a, to: .integer(1), now: at(0))
        #expect(outbox.holds(a) && !outbox.holds(b))
        outbox.beginWindow(now: at(10))
        #expect(outbox.next(now: at(10)) == .wake(at: at(260)))
        var urgent = outbox
        urgent.changed(b, to: .integer(2), isUrgent: true, now: at(20))
        #expect(urgent.next(now: at(20)) == .send([entry(a, 1), entry(b, 2)]))
        #expect(outbox.next(now: at(260)) == .send([entry(a, 1)]))
        #expect(!outbox.holds(a))
    }

    @Test("sends each momentary event immediately in a separate message, and keeps at most 16 pending events")
    func momentary() {
        var outbox = EventOutbox(window: .milliseconds(250))
        outbox.beginWindow(now: at(0))
        outbox.changed(b, to: .integer(7), now: at(0))
        for _ in 0..<2 {
            let isDropped = outbox.changed(a, to: .integer(0), isUrgent: true, isMomentary: true, now: at(1))
            #expect(!isDropped)
        }
        outbox.changed(b, to: .integer(8), now: at(2))
        #expect(outbox.next(now: at(2)) == .send([entry(b, 8), entry(a, 0)]))
        #expect(outbox.next(now: at(2)) == .send([entry(a, 0)]))
        #expect(outbox.next(now: at(2)) == .nothing)
        let areDropped = (0..<20).map {
            outbox.changed(a, to: .integer($0), isUrgent: true, isMomentary: true, now: at(3))
        }
        #expect(areDropped.count { !$0 } == 16)
        outbox.forget(a)
        #expect(outbox.isEmpty && outbox.waitingSince == nil)
    }

    @Test("sends a pending change immediately after a late wake-up")
    func late() {
        var outbox = EventOutbox(window: .milliseconds(250))
        outbox.changed(a, to: .integer(1), now: at(0))
        _ = outbox.next(now: at(0))
        outbox.changed(a, to: .integer(2), now: at(10))
        #expect(outbox.next(now: at(9000)) == .send([entry(a, 2)]))
    }

    @Test("doesn't send forgotten entries, and returns the time of the oldest entry")
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

    @Test("returns the time of the next oldest entry after the oldest entry is forgotten")
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

    @Test("reports an accepted write to all subscribers but the writer, and a rounded one to the writer, too")
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
        var rounded = WritesInFlight(current: .integer(0))
        ticket = rounded.began()
        #expect(
            rounded.ended(ticket, .integer(70), known: .integer(73), success: true, origin: a)
                == Outcome(value: .integer(70), audience: .everybody))
        var other = WritesInFlight(current: .integer(0))
        ticket = other.began()
        #expect(
            other.ended(ticket, .integer(5), success: true, origin: nil)
                == Outcome(value: .integer(5), audience: .everybody))
    }

    @Test("keeps the last accepted of two writes, and reports it to all subscribers but its writer")
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

    @Test("reports a write that restores the first value only to the first writer")
    func thereAndBack() {
        var flight = WritesInFlight(current: .integer(0))
        let tickets = [flight.began(), flight.began()]
        _ = flight.ended(tickets[0], .integer(1), success: true, origin: a)
        #expect(
            flight.ended(tickets[1], .integer(0), success: true, origin: b)
                == Outcome(value: .integer(0), audience: .only([a])))
    }

    @Test("doesn't report equal writes by two writers to either of them")
    func same() {
        var flight = WritesInFlight(current: .integer(0))
        let tickets = [flight.began(), flight.began()]
        _ = flight.ended(tickets[0], .integer(1), success: true, origin: a)
        #expect(
            flight.ended(tickets[1], .integer(1), success: true, origin: b)
                == Outcome(value: .integer(1), audience: .everybodyBut([a, b])))
    }

    @Test("prefers a reported value to an accepted write")
    func reported() {
        let rows: [(reported: Int64, success: Bool, audience: CharacteristicChange.Audience?)] = [
            // The device clamps the value: all subscribers are notified, including the writer.
            (4, true, .everybody),
            // The device reports the written value.
            (5, true, .everybodyBut([a])),
            // The device accepts the value, but doesn't change: only the writer has a wrong value.
            (0, true, .only([a])),
            // The device refuses the value, but changes nevertheless.
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

    @Test("ignores reports that arrived before a write began")
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

@Suite("ConnectionPolicy")
struct ConnectionPolicyTests {
    private func unknownPeers(_ count: Int, from first: UInt64 = 1, pairing: Bool = false) -> [ConnectionPolicy
        .Candidate]
    {
        (0..<count).map {
            ConnectionPolicy.Candidate(
                id: ConnectionID(first + UInt64($0)), isVerified: false, lastReceived: at($0), isPairing: pairing)
        }
    }

    private func sessions(_ count: Int, received: Int) -> [ConnectionPolicy.Candidate] {
        (0..<count).map {
            ConnectionPolicy.Candidate(
                id: ConnectionID(1000 + UInt64($0)), isVerified: true, lastReceived: at(received + $0), isPairing: false
            )
        }
    }

    @Test("follows each rule of HAP 7.2 and Decision 6")
    func table() {
        #expect(ConnectionPolicy.verdict(on: [], now: at(0)) == .admit)
        #expect(ConnectionPolicy.verdict(on: unknownPeers(31), now: at(0)) == .admit)
        #expect(ConnectionPolicy.verdict(on: unknownPeers(32).reversed(), now: at(0)) == .evict(ConnectionID(1)))
        #expect(ConnectionPolicy.verdict(on: unknownPeers(32, pairing: true), now: at(0)) == .refuse)
        // No number of unauthenticated peers can evict a session.
        #expect(
            ConnectionPolicy.verdict(on: unknownPeers(32, pairing: true) + sessions(9, received: 0), now: at(90_000))
                == .refuse)
        #expect(ConnectionPolicy.verdict(on: sessions(127, received: 0), now: at(90_000)) == .admit)
        #expect(ConnectionPolicy.verdict(on: sessions(128, received: 0), now: at(59_999)) == .refuse)
        #expect(ConnectionPolicy.verdict(on: sessions(128, received: 0), now: at(60_000)) == .evict(ConnectionID(1000)))
        #expect(
            ConnectionPolicy.verdict(on: sessions(127, received: -200_000) + unknownPeers(1), now: at(0))
                == .evict(ConnectionID(1)))
        #expect(
            ConnectionPolicy.verdict(on: sessions(127, received: -200_000) + unknownPeers(1, pairing: true), now: at(0))
                == .evict(ConnectionID(1000)))
    }
}

@Suite("PreparedWrite")
struct PreparedWriteTests {
    @Test("accepts an announced write only once, in time and with the announced id")
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
    private func fan(on: Bool = false) -> AccessoryObject {
        var fan = AccessoryObject.fan
        fan.services[1].characteristics[0].value = .bool(on)
        return fan
    }

    @Test("doesn't increase for the first database or for changed values")
    func first() {
        var number = ConfigurationNumber(StoredConfiguration(number: 1, databaseHash: []))
        #expect(number.databaseChanged([fan()], firmware: "1") == true)
        #expect(number.number == 1)
        #expect(number.databaseChanged([fan(on: true)], firmware: "1") == false)
        #expect(number.databaseChanged([fan()], firmware: "1") == false)
        #expect(number.number == 1)
        var again = ConfigurationNumber(number.stored)
        #expect(again.databaseChanged([fan()], firmware: "1") == false)
    }

    @Test("increases by one with every structure change, even a reverted one")
    func rises() throws {
        var number = ConfigurationNumber(StoredConfiguration(number: 7, databaseHash: []))
        _ = number.databaseChanged([fan()], firmware: "1")
        var plain = fan()
        plain.services[1].characteristics.removeLast()
        var narrow = fan()
        narrow.services[1].characteristics[1].metadata.maximum = 50
        var hidden = fan()
        hidden.services[1].isHidden = true
        var permissions = fan()
        permissions.services[1].characteristics[0].metadata.permissions.insert(.timedWrite)
        var databases: [(accessories: [AccessoryObject], firmware: String)] = []
        for accessories in [[plain], [narrow], [hidden], [permissions], [], [fan(), .gadget]] {
            databases.append((accessories, "1"))
            databases.append(([fan()], "1"))
        }
        databases.append(([fan()], "2"))
        for (index, database) in databases.enumerated() {
            #expect(number.databaseChanged(database.accessories, firmware: database.firmware) == true)
            #expect(number.number == 8 + UInt16(index))
        }
    }

    @Test("increases when a name changes")
    func renamed() throws {
        var number = ConfigurationNumber(StoredConfiguration(number: 1, databaseHash: []))
        _ = number.databaseChanged([fan()], firmware: "1")
        var renamed = fan()
        let index = try #require(renamed.services[0].characteristics.firstIndex { $0.type == .name })
        renamed.services[0].characteristics[index].value = .string("Ceiling Fan")
        #expect(number.databaseChanged([renamed], firmware: "1") == true)
        #expect(number.number == 2)
    }

    @Test("ignores the order of accessories")
    func order() {
        var number = ConfigurationNumber(StoredConfiguration(number: 1, databaseHash: []))
        _ = number.databaseChanged([fan(), .gadget], firmware: "1")
        #expect(number.databaseChanged([.gadget, fan()], firmware: "1") == false)
    }

    @Test("continues with 1 after 65535")
    func wraps() {
        var number = ConfigurationNumber(StoredConfiguration(number: 65535, databaseHash: []))
        _ = number.databaseChanged([fan()], firmware: "1")
        #expect(number.number == 65535)
        _ = number.databaseChanged([], firmware: "1")
        #expect(number.number == 1)
    }
}
