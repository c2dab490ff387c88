public import HAPModel

extension LightKind {
    /// A thermostat, a radiator valve, an air conditioner or a water heater.
    public static let thermostat = LightKind(
        "thermostat", plural: "thermostats", title: "Thermostat", ThermostatRules(),
        [
            PropertyName("mode", .targetHeatingCoolingState, .choice(["off", "heat", "cool", "auto"])),
            PropertyName("activity", .currentHeatingCoolingState, .choice(["idle", "heating", "cooling"])),
            temperature("temperature", .currentTemperature),
            temperature("targetTemperature", .targetTemperature),
            temperature("heatingThreshold", .heatingThresholdTemperature),
            temperature("coolingThreshold", .coolingThresholdTemperature),
            humidity("humidity", .currentRelativeHumidity),
            humidity("targetHumidity", .targetRelativeHumidity),
            PropertyName("speed", .rotationSpeed, .whole(0...100, unit: "percent")),
            PropertyName("fanMode", .targetFanState, .choice(["manual", "auto"])),
            PropertyName("oscillates", .swingMode, .flag(yes: "oscillates", no: "doesn't oscillate")),
        ])

    private static func temperature(_ name: String, _ type: CharacteristicType) -> PropertyName {
        PropertyName(name, type, .number(-270...100, unit: "degrees Celsius", symbol: " °C"))
    }

    /// Returns the name of a relative humidity.
    static func humidity(
        _ name: String, _ type: CharacteristicType, target: CharacteristicType? = nil
    ) -> PropertyName {
        PropertyName(name, type, .number(0...100, unit: "percent", symbol: " %"), target: target)
    }
}

extension PropertyContainer {
    /// The mode that a thermostat is set to.
    public var thermostatMode: HeatingCoolingMode? {
        get { values[.targetHeatingCoolingState] }
        set { values[.targetHeatingCoolingState] = newValue }
    }

    /// The activity of a thermostat: heating, cooling, or off while it is idle.
    public var thermostatActivity: HeatingCoolingMode? {
        get { values[.currentHeatingCoolingState] }
        set { values[.currentHeatingCoolingState] = newValue }
    }

    /// The target temperature in degrees Celsius.
    public var targetTemperature: Double? {
        get { values[.targetTemperature] }
        set { values[.targetTemperature] = newValue }
    }

    /// The temperature in degrees Celsius below which a thermostat in automatic mode heats.
    public var heatingThreshold: Double? {
        get { values[.heatingThreshold] }
        set { values[.heatingThreshold] = newValue }
    }

    /// The temperature in degrees Celsius above which a thermostat in automatic mode cools.
    public var coolingThreshold: Double? {
        get { values[.coolingThreshold] }
        set { values[.coolingThreshold] = newValue }
    }

    /// The target of the relative humidity in percent.
    public var targetHumidity: Double? {
        get { values[.targetHumidity] }
        set { values[.targetHumidity] = newValue }
    }
}

extension CharacteristicKey<Double> {
    fileprivate static var heatingThreshold: Self { Self(.heatingThresholdTemperature) }
    fileprivate static var coolingThreshold: Self { Self(.coolingThresholdTemperature) }
    fileprivate static var targetHumidity: Self { Self(.targetRelativeHumidity) }
}

