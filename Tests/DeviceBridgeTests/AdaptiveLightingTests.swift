import AccessoryRole
import BoundedJSON
import DeviceBridge
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("Adaptive lighting", .timeout)
struct AdaptiveLightingTests {
    // The iids of the lamp.
    private static let colorTemperature: UInt8 = 13
    private static let control: UInt64 = 15
    private static let count: UInt64 = 16

    private static func items(_ items: [(UInt8, [UInt8])]) -> [UInt8] {
        items.flatMap { type, value -> [UInt8] in
            var bytes: [UInt8] = []
            var rest = value[...]
            repeat {
                let part = rest.prefix(255)
                rest = rest.dropFirst(part.count)
                bytes += [type, UInt8(part.count)] + part
            } while !rest.isEmpty
            return bytes
        }
    }

    private static func number<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    /// Returns a curve between two color temperatures, which takes an hour by default.
    ///
    /// At full brightness, it is 10 mired cooler than at zero.
    private static func update(from: Float, to: Float, minutes: UInt32 = 60) -> [UInt8] {
        func entry(_ mired: Float, _ offset: UInt32) -> (UInt8, [UInt8]) {
            (1, items([(1, number(Float(-0.1).bitPattern)), (2, number(mired.bitPattern)), (3, number(offset))]))
        }
        let curve = items([
            entry(from, 0), (0, []), entry(to, minutes * 60_000), (2, [10]),
            (3, items([(1, number(UInt32(10))), (2, number(UInt32(100)))])),
        ])
        let parameters = items([(1, [UInt8](repeating: 7, count: 16)), (2, number(UInt64(1000)))])
        let configuration = items([
            (1, [colorTemperature]), (2, parameters), (3, [1]), (5, curve), (6, number(UInt16(60_000))),
            (8, number(UInt32(600_000))),
        ])
        return items([(2, items([(1, configuration)]))])
    }

    private static let disable = items([(2, items([(1, items([(1, [colorTemperature])]))]))])

    private static func entry(_ bytes: [UInt8]) -> String {
        #"{"aid":2,"iid":\#(control),"value":"\#(Base64.encode(bytes))","r":true}"#
    }

