package import HAPModel

extension LightKind {
    /// A sensor.
    public static let sensor = LightKind(
        "sensor", plural: "sensors", title: "Sensor", SensorRules(), SensorReading.allCases.map(\.name))
}

/// A quantity or condition that a sensor measures.
///
/// An accessory has each of them at most once.
@nonexhaustive
public enum SensorReading: String, CaseIterable, Hashable, Sendable, Comparable {
    /// Motion is detected.
    case motion
    /// A door or a window is closed: the contact is made.
    ///
    /// In Home Assistant's classes for doors and windows, true means open.
    case contact
    /// A person is present.
    case occupancy
    /// A water leak is detected.
    case leak
    /// Smoke is detected.
    case smoke
    /// The temperature in degrees Celsius.
    case temperature
    /// The relative humidity in percent.
    case humidity
    /// The illuminance in lux.
    case illuminance
    /// The battery's charge in percent.
    case battery
    /// The battery must be replaced.
    case batteryLow

    /// A Boolean value that indicates whether the reading is true or false, and not a number.
    public var isFlag: Bool {
        switch self {
        case .motion, .contact, .occupancy, .leak, .smoke, .batteryLow: true
        case .temperature, .humidity, .illuminance, .battery: false
        }
    }

    /// The range of the reading.
    ///
    /// Numbers outside it are clamped.
    public var range: ClosedRange<Double> {
        switch self {
        case .temperature: -270...1000
        case .illuminance: 0...200_000
        case .humidity, .battery: 0...100
        case .motion, .contact, .occupancy, .leak, .smoke, .batteryLow: 0...1
        }
    }

    /// A Boolean value that indicates whether the reading changes so quickly that a value from before a restart is
    /// meaningless.
    public var isMomentary: Bool { self == .motion || self == .occupancy }

    /// A Boolean value that indicates whether the reading is about the battery.
    public var isBattery: Bool { self == .battery || self == .batteryLow }

    /// Compares readings in the order of declaration.
    public static func < (a: SensorReading, b: SensorReading) -> Bool { a.place < b.place }

    private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// The value of a reading.
@nonexhaustive
public enum SensorValue: Equatable, Hashable, Sendable {
    /// A true or false reading.
    case flag(Bool)
    /// A numeric reading.
    case number(Double)
    /// The sensor currently doesn't know the value, or hasn't reported it for too long.
    case unknown

    /// Returns the value, clamped to the range of a reading.
    ///
    /// - Parameter reading: The reading.
    /// - Returns: The value, clamped to the reading's range, or `nil` if it has the wrong type or isn't a finite
    ///   number.
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

extension PropertyContainer {
    /// The readings of a sensor.
    ///
    /// In a report, a missing reading is unchanged or was never known.
    public var readings: [SensorReading: SensorValue] {
        get {
            var readings: [SensorReading: SensorValue] = [:]
            for (property, value) in values {
                guard let reading = SensorReading(property.type) else { continue }
                readings[reading] = value.flatMap { reading.value(of: $0) } ?? .unknown
            }
            return readings
        }
        set {
            for reading in SensorReading.allCases { values.remove(reading.property) }
            for (reading, value) in newValue {
                if let value = reading.characteristicValue(value) {
                    values[reading.property] = value
                } else {
                    values.setUnknown(reading.property)
                }
            }
        }
    }
}

extension SensorReading {
    private static let byType = Dictionary(uniqueKeysWithValues: allCases.map { ($0.characteristic, $0) })

    /// Returns the reading of a characteristic, or `nil` for other characteristics.
    package init?(_ type: CharacteristicType) {
        guard let reading = Self.byType[type] else { return nil }
        self = reading
    }

    /// The property of the reading.
    package var property: Property { Property(characteristic) }

    /// The name of the reading, with the form of its values.
    fileprivate var name: PropertyName {
        let form: PropertyName.Form =
            switch self {
            case .motion: .flag(yes: "motion", no: "no motion")
            case .contact: .flag(yes: "closed", no: "open")
            case .occupancy: .flag(yes: "occupied", no: "not occupied")
            case .leak: .flag(yes: "leak", no: "no leak")
            case .smoke: .flag(yes: "smoke", no: "no smoke")
            case .temperature: .number(range, unit: "degrees Celsius", symbol: " °C")
            case .humidity: .number(range, unit: "percent", symbol: " %")
            case .illuminance: .number(range, unit: "lux", symbol: " lx")
            case .battery: .number(range, unit: "percent", symbol: " %")
            case .batteryLow: .flag(yes: "battery low", no: "battery not low")
            }
        return PropertyName(rawValue, characteristic, form, isInverted: self == .contact)
    }

