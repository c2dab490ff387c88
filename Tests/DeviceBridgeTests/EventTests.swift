import AccessoryRole
import DeviceBridge
import DeviceKit
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("Event delivery", .timeout)
struct EventTests {
    private static let on = #"{"aid":2,"iid":9,"ev":true}"#
    private static let level = #"{"aid":2,"iid":10,"ev":true}"#
    private static let colors =
        #"{"aid":2,"iid":11,"ev":true},{"aid":2,"iid":12,"ev":true},{"aid":2,"iid":13,"ev":true}"#

    private static func event(_ entries: String) -> String { #"{"characteristics":[\#(entries)]}"# }

    private static func on(_ isOn: Bool) -> String { #"{"aid":2,"iid":9,"value":\#(isOn)}"# }

    private static func level(_ percent: Int) -> String { #"{"aid":2,"iid":10,"value":\#(percent)}"# }

    @Test("sends an event immediately when a light is reachable again")
    func backInReach() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write(#"{"aid":3,"iid":9,"ev":true}"#)
        await house.report(LightReport(reachable: false), "plain")
        await house.advance(.seconds(2))
        // HAP has no event for reachability.
        #expect(await session.events.isEmpty)
        await house.report(LightReport(reachable: true), "plain")
        #expect(await session.events == [#"{"characteristics":[{"aid":3,"iid":9,"value":false}]}"#])
        await house.report(LightReport(on: false, reachable: true), "plain")
        await house.advance(.seconds(2))
        #expect(await session.events.count == 1)
    }

    @Test("sends nothing on subscription, and the first change immediately")
    func leadingEdge() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write("\(Self.on),\(Self.level)")
        await house.advance(.seconds(5))
        #expect(await session.events.isEmpty)
        await house.report(LightReport(on: true))
        #expect(await session.events == [Self.event(Self.on(true))])
        // An equal value isn't a change.
        await house.report(LightReport(on: true))
        await house.advance(.seconds(1))
        #expect(await session.events.count == 1)
    }

    @Test("collects changes within the event window, and sends the latest value of each characteristic")
    func window() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write("\(Self.on),\(Self.level)")
        await house.report(LightReport(on: true))
        for percent in [10, 20, 30] { await house.report(LightReport(brightness: percent)) }
        await house.report(LightReport(on: false))
        await house.advance(.milliseconds(249))
        #expect(await session.events.count == 1)
        await house.advance(.milliseconds(1))
        #expect(await session.events.last == Self.event("\(Self.level(30)),\(Self.on(false))"))
        #expect(await session.events.count == 2)
        // After a window without changes, the next change is sent immediately.
        await house.advance(.milliseconds(250))
        await house.report(LightReport(on: true))
        #expect(await session.events.count == 3)
    }

    @Test("drops a pending value that is older than a write by the subscriber")
    func olderThanAnswer() async throws {
        let house = try await House()
        let (first, second) = (try await house.session(), try await house.session())
        for session in [first, second] { _ = try await session.write(Self.level) }
        for percent in [40, 50] { await house.report(LightReport(brightness: percent)) }
        house.bridge.driver.set("lamp", .waits)
        async let one = first.write(Self.level(70))
        try await house.drain(until: { house.bridge.driver.waitingCount == 1 })
        async let other = second.write(Self.level(70))
        await house.drain()
        house.bridge.driver.answer("lamp")
        #expect(try await one.status == 204)
        try await house.drain(until: { house.bridge.driver.waitingCount == 1 })
        await house.advance(.milliseconds(300))
        house.bridge.driver.answer("lamp")
        #expect(try await other.status == 204)
        await house.advance(.seconds(2))
        #expect(await house.value(2, 10) == .integer(70))
        #expect(await first.events == [Self.event(Self.level(40))])
        #expect(await second.events == [Self.event(Self.level(40))])
    }

    @Test("notifies subscribers of the value of a light that is removed and returns before c# rises")
    func backAgain() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write(Self.level)
        let number = await house.bridge.server.configurationNumber
        house.bridge.driver.set("lamp", .waits)
        async let written = session.write(Self.level(70))
        try await house.drain(until: { house.bridge.driver.waitingCount == 1 })
        // Without the removal, this value would be sent at the end of the write.
        await house.report(LightReport(brightness: 70))
        await house.bridge.host.removed("lamp")
        await house.bridge.host.added(.lamp)
        #expect(try await written.status == 207)
        await house.advance(.seconds(2))
        #expect(await house.bridge.server.configurationNumber == number)
        #expect(await house.value(2, 10) == .integer(70))
        #expect(await session.events == [Self.event(Self.level(70))])
    }

