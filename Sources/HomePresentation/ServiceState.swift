public import HAPModel
public import HomeModel
import Texts

/// The current state of a service in a few words.
public struct ServiceState: Sendable, Hashable {
    /// The state in English: `on, 40 %`, `opening, 40 %`, `21.5 °C, heating to 23 °C`; `unknown` before the first
    /// value.
    public var words: String
    /// A Boolean value that indicates whether the service is on, open, running or unlocked.
    public var isActive: Bool
    /// A Boolean value that indicates whether the state needs attention: an alarm, a leak, a jam.
    public var isAlert: Bool
    /// A Boolean value that indicates whether the service is on its way to its target: unlocking, opening, arming.
    package var isChanging = false

    /// Creates a state.
    ///
    /// - Parameters:
    ///   - words: The parts of the state, in order; `nil` for unknown ones. If all are `nil`, the state is `unknown`.
    ///   - isActive: Whether the service is on, open, running or unlocked.
    ///   - isAlert: Whether the state needs attention.
    ///   - isChanging: Whether the service is on its way to its target.
    package init(
        _ words: String?..., isActive: Bool = false, isAlert: Bool = false, isChanging: Bool = false
    ) {
        let known = words.compactMap(\.self)
        self.words = known.isEmpty ? localized("unknown") : known.joined(separator: ", ")
        self.isActive = isActive
        self.isAlert = isAlert
        self.isChanging = isChanging
    }

    /// The state of a service without values.
    static var unknown: ServiceState { ServiceState(nil) }
}

extension Accessory {
    /// Returns the state of one of the accessory's services from the last received values, current and target combined.
    public func state(of service: Service) -> ServiceState { state(of: service, at: .now) }

    /// Returns the state at a time, which matters for a countdown: accessories report only its beginning and its end.
    package func state(of service: Service, at now: Timestamp) -> ServiceState {
        var state = StateReader(accessory: self, service: service, now: now).state
        for type in Self.alerts {
            guard service.characteristic(type)?.value?.isOne == true, let words = type.localizedWords(for: 1) else {
                continue
            }
            // The state may already mention a jam.
            if !state.words.contains(words) { state.words += ", \(words)" }
            state.isAlert = true
        }
        return state
    }

    /// Returns one of the accessory's values in words.
    ///
    /// For the input of a television, the result is the input's name.
    public func words(for value: CharacteristicValue, of characteristic: Characteristic) -> String {
        if characteristic.type == .activeIdentifier, let name = inputName(value) { return name }
        return characteristic.words(for: value)
    }

    /// Returns the name of a television's input; `nil` if no input has that number.
    private func inputName(_ number: CharacteristicValue) -> String? {
        let input = services.first { $0.type == .inputSource && $0.characteristic(.identifier)?.value == number }
        return input.map(inputName)
    }

    private static let alerts: [CharacteristicType] = [
        .obstructionDetected, .statusJammed, .statusFault, .statusTampered,
    ]
}

extension CharacteristicValue {
    /// A Boolean value that indicates whether the value is `true`, or 1, which some accessories report instead.
    var isOne: Bool { Bool(self) == true }
}

/// Derives the state from a service's values.
private struct StateReader {
    let accessory: Accessory
    let service: Service
    let now: Timestamp

    var state: ServiceState {
        switch service.type {
        case .lightbulb, .switch, .outlet: power(level: .brightness)
        case .fan, .fanv2: power(level: .rotationSpeed)
        case .airPurifier: working(.currentAirPurifierState, level: .rotationSpeed)
        case .thermostat: thermostat
        case .heaterCooler: heaterCooler
        case .humidifierDehumidifier: humidifier
        case .garageDoorOpener: garageDoor
        case .lockMechanism: lock
        case .door, .window, .windowCovering: position
        case .securitySystem: securitySystem
        case .valve, .faucet, .irrigationSystem: water
        case .television: television
        case .speaker, .smartSpeaker: volume
        case .microphone: microphone
        case .carbonDioxideSensor: detector(.carbonDioxideDetected, level: .carbonDioxideLevel)
        case .carbonMonoxideSensor: detector(.carbonMonoxideDetected, level: .carbonMonoxideLevel)
        case .smokeSensor: detector(.smokeDetected)
        case .leakSensor: detector(.leakDetected)
        case .contactSensor: presence(.contactSensorState)
        case .motionSensor: presence(.motionDetected)
        case .occupancySensor: presence(.occupancyDetected)
        case .airQualitySensor: airQuality
        case .battery: battery
        case .filterMaintenance: filter
        case .statelessProgrammableSwitch, .doorbell: presses
        default: firstReading
        }
    }

