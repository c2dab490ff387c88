public import HAPModel
public import HomeModel

/// The control for changing a value.
@nonexhaustive
public enum CharacteristicControl: Sendable, Hashable {
    /// An on-off switch.
    case toggle
    /// A slider between a minimum and a maximum.
    case slider(NumberRange)
    /// A stepper or a number field.
    case stepper(NumberRange)
    /// A color picker, which sets both the hue and the saturation.
    case color
    /// A color temperature in mired, from cold to warm.
    case colorTemperature(NumberRange)
    /// A choice among named values.
    case choice([Choice])
    /// A text field with a maximum length in bytes of UTF-8.
    case text(maximumLength: Int)
    /// A button that performs an action by writing a value.
    case button(CharacteristicValue)
    /// No control: the value is read-only.
    case reading

    /// The numbers that a control offers, in steps.
    public struct NumberRange: Sendable, Hashable {
        /// The smallest number; `nil` if there is no limit.
        public var minimum: Double?
        /// The largest number; `nil` if there is no limit.
        public var maximum: Double?
        /// The distance between adjacent numbers.
        public var step: Double
        /// The unit of the numbers.
        public var unit: CharacteristicUnit?
    }

    /// A value to choose, with its name.
    public struct Choice: Sendable, Hashable {
        /// The value to write.
        public var value: CharacteristicValue
        /// The value's meaning in English.
        public var name: String
    }
}

extension Service {
    /// Returns the control for one of the service's characteristics, which offers only values that the accessory
    /// accepts.
    public func control(for characteristic: Characteristic) -> CharacteristicControl {
        let metadata = characteristic.metadata
        guard metadata.permissions.contains(.pairedWrite) else { return .reading }
        if Self.colorTypes.contains(characteristic.type), isColored { return .color }
        if let durations = characteristic.durations { return .choice(durations) }
        return characteristic.type.control(metadata)
    }

    /// The targets that have no effect in the current mode, such as a cooling threshold while heating.
    package var ineffectiveTargets: Set<CharacteristicType> {
        func mode(_ type: CharacteristicType) -> Double? { characteristic(type)?.value?.number }
        switch type {
        case .thermostat:
            let thresholds: Set<CharacteristicType> = [.heatingThresholdTemperature, .coolingThresholdTemperature]
            guard let mode = mode(.targetHeatingCoolingState), thresholds.allSatisfy({ characteristic($0) != nil })
            else { return [] }
            return mode == 3 ? [.targetTemperature] : thresholds
        case .heaterCooler:
            return switch mode(.targetHeaterCoolerState) {
            case 1: [.coolingThresholdTemperature]
            case 2: [.heatingThresholdTemperature]
            default: []
            }
        case .humidifierDehumidifier:
            return switch mode(.targetHumidifierDehumidifierState) {
            case 1: [.relativeHumidityDehumidifierThreshold]
            case 2: [.relativeHumidityHumidifierThreshold]
            default: []
            }
        default: return []
        }
    }

    /// The characteristics without further information, because ``Accessory/state(of:)`` already has their values.
    package var statedCharacteristics: Set<CharacteristicType> {
        let stated: Set<CharacteristicType> = [
            .airQuality, .carbonDioxideDetected, .carbonMonoxideDetected, .contactSensorState, .currentAirPurifierState,
            .currentDoorState, .currentHeaterCoolerState, .currentHeatingCoolingState,
            .currentHumidifierDehumidifierState, .inUse, .leakDetected, .lockCurrentState, .motionDetected,
            .occupancyDetected, .positionState, .programmableSwitchEvent, .remainingDuration,
            .securitySystemCurrentState, .smokeDetected,
        ]
        return type == .filterMaintenance ? stated.union([.filterChangeIndication, .filterLifeLevel]) : stated
    }

    /// Returns the characteristics that a page shows as controls.
    ///
    /// - Parameter isOwner: Whether the visitor owns the home. Guests get only characteristics that HAP defines, and
    ///   only of services that are meant for users. They get neither Identify nor vendor-specific functions such as
    ///   resets.
    /// - Returns: The characteristics in the accessory's order.
    public func controlledCharacteristics(isOwner: Bool) -> [Characteristic] {
        characteristics.filter { characteristic in
            guard characteristic.isForPeople, control(for: characteristic) != .reading else { return false }
            return isOwner
                || isUserInteractive && characteristic.type != .identify
                    && CharacteristicDefinition.of(characteristic.type) != nil
        }
    }

