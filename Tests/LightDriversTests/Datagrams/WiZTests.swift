import DeviceKit
import Foundation
import HAPTesting
import Logging
import TestTimeouts
import Testing

@testable import LightDrivers

@Suite("The WiZ protocol", .timeout)
struct WiZTests {
    static func message(_ text: String) throws -> WiZMessage { try #require(WiZMessage(Array(text.utf8))) }

    static func device(
        _ module: String = "ESP01_SHRGB_03", pilot: String = #""state":true,"dimming":60,"temp":2700"#,
        whites: String = #""result":{"cctRange":[2200,2700,4800,6500]}"#
    ) throws -> WiZDevice {
        var device = WiZDevice(id: "a8bb5006033d")
        for _ in 0..<5 {
            for request in device.questions {
                let body =
                    switch request {
                    case .system: #""result":{"mac":"a8bb5006033d","moduleName":"\#(module)","fwVersion":"1.25.0"}"#
                    case .pilot: #""result":{"mac":"a8bb5006033d",\#(pilot)}"#
                    default: whites
                    }
                let answer = try message(#"{"method":"\#(request.method)","env":"pro",\#(body)}"#)
                #expect(WiZDevice.isAnswer(answer, to: request, number: 0))
                try device.answered(request, with: answer)
            }
        }
        #expect(device.questions == [])
        return device
    }

    @Test("encodes requests as JSON objects")
    func frames() {
        func text(_ request: WiZRequest) -> String {
            String(decoding: request.bytes(session: 0xAB, localAddress: 0x0A00_0002), as: UTF8.self)
        }
        #expect(text(.pilot) == #"{"method":"getPilot","params":{}}"#)
        #expect(
            text(.register)
                == #"{"method":"registration","params":{"phoneMac":"0200000000ab","register":true,"phoneIp":"10.0.0.2","id":"1"}}"#
        )
        #expect(
            text(.setPilot(WiZPilot(isOn: true, dimming: 60, channels: [255, 90, 0, 0, 0])))
                == #"{"method":"setPilot","params":{"state":true,"dimming":60,"r":255,"g":90,"b":0,"c":0,"w":0}}"#)
        #expect(
            text(.setPilot(WiZPilot(isOn: true, kelvin: 2700)))
                == #"{"method":"setPilot","params":{"state":true,"temp":2700}}"#)
    }

    @Test(
        "derives kind and capabilities from the module's name",
        arguments: [
            (
                "ESP01_SHRGB_03", LightKind.light,
                LightCapabilities(brightness: true, color: true, temperature: 154...455)
            ),
            ("ESP21_SHTW_01", .light, LightCapabilities(brightness: true, temperature: 154...455)),
            ("ESP05_SHDW_21", .light, LightCapabilities(brightness: true)),
            ("INVALID", .light, LightCapabilities(brightness: true)),
            ("ESP10_SOCKET_06", .outlet, LightCapabilities()),
        ])
    func modules(module: String, kind: LightKind, capabilities: LightCapabilities) throws {
        let description = try #require(try Self.device(module).description)
        #expect(description.kind == kind && description.capabilities == capabilities && description.model == module)
    }

    @Test(
        "uses the device's lowest brightness, or the default if the device reports none",
        arguments: [(#""minDimLevel":1,"#, 1), (#""minDimLevel":5,"#, 5), ("", 10), (#""minDimLevel":900,"#, 10)])
    func leastDimming(member: String, least: Int) throws {
        for module in ["ESP25_SHRGB_01", "ESP05_SHDW_21"] {
            let device = try Self.device(module, whites: #""result":{\#(member)"cctRange":[2200,6500]}"#)
            #expect(
                device.requests(for: LightCommand(brightness: 1)) == [.setPilot(WiZPilot(isOn: true, dimming: least))])
        }
    }

    @Test("takes the range of color temperatures from the model, the user configuration or the default")
    func whites() throws {
        let error = #""error":{"code":-32601,"message":"Method not found"}"#
        #expect(try Self.device(whites: error).description?.capabilities.temperature == 154...370)
        let user = #""result":{"whiteRange":[2700,6500],"extRange":[2200,6500]}"#
        #expect(try Self.device(whites: user).description?.capabilities.temperature == 154...455)
    }

    @Test(
        "reads the state of a device",
        arguments: [
            (
                #""state":true,"dimming":60,"temp":2700"#,
                LightReport(on: true, brightness: 60, color: .temperature(mired: 370))
            ),
            (
                #""state":false,"dimming":13,"r":255,"g":127,"b":0,"c":0,"w":0,"temp":0"#,
                LightReport(on: false, brightness: 13, color: .hueSaturation(hue: 30, saturation: 100))
            ), (#""state":true,"sceneId":4,"dimming":0"#, LightReport(on: true)),
            (#""state":1,"dimming":"x","r":999,"g":0,"b":0"#, LightReport()),
        ])
    func states(pilot: String, report: LightReport) throws {
        #expect(try Self.device(pilot: pilot).state == report)
    }

    @Test("sends a command as one message that includes the power")
    func commands() throws {
        let lit = try Self.device()
        let dark = try Self.device(pilot: #""state":false,"dimming":60"#)
        #expect(lit.requests(for: LightCommand(on: false)) == [.setPilot(WiZPilot(isOn: false))])
        #expect(dark.requests(for: LightCommand(brightness: 3)) == [.setPilot(WiZPilot(isOn: false, dimming: 10))])
        #expect(
            lit.requests(for: LightCommand(on: true, brightness: 50, color: .hueSaturation(hue: 120, saturation: 100)))
                == [.setPilot(WiZPilot(isOn: true, dimming: 50, channels: [0, 255, 0, 0, 0]))])
        #expect(
            lit.requests(for: LightCommand(color: .temperature(mired: 500)))
                == [.setPilot(WiZPilot(isOn: true, kelvin: 2200))])
    }

    @Test("reports a refused command as an error, and changes nothing")
    func refused() throws {
        var device = try Self.device()
        let before = device.state
        let answer = try Self.message(
            #"{"method":"setPilot","env":"pro","error":{"code":-32602,"message":"Invalid params"}}"#)
        #expect(throws: LightError.refused("the device doesn't accept this command")) {
            try device.answered(.setPilot(WiZPilot(isOn: false)), with: answer)
        }
        #expect(device.state == before)
    }

    @Test("rejects messages that are invalid or aren't from a device")
    func malformed() {
        for text in [
            "", "garbage", "[]", "{}", #"{"method":"getPilot"}"#, #"{"env":"pro","error":{"code":-32700}}"#,
            #"{"method":"getPilot","params":"#, String(repeating: "[", count: 4000),
        ] { #expect(WiZMessage(Array(text.utf8)) == nil, "\(text)") }
    }

    @Test("adds a device that announces itself, and reports its changes at once")
    func found() throws {
        let source = try #require(IPv4Endpoint("10.0.0.7", port: 38899))
        var home = DatagramDeviceRegistry<WiZDevice>(looksFor: LANDevices(), session: 1)
        func receive(_ text: String) { home.received(Array(text.utf8), from: source, now: .zero) }
        receive(#"{"method":"registration","env":"pro","result":{"mac":"A8BB5006033D","success":true}}"#)
        receive(
            #"{"method":"getSystemConfig","env":"pro","result":{"mac":"a8bb5006033d","moduleName":"ESP05_SHDW_21"}}"#)
        let pilot = #"{"method":"getPilot","env":"pro","result":{"state":true,"dimming":60}}"#
        receive(pilot)
        receive(#"{"method":"registration","env":"pro","result":{"mac":"A8BB5006033D","success":true}}"#)
        receive(pilot)
        receive(#"{"method":"getModelConfig","env":"pro","error":{"code":-32601}}"#)
        let told = home.takeActions().filter { if case .send = $0 { false } else { true } }
        #expect(told.count == 2)
        #expect(told.last == .report("a8bb5006033d", LightReport(on: true, brightness: 60, reachable: true)))
        receive(#"{"method":"syncPilot","env":"pro","params":{"mac":"a8bb5006033d","state":false,"dimming":60}}"#)
        #expect(
            home.takeActions().contains(
                .report("a8bb5006033d", LightReport(on: false, brightness: 60, reachable: true))))
    }
}
