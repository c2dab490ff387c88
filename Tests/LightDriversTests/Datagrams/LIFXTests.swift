import DeviceKit
import Foundation
import HAPTesting
import Logging
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The LIFX protocol", .timeout)
struct LIFXTests {
    static let id: LightID = "d073d5010203"

    /// Returns an encoded response of a device.
    static func answer(_ type: UInt16, _ payload: [UInt8], number: UInt8 = 1, source: UInt32 = 9) -> [UInt8] {
        LIFXMessage.bytes(type: type, payload: payload, target: id, source: source, number: number, answer: 0)
    }

    static func state(_ values: [UInt16], power: UInt16 = .max, label: String = "Den") -> [UInt8] {
        let words = (values + [0, power]).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let text = Array(label.utf8)
        return words + text + [UInt8](repeating: 0, count: 40 - text.count)
    }

    /// Returns a device that has answered all queries.
    static func device(product: UInt8 = 27, _ values: [UInt16] = [0, 0, .max, 3500], power: UInt16 = .max) throws
        -> LIFXDevice
    {
        var device = LIFXDevice(id: id)
        let answers: [(LIFXRequest, UInt16, [UInt8])] = [
            (.version, 33, [1, 0, 0, 0, product, 0, 0, 0, 0, 0, 0, 0]),
            (.light, 107, state(values, power: power)),
            (.group, 53, [UInt8](repeating: 1, count: 16) + Array("Study".utf8) + [UInt8](repeating: 0, count: 35)),
            (.firmware, 15, [UInt8](repeating: 0, count: 16) + [70, 0, 3, 0]),
        ]
        for (request, type, payload) in answers {
            let message = try #require(LIFXMessage(answer(type, payload)))
            #expect(LIFXDevice.isAnswer(message, to: request, number: 1))
            #expect(!LIFXDevice.isAnswer(message, to: request, number: 2))
            try device.answered(request, with: message)
        }
        return device
    }

