import HAPModel
package import HomeModel
import Texts

extension Accessory {
    /// Returns the control for one of the accessory's characteristics.
    ///
    /// The inputs of a television are choices with their names. For other characteristics, the result is the control of
    /// the service.
    package func control(for characteristic: Characteristic, of service: Service) -> CharacteristicControl {
        let control = service.control(for: characteristic)
        guard characteristic.type == .activeIdentifier, control != .reading else { return control }
        let inputs = inputs(of: service, chosen: characteristic.value)
        return inputs.isEmpty ? control : .choice(inputs)
    }

    /// Returns the inputs of a television, except for hidden and unconfigured inputs that aren't chosen.
    private func inputs(of television: Service, chosen: CharacteristicValue?) -> [CharacteristicControl.Choice] {
        let all = services.filter { $0.type == .inputSource }
        let linked = all.filter { television.linkedServices.contains($0.id) }
        return (linked.isEmpty ? all : linked).compactMap { input in
            guard let identifier = input.characteristic(.identifier)?.value else { return nil }
            let isHidden = input.characteristic(.currentVisibilityState)?.value?.number == 1
            let isUnused = input.characteristic(.isConfigured)?.value?.number == 0
            guard identifier == chosen || !isHidden && !isUnused else { return nil }
            return CharacteristicControl.Choice(value: identifier, name: inputName(of: input))
        }
    }

    /// The name of an input, which users can change on the television.
    func inputName(of input: Service) -> String {
        let configured = input.characteristic(.configuredName)?.value?.string ?? ""
        return configured.isEmpty ? input.name : configured
    }

    /// Returns the services whose controls belong to the page of another service: the speaker of a television and the
    /// filter of an air purifier.
    package func companions(of service: Service) -> [Service] {
        let isLinked = { (other: Service) in service.linkedServices.contains(other.id) }
        switch service.type {
        case .television:
            let isAlone = services.count { $0.type == .television } == 1
            return services.filter { [.speaker, .smartSpeaker].contains($0.type) && (isAlone || isLinked($0)) }
        case .airPurifier, .humidifierDehumidifier, .heaterCooler, .fanv2:
            return services.filter { $0.type == .filterMaintenance && isLinked($0) }
        default: return []
        }
    }
}

extension Characteristic {
    /// A Boolean value that indicates whether the value is a setting that users rarely change, such as a display unit.
    ///
    /// Vendor-specific values are settings, because their purpose is unknown.
    package var isSetting: Bool {
        !type.type.isApple || Self.settings.contains(type)
    }

    private static let settings: Set<CharacteristicType> = [
        .configuredName, .isConfigured, .lockPhysicalControls, .powerModeSelection, .temperatureDisplayUnits,
    ]

    /// The common color temperatures that a lamp supports, from warm to cold.
    package var colorTemperaturePresets: [CharacteristicControl.Choice] {
        guard type == .colorTemperature else { return [] }
        let presets: [(LocalizableText, Double)] = [
            ("Candle", 2000), ("Warm", 2700), ("Neutral", 4000), ("Daylight", 5500), ("Sky", 6500),
        ]
        return presets.compactMap { name, kelvin in
            let mired = (1_000_000 / kelvin).rounded()
            guard mired >= metadata.minimum ?? 0, mired <= metadata.maximum ?? .infinity,
                let value = metadata.accepted(.float(mired))
            else { return nil }
            return CharacteristicControl.Choice(value: value, name: name.localized)
        }
    }
}

extension Service {
    /// The targets that a dial sets: one temperature or humidity, or the two ends of a range.
    ///
    /// Targets without an effect in the current mode are omitted, so both ends are set only in automatic mode.
    package var dialTargets: [Characteristic] {
        let types: [CharacteristicType] =
            switch type {
            case .thermostat: [.targetTemperature, .heatingThresholdTemperature, .coolingThresholdTemperature]
            case .heaterCooler: [.heatingThresholdTemperature, .coolingThresholdTemperature]
            case .humidifierDehumidifier:
                [.relativeHumidityHumidifierThreshold, .relativeHumidityDehumidifierThreshold]
            default: []
            }
        let ineffective = ineffectiveTargets
        let targets = types.filter { !ineffective.contains($0) }.compactMap(characteristic).filter { target in
            let metadata = target.metadata
            guard metadata.permissions.contains(.pairedWrite), let low = metadata.minimum, let high = metadata.maximum
            else { return false }
            return low < high
        }
        // A thermostat with a single threshold has no range.
        return targets.first?.type == .targetTemperature ? Array(targets.prefix(1)) : targets
    }

    /// Returns the numbers that a dial offers for a target: the numbers that the accessory accepts, and one end of a
    /// range doesn't pass the other end.
    package func dialRange(of target: Characteristic) -> CharacteristicControl.NumberRange? {
        guard case .stepper(var range) = target.type.control(target.metadata, isDial: true) else { return nil }
        let targets = dialTargets
        guard let first = targets.first, let last = targets.last, first.id != last.id,
            let low = range.minimum, let high = range.maximum
        else { return range }
        let present = target.value?.number ?? low
        if target.id == first.id, let end = last.value?.number { range.maximum = max(min(high, end), present, low) }
        if target.id == last.id, let end = first.value?.number { range.minimum = min(max(low, end), present, high) }
        return range
    }

    /// The measurement in the middle of the dial.
    package var dialReading: Characteristic? {
        characteristic(type == .humidifierDehumidifier ? .currentRelativeHumidity : .currentTemperature)
    }
}
