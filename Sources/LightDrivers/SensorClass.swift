import DeviceKit

/// A device class of Home Assistant.
///
/// ESPHome uses the same classes.
struct SensorClass: Equatable, Sendable {
    /// The unit of the numbers that the device reports.
    enum Unit: Equatable, Sendable {
        case plain, fahrenheit, kelvin
        /// A multiple of the reading's unit.
        case multiple(Double)

        /// Returns the number in the unit of the reading, rounded to thousandths, because the device's number may have
        /// only single precision.
        func plain(_ number: Double) -> Double {
            let plain =
                switch self {
                case .plain: number
                case .fahrenheit: (number - 32) / 1.8
                case .kelvin: number - 273.15
                case .multiple(let factor): number * factor
                }
            return (plain * 1000).rounded() / 1000
        }
    }

    let reading: SensorReading
    var unit = Unit.plain
    /// A Boolean value that indicates whether the device's value is the opposite of the reading's value: "on" means an
    /// open door, and therefore no contact.
    var isInverted = false
    /// A Boolean value that indicates whether the device measures something else, which is shown as this reading
    /// because HAP has no better reading for it.
    private(set) var isSubstitute = false

    init(_ reading: SensorReading) { self.reading = reading }

    /// The kind of a device with only this reading.
    var kind: LightKind { reading.isMeter ? .meter : .sensor }

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
        case "carbon_monoxide": reading = .carbonMonoxide
        // Like Home Assistant's bridge, show other gases as carbon monoxide, because HAP has no sensor for them.
        case "gas": (reading, isSubstitute) = (.carbonMonoxide, true)
        case "vibration": (reading, isSubstitute) = (.motion, true)
        case "tamper": reading = .tamper
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
        case (let name?, _) where Self.meters[name] != nil:
            guard let (reading, factors) = Self.meters[name], let factor = factors[unit] else { return nil }
            self.reading = reading
            self.unit = factor == 1 ? .plain : .multiple(factor)
        default:
            guard let gas = name.flatMap({ Self.gases[$0] }), let factor = gas.factor(of: unit) else { return nil }
            reading = gas.reading
            self.unit = factor == 1 ? .plain : .multiple(factor)
        }
    }

    /// The readings of meters by device class, with the factors of their units.
    ///
    /// An empty string stands for the reading's unit.
    private static let meters: [String: (reading: SensorReading, factors: [String: Double])] = [
        "power": (.power, ["": 1, "mW": 0.001, "W": 1, "kW": 1000, "MW": 1_000_000]),
        "energy": (
            .energy,
            [
                "": 1, "J": 1 / 3_600_000, "kJ": 1 / 3600, "MJ": 1 / 3.6, "Wh": 0.001, "kWh": 1, "MWh": 1000,
                "GWh": 1_000_000,
            ]
        ),
        "voltage": (.voltage, ["": 1, "mV": 0.001, "V": 1, "kV": 1000]),
        "current": (.current, ["": 1, "mA": 0.001, "A": 1]),
    ]

    /// A gas or particles in the air.
    private struct Gas {
        let reading: SensorReading
        /// The molar mass in grams, or `nil` for particles.
        var mass: Double?

        /// The volume of a mole of gas in liters at 25 °C and 1013 hPa.
        private static let volume = 24.45

        /// Returns the factor that converts numbers in the given unit to the reading's unit.
        ///
        /// An empty unit stands for the reading's unit. Returns `nil` for an unsupported unit.
        func factor(of unit: String) -> Double? {
            let isShare = reading == .carbonMonoxideLevel || reading == .carbonDioxideLevel
            // Units have several spellings, such as µg/m³ with either of Unicode's two micro signs.
            let name = unit.replacing("\u{B5}", with: "u").replacing("\u{3BC}", with: "u")
                .replacing("\u{B3}", with: "3")
            switch name.lowercased() {
            case "": return 1
            case "ppm": return isShare ? 1 : mass.map { $0 / Self.volume * 1000 }
            case "ppb": return isShare ? 0.001 : mass.map { $0 / Self.volume }
            case "ug/m3": return isShare ? mass.map { Self.volume / $0 / 1000 } : 1
            case "mg/m3": return isShare ? mass.map { Self.volume / $0 } : 1000
            default: return nil
            }
        }
    }

    /// The gases by device class.
    ///
    /// The molar mass of volatile organic compounds is the mass of a typical mixture (Sensirion, "SGP3x TVOC Concept").
    private static let gases: [String: Gas] = [
        "carbon_monoxide": Gas(reading: .carbonMonoxideLevel, mass: 28.01),
        "carbon_dioxide": Gas(reading: .carbonDioxideLevel, mass: 44.01),
        "nitrogen_dioxide": Gas(reading: .nitrogenDioxide, mass: 46.01),
        "ozone": Gas(reading: .ozone, mass: 48),
        "pm25": Gas(reading: .pm25),
        "pm10": Gas(reading: .pm10),
        "volatile_organic_compounds": Gas(reading: .voc, mass: 110),
        "volatile_organic_compounds_parts": Gas(reading: .voc, mass: 110),
    ]

    /// The air quality levels, by the words that Zigbee devices report.
    private static let qualities: [String: Double] = [
        "excellent": 1, "good": 2, "moderate": 3, "poor": 4, "unhealthy": 5, "hazardous": 5,
    ]

    /// Returns the reading's value for text from the device, or `nil` if it is neither a number nor a known word.
    func value(_ text: String) -> SensorValue? {
        if reading == .airQuality, let level = Self.qualities[text] { return .number(level) }
        // Words for a value that the sensor can't measure or doesn't have yet.
        if reading == .airQuality, ["out_of_range", "unknown"].contains(text) { return .unknown }
        return text.plainNumber.flatMap(number)
    }

    /// Returns a message if the class of a sensor is supported but its unit isn't; otherwise `nil`.
    static func unknownUnit(_ unit: String, of name: String?) -> String? {
        guard let name, Self(number: name, unit: "") != nil, Self(number: name, unit: unit) == nil else { return nil }
        return "\"\(MQTTProblem.quoted(unit))\" isn't a known unit of \(name)"
    }

    /// Returns the reading's value for an on or off state that the device reports.
    func flag(_ isOn: Bool) -> SensorValue { .flag(isOn != isInverted) }

    /// Returns the reading's value for a number from the device, or `nil` if it is outside the range of the reading.
    func number(_ number: Double) -> SensorValue? { SensorValue.number(unit.plain(number)).valid(for: reading) }
}
