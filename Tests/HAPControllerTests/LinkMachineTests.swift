import HAPModel
import HAPProtocol
import Testing

@testable import HAPController

private let start = ContinuousClock.now
private let on = CharacteristicID(AccessoryID(2), InstanceID(9))
private let off = CharacteristicID(AccessoryID(2), InstanceID(10))

private typealias Machine = LinkMachine<Int>

extension LinkMachine.State {
    fileprivate enum Kind { case searching, waiting, dialing, verifying, verified, stopped }

    fileprivate var kind: Kind {
        switch self {
        case .searching: .searching
        case .waiting: .waiting
        case .dialing: .dialing
        case .verifying: .verifying
        case .verified: .verified
        case .stopped: .stopped
        }
    }
}

private enum Input: CaseIterable {
    case appeared, begin, answered, verified, ended, stop
}

@Suite("LinkMachine") struct LinkMachineTests {
    private let id = DeviceID(octets: [1, 2, 3, 4, 5, 6])

    private func seen(_ addresses: UInt8..., number: UInt32 = 1) throws -> AdvertisedAccessory {
        try .test(try #require(id), at: addresses.map { .test($0) }, configurationNumber: number)
    }

    /// Returns a machine after the given inputs; the accessory has two addresses.
    private func machine(_ inputs: Input...) throws -> Machine {
        var machine = Machine(ReconnectPolicy.Limits())
        for input in inputs { try apply(input, to: &machine) }
        return machine
    }

    private func apply(_ input: Input, to machine: inout Machine) throws {
        switch input {
        case .appeared: _ = machine.appeared(try seen(1, 2), now: start)
        case .begin: machine.begin()
        case .answered: _ = machine.answered(7, at: machine.nextAddress() ?? .test(1))
        case .verified: _ = machine.verified(now: start)
        case .ended: _ = machine.ended(.busy, share: 1, now: start)
        case .stop: _ = machine.stop()
        }
    }

    private func pause(of machine: Machine) -> Duration? {
        guard case .waiting(let time) = machine.state else { return nil }
        return time - start
    }

    @Test(
        "changes its state only as shown in the diagram of LinkMachine",
        arguments: [
            //  appeared    begin       answered    verified    ended       stop
            ([], [.waiting, .searching, .searching, .searching, .searching, .stopped]),
            ([.appeared], [.waiting, .dialing, .waiting, .waiting, .waiting, .stopped]),
            ([.appeared, .begin], [.dialing, .dialing, .verifying, .dialing, .waiting, .stopped]),
            ([.appeared, .begin, .answered], [.verifying, .verifying, .verifying, .verified, .dialing, .stopped]),
            (
                [.appeared, .begin, .answered, .verified],
                [.verified, .verified, .verified, .verified, .waiting, .stopped]
            ),
            ([.stop], [.stopped, .stopped, .stopped, .stopped, .stopped, .stopped]),
        ] as [([Input], [Machine.State.Kind])])
    private func transitions(inputs: [Input], states: [Machine.State.Kind]) throws {
        for (next, state) in zip(Input.allCases, states) {
            var machine = try machine()
            for input in inputs + [next] { try apply(input, to: &machine) }
            #expect(machine.state.kind == state, "\(next)")
            #expect(machine.session == (state == .verified ? 7 : nil))
        }
    }

    @Test(
        "continues with the other addresses after a peer without proof, and keeps `notPaired` as the reason",
        arguments: [
            ([.otherAccessory, .notGenuine], .notGenuine), ([.notPaired, .notGenuine], .notPaired),
            ([.notGenuine, .notPaired], .notPaired), ([], .unreachable),
        ] as [([LinkFailure], LinkFailure)])
    func round(reasons: [LinkFailure], failure: LinkFailure) throws {
        var machine = try machine(.appeared, .begin)
        for (address, reason) in zip([AccessoryEndpoint.test(1), .test(2)], reasons) {
            #expect(machine.nextAddress() == address)
            #expect(machine.answered(7, at: address) == true)
            #expect(machine.ended(reason, share: 1, now: start) == nil)
        }
        #expect(machine.ended(share: 1, now: start) == failure)
        #expect(pause(of: machine) == (failure == .notPaired ? .seconds(300) : .milliseconds(500)))
    }

    @Test("begins the next round at the address where the accessory proved its identity")
    func lastGood() throws {
        var machine = try machine(.appeared, .begin, .answered, .ended, .answered, .verified)
        #expect(machine.ended(.ended(.lost), share: 1, now: start) == .ended(.lost))
        machine.begin()
        #expect(machine.nextAddress() == .test(2))
    }

    @Test("shortens the pause for a changed record, and ignores an unchanged record")
    func appeared() throws {
        var machine = try machine(.appeared, .begin, .answered, .verified)
        #expect(machine.ended(.notPaired, share: 1, now: start) == .notPaired)
        #expect(machine.appeared(try seen(1, 2), now: start) == false)
        #expect(pause(of: machine) == .seconds(300))
        #expect(machine.appeared(try seen(1, 2, number: 2), now: start) == true)
        #expect(pause(of: machine) == .milliseconds(500))
        #expect(machine.accessory?.configurationNumber == 2)
    }

    @Test("returns the session to close when stopped, and then refuses a new connection")
    func stopped() throws {
        var machine = try machine(.appeared, .begin, .answered)
        #expect(machine.stop() == 7)
        #expect(machine.stop() == nil)
        #expect(machine.nextAddress() == nil)
        #expect(machine.answered(8, at: .test(2)) == false)
        #expect(machine.verified(now: start) == false)
        #expect(machine.ended(.notPaired, share: 1, now: start) == nil)
    }
}

@Suite("LinkValues") struct LinkValuesTests {
    private func readings(_ value: Bool) -> [CharacteristicID: Reading] {
        [on: .success(.bool(value)), off: .success(.bool(value))]
    }

