package import HAPModel

extension CharacteristicType {
    /// A Boolean value that indicates whether characteristics of this type hold state: readable values that change and that
    /// the catalog has accessories report (HAP 9).
    package var isState: Bool { Self.stateTypes.contains(self) }

    /// The type of the value that follows this target and in the end equals it; `nil` for other types.
    package var currentValueType: CharacteristicType? { Self.currentValueTypes[self] }

    private static let stateTypes = Set(
        CharacteristicDefinition.all.filter { definition in
            let metadata = definition.metadata
            return metadata.permissions.contains(.pairedRead) && metadata.permissions.contains(.notify)
                && metadata.format != .tlv8 && metadata.format != .data && !definition.type.isMomentary
        }.map(\.type))

    private static let currentValueTypes: [CharacteristicType: CharacteristicType] = [
        .lockTargetState: .lockCurrentState,
        .securitySystemTargetState: .securitySystemCurrentState,
        .targetDoorState: .currentDoorState,
        .targetHorizontalTiltAngle: .currentHorizontalTiltAngle,
        .targetMediaState: .currentMediaState,
        .targetPosition: .currentPosition,
        .targetTiltAngle: .currentTiltAngle,
        .targetVerticalTiltAngle: .currentVerticalTiltAngle,
        .targetVisibilityState: .currentVisibilityState,
    ]
}

extension Characteristic {
    /// A Boolean value that indicates whether this is state that can be read.
    package var isReadableState: Bool { type.isState && metadata.permissions.contains(.pairedRead) }

    /// A Boolean value that indicates whether the accessory reports changes.
    package var canNotify: Bool { metadata.permissions.contains(.notify) }
}

extension Service {
    /// A Boolean value that indicates whether a target hasn't been reached, as far as is known.
    package var isApproachingTarget: Bool {
        characteristics.contains { target in
            guard let type = target.type.currentValueType, let current = characteristic(type),
                current.metadata.permissions.contains(.pairedRead)
            else { return false }
            return current.value == nil || target.value == nil || current.value?.number != target.value?.number
        }
    }
}

extension Accessory {
    /// A Boolean value that indicates whether a battery powers it; frequent reads would drain it.
    package var hasBattery: Bool { services.contains { $0.type == .battery } }

    /// Returns the time of the oldest value of a service's state that has to be read; `nil` if all are reported.
    public func lastRead(of service: Service) -> Timestamp? {
        service.characteristics.filter { $0.isReadableState && $0.isForPeople && !$0.canNotify && $0.value != nil }
            .compactMap(\.valueTime).min()
    }
}

extension Timestamp {
    /// Returns the time since this moment in English: `just now`, `5 min ago`, `3 h ago`, `2 days ago`.
    public func age(at now: Timestamp = .now) -> String {
        let minutes = duration(to: now).components.seconds / 60
        return switch minutes {
        case ..<1: "just now"
        case ..<60: "\(minutes) min ago"
        case ..<2880: "\(minutes / 60) h ago"
        default: "\(minutes / 1440) days ago"
        }
    }
}
