import BoundedJSON
import DeviceKit
import HAPModel

/// The state of a thermostat of a Shelly device, such as a wall display (Lights 9.6).
struct ShellyThermostat: Equatable, Sendable {
    private static let temperatures = 5.0...35.0
    private static let step = 0.5

    /// A Boolean value that indicates whether the thermostat cools instead of heating.
    var cools: Bool
    private var isOn: Bool?
    private var isRunning: Bool?
    private var target: Double?
    private var current: Double?

    /// A Boolean value that indicates whether the thermostat's state is known.
    var isKnown: Bool { isOn != nil }

    private var mode: HeatingCoolingMode { cools ? .cool : .heat }

    var function: AccessoryFunction {
        var features = ThermostatFeatures()
        features.modes = [.off, mode]
        features.temperatures = Self.temperatures
        features.reportsActivity = true
        return features.function
    }

    /// Creates a thermostat from its configuration.
    init(_ configuration: JSONValue = .null) { cools = configuration["type"]?.string == "cooling" }

    /// Updates the thermostat from a status, complete or partial.
    mutating func merge(_ json: JSONValue) {
        isOn = json["enable"]?.bool ?? isOn
        isRunning = json["output"]?.bool ?? isRunning
        target = TemperatureUnit.celsius.celsius(json["target_C"]?.double) ?? target
        current = TemperatureUnit.celsius.celsius(json["current_C"]?.double) ?? current
    }

    var report: LightReport {
        var report = LightReport(reachable: true)
        report.thermostatMode = isOn.map { $0 ? mode : .off }
        report.thermostatActivity = isRunning.map { $0 ? mode : .off }
        report.targetTemperature = target
        report.values[.currentTemperature] = current
        return report
    }

    /// Returns the method for a command, with its parameters.
    func call(for command: LightCommand, number: Int) -> (method: String, params: JSONValue) {
        var configuration: JSONObject = ["id": .integer(Int64(number))]
        configuration["enable"] = command.thermostatMode.map { .bool($0 != .off) }
        configuration["target_C"] = command.targetTemperature.map {
            .number(TemperatureUnit.celsius.number(celsius: $0, step: Self.step))
        }
        return ("Thermostat.SetConfig", ["config": .object(configuration)])
    }
}