    private static let colorTypes: Set<CharacteristicType> = [.hue, .saturation]

    private var isColored: Bool {
        Self.colorTypes.allSatisfy { characteristic($0)?.metadata.permissions.contains(.pairedWrite) == true }
    }
}

extension Characteristic {
    /// The common durations that a valve accepts, and its current duration; `nil` for other characteristics.
    fileprivate var durations: [CharacteristicControl.Choice]? {
        guard type == .setDuration else { return nil }
        let usual: [Int64] = [1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120].map { $0 * 60 }
        let present = value?.number.flatMap { Int64(exactly: $0) }
        let taken = Set(usual + (present.map { [$0] } ?? [])).sorted()
            .filter { metadata.accepted(.integer($0)) == .integer($0) }
        return taken.count < 2
            ? nil : taken.map { CharacteristicControl.Choice(value: .integer($0), name: words(for: .integer($0))) }
    }
}

extension CharacteristicType {
    /// Returns the control for a value with this metadata.
    ///
    /// - Parameters:
    ///   - metadata: The metadata of the value.
    ///   - isDial: Whether to return a stepper for all numbers, because a dial can have any number of steps.
    /// - Returns: The control.
    func control(_ metadata: CharacteristicMetadata, isDial: Bool = false) -> CharacteristicControl {
        let isReadable = metadata.permissions.contains(.pairedRead)
        switch metadata.format {
        case .bool: return isReadable ? .toggle : .button(.bool(true))
        case .string: return .text(maximumLength: metadata.maximumLength ?? CharacteristicMetadata.defaultMaximumLength)
        case .tlv8, .data: return .reading
        case .uint8, .uint16, .uint32, .uint64, .int, .float: break
        }
        if let choices = choices(metadata) {
            let taken = choices.map(\.value)
            if Self.switches.contains(self), taken == [.integer(0), .integer(1)] { return .toggle }
            if let only = taken.first, taken.count == 1 { return isReadable ? .reading : .button(only) }
            return .choice(choices)
        }
        if !isReadable, let only = metadata.minimum, only == metadata.maximum,
            let value = metadata.accepted(.float(only))
        {
            return .button(value)
        }
        let range = CharacteristicControl.NumberRange(
            minimum: metadata.minimum, maximum: metadata.maximum,
            step: metadata.step ?? (metadata.format == .float ? 0.1 : 1), unit: metadata.unit)
        guard range.step > 0, let low = range.minimum, let high = range.maximum, low < high else {
            return .stepper(range)
        }
        if self == .colorTemperature { return .colorTemperature(range) }
        // Temperatures need half degrees, and a slider with over a thousand steps is too fine for a finger.
        let steps = (high - low) / range.step
        return isDial || metadata.unit == .celsius || steps < 8 || steps > 1000 ? .stepper(range) : .slider(range)
    }

    /// Returns the choices of an enumeration that the accessory accepts; `nil` for other values.
    private func choices(_ metadata: CharacteristicMetadata) -> [CharacteristicControl.Choice]? {
        guard metadata.format != .float, metadata.validValues != nil || !valueNames.isEmpty else { return nil }
        let numbers = metadata.validValues ?? valueNames.keys.sorted()
        let taken = numbers.filter { metadata.accepted(.integer($0)) == .integer($0) }
        guard !taken.isEmpty else { return nil }
        return taken.map { CharacteristicControl.Choice(value: .integer($0), name: localizedWords(for: $0) ?? "\($0)") }
    }

    /// Types whose numbers 0 and 1 mean off and on, or no and yes.
    private static let switches: Set<CharacteristicType> = [
        .active, .cameraOperatingModeIndicator, .closedCaptions, .eventSnapshotsActive, .homeKitCameraActive,
        .isConfigured, .lockPhysicalControls, .periodicSnapshotsActive, .recordingAudioActive, .swingMode,
        .thirdPartyCameraActive,
    ]
}