/// The features of a thermostat.
package struct ThermostatFeatures: Equatable, Sendable {
    /// The modes that the thermostat can be set to.
    package var modes: Set<HeatingCoolingMode> = [.off, .heat, .cool, .auto]
    /// The limits of the set points in degrees Celsius.
    package var temperatures: ClosedRange<Double> = 7...35
    /// A Boolean value that indicates whether the thermostat has two set points in automatic mode.
    package var hasThresholds = false
    /// A Boolean value that indicates whether the thermostat measures the temperature.
    package var measuresTemperature = true
    /// A Boolean value that indicates whether the thermostat reports its activity.
    ///
    /// If it doesn't, the mode and the temperatures determine the activity.
    package var reportsActivity = false
    /// A Boolean value that indicates whether the thermostat measures the humidity.
    package var measuresHumidity = false
    /// The limits of the target humidity in percent, or `nil` if the thermostat has none.
    package var humidities: ClosedRange<Double>?
    /// The fan, or `nil` if it can't be set.
    package var fan: ThermostatFan?

    package init() {}

    /// The Thermostat service and, if the fan can be set, the Fan service.
    package var functions: [AccessoryFunction] { [function] + (fan.map { [$0.function] } ?? []) }

    /// The Thermostat service.
    package var function: AccessoryFunction {
        let target = AccessoryFunction.Part(.targetTemperature, .float(21), within: temperatures)
        var parts = [
            AccessoryFunction.Part(.targetHeatingCoolingState, .integer(0)) {
                $0.validValues = modes.map { Int64($0.rawValue) }.sorted()
            }
        ]
        if reportsActivity { parts.insert(AccessoryFunction.Part(.currentHeatingCoolingState, .integer(0)), at: 0) }
        if measuresTemperature { parts.append(AccessoryFunction.Part(.currentTemperature, .float(20))) }
        parts.append(target)
        if hasThresholds {
            parts.append(.init(.heatingThresholdTemperature, .float(19), within: temperatures))
            parts.append(.init(.coolingThresholdTemperature, .float(24), within: temperatures))
        }
        if measuresHumidity { parts.append(.init(.currentRelativeHumidity, .float(50))) }
        if let humidities { parts.append(.init(.targetRelativeHumidity, .float(50), within: humidities)) }
        return AccessoryFunction(.thermostat, id: nil, linked: fan == nil ? [] : [ThermostatFan.id], parts: parts)
    }
}

/// The settings of the fan of an air conditioner, which is a Fan service linked to the Thermostat service.
package struct ThermostatFan: Equatable, Sendable {
    static let id = "fan"
    /// A Boolean value that indicates whether the fan is on; a value only of fans that can be switched off.
    package static let active = Property(.active, of: id)
    package static let speed = Property(.rotationSpeed, of: id)
    package static let automatic = Property(.targetFanState, of: id)
    package static let swing = Property(.swingMode, of: id)

    /// The number of speeds, or 0 if the speed can't be set.
    package var speeds = 0
    /// A Boolean value that indicates whether the fan can choose its speed itself.
    package var hasAuto = false
    /// A Boolean value that indicates whether the fan can be switched off while the device heats or cools.
    package var hasOff = false
    /// A Boolean value that indicates whether the air can swing.
    package var swings = false

    package init() {}

    /// A Boolean value that indicates whether nothing can be set.
    package var isEmpty: Bool { speeds == 0 && !hasAuto && !swings }

    /// The Fan service.
    var function: AccessoryFunction {
        var parts: [AccessoryFunction.Part] = []
        if hasOff { parts.append(.init(.active, .integer(0))) }
        if speeds > 0 { parts.append(.init(.rotationSpeed, .float(100)) { $0.step = 100 / Double(speeds) }) }
        if hasAuto { parts.append(.init(.targetFanState, .integer(0))) }
        if swings { parts.append(.init(.swingMode, .integer(0))) }
        return AccessoryFunction(.fanv2, id: Self.id, parts: parts)
    }
}

extension AccessoryFunction.Part {
    /// Creates a characteristic of the catalog with the limits of a device.
    package init(
        _ type: CharacteristicType, _ value: CharacteristicValue, within limits: ClosedRange<Double>? = nil,
        _ change: (inout CharacteristicMetadata) -> Void = { _ in }
    ) {
        guard var metadata = CharacteristicDefinition.of(type)?.metadata else {
            self.init(type, nil, value, nil)
            return
        }
        if let limits { (metadata.minimum, metadata.maximum) = (limits.lowerBound, limits.upperBound) }
        change(&metadata)
        self.init(type, metadata, metadata.clamped(value) ?? value, nil)
    }
}

