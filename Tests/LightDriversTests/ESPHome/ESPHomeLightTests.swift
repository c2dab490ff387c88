import DeviceKit
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("An ESPHome light", .timeout)
struct ESPHomeLightTests {
    static let device: ESPHomeDeviceInfo = {
        var info = ESPHomeDeviceInfo()
        info.name = "den"
        info.friendlyName = "Den"
        info.mac = "AABBCCDDEEFF"
        info.model = "esp32dev"
        info.version = "2026.6.5"
        info.area = "Den"
        info.parts = [0xABC: "Left half"]
        return info
    }()

    /// Returns a device's description message for a light.
    static func entity(
        _ modes: [UInt64], name: String = "Shelf", id: String = "", key: UInt32 = 1, mireds: (Float, Float)? = nil,
        part: UInt64 = 0, category: UInt64 = 0
    ) -> ESPHomeFraming.Message {
        var body = ProtobufWriter()
        body.write(id, field: 1)
        body.write(fixed32: key, field: 2)
        body.write(name, field: 3)
        if let mireds {
            body.write(mireds.0, field: 9)
            body.write(mireds.1, field: 10)
        }
        for mode in modes { body.write(mode, field: 12) }
        if category != 0 { body.write(category, field: 15) }
        if part != 0 { body.write(part, field: 16) }
        return ESPHomeFraming.Message(ESPHomeMessageType.lightEntity, body.bytes)
    }

    static func light(
        _ modes: [UInt64], name: String = "Shelf", id: String = "", mireds: (Float, Float)? = nil, part: UInt64 = 0
    ) throws -> ESPHomeLight {
        let message = entity(modes, name: name, id: id, mireds: mireds, part: part)
        return ESPHomeLight(try ESPHomeEntity(light: true, message.body[...]), of: device)
    }

    // MARK: Descriptions

    @Test(
        "derives capabilities from the color modes",
        arguments: [
            ([1], LightCapabilities()), ([], LightCapabilities()), ([99], LightCapabilities()),
            ([3], LightCapabilities(brightness: true, transition: true)),
            ([2], LightCapabilities(brightness: true, transition: true)),
            ([7, 35], LightCapabilities(brightness: true, color: true, transition: true)),
            ([39], LightCapabilities(brightness: true, color: true, transition: true)),
            ([11], LightCapabilities(brightness: true, temperature: 153...500, transition: true)),
            ([19], LightCapabilities(brightness: true, temperature: 153...500, transition: true)),
            ([11, 47], LightCapabilities(brightness: true, color: true, temperature: 153...500, transition: true)),
            ([51], LightCapabilities(brightness: true, color: true, temperature: 153...500, transition: true)),
        ] as [([UInt64], LightCapabilities)])
    func capabilities(modes: [UInt64], expected: LightCapabilities) throws {
        #expect(try Self.light(modes, mireds: (152.9988, 500)).description.capabilities == expected)
    }

    @Test(
        "ignores invalid ranges of color temperature",
        arguments: [(0, 0), (500, 153), (.nan, 500), (153, .infinity), (0.5, 500), (200, 200)] as [(Float, Float)])
    func ranges(mireds: (Float, Float)) throws {
        #expect(try Self.light([11], mireds: mireds).description.capabilities.temperature == nil)
    }

    @Test("describes a light with its device's names and numbers, and a stable id")
    func description() throws {
        let description = try Self.light([3], name: "Über Shelf 2").description
        #expect(description.id == "AABBCCDDEEFF/_ber_shelf_2" && description.name == "Den Über Shelf 2")
        #expect(description.manufacturer == "ESPHome" && description.model == "esp32dev")
        #expect(description.firmware == "2026.6.5" && description.serialNumber == "AABBCCDDEEFF")
        #expect(description.suggestedRoom == "Den" && description.kind == .light)
        // Older firmware sends the id.
        #expect(try Self.light([3], name: "Renamed", id: "shelf").description.id == "AABBCCDDEEFF/shelf")
        // A light without a name gets its device's name.
        let only = try Self.light([3], name: "").description
        #expect(only.id == "AABBCCDDEEFF/den" && only.name == "Den")
        let part = try Self.light([3], part: 0xABC).description
        #expect(part.id == "AABBCCDDEEFF/abc/shelf" && part.name == "Left half Shelf")
    }

    // MARK: Firmware from before the middle of 2021

    static func legacyLight(_ flags: Int...) throws -> ESPHomeLight {
        var body = ProtobufWriter()
        body.write(fixed32: 1, field: 2)
        body.write("Shelf", field: 3)
        for flag in flags { body.write(true, field: UInt64(flag)) }
        body.write(Float(153), field: 9)
        body.write(Float(500), field: 10)
        return ESPHomeLight(try ESPHomeEntity(light: true, body.bytes[...]), of: device)
    }

