import DeviceKit
import HAPModel

/// A climate entity of an ESPHome device.
struct ESPHomeThermostat: ESPHomeComponent {
    static let types = (entity: 46, state: 47)
    static let idPart = "climate/"
    static let kind = LightKind.thermostat
    private static let command = 48

    /// The modes that HomeKit supports, in order of preference.
    private static let modes: [(number: UInt64, mode: HeatingCoolingMode)] = [
        (0, .off), (1, .auto), (6, .auto), (2, .cool), (3, .heat),
    ]

    /// The fan modes and the swing modes, by their number.
    private static let fanModes = [
        "on", "off", "auto", "low", "medium", "high", "middle", "focus", "diffuse", "quiet",
    ]
    private static let swingModes = ["off", "both", "vertical", "horizontal"]
    /// The maximum number of fan modes with the device's own words.
    private static let maximumCustomModes = 16

    /// The features in a description, as the bits of `feature_flags`.
    private struct Features: OptionSet {
        let rawValue: UInt64
        static let currentTemperature = Features(rawValue: 1)
        static let twoPoints = Features(rawValue: 2)
        /// The user interface should always show two set points.
        static let twoPointsOnly = Features(rawValue: 4)
        static let currentHumidity = Features(rawValue: 8)
        static let targetHumidity = Features(rawValue: 16)
        static let action = Features(rawValue: 32)
    }

    private var features: UInt64 = 0
    private var numbers: Set<UInt64> = []
    private var unit = TemperatureUnit.celsius
    private var temperatures = 7.0...35.0
    private var step = 0.1
    private var humidities = 30.0...99.0
    private var fan = ClimateFan()
    private var customFanModes: [String] = []

    private func has(_ feature: Features) -> Bool { features & feature.rawValue != 0 }

    /// A Boolean value that indicates whether there are two set points in every mode.
    ///
    /// If so, the firmware neither reports nor accepts a single target temperature.
    private var hasTwoPoints: Bool { has(.twoPoints) || has(.twoPointsOnly) }

    var functions: [AccessoryFunction] {
        var own = ThermostatFeatures()
        own.modes = Set(Self.modes.filter { numbers.contains($0.number) }.map(\.mode))
        if own.modes.subtracting([.off]).isEmpty { own.modes.insert(.heat) }
        own.temperatures = temperatures
        own.hasThresholds = hasTwoPoints
        own.measuresTemperature = has(.currentTemperature)
        own.reportsActivity = has(.action)
        own.measuresHumidity = has(.currentHumidity)
        own.humidities = has(.targetHumidity) ? humidities : nil
        own.fan = fan.features
        return own.functions
    }

