import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

/// Button entities with the fields of ESPHome's api.proto (aioesphomeapi of August 2026).
@Suite("ESPHome buttons that are pressed in an app", .timeout)
struct ESPHomeActivationTests {
    private static func entity(_ more: (inout ProtobufWriter) -> Void = { _ in }) throws -> ESPHomeEntity {
        var body = ProtobufWriter()
        body.write("feed_now", field: 1)
        body.write(fixed32: 9, field: 2)
        body.write("Feed now", field: 3)
        more(&body)
        return try #require(try ESPHomeEntity(ESPHomeFraming.Message(61, body.bytes)))
    }

    @Test("are scenes, and a press is sent with the key of the entity")
    func press() throws {
        let button = ESPHomeLight(try Self.entity { $0.write(UInt64(4), field: 9) }, of: ESPHomeDeviceInfo())
        #expect(
            button.description.kind == .scene && button.description.functions == [.scene("press", name: "Feed now")])
        var command = LightCommand()
        command.values[Property(.on, of: "scene/press")] = .bool(true)
        var body = ProtobufWriter()
        body.write(fixed32: 9, field: 1)
        body.write(UInt64(4), field: 2)
        #expect(button.message(for: command) == ESPHomeFraming.Message(62, body.bytes))
        #expect(button.message(for: LightCommand(on: true)) == nil)
    }

    @Test("are hidden if they are settings or maintain the device", arguments: ["identify", "restart", "update", ""])
    func maintenance(deviceClass: String) throws {
        #expect(try Self.entity { $0.write(deviceClass, field: 8) }.isHidden == !deviceClass.isEmpty)
        #expect(try Self.entity { $0.write(UInt64(1), field: 7) }.isHidden)
    }
}
