import AccessoryRole
import DeviceBridge
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("A running bridge", .timeout)
struct DriverChangeTests {
    private let lamp = LightKey(driver: BridgeUnderTest.driverID, light: "lamp")

    private func isReachable(_ house: House, _ light: LightID) async -> Bool? {
        await house.bridge.lights.snapshots().first { $0.key.light == light }?.isReachable
    }

    @Test("hides the replacement of a driver from controllers")
    func replaced() async throws {
        let house = try await House()
        let session = try await house.session()
        await house.report(LightReport(on: true, brightness: 30))
        let number = await house.bridge.server.configurationNumber

        let next = ScriptedLightDriver()
        await house.bridge.lights.attach(next, as: BridgeUnderTest.driverID)
        #expect(try await session.read("id=2.9,2.10").status == 200)
        await house.bridge.host.added(.lamp)
        await house.report(LightReport(on: true, brightness: 30, reachable: true))
        _ = try await session.write(#"{"aid":2,"iid":9,"value":false}"#)
        #expect(next.orders == [ScriptedLightDriver.Order("lamp", LightCommand(on: false))])
        await house.advance(.seconds(6))
        #expect(await isReachable(house, "lamp") == true)
        #expect(await house.bridge.server.configurationNumber == number)
    }

    @Test("marks a light as unreachable if a new driver doesn't report it in time")
    func unconfirmed() async throws {
        let house = try await House()
        await house.bridge.lights.attach(ScriptedLightDriver(), as: BridgeUnderTest.driverID)
        await house.report(LightReport(reachable: true), "plain")
        await house.advance(.milliseconds(4900))
        #expect(await isReachable(house, "lamp") == true)
        await house.advance(.milliseconds(200))
        #expect(await isReachable(house, "lamp") == false)
        #expect(await isReachable(house, "plain") == true)
    }

    @Test("drops the warnings of a driver that is removed")
    func warnings() async throws {
        let house = try await House()
        await house.bridge.host.warn("the topic x cannot be read", about: "x")
        #expect(await house.bridge.lights.warnings().map(\.text) == ["the topic x cannot be read"])
        await house.bridge.lights.attach(ScriptedLightDriver(), as: BridgeUnderTest.driverID)
        #expect(await house.bridge.lights.warnings() == [])
    }

    @Test("assigns a warning to the driver's light whose id is the warning's subject")
    func warningsOfLights() async throws {
        let house = try await House()
        await house.bridge.host.warn("dim", about: "lamp")
        await house.bridge.host.warn("lost", about: "attic")
        await house.bridge.lights.host(for: "other").warn("odd", about: "lamp")
        #expect(
            await house.bridge.lights.warnings().map { [$0.text, $0.driver, $0.light?.description] } == [
                ["odd", "other", nil], ["lost", "test", nil], ["dim", "test", "test/lamp"],
            ])
    }

    @Test("keeps the aids of a removed driver's lights, marks the lights as unreachable, and warns about them")
    func detached() async throws {
        let house = try await House()
        let session = try await house.session()
        await house.bridge.lights.detach(BridgeUnderTest.driverID)
        await house.drain()
        #expect(try await session.read("id=2.9,3.9").status == 207)
        #expect(await house.bridge.lights.snapshots().map(\.aid) == [2, 3])
        let warnings = await house.bridge.lights.warnings().map(\.text)
        #expect(warnings.count == 1 && warnings[0].contains("driver test isn't configured"))
        await house.bridge.lights.forget(lamp)
        #expect(await house.bridge.aid("lamp") == nil)
        await house.bridge.lights.attach(house.bridge.driver, as: BridgeUnderTest.driverID)
        await house.bridge.host.added(.lamp)
        #expect(await house.bridge.aid("lamp") == 2)
        #expect(await house.bridge.lights.warnings() == [])
    }

    @Test("keeps the aids of lights that are renamed, hidden and shown again, and raises c# once for each change")
    func overrides() async throws {
        let house = try await House()
        let number = await house.bridge.server.configurationNumber
        let plain = LightKey(driver: BridgeUnderTest.driverID, light: "plain")
        await house.bridge.lights.use([
            lamp: LightOverride(name: "Desk"), plain: LightOverride(isHidden: true),
        ])
        await house.advance(.seconds(2))
        #expect(await house.bridge.lights.snapshots().map(\.name) == ["Desk"])
        #expect(await house.bridge.server.configurationNumber == number + 1)
        #expect(house.store.lights.first { $0.key == plain }?.isRemoved == false)

        await house.bridge.lights.use([:])
        await house.bridge.host.added(.plain)
        await house.advance(.seconds(2))
        #expect(await house.bridge.lights.snapshots().map(\.name) == ["Lamp", "Plain"])
        #expect(await house.bridge.aid("plain") == 3)
        #expect(await house.bridge.server.configurationNumber == number + 2)
    }

    @Test("keeps a light hidden across announcements and restarts")
    func hidden() async throws {
        let house = try await House()
        let overrides = [lamp: LightOverride(isHidden: true)]
        await house.bridge.lights.use(overrides)
        await house.bridge.host.added(.lamp)
        await house.report(LightReport(on: true, reachable: true))
        #expect(await house.bridge.aid("lamp") == nil)
        let again = try await BridgeUnderTest(
            house.store, stored: house.store.bridge, lights: [.lamp, .plain], overrides: overrides)
        #expect(await again.aid("lamp") == nil)
        #expect(await again.server.accessories.map(\.aid) == [1, 3])
    }

    @Test("applies a new event window to connected controllers")
    func eventWindow() async throws {
        let house = try await House()
        let session = try await house.session()
        _ = try await session.write(#"{"aid":2,"iid":10,"ev":true}"#)
        await house.bridge.server.use(eventWindow: .seconds(5))
        await house.report(LightReport(brightness: 5))
        await house.report(LightReport(brightness: 6))
        await house.advance(.seconds(4))
        #expect(await session.events.count == 1)
        await house.advance(.seconds(2))
        #expect(await session.events.count == 2)
    }

    @Test("waits until every driver has reported its state, or until the time limit")
    func waiting() async throws {
        let house = try await House()
        let lights = house.bridge.lights
        async let first: Void = lights.waitForDrivers(atMost: .seconds(60))
        await house.bridge.host.report(.running)
        await first
        // All drivers have started.
        await lights.waitForDrivers(atMost: .seconds(60))

        await lights.attach(house.bridge.driver, as: BridgeUnderTest.driverID)
        let timers = house.bridge.scheduler.timerCount
        async let second: Void = lights.waitForDrivers(atMost: .seconds(1))
        try await house.drain(until: { house.bridge.scheduler.timerCount > timers })
        await house.advance(.seconds(1))
        await second
    }
}
