import DeviceKit
import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@testable import AccessoryRole
@testable import DeviceBridge

@Suite("A bridge with slow lights and several writers", .timeout)
struct SilentLightTests {
    private static func level(_ percent: Int) -> String { #"{"aid":2,"iid":10,"value":\#(percent)}"# }

    private func waits(_ house: House, _ count: Int = 1) async throws {
        try await house.drain(until: { house.bridge.driver.waitingCount >= count })
    }

    @Test("answers -70408 for a silent light after 2 s, and serves other lights in the meantime")
    func silent() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let writer = try await house.session()
        let other = try await house.session()
        async let answer = writer.write(#"{"aid":2,"iid":9,"value":true},{"aid":3,"iid":9,"value":true}"#)
        try await waits(house)
        #expect(try await other.write(#"{"aid":3,"iid":9,"value":false}"#).status == 204)
        #expect(try await other.read("id=2.9,3.9").status == 200)
        await house.advance(.milliseconds(1999))
        #expect(await writer.arrivals.count == 2)
        await house.advance(.milliseconds(1))
        let response = try await answer
        #expect(response.status == 207)
        #expect(
            response.text
                == #"{"characteristics":[{"aid":2,"iid":9,"status":-70408},{"aid":3,"iid":9,"status":0}]}"#)
        #expect(await house.value(2, 9) == .bool(false))
    }

    @Test(
        "doesn't notify subscribers of an unconfirmed value when a light returns during a write",
        arguments: [true, false])
    func backDuringWrite(isAccepted: Bool) async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let (writer, watcher) = (try await house.session(), try await house.session())
        _ = try await watcher.write(#"{"aid":2,"iid":9,"ev":true},{"aid":2,"iid":10,"ev":true}"#)
        async let answer = writer.write(#"{"aid":2,"iid":9,"value":true}"#)
        try await waits(house)
        await house.report(LightReport(reachable: false))
        await house.report(LightReport(reachable: true))
        // Because the light is reachable again, its last confirmed value is sent.
        #expect(await watcher.events == [#"{"characteristics":[{"aid":2,"iid":10,"value":100}]}"#])
        if isAccepted { house.bridge.driver.answer("lamp") }
        await house.advance(.seconds(2))
        #expect(try await answer.status == (isAccepted ? 204 : 207))
        await house.advance(.seconds(1))
        #expect(await house.value(2, 9) == .bool(isAccepted))
        #expect(
            await watcher.events.dropFirst() == [#"{"characteristics":[{"aid":2,"iid":9,"value":\#(isAccepted)}]}"#])
    }

    @Test("repeats an unanswered command, and cancels it if the driver hangs")
    func hangsAtRetry() async throws {
        let house = try await House()
        let writer = try await house.session()
        #expect(try await writer.write(Self.level(10)).status == 204)
        house.bridge.driver.set("lamp", .waits)
        await house.advance(.seconds(2))
        try await waits(house)
        #expect(house.bridge.driver.orders.map(\.command.brightness) == [10, 10])
        await house.advance(.seconds(2))
        try await house.drain(until: { house.bridge.driver.waitingCount == 0 })
        house.bridge.driver.set("lamp", .accepts)
        #expect(try await writer.write(Self.level(20)).status == 204)
        #expect(house.bridge.driver.orders.map(\.command.brightness) == [10, 10, 20])
    }

    @Test(
        "doesn't repeat a command to an unreachable light or a removed driver", arguments: [true, false])
    func noRetryOutOfReach(isDetached: Bool) async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let writer = try await house.session()
        async let answer = writer.write(Self.level(10))
        try await waits(house)
        await house.report(LightReport(reachable: false))
        house.bridge.driver.answer("lamp")
        #expect(try await answer.status == 204)
        if isDetached { await house.bridge.lights.detach(BridgeUnderTest.driverID) }
        // If an expired timer remained, this call wouldn't return.
        await house.advance(.seconds(5))
        #expect(house.bridge.driver.orders.count == 1)
    }

    @Test("cancels an unanswered command, and tries the next command")
    func nextIsTried() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let writer = try await house.session()
        async let first = writer.write(Self.level(10))
        try await waits(house)
        await house.advance(.seconds(2))
        #expect(try await first.status == 207)
        await house.drain()
        #expect(house.bridge.driver.waitingCount == 0)
        house.bridge.driver.set("lamp", .accepts)
        #expect(try await writer.write(Self.level(20)).status == 204)
        #expect(house.bridge.driver.orders.map(\.command.brightness) == [10, 20])
    }

    @Test("sends a waiting command once the driver returns from an unanswered command")
    func waitingIsSent() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .ignoresCancellation)
        let first = try await house.session()
        let second = try await house.session()
        async let one = first.write(Self.level(10))
        try await waits(house)
        await house.advance(.seconds(1))
        async let two = second.write(Self.level(20))
        try await house.drain(until: { await house.value(2, 10) == .integer(20) })
        await house.advance(.seconds(1))
        #expect(try await one.status == 207)
        // The driver has ignored the cancellation, so it doesn't get the next command yet.
        await house.drain()
        #expect(house.bridge.driver.orders.map(\.command.brightness) == [10])
        // The driver's answer to the first command is too late.
        house.bridge.driver.answer("lamp")
        try await house.drain(until: { house.bridge.driver.orders.count == 2 })
        #expect(house.bridge.driver.orders.map(\.command.brightness) == [10, 20])
        #expect(await second.arrivals.count == 2)
        house.bridge.driver.answer("lamp")
        #expect(try await two.status == 204)
        #expect(await house.value(2, 10) == .integer(20))
    }

    @Test("drops a waiting command when the driver returns if all its requests have timed out")
    func notDoneLate() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .ignoresCancellation)
        let (first, second) = (try await house.session(), try await house.session())
        async let one = first.write(Self.level(10))
        try await waits(house)
        await house.advance(.seconds(1))
        async let two = second.write(Self.level(20))
        try await house.drain(until: { await house.value(2, 10) == .integer(20) })
        await house.advance(.seconds(2))
        #expect(try await one.text.contains("-70408"))
        #expect(try await two.text.contains("-70408"))
        // A change at the light is still shown.
        await house.report(LightReport(brightness: 70))
        #expect(await house.value(2, 10) == .integer(70))
        house.bridge.driver.answer("lamp")
        await house.drain()
        #expect(house.bridge.driver.orders.map(\.command.brightness) == [10])
        #expect(await house.value(2, 10) == .integer(70))
    }

    @Test("ignores a late answer from a replaced driver")
    func lateAnswerOfFormer() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .ignoresCancellation)
        let (a, b) = (try await house.session(), try await house.session())
        async let one = a.write(Self.level(10))
        try await waits(house)
        await house.advance(.seconds(2))
        #expect(try await one.status == 207)
        let successor = ScriptedLightDriver()
        successor.set("lamp", .waits)
        await house.bridge.lights.attach(successor, as: BridgeUnderTest.driverID)
        async let two = a.write(Self.level(20))
        try await house.drain(until: { successor.waitingCount == 1 })
        async let three = b.write(Self.level(30))
        try await house.drain(until: { await house.value(2, 10) == .integer(30) })
        house.bridge.driver.answer("lamp")
        await house.drain()
        // The driver gets only one command at a time.
        #expect(successor.orders.map(\.command.brightness) == [20])
        successor.answer("lamp", with: .busy)
        #expect(try await two.text.contains("-70403"))
        try await house.drain(until: { successor.waitingCount == 1 })
        successor.answer("lamp")
        #expect(try await three.status == 204)
        #expect(successor.orders.map(\.command.brightness) == [20, 30])
    }

    @Test("ignores a late success, and applies later reports")
    func late() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .ignoresCancellation)
        let writer = try await house.session()
        _ = try await writer.write(#"{"aid":2,"iid":10,"ev":true}"#)
        async let answer = writer.write(Self.level(10))
        try await waits(house)
        await house.advance(.seconds(2))
        #expect(try await answer.text.contains("-70408"))
        house.bridge.driver.answer("lamp")
        await house.drain()
        #expect(await house.value(2, 10) == .integer(100))
        await house.report(LightReport(brightness: 10))
        #expect(await house.value(2, 10) == .integer(10))
        // The response reported a failure, so the writer is notified of the value.
        #expect(await writer.events == [#"{"characteristics":[{"aid":2,"iid":10,"value":10}]}"#])
    }

    @Test(
        "shows the last accepted value if two controllers write",
        arguments: [(true, true, 20), (true, false, 10), (false, true, 20), (false, false, 100)])
    func twoWriters(first: Bool, second: Bool, result: Int64) async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let a = try await house.session()
        let b = try await house.session()
        let watcher = try await house.session()
        for session in [a, b, watcher] { _ = try await session.write(#"{"aid":2,"iid":10,"ev":true}"#) }
        async let one = a.write(Self.level(10))
        try await waits(house)
        async let two = b.write(Self.level(20))
        try await house.drain(until: { await house.value(2, 10) == .integer(20) })
        #expect(try await watcher.read("id=2.10").text.contains(#""value":20"#))
        house.bridge.driver.answer("lamp", with: first ? nil : .busy)
        #expect(try await one.status == (first ? 204 : 207))
        try await waits(house)
        #expect(try await watcher.read("id=2.10").text.contains(#""value":20"#))
        house.bridge.driver.answer("lamp", with: second ? nil : .busy)
        #expect(try await two.status == (second ? 204 : 207))
        await house.advance(.seconds(3))
        #expect(await house.value(2, 10) == .integer(result))
        // Controllers are notified if the last value that they know differs.
        let event = #"{"characteristics":[{"aid":2,"iid":10,"value":\#(result)}]}"#
        #expect(await watcher.events == (result == 100 ? [] : [event]))
        #expect(await a.events.last == (result == 20 ? event : nil))
        #expect(await b.events.last == (result == 10 ? event : nil))
    }

    @Test(
        "merges color, level and power that are written in any order during a command",
        arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
    func mergedInAnyOrder(order: [Int]) async throws {
        let writes: [(value: String, iid: UInt64, shown: CharacteristicValue)] = [
            (#"{"aid":2,"iid":13,"value":400}"#, 13, .integer(400)), (Self.level(30), 10, .integer(30)),
            (#"{"aid":2,"iid":9,"value":true}"#, 9, .bool(true)),
        ]
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let first = try await house.session()
        async let one = first.write(Self.level(99))
        try await waits(house)
        let others = [try await house.session(), try await house.session(), try await house.session()]
        var answers: [Task<HTTPResponse, any Error>] = []
        for (session, index) in zip(others, order) {
            let write = writes[index]
            answers.append(Task { try await session.write(write.value) })
            try await house.drain(until: { await house.value(2, write.iid) == write.shown })
        }
        house.bridge.driver.answer("lamp")
        #expect(try await one.status == 204)
        try await waits(house)
        house.bridge.driver.answer("lamp")
        for answer in answers { #expect(try await answer.value.status == 204) }
        #expect(
            house.bridge.driver.orders.map(\.command) == [
                LightCommand(brightness: 99),
                LightCommand(on: true, brightness: 30, color: .temperature(mired: 400)),
            ])
        await house.advance(.seconds(3))
        for write in writes { #expect(await house.value(2, write.iid) == write.shown) }
    }

    @Test("doesn't send a failed command when a lost light returns")
    func lostAndBack() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let (a, b, c) = (try await house.session(), try await house.session(), try await house.session())
        async let one = a.write(Self.level(1))
        try await waits(house)
        async let two = b.write(#"{"aid":2,"iid":9,"value":true}"#)
        try await house.drain(until: { await house.value(2, 9) == .bool(true) })
        await house.report(LightReport(reachable: false))
        #expect(try await two.text.contains("-70402"))
        await house.report(LightReport(reachable: true))
        async let three = c.write(Self.level(3))
        try await house.drain(until: { await house.value(2, 10) == .integer(3) })
        house.bridge.driver.answer("lamp")
        #expect(try await one.status == 204)
        try await waits(house)
        house.bridge.driver.answer("lamp")
        #expect(try await three.status == 204)
        #expect(
            house.bridge.driver.orders.map(\.command) == [LightCommand(brightness: 1), LightCommand(brightness: 3)])
    }

    @Test("answers -70409 immediately for a light that is removed during a command")
    func removed() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let (session, second) = (try await house.session(), try await house.session())
        async let answer = session.write(Self.level(1))
        try await waits(house)
        async let other = second.write(Self.level(2))
        try await house.drain(until: { await house.value(2, 10) == .integer(2) })
        await house.bridge.host.removed("lamp")
        try await house.drain(until: { await second.arrivals.count == 3 })
        #expect(try await answer.text.contains("-70409"))
        #expect(try await other.text.contains("-70409"))
        await house.drain()
        #expect(house.bridge.driver.waitingCount == 0)
        #expect(try await session.read("id=2.10").text.contains("-70409"))
    }

    @Test("keeps the value of a light whose description changes during a command", arguments: [true, false])
    func describedAnew(succeeds: Bool) async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let session = try await house.session()
        _ = try await session.write(#"{"aid":2,"iid":10,"ev":true}"#)
        async let answer = session.write(Self.level(1))
        try await waits(house)
        var description = LightDescription.lamp
        description.firmware = "9"
        await house.bridge.host.added(description)
        #expect(await house.value(2, 10) == .integer(1))
        house.bridge.driver.answer("lamp", with: succeeds ? nil : .busy)
        _ = try await answer
        await house.advance(.seconds(2))
        #expect(await house.value(2, 10) == .integer(succeeds ? 1 : 100))
        // The controller needs no event: it knows the value that it wrote, and its response reports a failure.
        #expect(await session.events.isEmpty)
    }

    @Test("rejects an operator's command to an unreachable light")
    func operatorUnreachable() async throws {
        let house = try await House()
        await house.report(LightReport(reachable: false))
        let key = LightKey(driver: BridgeUnderTest.driverID, light: "lamp")
        #expect(await house.bridge.lights.command(LightCommand(on: true), key) == .unableToCommunicate)
        #expect(house.bridge.driver.orders.isEmpty)
    }
}