    // MARK: Values

    private func value(_ type: CharacteristicType) -> CharacteristicValue? { service.characteristic(type)?.value }

    private func number(_ type: CharacteristicType) -> Double? { value(type)?.number }

    private func flag(_ type: CharacteristicType) -> Bool? { value(type).flatMap(Bool.init) }

    private func words(_ type: CharacteristicType) -> String? { service.characteristic(type)?.valueWords }

    // MARK: Switches

    private var isOn: Bool? { flag(.on) ?? flag(.active) }

    private func power(level: CharacteristicType) -> ServiceState {
        guard let isOn else { return .unknown }
        guard isOn else { return ServiceState(localized("off")) }
        return ServiceState(localized("on"), words(level), consumption, isActive: true)
    }

    /// The measured power.
    private var consumption: String? {
        service.characteristics.first { EveReading($0.type) == .power }?.valueWords
    }

    private func working(_ current: CharacteristicType, level: CharacteristicType) -> ServiceState {
        guard isOn ?? true else { return ServiceState(localized("off")) }
        guard let doing = words(current) ?? isOn.map({ $0 ? localized("on") : localized("off") }) else {
            return .unknown
        }
        guard doing != localized("off") else { return ServiceState(localized("off")) }
        return ServiceState(doing, words(level), isActive: true)
    }

    private var water: ServiceState {
        guard let isOn = isOn ?? flag(.inUse) else { return .unknown }
        let isRunning = flag(.inUse) ?? isOn
        guard isOn || isRunning else { return ServiceState(localized("off")) }
        guard isRunning else { return ServiceState(localized("on, waiting"), isActive: true) }
        // A valve of an irrigation system may run while the system is off.
        guard isOn || service.type == .irrigationSystem else {
            return ServiceState(localized("stopping"), isActive: true)
        }
        return ServiceState(localized("running"), timeLeft, isActive: true)
    }

    /// The remaining time, rounded up to minutes.
    private var timeLeft: String? {
        guard let remaining = service.characteristic(.remainingDuration), let number = remaining.value?.number,
            let time = remaining.valueTime
        else { return nil }
        let left = number - Double(time.duration(to: now).components.seconds)
        guard left > 0 else { return nil }
        guard left >= 60 else { return localized("less than 1 min left") }
        return localized("\(remaining.words(for: .float((left / 60).rounded(.up) * 60))) left", context: "time")
    }

    private var television: ServiceState {
        guard let isOn else { return .unknown }
        guard isOn else { return ServiceState(localized("off")) }
        let input = service.characteristic(.activeIdentifier).flatMap { characteristic in
            // Zero means that no input is selected.
            characteristic.value.flatMap { $0.number == 0 ? nil : accessory.words(for: $0, of: characteristic) }
        }
        return ServiceState(localized("on"), input, isActive: true)
    }

    private var volume: ServiceState {
        if flag(.mute) == true { return ServiceState(localized("muted")) }
        return ServiceState(words(.volume) ?? words(.mute), isActive: flag(.active) ?? false)
    }

    /// The state of a microphone, which is the main service of a camera.
    ///
    /// The volume is omitted, because it isn't useful for a camera.
    private var microphone: ServiceState {
        flag(.mute).map { ServiceState($0 ? localized("muted") : localized("microphone on")) } ?? .unknown
    }

    // MARK: Climate

