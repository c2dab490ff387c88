import DeviceBridge
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

@Suite("The transition setting", .timeout)
struct FadeTests {
    private static func house(canFade: Bool, _ transition: Duration?) async throws -> House {
        let key = try #require(LightKey("test/fading"))
        let house = try await House(overrides: [key: LightOverride(transition: transition)])
        var fading = LightDescription(
            id: "fading", name: "Fading", capabilities: LightDescription.lamp.capabilities)
        fading.capabilities.transition = canFade
        await house.bridge.host.added(fading)
        await house.report(LightReport(on: true, brightness: 50, reachable: true), "fading")
        return house
    }

    @Test(
        "applies to commands of controllers and the operator, for lights that can fade",
        arguments: [(true, .milliseconds(400)), (true, nil), (false, .milliseconds(400))] as [(Bool, Duration?)])
    func fades(canFade: Bool, transition: Duration?) async throws {
        let house = try await Self.house(canFade: canFade, transition)
        let key = try #require(LightKey("test/fading"))
        let wanted = canFade ? transition : nil
        let aid = try #require(await house.bridge.aid("fading"))
        let session = try await house.session()
        let body = #"{"characteristics":[{"aid":\#(aid.rawValue),"iid":10,"value":30}]}"#
        #expect(try await session.put("/characteristics", body).status == 204)
        #expect(await house.bridge.lights.command(LightCommand(brightness: 31), key) == .success)
        #expect(
            house.bridge.driver.orders == [
                .init("fading", LightCommand(brightness: 30, transition: wanted)),
                .init("fading", LightCommand(brightness: 31, transition: wanted)),
            ])
    }

    @Test("leads to a warning for a light that can't fade")
    func warning() async throws {
        let house = try await Self.house(canFade: false, .seconds(1))
        #expect(
            await house.bridge.lights.warnings().map(\.text) == [
                "test/fading doesn't support fade times; transition has no effect"
            ])
        await house.bridge.lights.use([:])
        #expect(await house.bridge.lights.warnings() == [])
        let able = try await Self.house(canFade: true, .seconds(1))
        #expect(await able.bridge.lights.warnings() == [])
    }
}