    /// A house whose lamp is on at full brightness and follows a curve from 300 to 420 mired.
    private static func following() async throws -> (House, TestController) {
        let house = try await House()
        await house.report(LightReport(on: true, brightness: 100, color: .temperature(mired: 250)))
        let session = try await house.session()
        _ = try await session.write(#"{"aid":2,"iid":16,"ev":true},{"aid":2,"iid":13,"ev":true}"#)
        let response = try await session.write(entry(update(from: 310, to: 430)))
        #expect(response.status == 207 && response.text.contains(#""status":0,"value":"Ai"#), "\(response.text)")
        await house.drain()
        return (house, session)
    }

    private func active(_ house: House) async -> Bool {
        await house.value(2, Self.count) == .integer(1)
    }

    private func commands(_ house: House) -> [LightCommand] { house.bridge.driver.orders.map(\.command) }

    @Test("is offered by lamps with brightness and color temperature")
    func offered() async throws {
        let house = try await House()
        #expect(await house.value(2, Self.count) == .integer(0))
        #expect(await house.value(2, Self.control) == .data([]))
        let types = await house.bridge.server.accessories.last?.services.flatMap(\.characteristics).map(\.type)
        #expect(types?.contains(.characteristicValueTransitionControl) == false)
    }

    @Test("follows the curve every minute and brightness changes immediately, with few events")
    func follows() async throws {
        let (house, session) = try await Self.following()
        #expect(await active(house))
        #expect(commands(house) == [LightCommand(color: .temperature(mired: 300))])
        for _ in 0..<5 { await house.advance(.seconds(60)) }
        #expect(commands(house).last == LightCommand(color: .temperature(mired: 310)))
        #expect(await house.value(2, UInt64(Self.colorTemperature)) == .integer(310))
        // The first value was sent as an event. The values of the next ten minutes aren't sent.
        #expect(await session.events.filter { $0.contains(#""iid":13"#) }.count == 1)
        for _ in 0..<6 { await house.advance(.seconds(60)) }
        #expect(await session.events.filter { $0.contains(#""iid":13"#) }.count == 2)
        _ = try await session.write(#"{"aid":2,"iid":10,"value":50}"#)
        await house.drain()
        #expect(commands(house).suffix(2).map(\.brightness) == [50, nil])
        #expect(commands(house).last?.color == .temperature(mired: 327))
        #expect(await active(house))
    }

    @Test("never switches a light on, and sets its color temperature when it is switched on")
    func neverOn() async throws {
        let (house, session) = try await Self.following()
        _ = try await session.write(#"{"aid":2,"iid":9,"value":false}"#)
        await house.advance(.seconds(3))
        let before = commands(house).count
        for _ in 0..<30 { await house.advance(.seconds(60)) }
        #expect(commands(house).count == before)
        // When the light is switched on, it reports its default color temperature. This doesn't end the transition,
        // because no person chose it.
        await house.report(LightReport(on: true, color: .temperature(mired: 200)))
        #expect(await active(house))
        #expect(commands(house).last == LightCommand(color: .temperature(mired: 360)))
    }

    @Test("sends an event for a change at the light during an update")
    func switchedMeanwhile() async throws {
        let (house, session) = try await Self.following()
        _ = try await session.write(#"{"aid":2,"iid":9,"ev":true},{"aid":2,"iid":10,"ev":true}"#)
        house.bridge.driver.set("lamp", .waits)
        await house.advance(.seconds(60))
        #expect(house.bridge.driver.waitingCount == 1)
        await session.forgetArrivals()
        await house.report(LightReport(on: false))
        await house.advance(.seconds(1))
        let events = await session.events
        #expect(events.contains { $0.contains(#""iid":9,"value":false"#) }, "\(events)")
    }

    @Test("resumes when a light is reachable again")
    func unreachable() async throws {
        let (house, _) = try await Self.following()
        await house.report(LightReport(reachable: false))
        await house.advance(.seconds(1800))
        await house.report(LightReport(on: true, brightness: 100, color: .temperature(mired: 200), reachable: true))
        #expect(await active(house))
        #expect(commands(house).last == LightCommand(color: .temperature(mired: 360)))
    }

    @Test("ends when a person chooses a color, but not because of echoes of its commands", arguments: 0..<7)
    func ends(way: Int) async throws {
        let (house, session) = try await Self.following()
        await house.advance(.seconds(20))
        var isActive = false
        switch way {
        case 0: _ = try await session.write(#"{"aid":2,"iid":13,"value":300}"#)
        case 1: _ = try await session.write(#"{"aid":2,"iid":11,"value":30},{"aid":2,"iid":12,"value":80}"#)
        case 2: await house.report(LightReport(color: .hueSaturation(hue: 120, saturation: 100)))
        case 3: await house.report(LightReport(color: .temperature(mired: 200)))
        case 4:
            let key = LightKey(driver: BridgeUnderTest.driverID, light: "lamp")
            _ = await house.bridge.lights.command(LightCommand(color: .temperature(mired: 200)), key)
        case 5: #expect(try await session.write(Self.entry(Self.disable)).status == 207)
        default:
            await house.report(LightReport(color: .temperature(mired: 303)))
            await house.report(LightReport(brightness: 80))
            isActive = true
        }
        await house.drain()
        #expect(await active(house) == isActive)
        // Wait until an unanswered command has been repeated.
        await house.advance(.seconds(3))
        let sent = commands(house).count
        for _ in 0..<5 { await house.advance(.seconds(60)) }
        #expect((commands(house).count > sent) == isActive)
        let counts = await session.events.filter { $0.contains(#""iid":16"#) }
        // The first event reports the start.
        #expect(counts.count == (isActive ? 1 : 2), "\(counts)")
        #expect(house.store.lights.first?.transition == nil || isActive)
    }

    @Test("stores a curve before it responds to the write")
    func storedFirst() async throws {
        let house = try await House()
        let session = try await house.session()
        house.store.hold([.light])
        await session.forgetArrivals()
        async let response = session.write(Self.entry(Self.update(from: 310, to: 430)))
        try await house.drain(until: { house.store.waitingCount > 0 })
        await house.drain()
        #expect(await session.arrivals.isEmpty)
        house.store.release()
        #expect(try await response.text.contains(#""status":0"#))
        #expect(house.store.lights.first?.transition != nil)
    }

    @Test("ends at the end of the curve and with the last pairing")
    func over() async throws {
        let (house, _) = try await Self.following()
        for _ in 0..<61 { await house.advance(.seconds(60)) }
        #expect(await !active(house))
        let (other, _) = try await Self.following()
        try await other.bridge.server.removeAllPairings()
        await other.advance(.seconds(60))
        #expect(await !active(other))
    }

    @Test("resumes at the current time after a restart")
    func restart() async throws {
        let (house, _) = try await Self.following()
        #expect(house.store.lights.first?.transition != nil)
        let again = try await BridgeUnderTest(
            house.store, stored: house.store.bridge, lights: [.lamp, .plain], wallClock: { .seconds(1800) })
        await again.host.report(LightReport(on: true, brightness: 100), from: "lamp")
        await again.scheduler.drain()
        #expect(await again.value(CharacteristicID(2, InstanceID(Self.count))) == .integer(1))
        #expect(again.driver.orders.last?.command == LightCommand(color: .temperature(mired: 360)))
        // A curve that has ended isn't resumed.
        let late = try await BridgeUnderTest(
            house.store, stored: house.store.bridge, lights: [.lamp, .plain], wallClock: { .seconds(7200) })
        #expect(await late.value(CharacteristicID(2, InstanceID(Self.count))) == .integer(0))
    }

    @Test("rejects invalid curves, and curves for lights without color temperature")
    func refused() async throws {
        let house = try await House()
        let session = try await house.session()
        for bytes in [[1], [2, 0], Array(Self.update(from: 300, to: 400).dropLast(3))] as [[UInt8]] {
            let response = try await session.write(Self.entry(bytes))
            #expect(response.text.contains("-70410"), "\(response.text)")
        }
        #expect(await !active(house))
        #expect(commands(house).isEmpty)
    }
}
