import BoundedJSON
import DeviceKit

/// A sensor of a first-generation Shelly device: the device itself, or a probe of an add-on (Lights 9.6.1).
struct ShellyGen1Sensor: ShellyReadings, Equatable, Sendable {
    /// The value of a probe that is missing or broken.
    private static let broken = 999.0

    /// The name within the device: `sensor`, `probe:0` for a probe, or `meter:0`.
    let key: String
    let readings: [SensorReading: SensorValue]

    var name: String? { nil }

    /// A copy of the sensor whose readings are unknown, except for the battery.
    var unknown: ShellyGen1Sensor {
        ShellyGen1Sensor(key: key, readings: readings.filter { !$0.key.isBattery }.mapValues { _ in .unknown })
    }

    /// Returns the sensors in a device's status.
    static func all(in status: JSONValue, maximumProbes: Int) -> [ShellyGen1Sensor] {
        var sensors: [ShellyGen1Sensor] = []
        let own = ownReadings(status)
        if SensorDevices.isShown(own.keys) { sensors.append(ShellyGen1Sensor(key: "sensor", readings: own)) }
        for number in 0..<maximumProbes {
            var readings: [SensorReading: SensorValue] = [:]
            if let json = status["ext_temperature"]?["\(number)"] { readings[.temperature] = celsius(json, json["tC"]) }
            if let json = status["ext_humidity"]?["\(number)"] { readings[.humidity] = value(json["hum"], .humidity) }
            if !readings.isEmpty { sensors.append(ShellyGen1Sensor(key: "probe:\(number)", readings: readings)) }
        }
        for (number, json) in (status["emeters"]?.array ?? []).prefix(maximumProbes).enumerated() {
            sensors.append(ShellyGen1Sensor(key: "meter:\(number)", readings: ShellyMeter(energyMeter: json).readings))
        }
        return sensors
    }

    private static func ownReadings(_ status: JSONValue) -> [SensorReading: SensorValue] {
        var readings: [SensorReading: SensorValue] = [:]
        readings[.leak] = status["flood"].map { value($0, .leak) }
        readings[.smoke] = status["smoke"].map { value($0, .smoke) }
        // Show the gas as carbon monoxide, like all gases that HAP has no sensor for.
        readings[.carbonMonoxide] = status["gas_sensor"].map { json in
            let alarms = ["none": false, "mild": true, "heavy": true, "test": true]
            return alarms[json["alarm_state"]?.string ?? ""].map { .flag($0) } ?? .unknown
        }
        readings[.motion] = (status["motion"] ?? status["sensor"]?["motion"]).map { value($0, .motion) }
        if let state = status["sensor"]?["state"] {
            readings[.contact] = ["close": .flag(true), "open": .flag(false)][state.string ?? ""] ?? .unknown
        }
        // The temperature of a relay or a dimmer itself, which has no `value`, isn't the room's temperature.
        if let json = status["tmp"], let temperature = json["value"] {
            let isFahrenheit = json["tC"] == nil && json["units"]?.string == "F"
            readings[.temperature] = celsius(json, json["tC"] ?? temperature, isFahrenheit: isFahrenheit)
        }
        for (name, reading) in [("hum", SensorReading.humidity), ("lux", .illuminance)] {
            guard let json = status[name], let number = json["value"] else { continue }
            readings[reading] = isValid(json) ? value(number, reading) : .unknown
        }
        if let level = status["bat"]?["value"]?.double, level >= 0 {
            readings[.battery] = SensorValue.number(level).valid(for: .battery)
        }
        return readings
    }

    /// Returns whether a sensor value is valid.
    ///
    /// Some firmware versions send this flag as a string.
    private static func isValid(_ json: JSONValue) -> Bool {
        json["is_valid"]?.bool ?? (json["is_valid"]?.string != "false")
    }

    private static func celsius(_ json: JSONValue, _ number: JSONValue?, isFahrenheit: Bool = false) -> SensorValue {
        guard isValid(json), let number = number?.double else { return .unknown }
        return value(.number(isFahrenheit ? (number - 32) / 1.8 : number), .temperature)
    }

    private static func value(_ json: JSONValue?, _ reading: SensorReading) -> SensorValue {
        if let flag = json?.bool { return SensorValue.flag(flag).valid(for: reading) ?? .unknown }
        guard let number = json?.double, number != broken else { return .unknown }
        return SensorValue.number(number).valid(for: reading) ?? .unknown
    }
}