/// The rules of a thermostat.
///
/// A thermostat in a mode that HomeKit lacks, such as drying, keeps its last mode as an unknown value.
struct ThermostatRules: DeviceRules {
    /// The distance between the two thresholds after one of them would have crossed the other, in degrees.
    ///
    /// The distance is the same as in Home Assistant.
    private static let deadband = 5.0
    /// The largest difference between a requested and a rounded temperature, in degrees.
    private static let tolerance = 0.51

    private var modes: [HeatingCoolingMode] = [.off, .heat, .cool, .auto]
    /// The distance between two speeds of the fan, in percent.
    private var speedStep = 1.0
    private var fanHasOff = false

    /// The pause prevents each step of a dial from being sent to the thermostat by radio.
    var pause: Duration { .milliseconds(300) }

    func adapted(to functions: [AccessoryFunction]) -> any DeviceRules {
        let values = functions.lazy.compactMap { $0.metadata(of: .targetHeatingCoolingState)?.validValues }.first
        var rules = self
        if let fan = functions.first(where: { $0.type == .fanv2 }) {
            rules.speedStep = fan.metadata(of: .rotationSpeed)?.step ?? speedStep
            rules.fanHasOff = fan.has(.active)
        }
        guard let values else { return rules }
        rules.modes = values.compactMap { HeatingCoolingMode(rawValue: Int($0)) }
        return rules
    }

    func functions(_ capabilities: LightCapabilities) -> [AccessoryFunction] { [ThermostatFeatures().function] }

    func shown(_ functions: [AccessoryFunction]) -> [AccessoryFunction] {
        functions.map { function in
            if function.type == .fanv2, !function.has(.active) {
                var fan = function
                fan.add(.active, .integer(0), at: 0)
                return fan
            }
            guard function.type == .thermostat else { return function }
            // Accept automatic mode and replace it, because Siri sets every thermostat to it.
            var shown = function.with(.targetHeatingCoolingState) { $0.replacedValues = [3] }
                // The Home app shows a shifted scale if the maximum is below 100 %. Values beyond the device's limits
                // are clamped.
                .with(.targetRelativeHumidity) { ($0.minimum, $0.maximum) = (0, 100) }
            for (type, value) in [
                (CharacteristicType.currentHeatingCoolingState, CharacteristicValue.integer(0)),
                (.currentTemperature, .float(20)), (.temperatureDisplayUnits, .integer(0)),
            ] where !shown.has(type) {
                shown.add(type, value)
            }
            return shown
        }
    }

    func resembles(_ reported: PropertyValues, _ wanted: PropertyValues) -> Bool {
        for (property, value) in wanted {
            guard property.type != .targetHeatingCoolingState, let number = value?.number,
                let other = reported[property]?.number
            else {
                guard reported[property] == value else { return false }
                continue
            }
            let tolerance = property.type == .rotationSpeed ? speedStep : Self.tolerance
            guard (number - other).magnitude <= tolerance else { return false }
        }
        return true
    }

    func command(_ written: PropertyValues, over state: DeviceState) -> PropertyValues {
        var command = written
        chooseMode(&command, over: state)
        chooseTarget(&command, over: state)
        separateThresholds(&command, over: state)
        chooseFanMode(&command, over: state)
        return command
    }

    /// Replaces a mode that the device lacks, and removes a mode that the device is already in.
    ///
    /// The Home app writes the current mode when it shows a thermostat.
    private func chooseMode(_ command: inout PropertyValues, over state: DeviceState) {
        guard var mode = command.thermostatMode else { return }
        if !modes.contains(mode) {
            let target = command.targetTemperature ?? state.values.targetTemperature
            let current: Double? = state[.currentTemperature]
            let cools = target.flatMap { target in current.map { target < $0 } } ?? false
            let order: [HeatingCoolingMode] = cools ? [.cool, .heat, .auto, .off] : [.heat, .cool, .auto, .off]
            mode = order.first(where: modes.contains) ?? mode
            command.thermostatMode = mode
        }
        let property = Property(.targetHeatingCoolingState)
        if state.values.thermostatMode == mode, !state.unknown.contains(property) { command.remove(property) }
    }

