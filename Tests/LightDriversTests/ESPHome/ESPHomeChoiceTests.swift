import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

/// Select entities with the fields of ESPHome's api.proto (aioesphomeapi of August 2026).
@Suite("ESPHome choices", .timeout)
struct ESPHomeChoiceTests {
    private static func entity(
        _ options: [String], _ more: (inout ProtobufWriter) -> Void = { _ in }
    ) throws -> ESPHomeEntity? {
        var body = ProtobufWriter()
        body.write("mode", field: 1)
        body.write(fixed32: 9, field: 2)
        body.write("Mode", field: 3)
        for option in options { body.write(option, field: 6) }
        more(&body)
        return try ESPHomeEntity(ESPHomeFraming.Message(52, body.bytes))
    }

    private static func state(_ option: String, isMissing: Bool = false) throws -> ESPHomeState? {
        var body = ProtobufWriter()
        body.write(fixed32: 9, field: 1)
        body.write(option, field: 2)
        if isMissing { body.write(true, field: 3) }
        return try ESPHomeState(ESPHomeFraming.Message(53, body.bytes))
    }

    @Test("are switches, exactly one of which is on, and choose an option by its text")
    func choose() throws {
        let entity = try #require(try Self.entity(["Eco", "Boost"]) { $0.write(UInt64(4), field: 9) })
        var choice = ESPHomeLight(entity, of: ESPHomeDeviceInfo())
        #expect(choice.description.kind == .scene)
        #expect(choice.description.functions == AccessoryFunction.choice("select", ["Eco", "Boost"]))
        let (eco, boost) = (Property(.on, of: "option/select/Eco"), Property(.on, of: "option/select/Boost"))
        choice.state = try Self.state("Boost")
        #expect(choice.report?.values[eco] == .bool(false) && choice.report?.values[boost] == .bool(true))
        for state in [try Self.state("Turbo"), try Self.state("Eco", isMissing: true)] {
            choice.state = state
            #expect(choice.report?.values.isEmpty == true)
        }
        var command = LightCommand()
        command.values[eco] = .bool(true)
        var body = ProtobufWriter()
        body.write(fixed32: 9, field: 1)
        body.write("Eco", field: 2)
        body.write(UInt64(4), field: 3)
        #expect(choice.message(for: command) == ESPHomeFraming.Message(54, body.bytes))
        command.values[eco] = .bool(false)
        #expect(choice.message(for: command) == nil)
    }

    @Test("are hidden if they are settings, and explained if they have too many options")
    func hidden() throws {
        #expect(try Self.entity(["a"]) { $0.write(UInt64(1), field: 8) }?.isHidden == true)
        #expect(try Self.entity([]) == nil && Self.entity(["a", "a"]) == nil)
        let many = try Self.entity((0..<1000).map(String.init))
        #expect(many?.problem?.contains("more than 12 options") == true)
        #expect(try Self.entity((0..<12).map(String.init))?.problem == nil)
    }
}
