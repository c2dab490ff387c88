package import HAPModel

extension LightKind {
    /// A sensor.
    public static let sensor = LightKind(
        "sensor", plural: "sensors", title: "Sensor", SensorRules(), SensorReading.allCases.map(\.name))
}

/// A quantity or condition that a sensor measures.
///
/// An accessory has at most one of each.
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
    /// Carbon monoxide is detected.
    case carbonMonoxide
    /// The concentration of carbon monoxide in parts per million.
    case carbonMonoxideLevel = "co"
    /// The concentration of carbon dioxide in parts per million.
    case carbonDioxideLevel = "co2"
    /// The quality of the air in HAP's levels, from 1, excellent, to 5, poor; 0 is unknown.
    ///
    /// If a sensor doesn't report it, the bridge derives it from the densities.
    case airQuality
    /// The density of particles up to 2.5 micrometers in micrograms per cubic meter.
    case pm25
    /// The density of particles up to 10 micrometers in micrograms per cubic meter.
    case pm10
    /// The density of volatile organic compounds in micrograms per cubic meter.
    case voc
    /// The density of nitrogen dioxide in micrograms per cubic meter.
    case nitrogenDioxide = "no2"
    /// The density of ozone in micrograms per cubic meter.
    case ozone
    /// The power in watts; negative if a device feeds it into the grid.
    case power
    /// The energy since the beginning of the measurement, in kilowatt-hours.
    case energy
    /// The voltage in volts.
    case voltage
    /// The current in amperes.
    case current
    /// The sensor was tampered with.
    case tamper
    /// The battery's charge in percent.
    case battery
    /// The battery must be replaced.
    case batteryLow

    /// A Boolean value that indicates whether the reading is true or false, and not a number.
    public var isFlag: Bool { if case .flag = definition.form { true } else { false } }

    /// The range of the reading.
    ///
    /// Numbers outside the range are clamped.
    public var range: ClosedRange<Double> {
        switch definition.form {
        case .number(let range, _, _), .whole(let range, _): range
        case .choice(let words): 0...Double(words.count - 1)
        case .flag: 0...1
        }
    }

    /// A Boolean value that indicates whether the reading changes so quickly that a value from before a restart is
    /// meaningless.
    public var isMomentary: Bool { self == .motion || self == .occupancy || isMeter }

    /// A Boolean value that indicates whether the reading is about the battery.
    public var isBattery: Bool { self == .battery || self == .batteryLow }

    /// A Boolean value that indicates whether the reading is about the sensor itself.
    package var isAboutSensor: Bool { isBattery || self == .tamper }

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
    var name: PropertyName {
        PropertyName(rawValue, characteristic, definition.form, isInverted: self == .contact)
    }

    fileprivate var service: ServiceType { definition.service }
    var characteristic: CharacteristicType { definition.characteristic }

    private struct Definition {
        let service: ServiceType
        let characteristic: CharacteristicType
        let form: PropertyName.Form

        init(_ service: ServiceType, _ characteristic: CharacteristicType, _ form: PropertyName.Form) {
            self.service = service
            self.characteristic = characteristic
            self.form = form
        }

        static func gas(
            _ service: ServiceType, _ characteristic: CharacteristicType, _ range: ClosedRange<Double>
        ) -> Self {
            Self(service, characteristic, .number(range, unit: "parts per million", symbol: " ppm"))
        }

        static func density(_ characteristic: CharacteristicType, to maximum: Double = 1000) -> Self {
            Self(
                .airQualitySensor, characteristic,
                .number(0...maximum, unit: "micrograms per cubic meter", symbol: " µg/m³"))
        }

        static func meter(_ reading: EveReading, _ range: ClosedRange<Double>, unit: String) -> Self {
            Self(EveReading.service, reading.type, .number(range, unit: unit, symbol: " \(reading.unit)"))
        }
    }

    private var definition: Definition {
        switch self {
        case .motion: Definition(.motionSensor, .motionDetected, .flag(yes: "motion", no: "no motion"))
        case .contact: Definition(.contactSensor, .contactSensorState, .flag(yes: "closed", no: "open"))
        case .occupancy: Definition(.occupancySensor, .occupancyDetected, .flag(yes: "occupied", no: "not occupied"))
        case .leak: Definition(.leakSensor, .leakDetected, .flag(yes: "leak", no: "no leak"))
        case .smoke: Definition(.smokeSensor, .smokeDetected, .flag(yes: "smoke", no: "no smoke"))
        case .temperature:
            Definition(
                .temperatureSensor, .currentTemperature,
                .number(-270...1000, unit: "degrees Celsius", symbol: " °C"))
        case .humidity:
            Definition(.humiditySensor, .currentRelativeHumidity, .number(0...100, unit: "percent", symbol: " %"))
        case .illuminance:
            Definition(.lightSensor, .currentAmbientLightLevel, .number(0...200_000, unit: "lux", symbol: " lx"))
        case .carbonMonoxide:
            Definition(
                .carbonMonoxideSensor, .carbonMonoxideDetected,
                .flag(yes: "carbon monoxide", no: "no carbon monoxide"))
        case .carbonMonoxideLevel: .gas(.carbonMonoxideSensor, .carbonMonoxideLevel, 0...1000)
        case .carbonDioxideLevel: .gas(.carbonDioxideSensor, .carbonDioxideLevel, 0...100_000)
        case .airQuality: Definition(.airQualitySensor, .airQuality, .choice(AirQuality.words))
        case .pm25: .density(.pm2_5Density)
        case .pm10: .density(.pm10Density)
        // Real sensors exceed the catalog's maximum of 1000.
        case .voc: .density(.vocDensity, to: 65_535)
        case .nitrogenDioxide: .density(.nitrogenDioxideDensity)
        case .ozone: .density(.ozoneDensity)
        case .power: .meter(.power, -1_000_000...1_000_000, unit: "watts")
        case .energy: .meter(.energy, 0...1_000_000_000, unit: "kilowatt-hours")
        case .voltage: .meter(.voltage, -1_000_000...1_000_000, unit: "volts")
        case .current: .meter(.current, -100_000...100_000, unit: "amperes")
        case .tamper:
            // Tampering is a characteristic of the other sensors' services, and not a separate service.
            Definition(.motionSensor, .statusTampered, .flag(yes: "tampered with", no: "not tampered with"))
        case .battery: Definition(.battery, .batteryLevel, .number(0...100, unit: "percent", symbol: " %"))
        case .batteryLow: Definition(.battery, .statusLowBattery, .flag(yes: "battery low", no: "battery not low"))
        }
    }

    /// Adds the characteristic of the reading to a function.
    func add(to function: inout AccessoryFunction) {
        if let eve = EveReading(characteristic) {
            function = function.adding(
                characteristic, EveReading.metadata, value: .float(0), description: eve.localizedDescription)
            return
        }
        function.add(characteristic, self == .motion ? .bool(false) : .integer(0))
        if self == .voc || self == .carbonMonoxideLevel {
            function = function.with(characteristic) { $0.maximum = range.upperBound }
        }
    }

    /// Returns the value for the reading's characteristic, or `nil` if it isn't known.
    func characteristicValue(_ value: SensorValue) -> CharacteristicValue? {
        switch value {
        case .number(let number) where isMeter: .float(rounded(number))
        // Some batteries report fractions, which HAP doesn't support.
        case .number(let number):
            self == .battery || self == .airQuality
                ? Int64(exactly: number).map { .integer($0) } ?? .float(number) : .float(number)
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
    /// The highest charge in percent that is considered low if the device doesn't report whether the battery is low.
    ///
    /// The limit is the same as in Home Assistant.
    private static let lowBattery = 20.0

    /// The readings that devices of the kind can have.
    var possible = SensorReading.allCases

    func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction] {
        let readings = possible.filter(capabilities.readings.contains)
        var functions: [AccessoryFunction] = []
        for reading in readings where !reading.isAboutSensor {
            if let index = functions.firstIndex(where: { $0.type == reading.service }) {
                reading.add(to: &functions[index])
            } else {
                var function = AccessoryFunction(reading.service, [])
                reading.add(to: &function)
                functions.append(function)
            }
        }
        if readings.contains(.tamper) {
            if functions.allSatisfy(\.isMeter) { functions.append(AccessoryFunction(SensorReading.tamper.service, [])) }
            for index in functions.indices where !functions[index].isMeter {
                SensorReading.tamper.add(to: &functions[index])
            }
        }
        let battery = readings.filter(\.isBattery).reversed()
        if !battery.isEmpty {
            // Until the first report, show the battery as full, so that controllers don't warn.
            let values = battery.map { ($0.characteristic, CharacteristicValue.integer($0 == .battery ? 100 : 0)) }
            functions.append(AccessoryFunction(.battery, values))
        }
        return functions
    }

    func shown(_ functions: [AccessoryFunction]) -> [AccessoryFunction] {
        functions.map { function in
            var shown = function
            if shown.isMeter { return shown }
            if shown.type == .battery {
                if !shown.has(.statusLowBattery) { shown.add(.statusLowBattery, .integer(0), at: 0) }
                return shown
            }
            if shown.type == .motionSensor, !shown.has(.motionDetected) {
                shown.add(.motionDetected, .bool(false), at: 0)
            }
            AirQuality.complete(&shown)
            if !shown.has(.statusActive), shown.parts.contains(where: { SensorReading($0.type) != nil }) {
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

    func reconcile(_ state: inout DeviceState, after new: PropertyValues) -> Bool {
        AirQuality.update(&state, after: new)
    }

    func derived(
        _ type: CharacteristicType, of function: AccessoryFunction, in state: DeviceState
    ) -> CharacteristicValue? {
        switch type {
        case .statusActive:
            let isKnown = function.parts.contains { part in
                guard let reading = SensorReading(part.type), !reading.isAboutSensor else { return false }
                return state.knows(Property(part.type, of: function.id))
            }
            return .bool(state.isReachable && isKnown)
        case .statusLowBattery:
            let level = state.values.first(.batteryLevel)?.number
            return level.map { .integer($0 <= Self.lowBattery ? 1 : 0) }
        default: return AirQuality.derived(type, of: function, in: state)
        }
    }
}
