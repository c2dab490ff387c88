import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

/// Climate entities and water heaters with the fields of ESPHome's api.proto (aioesphomeapi of August 2026).
@Suite("ESPHome thermostats", .timeout)
struct ESPHomeThermostatTests {
    typealias Message = ESPHomeFraming.Message

    private static func message(_ type: Int, _ write: (inout ProtobufWriter) -> Void) -> Message {
        var body = ProtobufWriter()
        write(&body)
        return Message(type, body.bytes)
    }

    private static func device(
        modes: [UInt64], flags: UInt64 = 0, unit: UInt64 = 0, _ more: (inout ProtobufWriter) -> Void = { _ in }
    ) throws -> ESPHomeLight {
        let entity = try ESPHomeEntity(
            message(46) { body in
                body.write("stat", field: 1)
                body.write(fixed32: 9, field: 2)
                body.write("Stat", field: 3)
                for mode in modes { body.write(mode, field: 7) }
                body.write(unit == 1 ? Float(50) : 10, field: 8)
                body.write(unit == 1 ? Float(86) : 30, field: 9)
                body.write(unit == 1 ? Float(1) : 0.5, field: 10)
                if flags != 0 { body.write(flags, field: 27) }
                if unit != 0 { body.write(unit, field: 28) }
                more(&body)
            })
        return ESPHomeLight(try #require(entity), of: ESPHomeDeviceInfo())
    }

    private static func state(_ type: Int, _ write: (inout ProtobufWriter) -> Void) throws -> ESPHomeState? {
        try ESPHomeState(
            message(type) { body in
                body.write(fixed32: 9, field: 1)
                write(&body)
            })
    }

    private func command(
        _ mode: HeatingCoolingMode? = nil, target: Double? = nil, low: Double? = nil, high: Double? = nil
    ) -> LightCommand {
        var command = LightCommand()
        command.thermostatMode = mode
        command.targetTemperature = target
        (command.heatingThreshold, command.coolingThreshold) = (low, high)
        return command
    }

    @Test("describes a climate device by its modes and features, and prefers heat_cool to auto")
    func description() throws {
        let device = try Self.device(modes: [0, 3, 5, 1, 6], flags: 1 | 32)
        let function = try #require(device.description.functions.first)
        #expect(device.description.kind == .thermostat && device.description.id == "/climate/stat")
        #expect(function.metadata(of: .targetHeatingCoolingState)?.validValues == [0, 1, 3])
        #expect(function.metadata(of: .targetTemperature)?.range == 10...30)
        #expect(function.has(.currentTemperature) && function.has(.currentHeatingCoolingState))
        #expect(!function.has(.coolingThresholdTemperature))
        #expect(
            device.message(for: command(.auto, target: 21.5))
                == Self.message(48) { body in
                    body.write(fixed32: 9, field: 1)
                    body.write(true, field: 2)
                    body.write(UInt64(1), field: 3)
                    body.write(true, field: 4)
                    body.write(Float(21.5), field: 5)
                })
        #expect(device.message(for: LightCommand(on: true)) == nil)
    }

