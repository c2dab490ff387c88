import DeviceKit

/// A sensor or a meter of a Shelly device of either generation.
protocol ShellyReadings {
    /// The name within the device, from which the id is derived.
    var key: String { get }
    /// The name that the user has chosen, or `nil` if the user hasn't chosen a name.
    var name: String? { get }
    var readings: [SensorReading: SensorValue] { get }
}

extension ShellyReadings {
    /// A Boolean value that indicates whether this is a meter, not a sensor.
    var isMeter: Bool {
        readings.keys.contains(where: \.isMeter) && readings.keys.allSatisfy { $0.isMeter || $0.isBattery }
    }
}

extension Array where Element: ShellyReadings {
    /// Returns the descriptions of a device's sensors and meters.
    ///
    /// A sensor or a meter without a name gets the device's name, followed by a noun if the device has outputs, or by a
    /// noun and a number if it has several sensors or meters of the same kind.
    ///
    /// - Parameters:
    ///   - hasOutputs: A Boolean value that indicates whether the device has outputs.
    ///   - deviceName: The name of the device.
    ///   - describe: Returns the description of a part of the device with the given key, name, kind and capabilities.
    /// - Returns: The descriptions, in order.
    func descriptions(
        hasOutputs: Bool, of deviceName: String,
        by describe: (String, String, LightKind, LightCapabilities) -> LightDescription
    ) -> [LightDescription] {
        var numbers = [true: 0, false: 0]
        return map { sensor in
            let isMeter = sensor.isMeter
            numbers[isMeter, default: 0] += 1
            let noun = isMeter ? "Meter" : "Sensor"
            let hasOthers = count { $0.isMeter == isMeter } > 1
            let part = hasOthers ? " \(noun) \(numbers[isMeter, default: 1])" : hasOutputs ? " \(noun)" : ""
            return describe(
                sensor.key, sensor.name ?? deviceName + part, isMeter ? .meter : .sensor,
                .sensor(Set(sensor.readings.keys)))
        }
    }
}
