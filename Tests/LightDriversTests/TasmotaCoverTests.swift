import BoundedJSON
import DeviceKit
import HAPModel
import Testing

@testable import LightDrivers

/// Shutters of Tasmota's own discovery, with the messages in the documentation of shutters in Tasmota 13.
@Suite("Tasmota's shutters")
struct TasmotaCoverTests {
    private static let stop: LightCommand = {
        var command = LightCommand()
        command.values[Property(.holdPosition)] = .bool(true)
        return command
    }()

    private func command(_ percent: Int? = nil, tilt: Int? = nil) -> LightCommand {
        var command = LightCommand()
        command.targetPosition = percent
        command.targetTilt = tilt
        return command
    }

    @Test("finds the shutters and topics that hatasmota finds", arguments: TasmotaDevice.all)
    func found(_ device: TasmotaDevice) throws {
        var house = TasmotaTests.house(device)
        let wanted = (device.json["entities"]?.array ?? []).filter { $0["platform"] == "cover" }
        #expect(house.added.count { $0.kind == .cover } == wanted.count)
        for entity in wanted {
            let number = entity["number"]?.int ?? 0
            let id = LightID("AABBCC004711_cover_shutter_\(number - 1)")
            let cover = try #require(house.added.first { $0.id == id })
            #expect(cover.capabilities == .cover(tilt: entity["tilt"] != nil, stop: true))
            for key in ["result", "sensor", "status", "will"] {
                #expect(house.subscribed.contains(try #require(entity[key]?.string)))
            }
            let prefix = try #require(entity["command"]?.string)
            let isInverted = entity["inverted"]?.bool == true
            let position = isInverted ? 70 : 30
            #expect(try house.sends(command(30), to: id) == ["\(prefix)ShutterPosition\(number) \(position)"])
            #expect(try house.sends(Self.stop, to: id) == ["\(prefix)ShutterStop\(number) "])
            if let tilt = entity["tilt"]?.array?.compactMap(\.int) {
                let middle = (tilt[0] + tilt[1]) / 2
                #expect(try house.sends(command(tilt: 0), to: id) == ["\(prefix)ShutterTilt\(number) \(middle)"])
            }
        }
    }

    @Test(
        "reads a movement and its end",
        arguments: [("shutters and a relay", false), ("shutters with slats, one inverted", true)])
    func movement(name: String, isInverted: Bool) throws {
        var house = TasmotaTests.house(try .named(name))
        let id = LightID("AABBCC004711_cover_shutter_\(isInverted ? 1 : 0)")
        let shutter = isInverted ? "Shutter2" : "Shutter1"
        func state(_ position: Int, _ direction: Int) -> LightReport? {
            house.receives(
                "stat/tasmota_004711/RESULT",
                #"{"\#(shutter)":{"Position":\#(position),"Direction":\#(direction),"Target":90,"Tilt":0}}"#)
            return house.states[id]
        }
        #expect(state(20, 1)?.motion == (isInverted ? .closing : .opening))
        #expect(house.states[id]?.position == (isInverted ? 80 : 20))
        #expect(state(90, 0)?.motion == .stopped)
        #expect(house.states[id]?.position == (isInverted ? 10 : 90))
        house.receives(
            "stat/tasmota_004711/STATUS10",
            #"{"StatusSNS":{"Time":"2026-01-01T00:00:00","\#(shutter)":{"Position":0,"Direction":0,"Target":0,"Tilt":0}}}"#
        )
        #expect(house.states[id]?.position == (isInverted ? 100 : 0))
        let reports = house.actions.count
        for text in [
            #"{"\#(shutter)":{"Position":"high","Direction":7}}"#, #"{"\#(shutter)":5}"#, "[]",
            #"{"POWER1":"ON"}"#, #"{"Shutter9":{"Position":5}}"#,
        ] { house.receives("stat/tasmota_004711/RESULT", text) }
        #expect(house.actions.count == reports)
    }
}