    @Test("notifies all subscribers except the writer of a write, and all of them of other changes")
    func originator() async throws {
        let house = try await House()
        let writer = try await house.session()
        let watcher = try await house.session()
        let unknownPeer = try await house.session()
        _ = try await writer.write(Self.on)
        _ = try await watcher.write(Self.on)
        _ = try await writer.write(Self.on(true))
        #expect(await watcher.events == [Self.event(Self.on(true))])
        await house.advance(.seconds(3))
        #expect(await writer.events.isEmpty)
        await house.report(LightReport(on: false))
        #expect(await writer.events == [Self.event(Self.on(false))])
        #expect(await watcher.events.count == 2)
        #expect(await unknownPeer.events.isEmpty)
    }

    @Test("drops a pending event that is older than the subscriber's write")
    func olderThanWritten() async throws {
        let house = try await House()
        let writer = try await house.session()
        _ = try await writer.write("\(Self.on),\(Self.level)")
        await house.report(LightReport(on: true))
        await house.report(LightReport(brightness: 20))
        _ = try await writer.write(Self.level(70))
        await house.advance(.seconds(3))
        #expect(await writer.events == [Self.event(Self.on(true))])
    }

    @Test("sends no event if a written value equals the current value")
    func equalValue() async throws {
        let house = try await House()
        let writer = try await house.session()
        let watcher = try await house.session()
        _ = try await watcher.write("\(Self.on),\(Self.level)")
        _ = try await writer.write("\(Self.on(false)),\(Self.level(100))")
        await house.advance(.seconds(3))
        #expect(await watcher.events.isEmpty)
    }

    @Test("notifies the writer and the others of a clamped value")
    func clamped() async throws {
        let house = try await House()
        let writer = try await house.session()
        let watcher = try await house.session()
        _ = try await writer.write(Self.level)
        _ = try await watcher.write(Self.level)
        house.bridge.driver.set("lamp", .reports([LightReport(brightness: 80)]))
        _ = try await writer.write(Self.level(90))
        #expect(await watcher.events == [Self.event(Self.level(90))])
        await house.advance(.seconds(2))
        #expect(await writer.events == [Self.event(Self.level(80))])
        #expect(await watcher.events.last == Self.event(Self.level(80)))
        #expect(await house.value(2, 10) == .integer(80))
    }

    @Test("sends a corrected value to the writer one event window after the response, and other changes immediately")
    func correctionBehindAnswer() async throws {
        let house = try await House()
        let writer = try await house.session()
        _ = try await writer.write(Self.level)
        #expect(try await writer.write("\(Self.on(true)),\(Self.level(0))").status == 204)
        await house.advance(.milliseconds(249))
        #expect(await writer.events.isEmpty)
        await house.advance(.milliseconds(1))
        #expect(await writer.events == [Self.event(Self.level(1))])
        #expect(try await writer.write(Self.level(70)).status == 204)
        await house.advance(.seconds(3))
        await house.report(LightReport(brightness: 60))
        #expect(await writer.events.last == Self.event(Self.level(60)))
    }

