import BoundedJSON
import DeviceKit
import HAPModel
import TestTimeouts
import Testing

@testable import LightDrivers

/// The component of Shelly's wall displays, with the messages of Home Assistant's integration.
@Suite("A thermostat of a Shelly device", .timeout)
struct ShellyThermostatTests {
    @Test("reads its status and sets its mode and its target", arguments: ["heating", "cooling"])
    func thermostat(type: String) throws {
        var output = try #require(ShellyOutput("thermostat:0", JSONValue(parsing: #"{"type":"\#(type)"}"#)))
        let mode: HeatingCoolingMode = type == "cooling" ? .cool : .heat
        let function = try #require(output.functions?.first)
        #expect(function.metadata(of: .targetHeatingCoolingState)?.validValues == [0, Int64(mode.rawValue)])
        #expect(function.metadata(of: .targetTemperature)?.range == 5...35)
        #expect(!output.isKnown)
        output.merge(
            try JSONValue(parsing: #"{"id":0,"enable":true,"target_C":21.5,"current_C":19.8,"output":true}"#))
        #expect(output.isKnown)
        #expect(output.report.thermostatMode == mode && output.report.thermostatActivity == mode)
        #expect(output.report.targetTemperature == 21.5 && output.report.values[.currentTemperature] == 19.8)
        output.merge(try JSONValue(parsing: #"{"id":0,"output":false}"#))
        #expect(output.report.thermostatActivity == .off && output.report.targetTemperature == 21.5)
        output.merge(try JSONValue(parsing: #"{"id":0,"enable":false,"current_C":"warm","target_C":1e300}"#))
        #expect(output.report.thermostatMode == .off && output.report.targetTemperature == 21.5)
        var command = LightCommand()
        command.targetTemperature = 22.8
        command.thermostatMode = mode
        let call = output.call(for: command)
        #expect(
            "\(call.method) \(call.params.text)"
                == #"Thermostat.SetConfig {"config":{"id":0,"enable":true,"target_C":23}}"#)
    }
}
