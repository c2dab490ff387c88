import BoundedJSON
import DeviceKit
import Foundation
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The Kasa protocol", .timeout)
struct KasaTests {
    static let id: LightID = "1c3bf3000001"
    static let here = IPv4Endpoint(address: 0x0A00_0007, port: 9999)
    static let bulb = #"""
        "mic_type":"IOT.SMARTBULB","mic_mac":"1C3BF3000001","alias":"Den","model":"KL130(EU)","sw_ver":"1.8.8 Build 1","is_dimmable":1
        """#
    static let plug = #""type":"IOT.SMARTPLUGSWITCH","mac":"1C:3B:F3:00:00:01","alias":"Den","model":"HS100(EU)""#

    static func message(_ text: String) throws -> KasaMessage {
        try #require(KasaMessage(KasaCipher.encrypted(Array(text.utf8))))
    }

    static func system(_ keys: String...) -> String {
        #"{"system":{"get_sysinfo":{\#(keys.joined(separator: ",")),"err_code":0}}}"#
    }

    static func device(_ keys: String...) throws -> KasaDevice {
        var device = KasaDevice(id: id)
        let text = #"{"system":{"get_sysinfo":{\#(keys.joined(separator: ",")),"err_code":0}}}"#
        try device.answered(.system, with: try message(text))
        return device
    }

    static func text(_ request: KasaRequest) -> String {
        String(decoding: KasaCipher.decrypted(request.bytes), as: UTF8.self)
    }

    @Test("encrypts with the published cipher")
    func cipher() {
        // The encrypted form of `{"system":`, the start of every client's query.
        #expect(KasaRequest.system.bytes.prefix(10) == [0xD0, 0xF2, 0x81, 0xF8, 0x8B, 0xFF, 0x9A, 0xF7, 0xD5, 0xEF])
        let bytes = [UInt8](0...255)
        #expect(KasaCipher.decrypted(KasaCipher.encrypted(bytes)) == bytes)
    }

    @Test("encodes requests")
    func requests() {
        #expect(Self.text(.system) == #"{"system":{"get_sysinfo":{}}}"#)
        #expect(Self.text(.relay(true, child: nil)) == #"{"system":{"set_relay_state":{"state":1}}}"#)
        #expect(
            Self.text(.relay(false, child: "A1"))
                == #"{"context":{"child_ids":["A1"]},"system":{"set_relay_state":{"state":0}}}"#)
        #expect(Self.text(.led(isOff: true)) == #"{"system":{"set_led_off":{"off":1}}}"#)
        #expect(Self.text(.level(40)) == #"{"smartlife.iot.dimmer":{"set_brightness":{"brightness":40}}}"#)
        #expect(
            Self.text(
                .light(KasaLightState(isOn: true, brightness: 40, kelvin: 2700), isStrip: false, milliseconds: 400))
                == #"{"smartlife.iot.smartbulb.lightingservice":{"transition_light_state":{"on_off":1,"brightness":40,"color_temp":2700,"ignore_default":1,"transition_period":400}}}"#
        )
        #expect(
            Self.text(.light(KasaLightState(isOn: true), isStrip: true, milliseconds: nil))
                == #"{"smartlife.iot.lightStrip":{"set_light_state":{"on_off":1,"ignore_default":0}}}"#)
    }

    @Test(
        "derives kind and capabilities from the system information",
        arguments: [
            ([bulb], LightKind.light, LightCapabilities(brightness: true, transition: true)),
            (
                [bulb, #""is_color":1,"is_variable_color_temp":1"#], .light,
                LightCapabilities(brightness: true, color: true, temperature: 111...400, transition: true)
            ),
            ([bulb, #""is_color":1,"length":16"#], .light, LightCapabilities(brightness: true, color: true)),
            ([plug, #""relay_state":0"#], .outlet, LightCapabilities()),
            ([plug, #""relay_state":0,"dev_name":"Smart Wi-Fi Light Switch""#], .switch, LightCapabilities()),
            ([plug, #""relay_state":0,"brightness":40"#], .light, LightCapabilities(brightness: true)),
        ])
    func kinds(keys: [String], kind: LightKind, capabilities: LightCapabilities) throws {
        let light = try #require(try Self.device(keys.joined(separator: ",")).lights.first)
        #expect(light.id == Self.id && light.name == "Den" && light.kind == kind && light.capabilities == capabilities)
    }

    @Test(
        "knows the color temperatures of each model",
        arguments: [
            ("KL130(EU)", 111...400), ("KL125(US)", 154...400), ("KL120(EU)", 154...370), ("KL120(US)", 200...370),
            ("LB120(US)", 154...370), ("KL999", 200...370),
        ])
    func whites(model: String, range: ClosedRange<Int>) throws {
        let bulb = Self.bulb.replacing("KL130(EU)", with: model)
        #expect(try Self.device(bulb, #""is_variable_color_temp":1"#).lights.first?.capabilities.temperature == range)
    }

    @Test(
        "reads the state of a device",
        arguments: [
            (
                [
                    bulb,
                    #""is_color":1,"is_variable_color_temp":1,"light_state":{"on_off":1,"brightness":60,"hue":30,"saturation":80,"color_temp":0}"#,
                ],
                LightReport(on: true, brightness: 60, color: .hueSaturation(hue: 30, saturation: 80))
            ),
            (
                [
                    bulb,
                    #""is_variable_color_temp":1,"light_state":{"on_off":0,"dft_on_state":{"brightness":7,"color_temp":2700}}"#,
                ],
                LightReport(on: false, brightness: 7, color: .temperature(mired: 370))
            ),
            (
                [bulb, #""is_color":1,"light_state":{"on_off":1,"brightness":60,"hue":360,"saturation":0}"#],
                LightReport(on: true, brightness: 60, color: .hueSaturation(hue: 0, saturation: 0))
            ),
            (
                [
                    bulb,
                    #""is_color":1,"light_state":{"on_off":1,"brightness":60,"hue":30,"saturation":80},"lighting_effect_state":{"enable":1,"brightness":20}"#,
                ], LightReport(on: true, brightness: 20)
            ),
            ([bulb, #""light_state":{"on_off":7,"brightness":1e99,"hue":-1}"#], LightReport()),
            ([plug, #""relay_state":1"#], LightReport(on: true)),
            ([plug, #""relay_state":0,"brightness":0"#], LightReport(on: false)),
            ([plug, #""relay_state":true"#], LightReport()),
        ])
    func states(keys: [String], report: LightReport) throws {
        #expect(try Self.device(keys.joined(separator: ",")).state(of: Self.id) == report)
    }

    @Test("sends a bulb's command in one message that includes its power")
    func bulbCommands() throws {
        let bulb = try Self.device(
            Self.bulb, #""is_color":1,"is_variable_color_temp":1,"light_state":{"on_off":0,"dft_on_state":{}}"#)
        func request(_ command: LightCommand) -> KasaLightState? {
            guard case .light(let state, isStrip: false, nil)? = bulb.requests(for: command, to: Self.id).first else {
                return nil
            }
            return state
        }
        #expect(request(LightCommand(on: true)) == KasaLightState(isOn: true))
        #expect(request(LightCommand(brightness: 40)) == KasaLightState(isOn: false, brightness: 40))
        #expect(
            request(LightCommand(on: true, color: .hueSaturation(hue: 359.7, saturation: 80.4)))
                == KasaLightState(isOn: true, hue: 0, saturation: 80, kelvin: 0))
        #expect(
            request(LightCommand(on: true, color: .temperature(mired: 500))) == KasaLightState(isOn: true, kelvin: 2500)
        )
        #expect(
            bulb.requests(for: LightCommand(on: true, transition: .seconds(1_000_000)), to: Self.id)
                == [.light(KasaLightState(isOn: true), isStrip: false, milliseconds: 3_600_000)])
    }

    @Test("sends a dimmer its level before it turns on, and after it turns off")
    func dimmerCommands() throws {
        let dimmer = try Self.device(Self.plug, #""relay_state":0,"brightness":40"#)
        #expect(
            dimmer.requests(for: LightCommand(on: true, brightness: 5), to: Self.id)
                == [.level(5), .relay(true, child: nil)])
        #expect(
            dimmer.requests(for: LightCommand(on: false, brightness: 5), to: Self.id)
                == [.relay(false, child: nil), .level(5)])
    }

    @Test("blinks the LED of a plug to identify it")
    func identification() throws {
        let plug = try Self.device(Self.plug, #""relay_state":1,"led_off":0"#)
        let identification = plug.identification(of: Self.id)
        #expect(identification.begin == [.led(isOff: true)] && identification.end == [.led(isOff: false)])
    }

    @Test("reports a refused command as an error, and changes nothing")
    func refused() throws {
        var plug = try Self.device(Self.plug, #""relay_state":1"#)
        for text in [
            #"{"system":{"set_relay_state":{"err_code":-3,"err_msg":"invalid argument"}}}"#,
            #"{"system":{"err_code":-1,"err_msg":"module not support"}}"#,
        ] {
            let answer = try Self.message(text)
            let request = KasaRequest.relay(false, child: nil)
            #expect(KasaDevice.isAnswer(answer, to: request, number: 0))
            #expect(!KasaDevice.isAnswer(answer, to: .level(5), number: 0))
            #expect(throws: LightError.refused("the device doesn't accept this command")) {
                try plug.answered(request, with: answer)
            }
            #expect(plug.state(of: Self.id)?.on == true)
        }
    }

    @Test(
        "reads the meter of a plug or a bulb, in the units of old and new firmware",
        arguments: [
            (
                [plug, #""feature":"TIM:ENE","relay_state":1"#],
                #"{"emeter":{"get_realtime":{"current":0.128,"err_code":0,"power":7.677,"total":30.404,"voltage":118.9}}}"#,
                [.power: .number(7.7), .energy: .number(30.4), .voltage: .number(118.9), .current: .number(0.13)]
            ),
            (
                [plug, #""feature":"TIM:ENE","relay_state":1"#],
                #"{"emeter":{"get_realtime":{"current_ma":451,"err_code":0,"power_mw":61753,"total_wh":16323,"voltage_mv":null}}}"#,
                [.power: .number(61.8), .energy: .number(16.32), .current: .number(0.45), .voltage: .unknown]
            ),
            (
                [bulb],
                #"{"smartlife.iot.common.emeter":{"get_realtime":{"current_ma":0,"err_code":0,"power_mw":998,"total_wh":1,"voltage_mv":0}}}"#,
                [.power: .number(1), .energy: .number(0)]
            ),
            (
                [bulb], #"{"smartlife.iot.common.emeter":{"get_realtime":{"err_code":0,"power_mw":10800}}}"#,
                [.power: .number(10.8)]
            ),
        ] as [([String], String, [SensorReading: SensorValue])])
    func meters(keys: [String], answer: String, readings: [SensorReading: SensorValue]) throws {
        var device = try Self.device(keys.joined(separator: ","))
        #expect(device.lights.first?.hasMeter == false)
        let request = try #require(device.polls.last)
        let message = try Self.message(answer)
        #expect(KasaDevice.isAnswer(message, to: request, number: 0))
        try device.answered(request, with: message)
        #expect(device.lights.first?.hasMeter == true)
        #expect(device.state(of: Self.id)?.readings == readings)
    }

    @Test("queries the readings of each socket of a power strip, with another query in between")
    func stripMeters() throws {
        let children = #""children":[{"id":"00","alias":"One","state":1},{"id":"01","alias":"Two","state":0}]"#
        var strip = try Self.device(Self.plug, #""feature":"TIM:ENE""#, children)
        let (one, two) = (KasaRequest.meter(isBulb: false, child: "00"), KasaRequest.meter(isBulb: false, child: "01"))
        #expect(strip.polls == [.system, one, .system, two])
        #expect(Self.text(two) == #"{"context":{"child_ids":["01"]},"emeter":{"get_realtime":{}}}"#)
        try strip.answered(two, with: try Self.message(#"{"emeter":{"get_realtime":{"err_code":0,"power_mw":5000}}}"#))
        #expect(strip.state(of: "1c3bf3000001/00")?.readings == [:])
        #expect(strip.state(of: "1c3bf3000001/01")?.readings == [.power: .number(5)])
    }

    @Test("doesn't query a meter that the device lacks or rejects")
    func noMeter() throws {
        #expect(try Self.device(Self.plug, #""feature":"TIM","relay_state":1"#).polls == [.system])
        for answer in [
            #"{"smartlife.iot.common.emeter":{"err_code":-2001,"err_msg":"Module not support"}}"#,
            #"{"smartlife.iot.common.emeter":{"get_realtime":{"err_code":-1,"err_msg":"module not support"}}}"#,
        ] {
            var bulb = try Self.device(Self.bulb)
            let request = try #require(bulb.polls.last)
            #expect(Self.text(request) == #"{"smartlife.iot.common.emeter":{"get_realtime":{}}}"#)
            try bulb.answered(request, with: try Self.message(answer))
            #expect(bulb.polls == [.system] && bulb.lights.first?.hasMeter == false)
            bulb.returned()
            #expect(bulb.polls.count == 2)
        }
    }

    @Test("rejects invalid messages, and treats other devices as foreign")
    func malformed() {
        for text in ["", "{}", "[]", "7", #"{"system":7}"#, #"{"system":{"get_sysinfo":7}}"#, #"{"context":{}}"#] {
            #expect(KasaMessage(KasaCipher.encrypted(Array(text.utf8))) == nil, "\(text)")
        }
        let deep = Array(String(repeating: #"{"a":"#, count: 1000).utf8)
        #expect(KasaMessage(KasaCipher.encrypted(deep)) == nil)
        for keys in [
            #""mac":"1C:3B:F3:00:00:01""#, #""type":"IOT.SMARTPLUGSWITCH""#,
            #""type":"IOT.SMARTPLUGSWITCH","mac":"12""#, #""type":"IOT.IPCAMERA","mac":"1C:3B:F3:00:00:01""#,
        ] {
            let message = KasaMessage(KasaCipher.encrypted(Array(Self.system(keys).utf8)))
            #expect(message?.content == .foreign, "\(keys)")
        }
    }

    // MARK: In a home

    static func home() -> DatagramDeviceRegistry<KasaDevice> {
        var home = DatagramDeviceRegistry<KasaDevice>(looksFor: LANDevices(), session: 9)
        home.search(on: [], now: .zero)
        return home
    }

    static func say(_ text: String, in home: inout DatagramDeviceRegistry<KasaDevice>, _ now: Duration = .zero) {
        home.received(KasaCipher.encrypted(Array(text.utf8)), from: here, now: now)
    }

    static let strip = system(
        plug,
        #""children":[{"id":"00","alias":"One","state":1},{"id":"01","alias":"Two","state":0},{"id":"","state":1}]"#)

    @Test("shows each socket of a power strip as a light with its own state and commands")
    func sockets() throws {
        var home = Self.home()
        Self.say(Self.strip, in: &home)
        _ = home.takeActions()
        Self.say(Self.strip, in: &home)
        let one: LightID = "1c3bf3000001/00"
        let two: LightID = "1c3bf3000001/01"
        let told = home.takeActions().filter { if case .send = $0 { false } else { true } }
        #expect(
            told.map { action in
                switch action {
                case .added(let light): "\(light.name) \(light.kind)"
                case .report(let id, let report): "\(id) \(report.on == true)"
                default: "?"
                }
            } == ["One outlet", "Two outlet", "\(one) true", "\(two) false"])
        let first = try home.apply(LightCommand(on: false), to: one, now: .seconds(1))
        let second = try home.apply(LightCommand(on: true), to: two, now: .seconds(1))
        let done = #"{"system":{"set_relay_state":{"err_code":0}}}"#
        Self.say(done, in: &home, .seconds(1))
        Self.say(done, in: &home, .seconds(1))
        let actions = home.takeActions()
        let sent = actions.compactMap { action -> String? in
            guard case .send(let bytes, Self.here, nil) = action else { return nil }
            return String(decoding: KasaCipher.decrypted(bytes), as: UTF8.self)
        }
        #expect(sent.prefix(2) == [Self.text(.relay(false, child: "00")), Self.text(.relay(true, child: "01"))])
        #expect(actions.contains(.finished(command: first, nil)) && actions.contains(.finished(command: second, nil)))
        let reports = actions.filter { if case .report = $0 { true } else { false } }
        #expect(
            reports == [
                .report(one, LightReport(on: false, reachable: true)),
                .report(two, LightReport(on: true, reachable: true)),
            ])
        #expect(throws: LightError.unknownLight) {
            try home.apply(LightCommand(on: true), to: Self.id, now: .seconds(1))
        }
        // Without a response, all sockets are unreachable.
        _ = try home.apply(LightCommand(on: true), to: one, now: .seconds(2))
        for milliseconds in stride(from: 2000, through: 5000, by: 50) {
            home.timePassed(now: .milliseconds(milliseconds))
        }
        let lost = home.takeActions().filter { if case .send = $0 { false } else { true } }
        #expect(
            lost.suffix(2) == [
                .report(one, LightReport(reachable: false)), .report(two, LightReport(reachable: false)),
            ])
    }

    @Test("limits the number of sockets of a power strip")
    func manySockets() throws {
        let children = (0..<100).map { #"{"id":"\#($0)","state":1}"# }.joined(separator: ",")
        #expect(try Self.device(Self.plug, #""children":[\#(children)]"#).lights.count == KasaSystem.maximumChildren)
    }

    static func newer(_ mac: String, type: String = "SMART.KASAPLUG") -> [UInt8] {
        KasaNewerDevice.search
            + Array(#"{"result":{"device_type":"\#(type)","device_model":"KP125M(US)","mac":"\#(mac)"}}"#.utf8)
    }

    @Test("warns once about a device with the newer protocol, unless it also supports the older protocol")
    func newerProtocol() {
        var home = Self.home()
        for _ in 0..<3 { home.received(Self.newer("1C-3B-F3-00-00-01"), from: Self.here, now: .zero) }
        let actions = home.takeActions()
        guard case .warn(let text?, "1c3bf3000001")? = actions.first, actions.count == 1 else {
            Issue.record("\(actions)")
            return
        }
        #expect(text.hasPrefix("KP125M(US) (1c3bf3000001) supports only TP-Link's newer protocol"))
        Self.say(Self.system(Self.plug, #""relay_state":1"#), in: &home)
        #expect(home.takeActions().contains(.warn(nil, about: "1c3bf3000001")))
        home.received(Self.newer("1C-3B-F3-00-00-01"), from: Self.here, now: .zero)
        #expect(home.takeActions().allSatisfy { if case .warn = $0 { false } else { true } })
        for bytes in [
            Self.newer("12"), Self.newer("1C-3B-F3-00-00-02", type: "SMART.IPCAMERA"), KasaNewerDevice.search, [],
        ] {
            home.received(bytes, from: Self.here, now: .zero)
            #expect(home.takeActions() == [])
        }
    }

    @Test("limits the number of warnings about unusable devices")
    func manyNewer() {
        var home = Self.home()
        for number in 0..<1000 {
            let digits = String(number, radix: 16)
            home.received(
                Self.newer(String(repeating: "0", count: 12 - digits.count) + digits), from: Self.here, now: .zero)
        }
        #expect(home.takeActions().count == DatagramDeviceRegistry<KasaDevice>.maximumDevices)
    }

    @Test("searches for devices of both protocols")
    func search() {
        var home = DatagramDeviceRegistry<KasaDevice>(looksFor: LANDevices(), session: 9)
        home.search(on: [IPv4Network(address: 0x0A00_0002, mask: 0xFFFF_FF00)], now: .zero)
        let everybody: UInt32 = 0x0A00_00FF
        #expect(
            home.takeActions() == [
                .send(KasaRequest.system.bytes, to: IPv4Endpoint(address: everybody, port: 9999), over: nil),
                .send(KasaNewerDevice.search, to: IPv4Endpoint(address: everybody, port: 20002), over: nil),
            ])
    }
}