    @Test("derives the capabilities of a light without color modes from its flags")
    func legacyCapabilities() throws {
        #expect(try Self.legacyLight().description.capabilities == LightCapabilities())
        #expect(
            try Self.legacyLight(5).description.capabilities == LightCapabilities(brightness: true, transition: true))
        #expect(
            try Self.legacyLight(5, 6, 7, 8).description.capabilities
                == LightCapabilities(brightness: true, color: true, temperature: 153...500, transition: true))
    }

    @Test("sends commands to a light without color modes, and reads its state")
    func legacyMessages() throws {
        var light = try Self.legacyLight(5, 6, 7)
        let red = LightColor.hueSaturation(hue: 0, saturation: 100)
        #expect(
            light.message(for: LightCommand(on: true, brightness: 50, color: red))
                == ESPHomeLightCommand(on: true, brightness: 0.5, rgb: [1, 0, 0], white: 0).message(to: Self.key))
        light.state = ESPHomeState(
            key: Self.key, on: true, brightness: 0.5, colorBrightness: 0, rgb: [1, 0, 0], white: 0)
        #expect(light.report == LightReport(on: true, brightness: 50, color: red, reachable: true))
        var white = try Self.legacyLight(5, 8)
        #expect(
            white.message(for: LightCommand(color: .temperature(mired: 300)))
                == ESPHomeLightCommand(mireds: 300).message(to: Self.key))
        white.state = ESPHomeState(key: Self.key, on: true, brightness: 1, mireds: 250)
        #expect(white.report?.color == .temperature(mired: 250))
    }

    @Test("describes switches and outlets")
    func switches() throws {
        var body = ProtobufWriter()
        body.write(fixed32: 3, field: 2)
        body.write("Relay", field: 3)
        func make() throws -> ESPHomeLight {
            ESPHomeLight(try ESPHomeEntity(light: false, body.bytes[...]), of: Self.device)
        }
        #expect(try make().description.id == "AABBCCDDEEFF/switch/relay" && make().description.kind == .switch)
        body.write("outlet", field: 9)
        #expect(try make().description.kind == .outlet)
        #expect(
            try make().message(for: LightCommand(on: true))
                == .init(ESPHomeMessageType.switchCommand, [0x0D, 3, 0, 0, 0, 0x10, 1]))
        #expect(try make().message(for: LightCommand(brightness: 3)) == nil)
    }

    // MARK: Commands

    static func command(
        _ command: LightCommand, _ modes: [UInt64], now: UInt64? = nil
    ) throws -> ESPHomeFraming.Message? {
        var light = try light(modes, mireds: (153, 500))
        if let now { light.state = ESPHomeState(key: light.entity.key, mode: ESPHomeColorMode(wire: now)) }
        return light.message(for: command)
    }

    static let key = ESPHomeEntity.Key(key: 1)

    @Test(
        "sends only the attributes of the command",
        arguments: [
            (LightCommand(on: true), ESPHomeLightCommand(on: true)),
            (
                LightCommand(on: false, transition: .milliseconds(1500)),
                ESPHomeLightCommand(on: false, milliseconds: 1500)
            ),
            (LightCommand(brightness: 40), ESPHomeLightCommand(brightness: 0.4)),
            (LightCommand(on: true, brightness: 1), ESPHomeLightCommand(on: true, brightness: 0.01)),
        ])
    func plainCommands(command: LightCommand, expected: ESPHomeLightCommand) throws {
        #expect(try Self.command(command, [3]) == expected.message(to: Self.key))
    }

    @Test(
        "sends a color in the mode that shows it, without white",
        arguments: [
            ([35], nil, ESPHomeLightCommand(mode: .init(wire: 35), colorBrightness: 1)),
            ([39], nil, ESPHomeLightCommand(mode: .init(wire: 39), colorBrightness: 1, white: 0)),
            ([7, 35], 7, ESPHomeLightCommand(mode: .init(wire: 35), colorBrightness: 1)),
            ([11, 47], 11, ESPHomeLightCommand(mode: .init(wire: 47), colorBrightness: 1, white: 0)),
            ([51], nil, ESPHomeLightCommand(mode: .init(wire: 51), colorBrightness: 1, cold: 0, warm: 0)),
        ] as [([UInt64], UInt64?, ESPHomeLightCommand)])
    func colors(modes: [UInt64], now: UInt64?, expected: ESPHomeLightCommand) throws {
        var expected = expected
        expected.rgb = [1, 0, 0]
        let red = LightCommand(color: .hueSaturation(hue: 0, saturation: 100))
        #expect(try Self.command(red, modes, now: now) == expected.message(to: Self.key))
    }

    @Test("sends a color without saturation as white if the light has white")
    func whites() throws {
        let white = LightCommand(color: .hueSaturation(hue: 10, saturation: 0))
        #expect(
            try Self.command(white, [7, 35])
                == ESPHomeLightCommand(mode: .init(wire: 7), white: 1).message(to: Self.key))
        #expect(
            try Self.command(white, [39])
                == ESPHomeLightCommand(mode: .init(wire: 39), colorBrightness: 0, rgb: [1, 1, 1], white: 1)
                .message(to: Self.key))
    }

    @Test(
        "sends a color temperature in the simplest mode, and turns the color off",
        arguments: [
            ([11], nil, ESPHomeLightCommand(mode: .init(wire: 11))),
            ([19], nil, ESPHomeLightCommand(mode: .init(wire: 19))),
            ([11, 47], nil, ESPHomeLightCommand(mode: .init(wire: 11))),
            ([11, 47], 47, ESPHomeLightCommand(mode: .init(wire: 47), colorBrightness: 0, white: 1)),
            ([51], nil, ESPHomeLightCommand(mode: .init(wire: 51), colorBrightness: 0)),
        ] as [([UInt64], UInt64?, ESPHomeLightCommand)])
    func temperatures(modes: [UInt64], now: UInt64?, expected: ESPHomeLightCommand) throws {
        var expected = expected
        expected.mireds = 300
        let command = LightCommand(color: .temperature(mired: 300))
        #expect(try Self.command(command, modes, now: now) == expected.message(to: Self.key))
    }

    @Test("encodes a flag before each value of a command")
    func wire() {
        let command = ESPHomeLightCommand(on: true, brightness: 0.5, milliseconds: 300)
        #expect(
            command.message(to: .init(key: 0x0102_0304, part: 5))
                == .init(32, bytes("0d04030201 1001 1801 2001 2d0000003f 7001 78ac02 e00105")))
    }

    // MARK: States

    static func report(_ modes: [UInt64], _ state: ESPHomeState) throws -> LightReport? {
        var light = try light(modes, mireds: (153, 500))
        light.state = state
        return light.report
    }

    static func state(_ mode: UInt64, brightness: Float = 1, _ change: (inout ESPHomeState) -> Void = { _ in })
        -> ESPHomeState
    {
        var state = ESPHomeState(key: key, on: true, brightness: brightness, mode: ESPHomeColorMode(wire: mode))
        change(&state)
        return state
    }

    @Test("reports a state within the light's capabilities")
    func states() throws {
        #expect(try Self.report([1], Self.state(1)) == LightReport(on: true, reachable: true))
        #expect(
            try Self.report([3], Self.state(3, brightness: 0.4))
                == LightReport(on: true, brightness: 40, reachable: true))
        #expect(try Self.report([3], Self.state(3, brightness: 0.001))?.brightness == 1)
        #expect(try Self.report([3], Self.state(3, brightness: 0))?.brightness == nil)
        #expect(
            try Self.report([35], Self.state(35) { $0.rgb = [0, 1, 0] })?.color
                == .hueSaturation(hue: 120, saturation: 100))
        #expect(
            try Self.report([39], Self.state(39) { $0.colorBrightness = 0 })?.color
                == .hueSaturation(hue: 0, saturation: 0))
        #expect(try Self.report([7, 35], Self.state(7))?.color == .hueSaturation(hue: 0, saturation: 0))
        #expect(try Self.report([11], Self.state(11) { $0.mireds = 250.4 })?.color == .temperature(mired: 250))
        #expect(try Self.report([11], Self.state(11) { $0.mireds = 9e9 })?.color == .temperature(mired: 500))
        #expect(
            try Self.report([51], Self.state(51) { ($0.colorBrightness, $0.mireds) = (0, 200) })?.color
                == .temperature(mired: 200))
    }

    @Test(
        "derives the color temperature from the shares of cold and warm white",
        arguments: [(1, 0, 153), (0, 1, 500), (1, 1, 327)] as [(Float, Float, Int)])
    func shares(cold: Float, warm: Float, mired: Int) throws {
        let report = try Self.report([19], Self.state(19) { ($0.cold, $0.warm) = (cold, warm) })
        #expect(report?.color == .temperature(mired: mired))
    }

    @Test(
        "reports only the power of a state with an invalid value",
        arguments: [
            (3, .nan), (4, .infinity), (5, -3), (6, 1.02), (7, -.infinity), (8, .nan), (10, 7), (12, 255), (13, -0.5),
        ] as [(UInt64, Float)])
    func invalid(field: UInt64, value: Float) throws {
        var body = ProtobufWriter()
        body.write(true, field: 2)
        body.write(Float(0.5), field: 3)
        body.write(value, field: field)
        body.write(UInt64(47), field: 11)
        let state = try #require(try ESPHomeState.read(light: true, body.bytes[...]))
        #expect(state.isInvalid)
        #expect(try Self.report([47], state) == LightReport(on: true, reachable: true))
    }

    @Test("clamps a value slightly beyond its limit")
    func rounded() throws {
        var body = ProtobufWriter()
        body.write(Float(1.000_001), field: 3)
        body.write(Float(-0.000_001), field: 7)
        let state = try #require(try ESPHomeState.read(light: true, body.bytes[...]))
        #expect(!state.isInvalid && state.brightness == 1 && state.white == 0)
    }
}