    @Test("drops the result of a read that is older than a write or an event of the same characteristic")
    func stale() {
        var values = LinkValues()
        values.willWrite([off])
        let began = values.changes
        #expect(values.current(readings(false), since: began) == readings(false))
        values.willWrite([on])
        #expect(values.current(readings(false), since: began) == [off: .success(.bool(false))])
        #expect(values.reported([off: .success(.bool(true))], now: start) == false)
        #expect(values.current(readings(false), since: began) == [:])
        #expect(values.current(readings(false), since: values.changes) == readings(false))
    }

    @Test(
        "reads a value again if an event contradicts a write from the last second",
        arguments: [(999, true), (1000, false)])
    func contradiction(milliseconds: Int, isRead: Bool) {
        var values = LinkValues()
        values.writing([AccessoryWrite(on, .bool(true))], now: start)
        #expect(values.reported([on: .success(.bool(true))], now: start) == false)
        let isContradiction = values.reported([on: .success(.bool(false))], now: start + .milliseconds(milliseconds))
        #expect(isContradiction == isRead)
        #expect(values.takeUncertain() == (isRead ? [on] : []))
        #expect(values.takeUncertain() == [])
    }

    @Test("drops the result of a read that began before a write was sent")
    func sent() {
        var values = LinkValues()
        values.willWrite([on])
        let began = values.changes
        values.writing([AccessoryWrite(on, .bool(true))], now: start)
        #expect(values.current(readings(false), since: began) == [off: .success(.bool(false))])
    }

    @Test("counts a difference as a lost event unless the controller wrote the value since the last check")
    func missed() {
        var values = LinkValues()
        #expect(values.learned(readings(false)) == [])
        #expect(values.learned(readings(false)) == [])
        #expect(values.learned(readings(true)) == [on, off])
        #expect(values.beginCheck(of: [on, off], reported: [on, off]) == [on, off])
        values.writing([AccessoryWrite(on, .bool(true))], now: start)
        #expect(values.learned(readings(false)) == [off])
        #expect(values.beginCheck(of: [on, off], reported: [on, off]) == [off])
        #expect(values.beginCheck(of: [on, off], reported: [on, off]) == [on, off])
    }
}
