import AccessoryRole
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import DeviceBridge

/// Target 9 and current state 10 of aid 2.
@Suite("A device with a target state", .timeout)
struct TargetStateTests {
    private static let subscriptions = #"{"aid":2,"iid":9,"ev":true},{"aid":2,"iid":10,"ev":true}"#

    private static func lock(_ current: LockState? = nil, target: LockState? = nil) -> PropertyValues {
        var values = PropertyValues()
        values[.lockCurrentState] = current
        values[.lockTargetState] = target
        return values
    }

    private static func event(_ target: Int, _ current: Int) -> String {
        #"{"characteristics":[{"aid":2,"iid":9,"value":\#(target)},{"aid":2,"iid":10,"value":\#(current)}]}"#
    }

    private static func event(iid: Int, _ value: Int) -> String {
        #"{"characteristics":[{"aid":2,"iid":\#(iid),"value":\#(value)}]}"#
    }

    private static let front = LightDescription(id: "front", name: "Front", kind: .lock)

    private struct Door {
        let house: House
        let session: TestController

        func report(_ values: PropertyValues) async {
            await house.report(LightReport(values, reachable: true), "front")
        }

        func shown() async -> [CharacteristicValue?] { await [house.value(2, 9), house.value(2, 10)] }

        /// The events of the first session since the last call, once the event window has ended.
        func events(since count: Int) async -> [String] {
            await house.advance(.milliseconds(300))
            return Array(await session.events.dropFirst(count))
        }
    }

    private func door(_ state: LockState) async throws -> Door {
        let house = try await House([Self.front])
        let session = try await house.session()
        let door = Door(house: house, session: session)
        await door.report(Self.lock(state))
        _ = try await session.write(Self.subscriptions)
        await house.advance(.seconds(5))
        return door
    }

    @Test("uses the state at rest as its target, even after a movement by hand")
    func rest() {
        let rules = LightKind.lock.rules
        let table: [(former: PropertyValues, reported: PropertyValues, completed: PropertyValues)] = [
            (Self.lock(), Self.lock(.secured), Self.lock(.secured, target: .secured)),
            (Self.lock(.secured, target: .secured), Self.lock(.unsecured), Self.lock(.unsecured, target: .unsecured)),
            (Self.lock(.secured, target: .unsecured), Self.lock(.jammed), Self.lock(.jammed, target: .secured)),
            (Self.lock(.jammed, target: .secured), Self.lock(.jammed), Self.lock(.jammed, target: .secured)),
            (Self.lock(), Self.lock(.jammed), Self.lock(.jammed)),
            (Self.lock(.secured, target: .secured), Self.lock(.unknown), Self.lock(.unknown)),
            (Self.lock(.secured, target: .secured), Self.lock(target: .unsecured), Self.lock(target: .unsecured)),
        ]
        for (former, reported, completed) in table {
            var values = reported
            rules.complete(&values, over: { DeviceState(former) })
            #expect(values == completed)
        }
        let state = DeviceState()
        #expect(rules.command(Self.lock(.secured), over: state) == Self.lock(target: .secured))
        #expect(rules.command(Self.lock(.jammed), over: state).isEmpty)
    }

    @Test("sends its target before its state, in one message, when it is operated by hand")
    func byHand() async throws {
        let door = try await door(.secured)
        await door.report(Self.lock(.unsecured))
        #expect(await door.events(since: 0) == [Self.event(0, 0)])
        // The state waits in the outbox when the target changes.
        await door.report(Self.lock(.jammed))
        await door.report(Self.lock(.secured))
        #expect(await door.events(since: 1) == [Self.event(iid: 10, 2), Self.event(1, 1)])
    }