    @Test("sends the hue and saturation that result from a written color temperature, even to the writer")
    func colorTemperature() async throws {
        let house = try await House()
        let writer = try await house.session()
        _ = try await writer.write(Self.colors)
        _ = try await writer.write(#"{"aid":2,"iid":11,"value":240},{"aid":2,"iid":12,"value":100}"#)
        await house.advance(.seconds(3))
        await writer.forgetArrivals()
        #expect(try await writer.write(#"{"aid":2,"iid":13,"value":400}"#).status == 204)
        await house.advance(.seconds(3))
        let events = await writer.events
        #expect(events.count == 1)
        let all = events.joined()
        #expect(all.contains(#""iid":11"#))
        #expect(all.contains(#""iid":12"#))
        #expect(!all.contains(#""iid":13"#))
        #expect(await house.value(2, 13) == .integer(400))
        #expect(await house.value(2, 11) != .float(240))
        // Hue and saturation don't change the color temperature.
        _ = try await writer.write(#"{"aid":2,"iid":11,"value":10}"#)
        #expect(await house.value(2, 13) == .integer(400))
    }

    @Test("sends the writer the values that another value in the same request has replaced")
    func mergedModes() async throws {
        let house = try await House()
        let writer = try await house.session()
        _ = try await writer.write(Self.colors)
        let before = await house.value(2, 13)
        #expect(
            try await writer.write(
                #"{"aid":2,"iid":13,"value":400},{"aid":2,"iid":11,"value":240},{"aid":2,"iid":12,"value":100}"#
            ).status == 204)
        await house.advance(.seconds(3))
        #expect(await house.value(2, 11) == .float(240))
        #expect(await house.value(2, 13) == before)
        #expect(await writer.events.joined().contains(#""iid":13"#))
    }

    @Test("notifies the writer of Brightness 0 that the lamp is off and has kept its level")
    func brightnessZero() async throws {
        let house = try await House()
        await house.report(LightReport(on: true, brightness: 60))
        let writer = try await house.session()
        let watcher = try await house.session()
        _ = try await writer.write("\(Self.on),\(Self.level)")
        _ = try await watcher.write("\(Self.on),\(Self.level)")
        #expect(try await writer.write(Self.level(0)).status == 204)
        await house.advance(.seconds(3))
        #expect(await house.value(2, 10) == .integer(60))
        #expect(await house.value(2, 9) == .bool(false))
        #expect(await writer.events.joined().contains(Self.on(false)))
        #expect(await writer.events.joined().contains(Self.level(60)))
        #expect(await watcher.events == [Self.event(Self.on(false))])
        #expect(house.bridge.driver.orders.last == .init("lamp", LightCommand(on: false)))
        // The lamp is already off, and its brightness still isn't 0.
        #expect(try await writer.write(Self.level(0)).status == 204)
        await house.advance(.seconds(3))
        #expect(await house.value(2, 10) == .integer(60))
    }

    @Test("sets the lowest level for On with Brightness 0, and notifies the writer")
    func brightnessZeroAndOn() async throws {
        let house = try await House()
        await house.report(LightReport(on: false, brightness: 60))
        let (writer, watcher) = (try await house.session(), try await house.session())
        for session in [writer, watcher] { _ = try await session.write("\(Self.on),\(Self.level)") }
        #expect(try await writer.write("\(Self.on(true)),\(Self.level(0))").status == 204)
        await house.advance(.seconds(3))
        #expect(house.bridge.driver.orders.last == .init("lamp", LightCommand(on: true, brightness: 1)))
        #expect(await house.value(2, 9) == .bool(true))
        #expect(await house.value(2, 10) == .integer(1))
        #expect(await writer.events == [Self.event(Self.level(1))])
        #expect(await watcher.events == [Self.event("\(Self.on(true)),\(Self.level(1))")])
    }

    @Test("doesn't change the level if a lamp reports 0 % because it is off")
    func reportedZero() async throws {
        let house = try await House()
        await house.report(LightReport(on: true, brightness: 60))
        await house.report(LightReport(on: false, brightness: 0))
        #expect(await house.value(2, 9) == .bool(false))
        #expect(await house.value(2, 10) == .integer(60))
        let lamp = await house.bridge.lights.snapshots().first { $0.aid == 2 }
        #expect(lamp?.brightness == 60)
    }

    @Test("clamps reported values, and drops values of a wrong type")
    func beyondLimits() async throws {
        let house = try await House()
        try await house.bridge.server.set(.gadget, source: ScriptedAccessorySource(), isReachable: true)
        let session = try await house.session()
        _ = try await session.write(
            "\(Self.colors),"
                + #"{"aid":100,"iid":17,"ev":true},{"aid":100,"iid":15,"ev":true},{"aid":100,"iid":16,"ev":true}"#)
        await house.report(LightReport(color: .temperature(mired: 900)))
        #expect(await house.value(2, 13) == .integer(500))
        #expect(await session.events.joined().contains(#""iid":13,"value":500"#))
        await session.forgetArrivals()
        await house.bridge.server.update(
            100, [(17, .float(99)), (15, .string("three")), (16, .string("longer than eight"))])
        await house.advance(.seconds(1))
        #expect(
            await session.events == [
                #"{"characteristics":[{"aid":100,"iid":17,"value":10},{"aid":100,"iid":16,"value":"longer t"}]}"#
            ])
    }

    @Test("sends nothing after `ev:false`, not even pending events")
    func unsubscribe() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write("\(Self.on),\(Self.level)")
        await house.report(LightReport(on: true))
        await house.report(LightReport(brightness: 20))
        _ = try await session.write(#"{"aid":2,"iid":10,"ev":false}"#)
        await house.advance(.seconds(3))
        await house.report(LightReport(brightness: 21))
        await house.advance(.seconds(3))
        #expect(await session.events == [Self.event(Self.on(true))])
        // Unsubscribing from a value without a subscription succeeds.
        #expect(try await session.write(#"{"aid":2,"iid":10,"ev":false}"#).status == 204)
    }

    @Test("ends subscriptions when their connection ends")
    func forgotten() async throws {
        let house = try await House()
        let first = try await house.session()
        _ = try await first.write(Self.on)
        await first.close()
        let second = try await house.session()
        await house.report(LightReport(on: true))
        await house.advance(.seconds(3))
        #expect(await second.events.isEmpty)
        #expect(await first.events.isEmpty)
        #expect(try await second.read("id=2.9&ev=1").text.contains(#""ev":false"#))
    }

    @Test("sends no event between a request and its response")
    func notInBetween() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write(Self.on)
        await session.forgetArrivals()
        house.bridge.driver.set("plain", .waits)
        async let answer = session.write(#"{"aid":3,"iid":9,"value":true}"#)
        try await house.drain(until: { house.bridge.driver.waitingCount > 0 })
        await house.report(LightReport(on: true))
        await house.advance(.milliseconds(500))
        #expect(await session.arrivals.isEmpty)
        house.bridge.driver.answer("plain")
        #expect(try await answer.status == 204)
        await house.drain()
        #expect(
            await session.arrivals == [.response(HTTPResponse(204)), .event(Self.event(Self.on(true)))])
    }