    /// Uses the threshold of the opposite mode as the target if it would cross the threshold of the current mode.
    ///
    /// If a device cools and the requested temperature is above the current temperature, Siri writes the heating
    /// threshold (home-assistant/core #179137). Without this rule, the heating threshold would push the cooling
    /// threshold away.
    private func chooseTarget(_ command: inout PropertyValues, over state: DeviceState) {
        guard command.targetTemperature == nil else { return }
        let (low, high) = (state.values.heatingThreshold, state.values.coolingThreshold)
        switch (
            command.thermostatMode ?? state.values.thermostatMode, command.heatingThreshold, command.coolingThreshold
        ) {
        case (.cool, let threshold?, nil) where high.map { threshold > $0 } == true,
            (.heat, nil, let threshold?) where low.map { threshold < $0 } == true:
            (command.heatingThreshold, command.coolingThreshold) = (nil, nil)
            command.targetTemperature = threshold
        default: break
        }
    }

    /// Removes all but one of the settings that a device has in its only fan mode: off, automatic, or a speed.
    ///
    /// Apps write Active together with the speed. A speed of 0 switches the fan off if the device can do so.
    private func chooseFanMode(_ command: inout PropertyValues, over state: DeviceState) {
        if let speed = command[ThermostatFan.speed]?.number, speed < 0.5 {
            command.remove(ThermostatFan.speed)
            if fanHasOff { command[ThermostatFan.active] = .integer(0) }
        }
        let active = command[ThermostatFan.active].flatMap(Bool.init)
        let isAutomatic = command[ThermostatFan.automatic].flatMap(Bool.init)
        if active == false {
            command.remove(ThermostatFan.speed)
            command.remove(ThermostatFan.automatic)
            return
        }
        if isAutomatic == true { command.remove(ThermostatFan.speed) }
        if command.contains(ThermostatFan.speed) { command.remove(ThermostatFan.automatic) }
        let isOn = state.values[ThermostatFan.active].flatMap(Bool.init) == true
        if isOn || isAutomatic != nil || command.contains(ThermostatFan.speed) { command.remove(ThermostatFan.active) }
    }

    private func separateThresholds(_ command: inout PropertyValues, over state: DeviceState) {
        guard command.heatingThreshold != nil || command.coolingThreshold != nil,
            let low = command.heatingThreshold ?? state.values.heatingThreshold,
            let high = command.coolingThreshold ?? state.values.coolingThreshold, low > high
        else { return }
        if command.heatingThreshold != nil {
            command.coolingThreshold = low + Self.deadband
        } else {
            command.heatingThreshold = high - Self.deadband
        }
    }

    func derived(
        _ type: CharacteristicType, of function: AccessoryFunction, in state: DeviceState
    ) -> CharacteristicValue? {
        switch type {
        case .currentHeatingCoolingState: activity(in: state).characteristicValue
        case .currentTemperature: state.values[Property(.targetTemperature)]
        // The fan runs while the device is on.
        case .active: .integer(state.values.thermostatMode.map { $0 == .off } == true ? 0 : 1)
        default: nil
        }
    }

    /// Returns the activity that the mode and the temperatures imply.
    private func activity(in state: DeviceState) -> HeatingCoolingMode {
        let values = state.values
        guard let mode = values.thermostatMode, mode != .off, let current: Double = state[.currentTemperature] else {
            return .off
        }
        let low = mode == .auto ? values.heatingThreshold ?? values.targetTemperature : values.targetTemperature
        let high = mode == .auto ? values.coolingThreshold ?? values.targetTemperature : values.targetTemperature
        if mode != .cool, let low, current < low { return .heat }
        if mode != .heat, let high, current > high { return .cool }
        return .off
    }

    func isLasting(_ type: CharacteristicType) -> Bool {
        type != .currentHeatingCoolingState && SensorReading(type)?.isMomentary != true
    }
}