    @Test("sends another controller's target before a state that is reported during the write")
    func duringWrite() async throws {
        let door = try await door(.unsecured)
        let other = try await door.house.session()
        door.house.bridge.driver.set("front", .waits)
        let write = Task { try await other.write(#"{"aid":2,"iid":9,"value":1}"#).status }
        try await door.house.drain { await door.shown().first == .integer(1) }
        await door.report(Self.lock(.secured))
        #expect(await door.session.events.isEmpty)
        door.house.bridge.driver.answer("front")
        #expect(try await write.value == 204)
        #expect(await door.events(since: 0) == [Self.event(1, 1)])
    }

    @Test("keeps a requested target until the lock reacts, and resets the target if the lock never reacts")
    func reaction() async throws {
        let door = try await door(.unsecured)
        #expect(try await door.session.write(#"{"aid":2,"iid":9,"value":1}"#).status == 204)
        await door.house.advance(.seconds(5))
        // A repetition of the previous state isn't a reaction.
        await door.report(Self.lock(.unsecured))
        await door.house.advance(.seconds(5))
        #expect(await door.shown() == [.integer(1), .integer(0)])
        await door.house.advance(.seconds(30))
        #expect(await door.shown() == [.integer(0), .integer(0)])
        // The command isn't repeated, because a second command could stop a motor.
        #expect(door.house.bridge.driver.orders.count == 1)
    }

    @Test("returns to its previous target when it jams, even shortly after a command")
    func jam() async throws {
        let door = try await door(.unsecured)
        #expect(try await door.session.write(#"{"aid":2,"iid":9,"value":1}"#).status == 204)
        await door.report(Self.lock(.jammed))
        #expect(await door.shown() == [.integer(0), .integer(2)])
        #expect(await door.events(since: 0) == [Self.event(0, 2)])
    }

    @Test("returns to its previous target when it jams before a command ends")
    func jamDuringCommand() async throws {
        let door = try await door(.unsecured)
        door.house.bridge.driver.set("front", .reports([LightReport(Self.lock(.jammed))]))
        #expect(try await door.session.write(#"{"aid":2,"iid":9,"value":1}"#).status == 204)
        #expect(await door.shown() == [.integer(0), .integer(2)])
    }

    @Test("gives up a new target if it is jammed and reports nothing")
    func silentJam() async throws {
        let door = try await door(.unsecured)
        await door.report(Self.lock(.jammed))
        #expect(await door.shown() == [.integer(0), .integer(2)])
        #expect(try await door.session.write(#"{"aid":2,"iid":9,"value":1}"#).status == 204)
        #expect(await door.shown() == [.integer(1), .integer(2)])
        await door.house.advance(.seconds(31))
        #expect(await door.shown() == [.integer(0), .integer(2)])
    }

    @Test("returns to its previous target when a reported movement ends in the previous state")
    func failedMovement() async throws {
        let door = try await door(.unsecured)
        await door.report(Self.lock(target: .secured))
        #expect(await door.shown() == [.integer(1), .integer(0)])
        await door.house.advance(.seconds(5))
        await door.report(Self.lock(.unsecured))
        #expect(await door.shown() == [.integer(0), .integer(0)])
    }

    @Test("is locked if it locks itself again after a command to unlock it")
    func relock() async throws {
        let door = try await door(.secured)
        #expect(try await door.session.write(#"{"aid":2,"iid":9,"value":0}"#).status == 204)
        await door.report(Self.lock(.unsecured))
        #expect(await door.shown() == [.integer(0), .integer(0)])
        await door.house.advance(.seconds(10))
        await door.report(Self.lock(.secured))
        #expect(await door.shown() == [.integer(1), .integer(1)])
    }

    @Test("moves toward its target, and keeps it while a garage door pauses halfway")
    func garageDoor() {
        let rules = LightKind.garageDoor.rules
        func door(_ current: DoorState?, target: DoorState? = nil, obstructed: Bool? = nil) -> PropertyValues {
            var values = PropertyValues()
            values[.currentDoorState] = current
            values[.targetDoorState] = target
            values[.obstructionDetected] = obstructed
            return values
        }
        let former = DeviceState(door(.open, target: .open, obstructed: true))
        for (reported, completed) in [
            (door(.closing), door(.closing, target: .closed)), (door(.opening), door(.opening, target: .open)),
            (door(.stopped), door(.stopped)), (door(.closed), door(.closed, target: .closed)),
            (door(nil, obstructed: false), door(nil, obstructed: false)),
        ] {
            var values = reported
            rules.complete(&values, over: { former })
            #expect(values == completed)
        }
        var state = former
        for values in [door(.closing, target: .closed), door(.closed, target: .closed)] { state.apply(values, rules) }
        #expect(state.values[.obstructionDetected] == true)
        #expect(rules.outcome(of: door(nil, target: .closed)) == door(.closed, target: .closed))
    }

    @Test("offers only the modes of a panel, and keeps the requested mode until an alarm ends")
    func securitySystem() async throws {
        func panel(_ current: SecurityState?, target: SecurityState? = nil) -> PropertyValues {
            var values = PropertyValues()
            values[.securitySystemCurrentState] = current
            values[.securitySystemTargetState] = target
            return values
        }
        let house = try await House([
            LightDescription(id: "panel", name: "Panel", kind: .securitySystem, functions: [.securitySystem([.away])])
        ])
        func shown() async -> [CharacteristicValue?] { await [house.value(2, 9), house.value(2, 10)] }
        let target = await house.bridge.server.accessories.last?.services[1].characteristics.first
        #expect(target?.type == .securitySystemTargetState && target?.metadata.validValues == [1, 3])
        let session = try await house.session()
        #expect(try await session.write(#"{"aid":2,"iid":9,"value":2}"#).status == 207)
        #expect(try await session.write(#"{"aid":2,"iid":9,"value":1}"#).status == 204)
        for (report, state) in [
            (panel(.disarmed, target: .away), [1, 3]), (panel(.away), [1, 1]), (panel(.triggered), [1, 4]),
            (panel(.disarmed), [3, 3]), (panel(.away), [1, 1]), (panel(.disarmed), [3, 3]),
            // The panel is armed by hand in a mode that controllers can't choose.
            (panel(.night), [1, 2]),
        ] {
            // Later reports aren't steps toward the command.
            await house.advance(.seconds(2))
            await house.report(LightReport(report, reachable: true), "panel")
            #expect(await shown() == state.map { .integer(Int64($0)) })
        }
    }

    @Test("shows its last state after a restart, without a pending command and without a false event")
    func restart() async throws {
        let door = try await door(.secured)
        #expect(try await door.session.write(#"{"aid":2,"iid":9,"value":0}"#).status == 204)
        await door.house.bridge.lights.saveStates()
        let bridge = try await BridgeUnderTest(door.house.store, stored: door.house.store.bridge)
        for iid in [9, 10] as [InstanceID] {
            #expect(await bridge.value(CharacteristicID(2, iid)) == .integer(1))
        }
    }
}
