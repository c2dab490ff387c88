import DeviceKit

/// A device class of Home Assistant, which ESPHome uses, too.
struct SensorClass: Equatable, Sendable {
    /// The unit of the device's number.
    enum Unit: Equatable, Sendable {
        case plain, fahrenheit, kelvin

        /// Returns the number in the unit of the reading, to a thousandth: single precision has seven digits.
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
    /// A Boolean value that indicates whether "yes" means "no" here: an open door is a missing contact.
    var isInverted = false

    init(_ reading: SensorReading) { self.reading = reading }

    /// Creates the class of a binary sensor; `nil` for a class that isn't shown.
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

    /// Creates the class of a sensor with a unit; `nil` for a class or a unit that isn't known.
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

    /// Returns the reason why a sensor of a supported class isn't shown: its unit; `nil` for all others.
    static func unknownUnit(_ unit: String, of name: String?) -> String? {
        guard let name, Self(number: name, unit: "") != nil, Self(number: name, unit: unit) == nil else { return nil }
        return "\"\(MQTTProblem.quoted(unit))\" isn't a known unit of \(name)"
    }

    /// Returns the value for a yes or no of the device.
    func flag(_ isOn: Bool) -> SensorValue { .flag(isOn != isInverted) }

    /// Returns the value for a number of the device; `nil` outside the range of the reading.
    func number(_ number: Double) -> SensorValue? { SensorValue.number(unit.plain(number)).valid(for: reading) }
}
