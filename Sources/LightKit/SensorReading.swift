/// What a sensor can read; one accessory has each of them once.
public enum SensorReading: String, CaseIterable, Hashable, Sendable, Comparable {
    /// Something moves.
    case motion
    /// A door or a window is closed: the contact is made. Home Assistant's classes of doors and windows say the reverse.
    case contact
    /// Somebody is there.
    case occupancy
    /// There is water.
    case leak
    /// There is smoke.
    case smoke
    /// Degrees Celsius.
    case temperature
    /// Relative humidity in percent.
    case humidity
    /// Lux.
    case illuminance
    /// What is left in the battery, in percent.
    case battery
    /// The battery should be replaced.
    case batteryLow

    /// Whether its value is yes or no.
    public var isFlag: Bool {
        switch self {
        case .motion, .contact, .occupancy, .leak, .smoke, .batteryLow: true
        case .temperature, .humidity, .illuminance, .battery: false
        }
    }

    /// The numbers that it can have; what is outside of it is moved to its ends.
    public var range: ClosedRange<Double> {
        switch self {
        case .temperature: -270...1000
        case .illuminance: 0...200_000
        case .humidity, .battery: 0...100
        case .motion, .contact, .occupancy, .leak, .smoke, .batteryLow: 0...1
        }
    }

    /// Whether it passes by itself: a value from before a restart says nothing.
    public var isMomentary: Bool { self == .motion || self == .occupancy }

    /// Whether it is about the battery alone and not about what the sensor is for.
    public var isBattery: Bool { self == .battery || self == .batteryLow }

    /// Orders readings as they stand above.
    public static func < (a: SensorReading, b: SensorReading) -> Bool { a.place < b.place }

    private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What a sensor has read.
public enum SensorValue: Equatable, Hashable, Sendable {
    /// Of a reading that is yes or no.
    case flag(Bool)
    /// Of a reading that is a number.
    case number(Double)
    /// The sensor does not know it at present, or has not said it for too long.
    case unknown

    /// The value as a reading can have it.
    ///
    /// - Parameter reading: what was read.
    /// - Returns: the value within its range; `nil` if it is of the wrong kind or no finite number.
    public func valid(for reading: SensorReading) -> SensorValue? {
        switch self {
        case .unknown: return self
        case .flag: return reading.isFlag ? self : nil
        case .number(let number):
            guard !reading.isFlag, number.isFinite else { return nil }
            return .number(min(max(number, reading.range.lowerBound), reading.range.upperBound))
        }
    }
}
