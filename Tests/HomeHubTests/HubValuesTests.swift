import HAPController
import HAPTesting
import HomeHub
import HomeModel
import LightKit
import TestTimeouts
import Testing

import enum HAPModel.CharacteristicValue

@Suite("The hub and values", .timeout)
struct HubValuesTests {
    @Test("A change that no app observes is in the home, and sent to no app as an event")
    func reading() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let lamp = try await house.lamp(a)
            try await eventually("the first values") { try await house.value(lamp, a) == .bool(false) }
            await lamp.turn(true)
            try await eventually("the change") { try await house.value(lamp, a) == .bool(true) }
            let results = try await a.readValues(lamp.on)
            #expect(results.map(\.value) == [.bool(true)] && results.first?.time != nil)
            #expect(try await house.value(lamp, b) == .bool(true))
            #expect(a.values == [] && b.values == [])
        }
    }

    @Test("Who reads has the value in its answer and is told no event of it; another who observes is told")
    func readingObserved() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            // The first change is notified at once, the second when the window ends: never, here.
            let lamp = try await house.lamp(a, eventWindow: .seconds(3600))
            #expect(try await a.observe(lamp.on) == nil)
            #expect(try await b.observe(lamp.on) == nil)
            await lamp.turn(true)
            try await eventually("the event") { a.values == [.bool(true)] && b.values == [.bool(true)] }
            await lamp.turn(false)
            #expect(try await a.readValues(lamp.on).first?.value == .bool(false))
            try await eventually("the event at b") { b.values == [.bool(true), .bool(false)] }
            try await house.drain(a)
            #expect(a.values == [.bool(true)])
        }
    }

    @Test(
        "Only who observes is notified of changes, until it observes no more; the device reports for the first and to the last"
    )
    func observing() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b, c) = (try await house.app(), try await house.app(), try await house.app())
            let lamp = try await house.lamp(a)
            #expect(try await a.observe(lamp.on) == nil)
            #expect(try await a.observe(lamp.on) == nil)
            #expect(try await b.observe(lamp.on) == nil)
            await lamp.turn(true)
            try await eventually("the event") { a.values == [.bool(true)] && b.values == [.bool(true)] }
            #expect(try await a.observe(lamp.on, false) == nil)
            await lamp.turn(false)
            try await eventually("the second event") { b.values.count == 2 }
            #expect(try await b.observe(lamp.on, false) == nil)
            await lamp.turn(true)
            #expect(try await c.readValues(lamp.on).first?.value == .bool(true))
            #expect(a.values == [.bool(true)] && b.values.count == 2 && c.values == [])
        }
    }

    @Test("A write is sent to the others who observe, not to its writer and not to those who do not")
    func writing() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b, c) = (try await house.app(), try await house.app(), try await house.app())
            let lamp = try await house.lamp(a)
            #expect(try await a.observe(lamp.on) == nil)
            #expect(try await b.observe(lamp.on) == nil)
            let results = try await a.writeValues(ValueWrite(characteristic: lamp.on, value: .integer(1)))
            #expect(results.map(\.value) == [.bool(true)] && results.compactMap(\.error) == [])
            #expect(lamp.bridge.bridge.driver.orders.map(\.command.on) == [true])
            try await eventually("the event at b") { b.values == [.bool(true)] }
            #expect(try await house.value(lamp, c) == .bool(true))
            #expect(a.values == [] && c.values == [])
        }
    }

    @Test("What cannot be is refused item by item, and the rest is done")
    func refusals() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
            let lamp = try await house.lamp(a)
            let accessory = try #require(try await house.home(a).accessory(lamp.accessory))
            let all = accessory.services.flatMap(\.characteristics)
            let name = try #require(all.first { $0.type == .name }?.id)
            let identify = try #require(all.first { $0.type == .identify }?.id)
            var generator = SeededNumbers(seed: 1)
            let unknown = Characteristic.ID(using: &generator)
            let read = try await a.readValues(identify, lamp.on, unknown)
            #expect(read.map(\.error?.code) == [.writeOnlyCharacteristic, nil, .notFound])
            #expect(read.map(\.characteristic) == [identify, lamp.on, unknown])
            let written = try await a.writeValues(
                ValueWrite(characteristic: name, value: .string("x")),
                ValueWrite(characteristic: lamp.on, value: .bool(true)),
                ValueWrite(characteristic: lamp.on, value: .bool(false)),
                ValueWrite(characteristic: lamp.on, value: nil),
                ValueWrite(characteristic: lamp.on, value: .string("on")))
            #expect(
                written.map(\.error?.code) == [
                    .readOnlyCharacteristic, nil, .invalidParameter, .invalidParameter, .invalidParameter,
                ])
            for (value, code) in [
                (nil, HomeError.Code.nilParameter), (.string("on"), .invalidValueType),
                (.integer(2), .invalidValueType),
            ] as [(CharacteristicValue?, HomeError.Code)] {
                let result = try await a.writeValues(ValueWrite(characteristic: lamp.on, value: value))
                #expect(result.first?.error?.code == code && result.first?.error?.accessory == lamp.accessory)
            }
            #expect(try await a.observe(name)?.code == .notificationNotSupported)
            #expect(lamp.bridge.bridge.driver.orders.count == 1)
            // What can only be written has no value.
            let showing = try await a.writeValues(ValueWrite(characteristic: identify, value: .bool(true)))
            #expect(showing.map(\.error) == [nil])
            #expect(try await house.home(a).characteristic(identify)?.value == nil)
        }
    }

    @Test("Without power everybody is told, nothing is observed, and requests fail with 4; with it everything goes on")
    func unplugged() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let lamp = try await house.lamp(a)
            #expect(try await a.observe(lamp.on) == nil)
            lamp.bridge.unplug(house.dialer)
            try await eventually("it is away") { b.live.contains(.reachabilityUpdated(lamp.accessory, false)) }
            #expect(b.live.contains(.reachabilityUpdated(lamp.bridgeAccessory, false)))
            #expect(try await house.home(a).characteristic(lamp.on)?.isNotificationEnabled == false)
            #expect(try await a.readValues(lamp.on).first?.error?.code == .accessoryNotReachable)
            #expect(
                try await a.writeValues(ValueWrite(characteristic: lamp.on, value: .bool(true))).first?.error?.code
                    == .accessoryNotReachable)
            await expect(.accessoryNotReachable) { try await a.call(.identify(lamp.accessory)) }
            #expect(try await b.observe(lamp.on)?.code == .bridgedAccessoryNotReachable)
            await lamp.turn(true)
            lamp.bridge.plugIn(house.dialer)
            try await eventually("it is back") { b.live.contains(.reachabilityUpdated(lamp.accessory, true)) }
            try await eventually("what was missed") { a.values == [.bool(true)] }
            #expect(try await house.home(a).characteristic(lamp.on)?.isNotificationEnabled == true)
            await lamp.turn(false)
            try await eventually("events again") { a.values == [.bool(true), .bool(false)] }
            #expect(b.values == [])
        }
    }

    @Test("A lamp that its bridge does not reach is away until something is received from it, and its bridge is not")
    func bridgedAway() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let lamp = try await house.lamp(a)
            #expect(try await a.observe(lamp.on) == nil)
            await lamp.plug(false)
            #expect(try await a.readValues(lamp.on).first?.error?.code == .bridgedAccessoryNotReachable)
            try await eventually("it is away") { b.live == [.reachabilityUpdated(lamp.accessory, false)] }
            #expect(try await house.home(a).characteristic(lamp.on)?.isNotificationEnabled == false)
            // What it is called its bridge knows without it.
            let information = try await house.home(a).accessory(lamp.accessory)?.services.first
            let name = try #require(information?.characteristic(.name)?.id)
            #expect(try await a.readValues(name).first?.error == nil)
            try await house.drain(b)
            #expect(b.live == [.reachabilityUpdated(lamp.accessory, false)])
            await lamp.plug(true)
            await lamp.turn(true)
            try await eventually("it is back") { b.live.last == .reachabilityUpdated(lamp.accessory, true) }
            try await eventually("the event") { a.values == [.bool(true)] }
            #expect(try await house.home(a).characteristic(lamp.on)?.isNotificationEnabled == true)
        }
    }

    @Test("A lamp that its bridge fails to switch is away, and the others are notified")
    func bridgedAwayByWrite() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let lamp = try await house.lamp(a)
            lamp.bridge.bridge.driver.set(lamp.light, .refuses(.unreachable))
            let results = try await a.writeValues(ValueWrite(characteristic: lamp.on, value: .bool(true)))
            #expect(results.map(\.error?.code) == [.bridgedAccessoryNotReachable])
            try await eventually("it is away") { b.live.contains(.reachabilityUpdated(lamp.accessory, false)) }
            #expect(!b.live.contains(.reachabilityUpdated(lamp.bridgeAccessory, false)))
        }
    }

    @Test("A scene sets its values; an empty one cannot be run, and nor can one twice at once")
    func scenes() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let lamp = try await house.lamp(a)
            #expect(try await b.observe(lamp.on) == nil)
            guard
                case .actionSet(let scene) = try await a.write(
                    .addActionSet(lamp.home, name: "Evening", kind: .userDefined)
                ).result
            else { return }
            await expect(.noActionsInActionSet) { try await a.call(.runActionSet(scene)) }
            try await a.write(
                .setActions(scene, [CharacteristicWriteAction(characteristic: lamp.on, targetValue: .bool(true))]))
            let results = try [ValueResult](json: try await a.call(.runActionSet(scene)))
            #expect(results.map(\.characteristic) == [lamp.on])
            try await eventually("the event at b") { b.values == [.bool(true)] }
            let carriedOut = { (app: TestApp) in
                app.notifications.compactMap { notification -> Bool? in
                    guard case .live(.actionSetExecutionUpdated(scene, let isExecuting, _)) = notification else {
                        return nil
                    }
                    return isExecuting
                }
            }
            try await eventually("b is told") { carriedOut(b) == [true, false] }
            #expect(carriedOut(a) == [])
            let last = try #require(await house.home(b).actionSet(scene)?.lastExecutionTime)
            try await eventually("it is stored") {
                house.store.stored.graph.home(of: scene)?.actionSet(scene)?.lastExecutionTime == last
            }
            lamp.bridge.bridge.driver.set(lamp.light, .waits)
            let first = await a.begin(.runActionSet(scene))
            try await eventually("the lamp is asked") { lamp.bridge.bridge.driver.waitingCount == 1 }
            await expect(.actionSetExecutionInProgress) { try await b.call(.runActionSet(scene)) }
            lamp.bridge.bridge.driver.answer(lamp.light, with: .unreachable)
            await expect(.actionSetExecutionFailed) { try await a.result(first) }
        }
    }

    @Test("A scene of which one part cannot be done does the rest, and says what was not")
    func partialScene() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let bridge = try await house.bridge(lamps: ["one", "two"])
            try await a.add(bridge, to: home)
            let lamps = try await house.home(a).accessories.filter(\.isBridged)
            let places = lamps.compactMap { $0.services.compactMap { $0.characteristic(.on) }.first?.id }
            guard
                case .actionSet(let scene) = try await a.write(
                    .addActionSet(home, name: "Evening", kind: .userDefined)
                ).result
            else { return }
            try await a.write(
                .setActions(
                    scene, places.map { CharacteristicWriteAction(characteristic: $0, targetValue: .bool(true)) }))
            bridge.bridge.driver.set("two", .refuses(.unreachable))
            let results = try [ValueResult](json: try await a.call(.runActionSet(scene)))
            #expect(results.map(\.value) == [.bool(true), nil])
            #expect(results.map { $0.error?.code } == [nil, .bridgedAccessoryNotReachable])
            let orders = bridge.bridge.driver.orders.filter { $0.command.on == true }
            #expect(Set(orders.map(\.light)) == ["one", "two"])
        }
    }

    @Test("An accessory makes itself noticed; one that has left is not found")
    func identify() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
            let lamp = try await house.lamp(a)
            try await a.call(.identify(lamp.accessory))
            #expect(lamp.bridge.bridge.driver.identified == [lamp.light])
            try await a.write(.removeAccessory(lamp.home, lamp.bridgeAccessory))
            await expect(.notFound) { try await a.call(.identify(lamp.accessory)) }
        }
    }

    @Test("What was received and could not be stored is stored later")
    func notingLater() async throws {
        let house = try HouseUnderTest { $0.saveInterval = .milliseconds(20) }
        let on = try await house.run { house in
            let a = try await house.app()
            let lamp = try await house.lamp(a)
            #expect(try await a.observe(lamp.on) == nil)
            try await eventually("the first values") { !house.store.noted.isEmpty }
            house.store.breakDown()
            await lamp.turn(true)
            try await eventually("it is refused") { house.store.refusals > 0 }
            house.store.breakDown(false)
            return lamp.on
        }
        #expect(house.store.noted.last?[on]?.value == .bool(true))
    }

    @Test("What was received is stored together, and only if it is new")
    func noting() async throws {
        let house = try HouseUnderTest { $0.saveInterval = .milliseconds(50) }
        try await house.run { house in
            let a = try await house.app()
            let lamp = try await house.lamp(a)
            #expect(try await a.observe(lamp.on) == nil)
            try await eventually("the first values") { !house.store.noted.isEmpty }
            await lamp.turn(true)
            try await eventually("the change") { house.store.noted.last?[lamp.on]?.value == .bool(true) }
            let count = house.store.noted.count
            #expect(try await a.readValues(lamp.on).first?.value == .bool(true))
            try await Task.sleep(for: .milliseconds(150))
            #expect(house.store.noted.count == count)
            await lamp.turn(false)
            try await eventually("the event") { a.values.last == .bool(false) }
        }
        #expect(house.store.noted.last?.map(\.value.value) == [.bool(false)])
    }
}

extension Accessory {
    fileprivate var on: Characteristic.ID? { services.compactMap { $0.characteristic(.on) }.first?.id }
}
