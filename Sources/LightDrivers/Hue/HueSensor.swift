import BoundedJSON
import DeviceKit
import Glibc

/// A sensor resource of a bridge, such as the motion sensor or the battery of a device.
///
/// A device may have several sensor resources (Lights 9.3).
struct HueSensor: Sendable {
    /// The types of sensor resources.
    static let types = [
        "motion", "camera_motion", "contact", "tamper", "temperature", "light_level", "device_power",
    ]

    let owner: String
    private let type: String
    private var isEnabled = true
    private var read: (reading: SensorReading, value: SensorValue)

    /// Parses a complete resource; `nil` if it is invalid.
    init?(_ json: JSONValue, type: String) {
        guard let owner = json["owner"]?["rid"]?.string, HueSession.isID(owner),
            let reading = Self.reading(of: type, json)
        else { return nil }
        self.owner = owner
        self.type = type
        read = (reading, .unknown)
        update(json)
    }

    /// Updates the sensor from a complete or partial resource.
    mutating func update(_ json: JSONValue) {
        isEnabled = json["enabled"]?.bool ?? isEnabled
        if let value = Self.value(type, read.reading, json) { read.value = value }
    }

    var reading: SensorReading { read.reading }

    /// The value, which is unknown while the sensor is disabled in the Hue app.
    var value: SensorValue { isEnabled ? read.value : .unknown }

    private static func reading(of type: String, _ json: JSONValue) -> SensorReading? {
        switch type {
        case "motion", "camera_motion": .motion
        case "contact": .contact
        case "tamper": .tamper
        case "temperature": .temperature
        case "light_level": .illuminance
        // Some devices report only whether the battery is low.
        case "device_power": json["power_state"]?["battery_level"]?.double == nil ? .batteryLow : .battery
        default: nil
        }
    }

    /// Returns the value in a resource, or `nil` if the resource contains no value.
    ///
    /// The value in a report, such as `motion_report`, has priority over the plain field, which newer firmware omits.
    private static func value(_ type: String, _ reading: SensorReading, _ json: JSONValue) -> SensorValue? {
        switch type {
        case "motion", "camera_motion":
            let motion = json["motion"]
            return (motion?["motion_report"]?["motion"] ?? motion?["motion"])?.bool.map { .flag($0) }
        case "contact":
            return json["contact_report"]?["state"]?.string.map { .flag($0 == "contact") }
        case "tamper":
            // There is one report for each place where the device can be opened, and none if it was never opened.
            let reports = json["tamper_reports"]?.array?.compactMap { $0["state"]?.string }
            return reports.map { .flag($0.contains("tampered")) }
        case "temperature":
            let temperature = json["temperature"]
            return (temperature?["temperature_report"]?["temperature"] ?? temperature?["temperature"])?.double
                .flatMap { SensorValue.number($0).valid(for: reading) }
        case "light_level":
            let light = json["light"]
            return (light?["light_level_report"]?["light_level"] ?? light?["light_level"])?.double
                .flatMap { SensorValue.number(lux($0)).valid(for: reading) }
        case "device_power":
            let power = json["power_state"]
            guard reading == .battery else {
                return power?["battery_state"]?.string.map { .flag($0 != "normal") }
            }
            return power?["battery_level"]?.double.flatMap { SensorValue.number($0).valid(for: reading) }
        default: return nil
        }
    }

    /// Returns the illuminance in lux for a light level, which is 10,000 log10(lux) + 1.
    ///
    /// A level of 0 means darkness.
    private static func lux(_ level: Double) -> Double {
        level <= 0 ? 0 : (pow(10, (min(level, 65_535) - 1) / 10_000) * 100).rounded() / 100
    }
}