    fileprivate var service: ServiceType {
        switch self {
        case .motion: .motionSensor
        case .contact: .contactSensor
        case .occupancy: .occupancySensor
        case .leak: .leakSensor
        case .smoke: .smokeSensor
        case .temperature: .temperatureSensor
        case .humidity: .humiditySensor
        case .illuminance: .lightSensor
        case .battery, .batteryLow: .battery
        }
    }

    fileprivate var characteristic: CharacteristicType {
        switch self {
        case .motion: .motionDetected
        case .contact: .contactSensorState
        case .occupancy: .occupancyDetected
        case .leak: .leakDetected
        case .smoke: .smokeDetected
        case .temperature: .currentTemperature
        case .humidity: .currentRelativeHumidity
        case .illuminance: .currentAmbientLightLevel
        case .battery: .batteryLevel
        case .batteryLow: .statusLowBattery
        }
    }

    /// Returns the value for the reading's characteristic, or `nil` if it isn't known.
    fileprivate func characteristicValue(_ value: SensorValue) -> CharacteristicValue? {
        switch value {
        // Some batteries report fractions, which HAP doesn't support.
        case .number(let number):
            self == .battery ? Int64(exactly: number).map { .integer($0) } ?? .float(number) : .float(number)
        case .flag(let flag): isFlag ? name.value(flag) : .bool(flag)
        case .unknown: nil
        }
    }

    /// Returns the value of the reading's characteristic as a sensor value.
    fileprivate func value(of value: CharacteristicValue) -> SensorValue? {
        isFlag ? name.flag(value).map(SensorValue.flag) : value.number.map(SensorValue.number)
    }
}

/// The rules of a sensor.
///
/// An unknown reading keeps its last value, and StatusActive becomes false. The Battery service has no StatusActive.
struct SensorRules: DeviceRules {
    /// The highest charge, in percent, that counts as low if the device doesn't report whether the battery is low.
    ///
    /// It is Home Assistant's limit.
    private static let lowBattery = 20.0

    func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction] {
        let readings = capabilities.readings.sorted()
        var functions = readings.filter { !$0.isBattery }.map {
            AccessoryFunction($0.service, [($0.characteristic, $0 == .motion ? .bool(false) : .integer(0))])
        }
        let battery = readings.filter(\.isBattery).reversed()
        if !battery.isEmpty {
            // Until the first report, the battery counts as full, so that controllers don't warn.
            let values = battery.map { ($0.characteristic, CharacteristicValue.integer($0 == .battery ? 100 : 0)) }
            functions.append(AccessoryFunction(.battery, values))
        }
        return functions
    }

    func shown(_ functions: [AccessoryFunction]) -> [AccessoryFunction] {
        functions.map { function in
            var shown = function
            if shown.type == .battery {
                if !shown.has(.statusLowBattery) { shown.add(.statusLowBattery, .integer(0), at: 0) }
            } else if !shown.has(.statusActive), shown.parts.contains(where: { SensorReading($0.type) != nil }) {
                shown.add(.statusActive, .bool(false))
            }
            return shown
        }
    }

    func valid(
        _ value: CharacteristicValue, of property: Property, _ metadata: CharacteristicMetadata
    ) -> CharacteristicValue? {
        guard let reading = SensorReading(property.type), !reading.isFlag else {
            if case .float = value { return nil }
            return metadata.clamped(value)
        }
        guard let number = value.number, number.isFinite else { return nil }
        let range = reading.range
        return reading.characteristicValue(.number(min(max(number, range.lowerBound), range.upperBound)))
    }

    func derived(
        _ type: CharacteristicType, of function: AccessoryFunction, in state: DeviceState
    ) -> CharacteristicValue? {
        switch type {
        case .statusActive:
            guard let property = function.parts.first.map({ Property($0.type, of: function.id) }) else { return nil }
            let isKnown = state.values.contains(property) && !state.unknown.contains(property)
            return .bool(state.isReachable && isKnown)
        case .statusLowBattery:
            let level = state.values.first(.batteryLevel)?.number
            return level.map { .integer($0 <= Self.lowBattery ? 1 : 0) }
        default: return nil
        }
    }
}
