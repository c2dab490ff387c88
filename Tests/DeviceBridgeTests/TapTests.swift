import DeviceBridge
import DeviceKit
import HAPModel
import HAPProtocol
import HAPTesting
import TestTimeouts
import Testing

/// The effect of a tap on a tile, for which the Home app writes full brightness together with On (Lights 2).
@Suite("The tap setting", .timeout)
struct TapTests {
    private static func house(_ tap: LightOverride.Tap) async throws -> House {
        let key = try #require(LightKey("test/lamp"))
        let house = try await House(overrides: [key: LightOverride(tap: tap)])
        await house.report(LightReport(on: false, brightness: 40, reachable: true))
        return house
    }

    private static func body(_ values: [(Int, String)]) -> String {
        let items = values.map { #"{"aid":2,"iid":\#($0.0),"value":\#($0.1)}"# }
        return #"{"characteristics":[\#(items.joined(separator: ","))]}"#
    }

    @Test("determines whether a tap on a light that is off restores its level", arguments: [true, false])
    func tap(restores: Bool) async throws {
        let house = try await Self.house(restores ? .restore : .full)
        let session = try await house.session()
        #expect(try await session.put("/characteristics", Self.body([(9, "true"), (10, "100")])).status == 204)
        let wanted = LightCommand(on: true, brightness: restores ? 40 : 100)
        #expect(house.bridge.driver.orders == [.init("lamp", wanted)])
        await house.drain()
        #expect(await house.value(2, 10) == .integer(restores ? 40 : 100))
    }

    @Test("doesn't affect a slider that is dragged to 100")
    func slider() async throws {
        let house = try await Self.house(.restore)
        let session = try await house.session()
        for level in [3, 57, 100] {
            #expect(
                try await session.put("/characteristics", Self.body([(9, "true"), (10, "\(level)")])).status == 204)
        }
        #expect(house.bridge.driver.orders.last == .init("lamp", LightCommand(on: true, brightness: 100)))
    }

    @Test("doesn't affect full brightness or power that is written alone")
    func alone() async throws {
        let house = try await Self.house(.restore)
        let session = try await house.session()
        #expect(try await session.put("/characteristics", Self.body([(10, "100")])).status == 204)
        #expect(try await session.put("/characteristics", Self.body([(9, "true")])).status == 204)
        #expect(
            house.bridge.driver.orders == [
                .init("lamp", LightCommand(brightness: 100)), .init("lamp", LightCommand(on: true)),
            ])
    }
}
