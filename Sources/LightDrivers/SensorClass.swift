import LightKit

/// What a device class says, as Home Assistant names them and ESPHome has taken them over.
struct SensorClass: Equatable, Sendable {
    /// What a number is to be turned from.
    enum Unit: Equatable, Sendable {
        case plain, fahrenheit, kelvin

        /// The number in the unit of the reading, to a thousandth: single precision has seven digits.
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
    /// Whether a "yes" of the device is a "no" here: a door that is open is a contact that is not made.
    var isInverted = false

    init(_ reading: SensorReading) { self.reading = reading }

    /// The class of a binary sensor; `nil` if it is none that is shown.
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

    /// The class of a sensor with a unit; `nil` if it is none that is shown.
    ///
    /// - Parameters:
    ///   - name: the class.
    ///   - unit: empty if it has none.
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

    /// The classes of sensors that are shown in one of their units.
    static let numbers: Set = ["temperature", "humidity", "illuminance", "battery"]

    /// What a yes or no of the device is here.
    func flag(_ isOn: Bool) -> SensorValue { .flag(isOn != isInverted) }

    /// What a number of the device is here; `nil` if it is none.
    func number(_ number: Double) -> SensorValue? { SensorValue.number(unit.plain(number)).valid(for: reading) }
}