    private var thermostat: ServiceState {
        let mode = number(.targetHeatingCoolingState)
        let doing = number(.currentHeatingCoolingState)
        let wanted: String? =
            switch doing {
            case _ where mode != 3 || !hasRange: words(.targetTemperature)
            case 1: words(.heatingThresholdTemperature)
            case 2: words(.coolingThresholdTemperature)
            default: range(.heatingThresholdTemperature, .coolingThresholdTemperature)
            }
        return climate(
            .currentTemperature, isOff: mode == 0, doing: doing == 0 ? nil : words(.currentHeatingCoolingState),
            wanted: wanted)
    }

    private var heaterCooler: ServiceState {
        let doing = number(.currentHeaterCoolerState) ?? 0
        let isWorking = doing >= 2
        let wanted: String? =
            switch (doing, number(.targetHeaterCoolerState)) {
            case (2, _), (0...1, 1): words(.heatingThresholdTemperature)
            case (3, _), (0...1, 2): words(.coolingThresholdTemperature)
            default: range(.heatingThresholdTemperature, .coolingThresholdTemperature)
            }
        return climate(
            .currentTemperature, isOff: isOn == false, doing: isWorking ? words(.currentHeaterCoolerState) : nil,
            wanted: wanted)
    }

    /// A Boolean value that indicates whether both ends of the range are known.
    private var hasRange: Bool {
        words(.heatingThresholdTemperature) != nil && words(.coolingThresholdTemperature) != nil
    }

    /// The range between two thresholds, of which one may be missing.
    private func range(_ low: CharacteristicType, _ high: CharacteristicType) -> String? {
        guard let lowest = number(low), let end = words(high) else { return words(low) ?? words(high) }
        return "\(lowest.rounded(toDigits: 1)) – \(end)"
    }

    private var humidifier: ServiceState {
        let doing = number(.currentHumidifierDehumidifierState) ?? 0
        let isWorking = doing >= 2
        let wanted: String? =
            switch (doing, number(.targetHumidifierDehumidifierState)) {
            case (2, _), (0...1, 1): words(.relativeHumidityHumidifierThreshold)
            case (3, _), (0...1, 2): words(.relativeHumidityDehumidifierThreshold)
            default: range(.relativeHumidityHumidifierThreshold, .relativeHumidityDehumidifierThreshold)
            }
        return climate(
            .currentRelativeHumidity, isOff: isOn == false,
            doing: isWorking ? words(.currentHumidifierDehumidifierState) : nil, wanted: wanted)
    }

    private func climate(
        _ reading: CharacteristicType, isOff: Bool, doing: String?, wanted: String?
    ) -> ServiceState {
        let now = words(reading)
        if isOff { return ServiceState(now, localized("off")) }
        let aim =
            wanted.map { wanted in
                doing.map { localized("\($0) to \(wanted)", context: "climate") } ?? localized("set to \(wanted)")
            } ?? doing
        return ServiceState(now, aim, isActive: doing != nil)
    }

    // MARK: Doors, locks and positions

    private var garageDoor: ServiceState {
        guard let current = words(.currentDoorState), let state = number(.currentDoorState) else { return .unknown }
        // Some doors report only their end positions and their target.
        if let target = number(.targetDoorState), state < 2, target != state {
            return ServiceState(
                target == 0 ? localized("opening") : localized("closing"), isActive: true, isChanging: true)
        }
        return ServiceState(current, isActive: state != 1)
    }

    private var lock: ServiceState {
        guard let current = words(.lockCurrentState), let state = number(.lockCurrentState) else { return .unknown }
        if let target = number(.lockTargetState), state < 2, target != state {
            return ServiceState(
                target == 0 ? localized("unlocking") : localized("locking"), isActive: true, isChanging: true)
        }
        return ServiceState(current, isActive: state != 1, isAlert: state == 2)
    }