    static func entity(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeEntity? {
        var entity = ESPHomeEntity(ESPHomeThermostat())
        var thermostat = ESPHomeThermostat()
        var temperatures = (low: Float(0), high: Float(0), step: Float(0))
        var humidities = (low: Float(0), high: Float(0))
        var reader = ProtobufReader(body)
        // Firmware before 2025.11 has a field for each feature. There, a thermostat with two set points has no single
        // target temperature.
        var older: UInt64 = 0
        var (fanModes, swingModes) = ([UInt64](), [UInt64]())
        while let (field, value) = try reader.next() {
            func add(_ feature: Features) { if value.flag { older |= feature.rawValue } }
            switch field {
            case 5: add(.currentTemperature)
            case 6: add(.twoPointsOnly)
            case 7: thermostat.numbers.formUnion(value.numbers)
            case 8: temperatures.low = value.float
            case 9: temperatures.high = value.float
            case 10: temperatures.step = value.float
            case 12: add(.action)
            case 13: fanModes += value.numbers
            case 14: swingModes += value.numbers
            case 15:
                if thermostat.customFanModes.count < Self.maximumCustomModes {
                    thermostat.customFanModes.append(value.text)
                }
            case 18: entity.isHidden = entity.isHidden || value.flag
            case 20: entity.isHidden = entity.isHidden || value.number != 0
            case 22: add(.currentHumidity)
            case 23: add(.targetHumidity)
            case 24: humidities.low = value.float
            case 25: humidities.high = value.float
            case 26: entity.key.part = UInt32(truncatingIfNeeded: value.number)
            case 27: thermostat.features = value.number
            case 28: thermostat.unit = TemperatureUnit(esphome: value.number)
            default: entity.readCommon(field, value)
            }
        }
        if thermostat.features == 0 { thermostat.features = older }
        thermostat.fan = ClimateFan(
            modes: fanModes.prefix(32).compactMap { Self.word($0, in: Self.fanModes) } + thermostat.customFanModes,
            swings: swingModes.prefix(32).compactMap { Self.word($0, in: Self.swingModes) })
        let (unit, limits) = (thermostat.unit, temperatures)
        thermostat.temperatures = unit.range(Double(limits.low), Double(limits.high)) ?? thermostat.temperatures
        thermostat.step = unit.step(limits.step)
        if humidities.low >= 0, humidities.low < humidities.high, humidities.high <= 100 {
            thermostat.humidities = Double(humidities.low)...Double(humidities.high)
        }
        entity.kind = .component(AnyESPHomeComponent(thermostat))
        return entity
    }

    static func state(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeState {
        try ESPHomeState(body, part: 16) { state, field, value in
            switch field {
            case 2: state.climate.mode = value.number
            case 3: state.climate.current = value.float
            case 4: state.climate.target = value.float
            case 5: state.climate.low = value.float
            case 6: state.climate.high = value.float
            case 8: state.climate.action = value.number
            case 9: state.climate.fanMode = value.number
            case 10: state.climate.swingMode = value.number
            case 11: state.climate.customFanMode = value.text
            case 14: state.climate.humidity = value.float
            case 15: state.climate.targetHumidity = value.float
            default: break
            }
        }
    }

    private static func word(_ number: UInt64, in words: [String]) -> String? {
        Int(exactly: number).flatMap { words.indices.contains($0) ? words[$0] : nil }
    }

    private static func mode(_ state: ESPHomeState) -> HeatingCoolingMode? {
        modes.first { $0.number == state.climate.mode }?.mode
    }

    /// The set points of a state.
    private func setPoints(_ state: ESPHomeState?) -> SetPoints {
        SetPoints(low: unit.celsius(state?.climate.low), high: unit.celsius(state?.climate.high))
    }

    func report(_ state: ESPHomeState) -> LightReport {
        var report = LightReport(reachable: true)
        let mode = Self.mode(state)
        if let mode {
            report.thermostatMode = mode
        } else {
            report.values.setUnknown(Property(.targetHeatingCoolingState))
        }
        if has(.currentTemperature) { report.values[.currentTemperature] = unit.celsius(state.climate.current) }
        if hasTwoPoints {
            let points = setPoints(state)
            (report.heatingThreshold, report.coolingThreshold) = (points.low, points.high)
            report.targetTemperature = points.target(in: mode)
        } else {
            report.targetTemperature = unit.celsius(state.climate.target)
        }
        // Each of ESPHome's actions has the same number as the corresponding mode.
        if has(.action) {
            report.thermostatActivity = [2: .cool, 3: .heat, 7: .heat][state.climate.action] ?? .off
        }
        if has(.currentHumidity) { report.values[.currentRelativeHumidity] = state.climate.percentage(\.humidity) }
        if has(.targetHumidity) { report.targetHumidity = state.climate.percentage(\.targetHumidity) }
        let custom = state.climate.customFanMode
        if let mode = custom.isEmpty ? Self.word(state.climate.fanMode, in: Self.fanModes) : custom {
            report.values.merge(fan.values(mode: mode))
        }
        if let mode = Self.word(state.climate.swingMode, in: Self.swingModes) {
            report.values.merge(fan.values(swing: mode))
        }
        return report
    }

    func message(
        for command: LightCommand, to key: ESPHomeEntity.Key, in state: ESPHomeState?
    ) -> ESPHomeFraming.Message? {
        var body = ProtobufWriter()
        body.write(fixed32: key.key, field: 1)
        var isEmpty = true
        func write(_ celsius: Double?, field: UInt64) {
            guard let celsius else { return }
            let limited = min(max(celsius, temperatures.lowerBound), temperatures.upperBound)
            body.write(true, field: field)
            body.write(Float(unit.number(celsius: limited, step: step)), field: field + 1)
            isEmpty = false
        }
        if let mode = command.thermostatMode,
            let number = Self.modes.first(where: { $0.mode == mode && numbers.contains($0.number) })?.number
        {
            body.write(true, field: 2)
            body.write(number, field: 3)
            isEmpty = false
        }
        let mode = command.thermostatMode ?? state.flatMap(Self.mode)
        if hasTwoPoints {
            let points = setPoints(state).changed(by: command, in: mode)
            write(points.low, field: 6)
            write(points.high, field: 8)
        } else {
            write(command.targetTemperature, field: 4)
        }
        if has(.targetHumidity), let percent = command.targetHumidity {
            body.write(true, field: 22)
            body.write(Float(percent), field: 23)
            isEmpty = false
        }
        func write(_ word: String?, in words: [String], field: UInt64) {
            guard let word, let number = words.firstIndex(of: word) else { return }
            body.write(true, field: field)
            body.write(UInt64(number), field: field + 1)
            isEmpty = false
        }
        let fanMode = fan.mode(of: command)
        if let fanMode, customFanModes.contains(fanMode) {
            body.write(true, field: 16)
            body.write(fanMode, field: 17)
            isEmpty = false
        } else {
            write(fanMode, in: Self.fanModes, field: 12)
        }
        write(fan.swing(of: command), in: Self.swingModes, field: 14)
        guard !isEmpty else { return nil }
        if key.part != 0 { body.write(UInt64(key.part), field: 24) }
        return ESPHomeFraming.Message(Self.command, body.bytes)
    }
}

/// A water heater of an ESPHome device.
struct ESPHomeWaterHeater: ESPHomeComponent {
    static let types = (entity: 132, state: 133)
    static let idPart = "water_heater/"
    static let kind = LightKind.thermostat
    private static let command = 134

    private var features: UInt64 = 0
    private var numbers: [UInt64] = []
    private var unit = TemperatureUnit.celsius
    private var temperatures = 43.3...60.0
    private var step = 0.1

    private var measuresTemperature: Bool { features & 1 != 0 }
    private var hasPower: Bool { features & 16 != 0 }

    var functions: [AccessoryFunction] {
        var own = ThermostatFeatures()
        own.modes = hasPower || numbers.contains(0) ? [.off, .heat] : [.heat]
        own.temperatures = temperatures
        own.measuresTemperature = measuresTemperature
        return [own.function]
    }

    static func entity(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeEntity? {
        var entity = ESPHomeEntity(ESPHomeWaterHeater())
        var heater = ESPHomeWaterHeater()
        var temperatures = (low: Float(0), high: Float(0), step: Float(0))
        var reader = ProtobufReader(body)
        while let (field, value) = try reader.next() {
            switch field {
            case 5: entity.isHidden = entity.isHidden || value.flag
            case 6: entity.isHidden = entity.isHidden || value.number != 0
            case 7: entity.key.part = UInt32(truncatingIfNeeded: value.number)
            case 8: temperatures.low = value.float
            case 9: temperatures.high = value.float
            case 10: temperatures.step = value.float
            case 11: heater.numbers = Array((heater.numbers + value.numbers).prefix(32))
            case 12: heater.features = value.number
            case 13: heater.unit = TemperatureUnit(esphome: value.number)
            default: entity.readCommon(field, value)
            }
        }
        let (unit, limits) = (heater.unit, temperatures)
        heater.temperatures = unit.range(Double(limits.low), Double(limits.high)) ?? heater.temperatures
        heater.step = unit.step(limits.step)
        entity.kind = .component(AnyESPHomeComponent(heater))
        return entity
    }

    static func state(_ body: ArraySlice<UInt8>) throws(ProtobufReader.Malformed) -> ESPHomeState {
        try ESPHomeState(body, part: 5) { state, field, value in
            switch field {
            case 2: state.climate.current = value.float
            case 3: state.climate.target = value.float
            case 4: state.climate.mode = value.number
            case 6: state.on = value.number & 2 != 0
            default: break
            }
        }
    }

    private func isOn(_ state: ESPHomeState) -> Bool { hasPower ? state.on : state.climate.mode != 0 }

    func report(_ state: ESPHomeState) -> LightReport {
        var report = LightReport(reachable: true)
        let heats = isOn(state) || (!hasPower && !numbers.contains(0))
        report.thermostatMode = heats ? .heat : .off
        if measuresTemperature { report.values[.currentTemperature] = unit.celsius(state.climate.current) }
        report.targetTemperature = unit.celsius(state.climate.target)
        return report
    }

    func message(
        for command: LightCommand, to key: ESPHomeEntity.Key, in state: ESPHomeState?
    ) -> ESPHomeFraming.Message? {
        var fields: UInt64 = 0
        var body = ProtobufWriter()
        body.write(fixed32: key.key, field: 1)
        if let mode = command.thermostatMode {
            if hasPower {
                fields |= 32
                body.write(UInt64(mode == .off ? 0 : 2), field: 6)
            } else if let number = mode == .off ? 0 : numbers.first(where: { $0 != 0 }) {
                fields |= 1
                body.write(number, field: 3)
            }
        }
        if let celsius = command.targetTemperature {
            let limited = min(max(celsius, temperatures.lowerBound), temperatures.upperBound)
            fields |= 2
            body.write(Float(unit.number(celsius: limited, step: step)), field: 4)
        }
        guard fields != 0 else { return nil }
        body.write(fields, field: 2)
        if key.part != 0 { body.write(UInt64(key.part), field: 5) }
        return ESPHomeFraming.Message(Self.command, body.bytes)
    }
}

/// The fields of a climate state, in the units of the device; missing numbers are 0, as in protobuf.
struct ESPHomeClimateState: Equatable, Sendable {
    var mode: UInt64 = 0
    var action: UInt64 = 0
    var current: Float = 0
    var target: Float = 0
    var low: Float = 0
    var high: Float = 0
    var humidity: Float = 0
    var targetHumidity: Float = 0
    var fanMode: UInt64 = 0
    var swingMode: UInt64 = 0
    /// The fan mode in the device's own words; empty if the fan mode is one of the numbered modes.
    var customFanMode = ""

    /// Returns a percentage, or `nil` if it is out of range.
    func percentage(_ path: KeyPath<Self, Float>) -> Double? {
        let number = Double(self[keyPath: path])
        return 0...100 ~= number ? number : nil
    }
}

extension TemperatureUnit {
    fileprivate init(esphome number: UInt64) {
        self = number == 1 ? .fahrenheit : number == 2 ? .kelvin : .celsius
    }

    fileprivate func celsius(_ number: Float?) -> Double? {
        guard let number, number.isFinite else { return nil }
        // Round, because a `Float` is exact to only about seven digits.
        return celsius((Double(number) * 1000).rounded() / 1000)
    }

    /// Returns the temperature step in a description, or the default step if it is missing or out of range.
    fileprivate func step(_ number: Float) -> Double {
        (0.01...10).contains(number) ? (Double(number) * 1000).rounded() / 1000 : usualStep
    }
}