    @Test("sets numbered and custom fan modes and swing modes, and reads them")
    func fan() throws {
        var device = try Self.device(modes: [0, 2]) { body in
            for mode in [2, 3, 5] { body.write(UInt64(mode), field: 13) }
            for mode in [0, 2] { body.write(UInt64(mode), field: 14) }
            body.write("Turbo", field: 15)
        }
        #expect(device.description.functions.map(\.type) == [.thermostat, .fanv2])
        for (property, value, fields) in [
            (ThermostatFan.automatic, CharacteristicValue.integer(1), [12: 1, 13: 2]),
            (ThermostatFan.speed, .float(33), [12: 1, 13: 3]), (ThermostatFan.swing, .integer(1), [14: 1, 15: 2]),
            (ThermostatFan.swing, .integer(0), [14: 1, 15: 0]),
        ] {
            var command = LightCommand()
            command.values[property] = value
            let expected = Self.message(48) { body in
                body.write(fixed32: 9, field: 1)
                for (field, number) in fields.sorted(by: { $0.key < $1.key }) {
                    body.write(UInt64(number), field: UInt64(field))
                }
            }
            #expect(device.message(for: command) == expected)
        }
        var fastest = LightCommand()
        fastest.values[ThermostatFan.speed] = .float(100)
        #expect(
            device.message(for: fastest)
                == Self.message(48) { body in
                    body.write(fixed32: 9, field: 1)
                    body.write(true, field: 16)
                    body.write("Turbo", field: 17)
                })
        device.state = try Self.state(47) { body in
            body.write(UInt64(2), field: 2)
            body.write(UInt64(2), field: 10)
            body.write("Turbo", field: 11)
        }
        #expect(device.report?.values[ThermostatFan.speed] == .float(100))
        #expect(device.report?.values[ThermostatFan.swing] == .integer(1))
        device.state = try Self.state(47) { body in body.write(UInt64(99), field: 9) }
        #expect(device.report?.values[ThermostatFan.speed] == nil)
    }

    @Test("reads the mode, the activity and the temperatures, and keeps the shown mode while drying")
    func states() throws {
        var device = try Self.device(modes: [0, 2, 3, 5], flags: 1 | 32)
        device.state = try Self.state(47) { body in
            body.write(UInt64(3), field: 2)
            body.write(Float(20.3), field: 3)
            body.write(Float(22), field: 4)
            body.write(UInt64(3), field: 8)
        }
        var report = try #require(device.report)
        #expect(report.thermostatMode == .heat && report.thermostatActivity == .heat && report.targetTemperature == 22)
        #expect(report.values[.currentTemperature] == 20.3)
        device.state = try Self.state(47) { body in
            body.write(UInt64(5), field: 2)
            body.write(Float.nan, field: 3)
            body.write(UInt64(5), field: 8)
        }
        report = try #require(device.report)
        #expect(report.thermostatMode == nil && report.values.contains(Property(.targetHeatingCoolingState)))
        #expect(report.thermostatActivity == .off && report.values[.currentTemperature] as Double? == nil)
        device.state = try Self.state(47) { $0.write(Float(22), field: 4) }
        #expect(device.report?.thermostatMode == .off)
    }

    @Test("uses two set points in every mode if the firmware has them, including older firmware")
    func twoPoints() throws {
        // Firmware 2026.6.5 sets flag 2 for thermostats and flag 4 for bang-bang controllers.
        for flags in [0, 2, 4, 6] as [UInt64] {
            var device = try Self.device(modes: [0, 1, 2, 3], flags: flags) { body in
                if flags == 0 { body.write(true, field: 6) }
            }
            #expect(device.description.functions[0].has(.heatingThresholdTemperature))
            device.state = try Self.state(47) { body in
                body.write(UInt64(2), field: 2)
                body.write(Float(19), field: 5)
                body.write(Float(24.5), field: 6)
            }
            let report = try #require(device.report)
            #expect(report.heatingThreshold == 19 && report.coolingThreshold == 24.5)
            #expect(report.targetTemperature == 24.5)
            #expect(
                device.message(for: command(target: 23))
                    == Self.message(48) { body in
                        body.write(fixed32: 9, field: 1)
                        body.write(true, field: 8)
                        body.write(Float(23), field: 9)
                    })
            #expect(
                device.message(for: command(.auto, low: 18, high: 25))
                    == Self.message(48) { body in
                        body.write(fixed32: 9, field: 1)
                        body.write(true, field: 2)
                        body.write(UInt64(1), field: 3)
                        body.write(true, field: 6)
                        body.write(Float(18), field: 7)
                        body.write(true, field: 8)
                        body.write(Float(25), field: 9)
                    })
        }
    }

    @Test("converts degrees Fahrenheit")
    func fahrenheit() throws {
        var device = try Self.device(modes: [0, 3], flags: 1, unit: 1)
        #expect(device.description.functions[0].metadata(of: .targetTemperature)?.range == 10...30)
        device.state = try Self.state(47) { body in
            body.write(UInt64(3), field: 2)
            body.write(Float(73), field: 4)
        }
        #expect(device.report?.targetTemperature.map { abs($0 - 22.8) < 0.06 } == true)
        #expect(
            device.message(for: command(target: 22.8))
                == Self.message(48) { body in
                    body.write(fixed32: 9, field: 1)
                    body.write(true, field: 4)
                    body.write(Float(73), field: 5)
                })
    }

    @Test("switches a water heater by its power, or by its modes")
    func waterHeater() throws {
        func heater(features: UInt64) throws -> ESPHomeLight {
            let entity = try ESPHomeEntity(
                Self.message(132) { body in
                    body.write("tank", field: 1)
                    body.write(fixed32: 9, field: 2)
                    body.write(Float(30), field: 8)
                    body.write(Float(70), field: 9)
                    body.write(UInt64(0), field: 11)
                    body.write(UInt64(6), field: 11)
                    body.write(features, field: 12)
                })
            return ESPHomeLight(try #require(entity), of: ESPHomeDeviceInfo())
        }
        var device = try heater(features: 1 | 16)
        #expect(device.description.functions[0].metadata(of: .targetTemperature)?.range == 30...70)
        device.state = try Self.state(133) { body in
            body.write(Float(48), field: 2)
            body.write(Float(55), field: 3)
            body.write(UInt64(6), field: 4)
            body.write(UInt64(2), field: 6)
        }
        let report = try #require(device.report)
        #expect(report.thermostatMode == .heat && report.targetTemperature == 55)
        #expect(report.values[.currentTemperature] == 48)
        #expect(
            device.message(for: command(.off, target: 50))
                == Self.message(134) { body in
                    body.write(fixed32: 9, field: 1)
                    body.write(UInt64(0), field: 6)
                    body.write(Float(50), field: 4)
                    body.write(UInt64(34), field: 2)
                })
        device = try heater(features: 4)
        #expect(
            device.message(for: command(.heat))
                == Self.message(134) { body in
                    body.write(fixed32: 9, field: 1)
                    body.write(UInt64(6), field: 3)
                    body.write(UInt64(1), field: 2)
                })
    }
}