    @Test("encodes a search as a tagged GetService, and a request with its target")
    func frames() {
        #expect(
            LIFXDevice.search(session: 0x0403_0201, localAddress: 0)
                == [36, 0, 0, 0x34, 1, 2, 3, 4] + [UInt8](repeating: 0, count: 14) + [1, 0]
                + [UInt8](repeating: 0, count: 8) + [2, 0, 0, 0])
        let set = LIFXDevice(id: Self.id).datagrams(
            of: .setColor(LIFXColor(hue: 0x0102, saturation: 3, brightness: 4, kelvin: 5), milliseconds: 6), number: 7,
            session: 9, localAddress: 0)
        #expect(
            set == [
                [49, 0, 0, 0x14, 9, 0, 0, 0, 0xD0, 0x73, 0xD5, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 2, 7]
                    + [0, 0, 0, 0, 0, 0, 0, 0, 102, 0, 0, 0] + [0, 2, 1, 3, 0, 4, 0, 5, 0, 6, 0, 0, 0]
            ])
    }

    @Test("describes a device that has answered all queries, with its group as the room")
    func described() throws {
        #expect(LIFXDevice(id: Self.id).questions == [.version, .light, .group, .firmware])
        let device = try Self.device()
        #expect(device.questions == [])
        #expect(
            device.description
                == LightDescription(
                    id: Self.id, name: "Den",
                    capabilities: LightCapabilities(
                        brightness: true, color: true, temperature: 111...400, transition: true),
                    manufacturer: "LIFX", model: "LIFX (A19)", serialNumber: "d073d5010203", firmware: "3.70",
                    suggestedRoom: "Study"))
    }

    @Test(
        "derives capabilities from the product number",
        arguments: [
            (27, true, 111...400), (18, false, 154...370), (51, false, nil), (57, true, 111...667),
            (250, true, 111...400),
        ] as [(UInt8, Bool, ClosedRange<Int>?)])
    func products(product: UInt8, color: Bool, temperature: ClosedRange<Int>?) throws {
        let capabilities = try #require(try Self.device(product: product).description?.capabilities)
        #expect(capabilities.color == color && capabilities.temperature == temperature)
    }

    @Test("ignores a wall switch")
    func relays() throws {
        let device = try Self.device(product: 70)
        #expect(device.isForeign && device.description == nil)
    }

    @Test("reports hue and saturation, or a white without saturation")
    func states() throws {
        #expect(
            try Self.device([5461, 52428, 32768, 3500]).state
                == LightReport(on: true, brightness: 50, color: .hueSaturation(hue: 30, saturation: 80)))
        #expect(
            try Self.device([5461, 0, 655, 4000], power: 0).state
                == LightReport(on: false, brightness: 1, color: .temperature(mired: 250)))
        #expect(try Self.device(product: 51, [0, 0, .max, 2700]).state == LightReport(on: true, brightness: 100))
        #expect(try Self.device([0, .max, 0, 3500]).state?.on == false)
        #expect(try Self.device([.max, .max, 9, 3500]).state?.color == .hueSaturation(hue: 359.99, saturation: 100))
    }

    @Test("reads each color as it was written", arguments: Array(stride(from: 0, to: 360, by: 7.0)))
    func roundTrip(hue: Double) throws {
        var device = try Self.device()
        let command = LightCommand(
            on: true, brightness: 1 + Int(hue) % 100,
            color: .hueSaturation(hue: hue, saturation: Double(1 + Int(hue) % 100)))
        for request in device.requests(for: command) {
            try device.answered(request, with: try #require(LIFXMessage(Self.answer(45, []))))
        }
        #expect(device.state == LightReport(on: true, brightness: command.brightness, color: command.color))
    }

    @Test("sends one message for the color and one for the power, off first and on last")
    func commands() throws {
        let dark = try Self.device([100, 200, 300, 3500], power: 0)
        let lit = try Self.device([100, 200, 300, 3500])
        let half = LIFXColor(hue: 100, saturation: 200, brightness: 32768, kelvin: 3500)
        #expect(lit.requests(for: LightCommand(on: true)) == [.setPower(true, milliseconds: 0)])
        #expect(
            lit.requests(for: LightCommand(brightness: 50, transition: .milliseconds(1500)))
                == [.setColor(half, milliseconds: 1500)])
        #expect(
            dark.requests(for: LightCommand(on: true, brightness: 50, transition: .seconds(2)))
                == [.setColor(half, milliseconds: 0), .setPower(true, milliseconds: 2000)])
        #expect(
            lit.requests(for: LightCommand(on: false, brightness: 50, transition: .seconds(2)))
                == [.setPower(false, milliseconds: 2000), .setColor(half, milliseconds: 2000)])
        #expect(
            lit.requests(for: LightCommand(color: .temperature(mired: 50)))
                == [.setColor(LIFXColor(hue: 100, saturation: 0, brightness: 300, kelvin: 9000), milliseconds: 0)])
        #expect(
            lit.requests(for: LightCommand(color: .temperature(mired: 250), transition: .seconds(Int64.max)))
                == [.setColor(LIFXColor(hue: 100, saturation: 0, brightness: 300, kelvin: 4000), milliseconds: .max)])
    }

    @Test("sets full brightness when it switches on a light that was dimmed to 0")
    func litFromNothing() throws {
        let device = try Self.device([0, 0, 0, 3500])
        #expect(
            device.requests(for: LightCommand(on: true))
                == [.setColor(LIFXColor(), milliseconds: 0), .setPower(true, milliseconds: 0)])
    }

    @Test("keeps the colors of zones when it dims a strip")
    func zones() throws {
        let strip = try Self.device(product: 32)
        #expect(strip.requests(for: LightCommand(brightness: 50)) == [.setBrightness(32768, milliseconds: 0)])
    }

    @Test("tolerates unsupported queries, and rejects unsupported commands")
    func unhandled() throws {
        var device = LIFXDevice(id: Self.id)
        for request in device.questions where request != .light {
            let type = UInt8(request.type)
            try device.answered(request, with: try #require(LIFXMessage(Self.answer(223, [type, 0]))))
        }
        #expect(device.questions == [.light])
        let message = try #require(LIFXMessage(Self.answer(223, [117, 0])))
        #expect(throws: LightError.refused("the device doesn't support this command")) {
            try device.answered(.setPower(true, milliseconds: 0), with: message)
        }
    }

    @Test("rejects truncated messages, and messages of other protocols or for other clients")
    func malformed() {
        let whole = Self.answer(107, Self.state([1, 2, 3, 4]))
        #expect(LIFXDevice.read(whole, session: 9) != nil)
        #expect(LIFXDevice.read(whole, session: 8) == nil)
        for count in 0..<whole.count { #expect(LIFXDevice.read(Array(whole.prefix(count)), session: 9) == nil) }
        var short = Array(whole.prefix(60))
        short[0] = 60
        #expect(LIFXDevice.read(short, session: 9) == nil)
        #expect(LIFXDevice.read([UInt8](repeating: 0xFF, count: 100), session: 9) == nil)
    }
}

