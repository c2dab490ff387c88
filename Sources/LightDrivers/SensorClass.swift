import DeviceKit

/// A device class of Home Assistant.
///
/// ESPHome uses the same classes.
struct SensorClass: Equatable, Sendable {
    /// The unit of the numbers that the device reports.
    enum Unit: Equatable, Sendable {
        case plain, fahrenheit, kelvin

        /// Returns the number in the unit of the reading, rounded to thousandths, because the device's number may have
        /// only single precision.
        func plain(_ number: Double) -> Double {
            let plain =
                switch self {
                case .plain: number
                case .fahrenheit: (number - 32) / 1.8
                case .kelvin: number - 273.15
                }
            return (plain * 1000).rounded() / 1000
        }
    }

    let reading: SensorReading
    var unit = Unit.plain
    /// A Boolean value that indicates whether the device's value is the opposite of the reading's: "on" means an open
    /// door, and therefore no contact.
    var isInverted = false

    init(_ reading: SensorReading) { self.reading = reading }

    /// Creates the class of a binary sensor.
    ///
    /// Returns `nil` if the class isn't supported.
    init?(binary name: String?) {
        switch name {
        case "motion": reading = .motion
        case "occupancy", "presence": reading = .occupancy
        case "door", "window", "garage_door", "opening":
            reading = .contact
            isInverted = true
        case "moisture": reading = .leak
        case "smoke": reading = .smoke
        case "battery": reading = .batteryLow
        default: return nil
        }
    }

    /// Creates the class of a sensor that reports numbers in the given unit.
    ///
    /// Returns `nil` if the class or the unit isn't supported.
    init?(number name: String?, unit: String) {
        switch (name, unit) {
        case ("temperature", "°F"), ("temperature", "F"), ("temperature", "℉"):
            (reading, self.unit) = (.temperature, .fahrenheit)
        case ("temperature", "K"): (reading, self.unit) = (.temperature, .kelvin)
        case ("temperature", ""), ("temperature", "°C"), ("temperature", "C"), ("temperature", "℃"):
            reading = .temperature
        case ("humidity", ""), ("humidity", "%"), ("humidity", "%RH"): reading = .humidity
        case ("illuminance", ""), ("illuminance", "lx"), ("illuminance", "lux"): reading = .illuminance
        case ("battery", ""), ("battery", "%"): reading = .battery
        default: return nil
        }
    }

    /// Returns a message if the class of a sensor is supported but its unit isn't; otherwise `nil`.
    static func unknownUnit(_ unit: String, of name: String?) -> String? {
        guard let name, Self(number: name, unit: "") != nil, Self(number: name, unit: unit) == nil else { return nil }
        return "\"\(MQTTProblem.quoted(unit))\" isn't a known unit of \(name)"
    }

    /// Returns the reading's value for the device's on or off.
    func flag(_ isOn: Bool) -> SensorValue { .flag(isOn != isInverted) }

    /// Returns the reading's value for the device's number, or `nil` if it is outside the range of the reading.
    func number(_ number: Double) -> SensorValue? { SensorValue.number(unit.plain(number)).valid(for: reading) }
}