    private var position: ServiceState {
        guard let current = number(.currentPosition), let share = words(.currentPosition) else {
            return ServiceState(words(.targetPosition).map { localized("to \($0)") })
        }
        let state = number(.positionState)
        let target = number(.targetPosition) ?? current
        // A service at its target doesn't move, regardless of the state that it last reported.
        let isMoving = number(.targetPosition) == nil ? state != nil : current != target
        if state != 2, isMoving {
            return ServiceState(
                target > current || state == 1 ? localized("opening") : localized("closing"), share, isActive: true,
                isChanging: true)
        }
        switch current {
        case 0: return ServiceState(localized("closed"))
        case 100: return ServiceState(localized("open"), isActive: true)
        default: return ServiceState(localized("\(share) open"), isActive: true)
        }
    }

    // MARK: Sensors and alarms

    private var securitySystem: ServiceState {
        guard let current = words(.securitySystemCurrentState), let state = number(.securitySystemCurrentState) else {
            return .unknown
        }
        guard state != 4 else { return ServiceState(current, isActive: true, isAlert: true) }
        if let target = number(.securitySystemTargetState), target != state,
            let aim = words(.securitySystemTargetState)
        {
            return ServiceState(
                target == 3 ? localized("disarming") : localized("will be \(aim)"), isActive: target != 3,
                isChanging: true)
        }
        return ServiceState(current, isActive: state != 3)
    }

    private func detector(_ type: CharacteristicType, level: CharacteristicType? = nil) -> ServiceState {
        guard let found = words(type), let isFound = flag(type) else {
            return ServiceState(level.flatMap(words))
        }
        return ServiceState(found, level.flatMap(words), isActive: isFound, isAlert: isFound)
    }

    private func presence(_ type: CharacteristicType) -> ServiceState {
        guard let found = words(type) else { return .unknown }
        return ServiceState(found, isActive: flag(type) ?? false)
    }

    private var airQuality: ServiceState {
        guard let quality = words(.airQuality) else { return .unknown }
        let density = Self.densities.lazy.compactMap { type, name in words(type).map { "\(name.localized) \($0)" } }
            .first
        let isUnknown = number(.airQuality) == 0
        return ServiceState(isUnknown ? nil : quality, density, isAlert: number(.airQuality) == 5)
    }

    /// The air pollutants in order of preference.
    ///
    /// The state shows the first one with a known density.
    private static let densities: [(CharacteristicType, LocalizableText)] = [
        (.pm2_5Density, "PM2.5"), (.pm10Density, "PM10"), (.vocDensity, "VOC"), (.nitrogenDioxideDensity, "NO₂"),
        (.ozoneDensity, "ozone"), (.sulphurDioxideDensity, "SO₂"),
    ]

    private var battery: ServiceState {
        let level = words(.batteryLevel)
        let isLow = flag(.statusLowBattery) ?? false
        let isCharging = number(.chargingState) == 1
        let note = isLow ? localized("low") : isCharging ? localized("charging") : nil
        return ServiceState(level ?? words(.statusLowBattery), note, isAlert: isLow && !isCharging)
    }

    private var filter: ServiceState {
        ServiceState(
            words(.filterChangeIndication), words(.filterLifeLevel), isAlert: flag(.filterChangeIndication) ?? false)
    }

    /// The last press that was received while an app was watching.
    ///
    /// Buttons have no lasting value.
    private var presses: ServiceState { ServiceState(words(.programmableSwitchEvent) ?? localized("ready")) }

    /// The first known value of a service whose type has no rule here.
    ///
    /// The value's name is included, unless the value explains itself.
    private var firstReading: ServiceState {
        if let isOn, !isOn { return ServiceState(localized("off")) }
        let readings = service.characteristics.filter { $0.isForPeople && $0.value != nil }
        guard let first = readings.first(where: { $0.type != .configuredName }), let words = first.valueWords else {
            return .unknown
        }
        if isOn == true { return ServiceState(words, isActive: true) }
        let isPlain = first.metadata.unit != nil || first.metadata.format == .string || first.type.words(for: 0) != nil
        return ServiceState(isPlain ? words : "\(first.labelInSentence) \(words)")
    }
}