@Suite("The LIFX driver with failing devices", .timeout)
struct LIFXDriverTests {
    static func driver(_ hosts: String...) throws -> any LightDriver {
        let list = hosts.map { "\"\($0)\"" }.joined(separator: ", ")
        let text = "{\"discover\": false, \"hosts\": [\(list)]}"
        return try JSONDecoder().decode(LIFXDriverConfiguration.self, from: Data(text.utf8))
            .makeDriver(logger: Logger(label: "test"))
    }

    @Test("meets the driver contract")
    func contract() async throws {
        let devices = try FakeLIFX(["d073d5000001": .init(), "d073d5000002": .init(isDeaf: true)])
        let host = devices.host
        let contract = DriverContract(goodLight: "d073d5000001", silentLight: "d073d5000002") { try Self.driver(host) }
        #expect(try await contract.violations() == [])
    }

    @Test("delivers every command while one message in ten is lost")
    func loss() async throws {
        let devices = try FakeLIFX(["d073d5000001": .init()])
        let driver = try Self.driver(devices.host)
        try await SimulatedLightDriverTests.running(driver) { host in
            try #require(await host.wait(for: "d073d5000001") { $0.reachable == true })
            devices.lose(every: 10)
            for brightness in 1...40 {
                try await driver.apply(LightCommand(on: true, brightness: brightness), to: "d073d5000001")
                #expect(devices["d073d5000001"].color.brightness == UInt16((Double(brightness) * 655.35).rounded()))
            }
        }
    }

    @Test("makes an unplugged light unreachable with the first command, and updates it when it returns")
    func unplugged() async throws {
        let devices = try FakeLIFX(["d073d5000001": .init()])
        let driver = try Self.driver(devices.host)
        try await SimulatedLightDriverTests.running(driver) { host in
            try #require(await host.wait(for: "d073d5000001") { $0.reachable == true && $0.on == false })
            devices.change("d073d5000001") { $0.isGone = true }
            await #expect(throws: LightError.unreachable) {
                try await driver.apply(LightCommand(on: true), to: "d073d5000001")
            }
            #expect(await host.wait(for: "d073d5000001", limit: .seconds(1)) { $0.reachable == false })
            devices.change("d073d5000001") {
                $0.isGone = false
                $0.power = .max
                $0.label = "Hall"
            }
            #expect(await host.wait(for: "d073d5000001") { $0.reachable == true && $0.on == true })
            let isRenamed = await host.wait { calls in
                calls.contains { if case .added(let light) = $0 { light.name == "Hall" } else { false } }
            }
            #expect(isRenamed)
        }
    }

    @Test("blinks a light that is off to identify it, and leaves it off")
    func identify() async throws {
        let devices = try FakeLIFX(["d073d5000001": .init()])
        let driver = try Self.driver(devices.host)
        try await SimulatedLightDriverTests.running(driver) { host in
            try #require(await host.wait(for: "d073d5000001") { $0.reachable == true })
            try await driver.identify("d073d5000001")
            try await driver.apply(LightCommand(brightness: 10), to: "d073d5000001")
            #expect(devices.commands == [117, 117, 102] && devices["d073d5000001"].power == 0)
            try await driver.apply(LightCommand(on: true), to: "d073d5000001")
            try await driver.identify("d073d5000001")
            #expect(devices.commands.suffix(1) == [103])
        }
    }
}