    @Test("sends nothing to a blocked connection, and the latest values once it is writable")
    func notWritable() async throws {
        let house = try await House()
        let (session, link) = await house.bridge.connect(house.admin)
        #expect(try await session.pairVerify(house.bridge.identity) == nil)
        _ = try await session.write("\(Self.on),\(Self.level)")
        await link.connection.setTakesBytes(false)
        for percent in [10, 20, 30] { await house.report(LightReport(on: true, brightness: percent)) }
        await house.advance(.seconds(29))
        await link.connection.setTakesBytes(true)
        #expect(await session.events == [Self.event("\(Self.on(true)),\(Self.level(30))")])
        await house.advance(.seconds(60))
        #expect(await !session.isClosed)
    }

    @Test("drops a connection that is blocked for 30 s, and serves the others")
    func slowPeer() async throws {
        let house = try await House()
        let (slow, link) = await house.bridge.connect(house.admin)
        #expect(try await slow.pairVerify(house.bridge.identity) == nil)
        let quick = try await house.session()
        _ = try await slow.write(Self.level)
        _ = try await quick.write(Self.level)
        await link.connection.setTakesBytes(false)
        for second in 1...29 {
            await house.report(LightReport(brightness: second))
            await house.advance(.seconds(1))
        }
        #expect(await quick.events.count == 29)
        #expect(await !slow.isClosed)
        await house.advance(.seconds(1))
        #expect(await slow.isClosed)
        #expect(await slow.events.isEmpty)
        #expect(await house.bridge.server.controllerCount == 1)
        #expect(await house.bridge.server.statistics.stalled == 1)
    }

    @Test("sends every change immediately if the event window is zero")
    func noWindow() async throws {
        let admin = ControllerIdentity.random()
        let store = InMemoryAccessoryServerStore(.random(pairedWith: [admin]))
        let bridge = try await BridgeUnderTest(store, stored: store.bridge, lights: [.lamp], eventWindow: .zero)
        let session = try await bridge.session(admin)
        _ = try await session.write(Self.level)
        for percent in 1...5 { await bridge.host.report(LightReport(brightness: percent), from: "lamp") }
        await bridge.scheduler.drain()
        #expect(await session.events.count == 5)
    }
}
