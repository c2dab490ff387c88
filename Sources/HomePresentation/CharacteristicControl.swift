public import HAPModel
public import HomeModel

// HAPModel has types with these names, too.
public import struct HomeModel.Characteristic
public import struct HomeModel.Service

/// What a person changes a value with.
@nonexhaustive
public enum CharacteristicControl: Sendable, Hashable {
    /// On or off.
    case toggle
    /// A number by its place between two ends.
    case slider(NumberRange)
    /// A number by steps, or typed.
    case stepper(NumberRange)
    /// Hue and saturation of a service, which are chosen together.
    case color
    /// A colour temperature in mired, from cold to warm.
    case colorTemperature(NumberRange)
    /// One of several meanings.
    case choice([Choice])
    /// A text of at most so many bytes of UTF-8.
    case text(maximumLength: Int)
    /// Something that is done, with the value that does it.
    case button(CharacteristicValue)
    /// Nothing: the value is for reading.
    case reading

    /// The numbers that a control offers; what lies between two steps is not among them.
    public struct NumberRange: Sendable, Hashable {
        /// The smallest number; `nil` without a limit.
        public var minimum: Double?
        /// The largest number; `nil` without a limit.
        public var maximum: Double?
        /// The distance from one number to the next.
        public var step: Double
        /// What the numbers count.
        public var unit: CharacteristicUnit?
    }

    /// One meaning of several.
    public struct Choice: Sendable, Hashable {
        /// The value that is written.
        public var value: CharacteristicValue
        /// What it means, in English.
        public var name: String
    }
}

extension Service {
    /// Returns the control for one of the service's characteristics; it offers nothing that is refused.
    public func control(for characteristic: Characteristic) -> CharacteristicControl {
        let metadata = characteristic.metadata
        guard metadata.permissions.contains(.pairedWrite) else { return .reading }
        if Self.colorTypes.contains(characteristic.type), isColored { return .color }
        return characteristic.type.control(metadata)
    }

    /// The characteristics that a page shows as controls.
    ///
    /// - Parameter isOwner: whether the visitor owns the home. Guests get what HAP defines of services that people use:
    ///   not identify, and none of the makers' own functions, such as resets.
    /// - Returns: the characteristics in the accessory's order.
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

extension CharacteristicType {
    fileprivate func control(_ metadata: CharacteristicMetadata) -> CharacteristicControl {
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
            if !isReadable, let only = taken.first, taken.count == 1 { return .button(only) }
            return .choice(choices)
        }
        let range = CharacteristicControl.NumberRange(
            minimum: metadata.minimum, maximum: metadata.maximum,
            step: metadata.step ?? (metadata.format == .float ? 0.1 : 1), unit: metadata.unit)
        guard range.step > 0, let low = range.minimum, let high = range.maximum, low < high else {
            return .stepper(range)
        }
        if self == .colorTemperature { return .colorTemperature(range) }
        // Degrees are wanted to the half; beyond a thousand a finger finds no number.
        let steps = (high - low) / range.step
        return metadata.unit == .celsius || steps < 8 || steps > 1000 ? .stepper(range) : .slider(range)
    }

    /// The meanings of an enumeration that the accessory takes; `nil` for what is no enumeration.
    private func choices(_ metadata: CharacteristicMetadata) -> [CharacteristicControl.Choice]? {
        guard metadata.format != .float, metadata.validValues != nil || !valueNames.isEmpty else { return nil }
        let numbers = metadata.validValues ?? valueNames.keys.sorted()
        let taken = numbers.filter { metadata.accepted(.integer($0)) == .integer($0) }
        guard !taken.isEmpty else { return nil }
        return taken.map { CharacteristicControl.Choice(value: .integer($0), name: words(for: $0) ?? "\($0)") }
    }

    /// Numbers 0 and 1 that mean off and on, or no and yes.
    private static let switches: Set<CharacteristicType> = [
        .active, .cameraOperatingModeIndicator, .closedCaptions, .eventSnapshotsActive, .homeKitCameraActive,
        .isConfigured, .lockPhysicalControls, .periodicSnapshotsActive, .recordingAudioActive, .swingMode,
        .thirdPartyCameraActive,
    ]
}
