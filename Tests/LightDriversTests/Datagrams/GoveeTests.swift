import BoundedJSON
import DeviceKit
import Foundation
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The Govee protocol", .timeout)
struct GoveeTests {
    static let id: LightID = "1fb4c3a2b1c0d9e8"
    static let here = IPv4Endpoint(address: 0x0A00_0007, port: 40_000)
    static let commands = IPv4Endpoint(address: 0x0A00_0007, port: 4003)
    static let scan =
        #"{"msg":{"cmd":"scan","data":{"ip":"10.0.0.7","device":"1F:B4:C3:A2:B1:C0:D9:E8","sku":"H6159","wifiVersionSoft":"1.02.11"}}}"#

    static func status(
        _ onOff: Int = 1, _ brightness: Int = 60, _ rgb: (Int, Int, Int) = (0, 0, 0), kelvin: Int = 2700
    ) -> String {
        let color = #"{"r":\#(rgb.0),"g":\#(rgb.1),"b":\#(rgb.2)}"#
        return
            #"{"msg":{"cmd":"devStatus","data":{"onOff":\#(onOff),"brightness":\#(brightness),"color":\#(color),"colorTemInKelvin":\#(kelvin)}}}"#
    }

    static func device(_ text: String = status()) throws -> GoveeDevice {
        var device = GoveeDevice(id: id)
        device.told(try #require(GoveeMessage(Array(scan.utf8))))
        try device.answered(.status, with: try #require(GoveeMessage(Array(text.utf8))))
        return device
    }

    static func texts(_ request: GoveeRequest) -> [String] {
        request.datagrams.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("sends a change as one command per attribute, off first or on last, and a status query")
    func requests() throws {
        let question = #"{"msg":{"cmd":"devStatus","data":{}}}"#
        #expect(Self.texts(.status) == [question])
        let device = try Self.device()
        let command = LightCommand(on: true, brightness: 40, color: .hueSaturation(hue: 120, saturation: 100))
        #expect(
            Self.texts(try #require(device.requests(for: command).first)) == [
                #"{"msg":{"cmd":"colorwc","data":{"color":{"r":0,"g":255,"b":0},"colorTemInKelvin":0}}}"#,
                #"{"msg":{"cmd":"brightness","data":{"value":40}}}"#, #"{"msg":{"cmd":"turn","data":{"value":1}}}"#,
                question,
            ])
        #expect(
            Self.texts(try #require(device.requests(for: LightCommand(on: false, brightness: 5)).first)) == [
                #"{"msg":{"cmd":"turn","data":{"value":0}}}"#, #"{"msg":{"cmd":"brightness","data":{"value":5}}}"#,
                question,
            ])
        #expect(
            device.requests(for: LightCommand(color: .temperature(mired: 50)))
                == [.change(GoveeStatus(color: .init(red: 0, green: 0, blue: 0), kelvin: 9000))])
    }

