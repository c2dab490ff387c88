import HAPCrypto
import HAPModel
import HAPProtocol
import HAPTesting
import LightKit
import TestTimeouts
import Testing

@testable import AccessoryRole
@testable import LightBridge

@Suite("Lights that answer late or never, and several writers", .timeout)
struct SilentLightTests {
    private static func level(_ percent: Int) -> String { #"{"aid":2,"iid":10,"value":\#(percent)}"# }

    private func waits(_ house: House, _ count: Int = 1) async throws {
        try await house.drain(until: { house.bridge.driver.waitingCount >= count })
    }

    @Test("a light that never answers: -70408 after 2 s and not before; others are not kept waiting")
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
        "a light that comes back while something is written to it: what was only written is told to no subscriber",
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
        // The sign of life.
        #expect(await watcher.events == [#"{"characteristics":[{"aid":2,"iid":10,"value":100}]}"#])
        if isAccepted { house.bridge.driver.answer("lamp") }
        await house.advance(.seconds(2))
        #expect(try await answer.status == (isAccepted ? 204 : 207))
        await house.advance(.seconds(1))
        #expect(await house.value(2, 9) == .bool(isAccepted))
        #expect(
            await watcher.events.dropFirst() == [#"{"characteristics":[{"aid":2,"iid":9,"value":\#(isAccepted)}]}"#])
    }

    @Test("a light that says nothing is told once more, and a driver that hangs at that is given up like any other")
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
        "nothing is sent once more to a light that is out of reach, or whose driver is gone", arguments: [true, false])
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
        // A time to wake that is over would be asked for again and again, and this would not return.
        await house.advance(.seconds(5))
        #expect(house.bridge.driver.orders.count == 1)
    }

    @Test("after one that was not answered, the next command is tried, and a driver is asked to end the first")
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

    @Test("what waits behind a command that was not answered is sent when the driver has come back from that one")
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
        // The driver takes no notice of being cancelled, and is promised one command at a time.
        await house.drain()
        #expect(house.bridge.driver.orders.map(\.command.brightness) == [10])
        // It answers the first one now: too late, and for no other.
        house.bridge.driver.answer("lamp")
        try await house.drain(until: { house.bridge.driver.orders.count == 2 })
        #expect(house.bridge.driver.orders.map(\.command.brightness) == [10, 20])
        #expect(await second.arrivals.count == 2)
        house.bridge.driver.answer("lamp")
        #expect(try await two.status == 204)
        #expect(await house.value(2, 10) == .integer(20))
    }

    @Test("what no controller waits for any more when a driver comes back late is not done")
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
        // Somebody at the light is seen all the same.
        await house.report(LightReport(brightness: 70))
        #expect(await house.value(2, 10) == .integer(70))
        house.bridge.driver.answer("lamp")
        await house.drain()
        #expect(house.bridge.driver.orders.map(\.command.brightness) == [10])
        #expect(await house.value(2, 10) == .integer(70))
    }

    @Test("a driver that never comes back from a command does not keep its successor waiting")
    func successor() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .ignoresCancellation)
        let session = try await house.session()
        async let one = session.write(Self.level(10))
        try await waits(house)
        await house.advance(.seconds(2))
        #expect(try await one.status == 207)
        let successor = ScriptedLightDriver()
        await house.bridge.lights.attach(successor, as: BridgeUnderTest.driverID)
        #expect(try await session.write(Self.level(20)).status == 204)
        #expect(successor.orders.map(\.command.brightness) == [20])
        house.bridge.driver.answer("lamp")
        await house.drain()
        #expect(await house.value(2, 10) == .integer(20))
    }

    @Test("the late answer of a driver that was replaced is none to the command that its successor is at")
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
        // Still one command at a time.
        #expect(successor.orders.map(\.command.brightness) == [20])
        successor.answer("lamp", with: .busy)
        #expect(try await two.text.contains("-70403"))
        try await house.drain(until: { successor.waitingCount == 1 })
        successor.answer("lamp")
        #expect(try await three.status == 204)
        #expect(successor.orders.map(\.command.brightness) == [20, 30])
    }

    @Test("a late yes is ignored; what the light then reports is not")
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
        // Its value differs from what it was told before: the failure.
        #expect(await writer.events == [#"{"characteristics":[{"aid":2,"iid":10,"value":10}]}"#])
    }

    @Test("what a light said while its command failed is the truth")
    func saidMeanwhile() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let writer = try await house.session()
        async let answer = writer.write(Self.level(10))
        try await waits(house)
        await house.report(LightReport(brightness: 55))
        house.bridge.driver.answer("lamp", with: .busy)
        #expect(try await answer.text.contains("-70403"))
        await house.advance(.seconds(2))
        #expect(await house.value(2, 10) == .integer(55))
    }

    @Test("what else a light says while a command is under way does not make the command's value true")
    func otherEvent() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let writer = try await house.session()
        async let answer = writer.write(Self.level(10))
        try await waits(house)
        await house.report(LightReport(on: true))
        house.bridge.driver.answer("lamp", with: .busy)
        _ = try await answer
        await house.advance(.seconds(2))
        #expect(await house.value(2, 9) == .bool(true))
        #expect(await house.value(2, 10) == .integer(100))
    }

    @Test(
        "two writers at once, each accepted or refused: what is read at the end is what the light took last",
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
        // Who is told: everybody whose last knowledge differs from it.
        let event = #"{"characteristics":[{"aid":2,"iid":10,"value":\#(result)}]}"#
        #expect(await watcher.events == (result == 100 ? [] : [event]))
        #expect(await a.events.last == (result == 20 ? event : nil))
        #expect(await b.events.last == (result == 10 ? event : nil))
    }

    @Test("many writes while a light is busy become one command with the latest values; all get its answer")
    func merged() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let sessions = [try await house.session(), try await house.session(), try await house.session()]
        async let one = sessions[0].write(Self.level(1))
        try await waits(house)
        async let two = sessions[1].write(Self.level(2))
        async let three = sessions[2].write(#"{"aid":2,"iid":9,"value":true}"#)
        try await house.drain(until: { await house.value(2, 10) == .integer(2) })
        try await house.drain(until: { await house.value(2, 9) == .bool(true) })
        house.bridge.driver.answer("lamp")
        #expect(try await one.status == 204)
        try await waits(house)
        house.bridge.driver.answer("lamp", with: .busy)
        #expect(try await two.status == 207)
        #expect(try await three.status == 207)
        #expect(
            house.bridge.driver.orders.map(\.command) == [
                LightCommand(brightness: 1), LightCommand(on: true, brightness: 2),
            ])
    }

    @Test(
        "a colour, a level and a switch that come one by one while a light is busy reach it together, in any order",
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

    @Test("a light that is lost takes those down who wait for it, at once")
    func lost() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let a = try await house.session()
        let b = try await house.session()
        async let one = a.write(Self.level(1))
        try await waits(house)
        async let two = b.write(Self.level(2))
        try await house.drain(until: { await house.value(2, 10) == .integer(2) })
        await house.report(LightReport(reachable: false))
        #expect(try await two.text.contains("-70402"))
        house.bridge.driver.answer("lamp", with: .unreachable)
        #expect(try await one.text.contains("-70402"))
        #expect(house.bridge.driver.orders.count == 1)
    }

    @Test("a light that was lost and is back does not do what was answered as failed, when its next command comes")
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

    @Test("what a light says when it is back is true at once, whatever it was commanded right before it was lost")
    func truthAfterLoss() async throws {
        let house = try await House()
        let session = try await house.session()
        #expect(try await session.write(Self.level(10)).status == 204)
        await house.report(LightReport(reachable: false))
        await house.report(LightReport(brightness: 55, reachable: true))
        #expect(await house.value(2, 10) == .integer(55))
    }

    @Test("a light that is removed in mid-command: -70409 at once for all who wait, and nothing of it comes back")
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

    @Test("a light described anew in mid-command keeps what is true of it", arguments: [true, false])
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
        // It knows what it wrote, and its answer told it of the failure.
        #expect(await session.events.isEmpty)
    }

    @Test("what the operator asks of a light out of reach is refused, and its driver is not asked")
    func operatorUnreachable() async throws {
        let house = try await House()
        await house.report(LightReport(reachable: false))
        let key = LightKey(driver: BridgeUnderTest.driverID, light: "lamp")
        #expect(await house.bridge.lights.command(LightCommand(on: true), key) == .unableToCommunicate)
        #expect(house.bridge.driver.orders.isEmpty)
    }

    @Test("the operator's command and a controller's: what the light took last is what is read")
    func operatorBeside() async throws {
        let house = try await House()
        house.bridge.driver.set("lamp", .waits)
        let session = try await house.session()
        let lights = house.bridge.lights
        async let one = lights.command(
            LightCommand(brightness: 10), LightKey(driver: BridgeUnderTest.driverID, light: "lamp"))
        try await waits(house)
        async let two = session.write(Self.level(20))
        try await house.drain(until: { await house.value(2, 10) == .integer(20) })
        house.bridge.driver.answer("lamp")
        #expect(await one == .success)
        try await waits(house)
        house.bridge.driver.answer("lamp", with: .busy)
        #expect(try await two.status == 207)
        await house.advance(.seconds(2))
        #expect(await house.value(2, 10) == .integer(10))
    }

    @Test("a source that answers by a status alone is taken at its word; what it reported meanwhile counts more")
    func otherSources() async throws {
        let house = try await House()
        let source = ScriptedAccessorySource()
        try await house.bridge.server.set(.gadget, source: source, isReachable: true)
        let session = try await house.session()
        _ = try await session.write(#"{"aid":100,"iid":17,"value":5,"ev":true}"#)
        #expect(await house.value(100, 17) == .float(5))
        source.setWaits()
        async let answer = session.write(#"{"aid":100,"iid":17,"value":7}"#)
        try await house.drain(until: { await house.value(100, 17) == .float(7) })
        await house.bridge.server.update(100, [(17, .float(6))])
        #expect(await house.value(100, 17) == .float(7))
        await source.answer(.success, on: house.bridge.scheduler)
        #expect(try await answer.status == 204)
        await house.advance(.milliseconds(250))
        #expect(await house.value(100, 17) == .float(6))
        #expect(await session.events == [#"{"characteristics":[{"aid":100,"iid":17,"value":6}]}"#])
    }
}
