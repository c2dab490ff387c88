import DeviceKit
import HAPController
import HAPTesting
import HomeHub
import HomeModel
import TestTimeouts
import Testing

import enum HAPModel.CharacteristicValue

@Suite("The hub during reads and writes", .timeout)
struct HubValuesTests {
    @Test("notifies other observers of a write, but not its writer")
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

    @Test("rejects invalid items individually, and performs the other items")
    func refusals() async throws {
        try await withHouse { house, a in
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
            // A write-only characteristic has no value.
            let showing = try await a.writeValues(ValueWrite(characteristic: identify, value: .bool(true)))
            #expect(showing.map(\.error) == [nil])
            #expect(try await house.home(a).characteristic(identify)?.value == nil)
        }
    }

    @Test("fails requests and suspends observations while an accessory is unreachable, and catches up afterwards")
    func unplugged() async throws {
        try await withHouse { house, a, b in
            let lamp = try await house.lamp(a)
            #expect(try await a.observe(lamp.on) == nil)
            lamp.bridge.unplug(house.dialer)
            try await eventually("the lamp is unreachable") {
                b.live.contains(.reachabilityUpdated(lamp.accessory, false))
            }
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
            try await eventually("the lamp is reachable again") {
                b.live.contains(.reachabilityUpdated(lamp.accessory, true))
            }
            try await eventually("the missed value") { a.values == [.bool(true)] }
            #expect(try await house.home(a).characteristic(lamp.on)?.isNotificationEnabled == true)
            await lamp.turn(false)
            try await eventually("events again") { a.values == [.bool(true), .bool(false)] }
            #expect(b.values == [])
        }
    }

    @Test("reports a bridged lamp as unreachable without its bridge")
    func bridgedAway() async throws {
        try await withHouse { house, a, b in
            let lamp = try await house.lamp(a)
            #expect(try await a.observe(lamp.on) == nil)
            await lamp.plug(false)
            #expect(try await a.readValues(lamp.on).first?.error?.code == .bridgedAccessoryNotReachable)
            try await eventually("the lamp is unreachable") { b.live == [.reachabilityUpdated(lamp.accessory, false)] }
            #expect(try await house.home(a).characteristic(lamp.on)?.isNotificationEnabled == false)
            // The bridge itself answers for the lamp's name.
            let information = try await house.home(a).accessory(lamp.accessory)?.services.first
            let name = try #require(information?.characteristic(.name)?.id)
            #expect(try await a.readValues(name).first?.error == nil)
            try await house.drain(b)
            #expect(b.live == [.reachabilityUpdated(lamp.accessory, false)])
            await lamp.plug(true)
            await lamp.turn(true)
            try await eventually("the lamp is reachable again") {
                b.live.last == .reachabilityUpdated(lamp.accessory, true)
            }
            try await eventually("the event") { a.values == [.bool(true)] }
            #expect(try await house.home(a).characteristic(lamp.on)?.isNotificationEnabled == true)
        }
    }

    @Test("reports a bridged lamp as unreachable after a failed write")
    func bridgedAwayByWrite() async throws {
        try await withHouse { house, a, b in
            let lamp = try await house.lamp(a)
            lamp.bridge.bridge.driver.set(lamp.light, .refuses(.unreachable))
            let results = try await a.writeValues(ValueWrite(characteristic: lamp.on, value: .bool(true)))
            #expect(results.map(\.error?.code) == [.bridgedAccessoryNotReachable])
            try await eventually("the lamp is unreachable") {
                b.live.contains(.reachabilityUpdated(lamp.accessory, false))
            }
            #expect(!b.live.contains(.reachabilityUpdated(lamp.bridgeAccessory, false)))
        }
    }

    @Test("runs a scene, but refuses an empty scene and a second run at the same time")
    func scenes() async throws {
        try await withHouse { house, a, b in
            let lamp = try await house.lamp(a)
            #expect(try await b.observe(lamp.on) == nil)
            let scene = try await a.addScene(to: lamp.home)
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
            try await eventually("b receives the events") { carriedOut(b) == [true, false] }
            #expect(carriedOut(a) == [])
            let last = try #require(await house.home(b).actionSet(scene)?.lastExecutionTime)
            try await eventually("the execution time is stored") {
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

    @Test("reports the failed actions of a scene, and performs the other actions")
    func partialScene() async throws {
        try await withHouse { house, a in
            let home = try await a.addHome()
            let bridge = try await house.bridge(lamps: ["one", "two"])
            try await a.add(bridge, to: home)
            let lamps = try await house.home(a).accessories.filter(\.isBridged)
            let places = lamps.compactMap(\.on)
            let scene = try await a.addScene(to: home)
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

    @Test("retries storing values after a failure")
    func notingLater() async throws {
        let house = try HouseUnderTest { $0.saveInterval = .milliseconds(20) }
        let on = try await house.run { house in
            let a = try await house.app()
            let lamp = try await house.lamp(a)
            #expect(try await a.observe(lamp.on) == nil)
            try await eventually("the first values") { !house.store.noted.isEmpty }
            house.store.breakDown()
            await lamp.turn(true)
            try await eventually("the store refuses a commit") { house.store.refusals > 0 }
            house.store.breakDown(false)
            return lamp.on
        }
        #expect(house.store.noted.last?[on]?.value == .bool(true))
    }

    @Test("stores changed values together")
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