    @Test("derives the description from the scan and the status")
    func description() throws {
        let light = try #require(try Self.device().description)
        #expect(light.name == "Govee H6159 D9E8" && light.model == "H6159" && light.firmware == "1.02.11")
        #expect(
            light.capabilities == LightCapabilities(brightness: true, color: true, temperature: 111...500))
        let plain = #"{"msg":{"cmd":"devStatus","data":{"onOff":1}}}"#
        #expect(try Self.device(plain).description?.capabilities == LightCapabilities())
    }

    @Test(
        "converts a status to a report, and ignores invalid values",
        arguments: [
            (status(), LightReport(on: true, brightness: 60, color: .temperature(mired: 370))),
            (
                status(0, 1, (255, 153, 51), kelvin: 0),
                LightReport(on: false, brightness: 1, color: .hueSaturation(hue: 30, saturation: 80))
            ), (status(1, 0, kelvin: 9500), LightReport(on: true, color: .temperature(mired: 111))),
            (status(7, 900, (999, 0, 0), kelvin: -1), LightReport()),
        ])
    func states(text: String, report: LightReport) throws {
        #expect(try Self.device(text).state == report)
    }

    @Test(
        "compares a status with a change within the precision of the devices",
        arguments: [
            (GoveeStatus(isOn: true), true), (GoveeStatus(isOn: false), false), (GoveeStatus(brightness: 61), true),
            (GoveeStatus(brightness: 62), false), (GoveeStatus(kelvin: 2740), true), (GoveeStatus(kelvin: 2800), false),
            (GoveeStatus(color: .init(red: 255, green: 0, blue: 0), kelvin: 0), false),
            (GoveeStatus(color: .init(red: 9, green: 9, blue: 9), kelvin: 2700), true),
        ])
    func shown(change: GoveeStatus, isShown: Bool) throws {
        let message = try #require(GoveeMessage(Array(Self.status().utf8)))
        #expect(GoveeDevice.isAnswer(message, to: .change(change), number: 0) == isShown)
        #expect(GoveeDevice.isReaction(message, to: .change(change)))
        #expect(GoveeDevice.isAnswer(message, to: .status, number: 0))
    }

    @Test("warns about a device that answers searches but not queries, until it answers a query")
    func silent() {
        var home = DatagramDeviceRegistry<GoveeDevice>(looksFor: LANDevices(), session: 1)
        home.search(on: [], now: .zero)
        func warnings() -> [String?] {
            home.takeActions().compactMap {
                if case .warn(let text, Self.id.rawValue) = $0 { .some(text) } else { nil }
            }
        }
        for tick in 0..<30 {
            if tick % 10 == 0 { home.received(Array(Self.scan.utf8), from: Self.here, now: .seconds(tick)) }
            home.timePassed(now: .seconds(tick))
        }
        let warned = warnings()
        #expect(warned.count == 1 && warned.first??.contains("10.0.0.7") == true)
        home.received(Array(Self.scan.utf8), from: Self.here, now: .seconds(40))
        home.received(Array(Self.status().utf8), from: Self.here, now: .seconds(40))
        #expect(warnings() == [nil])
    }

    @Test("rejects messages that are invalid or aren't from a device")
    func malformed() {
        for text in [
            "", "{}", "[]", #"{"msg":7}"#, #"{"msg":{"cmd":"devStatus"}}"#, #"{"msg":{"cmd":"turn","data":{}}}"#,
            #"{"msg":{"cmd":"scan","data":{"device":"12"}}}"#, String(repeating: #"{"msg":"#, count: 1000),
        ] { #expect(GoveeMessage(Array(text.utf8)) == nil, "\(text)") }
    }

    // MARK: In a home

    static func say(_ text: String, in home: inout DatagramDeviceRegistry<GoveeDevice>, _ now: Duration = .zero) {
        home.received(Array(text.utf8), from: here, now: now)
    }

    /// Returns a registry that has added one light.
    static func home() -> DatagramDeviceRegistry<GoveeDevice> {
        var home = DatagramDeviceRegistry<GoveeDevice>(looksFor: LANDevices(), session: 9)
        home.search(on: [IPv4Network(address: 0x0A00_0002, mask: 0xFFFF_FF00)], now: .zero)
        say(scan, in: &home)
        say(status(), in: &home)
        say(status(), in: &home)
        return home
    }

    @Test("searches by multicast on each network, and sends commands to another port")
    func search() {
        var home = Self.home()
        let actions = home.takeActions()
        #expect(
            actions.first
                == .send(
                    GoveeRequest.scan, to: IPv4Endpoint(address: 0xEFFF_FFFA, port: 4001), over: 0x0A00_0002))
        #expect(actions.contains(.send(GoveeRequest.status.datagrams[0], to: Self.commands, over: nil)))
        let report = LightReport(on: true, brightness: 60, color: .temperature(mired: 370), reachable: true)
        #expect(actions.contains(.report(Self.id, report)))
    }

    @Test("repeats a command until the status shows its effect")
    func repeated() throws {
        var home = Self.home()
        _ = home.takeActions()
        let number = try home.apply(LightCommand(on: false), to: Self.id, now: .seconds(1))
        #expect(home.takeActions().count == 2)
        Self.say(Self.status(), in: &home, .milliseconds(1100))
        #expect(home.takeActions() == [])
        home.timePassed(now: .milliseconds(1300))
        #expect(home.takeActions().count == 2)
        Self.say(Self.status(0), in: &home, .milliseconds(1400))
        #expect(home.takeActions().first == .finished(command: number, nil))
    }

    @Test("keeps a device reachable even if its status never shows the change")
    func rounded() throws {
        var home = Self.home()
        _ = home.takeActions()
        let number = try home.apply(LightCommand(brightness: 3), to: Self.id, now: .seconds(1))
        Self.say(Self.status(1, 10), in: &home, .milliseconds(1100))
        for milliseconds in stride(from: 1100, through: 4000, by: 50) {
            home.timePassed(now: .milliseconds(milliseconds))
        }
        let told = home.takeActions().filter { if case .send = $0 { false } else { true } }
        #expect(
            told == [
                .finished(command: number, nil),
                .report(
                    Self.id, LightReport(on: true, brightness: 10, color: .temperature(mired: 370), reachable: true)),
            ])
        // An old status doesn't answer the next command.
        let next = try home.apply(LightCommand(on: false), to: Self.id, now: .seconds(5))
        for milliseconds in stride(from: 5000, through: 9000, by: 50) {
            home.timePassed(now: .milliseconds(milliseconds))
        }
        #expect(home.takeActions().contains(.finished(command: next, .unreachable)))
    }

    @Test("doesn't mistake an old status for the answer to a later command or query")
    func cancelled() throws {
        var home = Self.home()
        _ = home.takeActions()
        let number = try home.apply(LightCommand(brightness: 3), to: Self.id, now: .seconds(1))
        Self.say(Self.status(1, 10), in: &home, .milliseconds(1100))
        home.cancel(number)
        let next = try home.apply(LightCommand(on: false), to: Self.id, now: .milliseconds(1200))
        for milliseconds in stride(from: 1200, through: 5000, by: 50) {
            home.timePassed(now: .milliseconds(milliseconds))
        }
        let actions = home.takeActions()
        #expect(actions.contains(.finished(command: next, .unreachable)))
        #expect(actions.contains(.report(Self.id, LightReport(reachable: false))))
        // Run long enough for request numbers to repeat, which they do after 256 requests.
        for seconds in 6...1800 { home.timePassed(now: .seconds(seconds)) }
        let later = home.takeActions().filter { if case .send = $0 { false } else { true } }
        #expect(later == [])
    }

    @Test("uses the search port for hosts, and recognizes a configured device by its address")
    func hosts() throws {
        let keys = #"{"discover": false, "hosts": ["10.0.0.7"]}"#
        let configuration = try JSONDecoder().decode(GoveeDriverConfiguration.self, from: Data(keys.utf8))
        #expect(configuration.devices.hosts == [IPv4Endpoint(address: 0x0A00_0007, port: 4001)])
        let source = LightSource(driver: "govee", name: "x", hosts: ["10.0.0.7"], port: 4003, entry: [:])
        #expect(configuration.coverage(of: source) == .complete)
    }
}
