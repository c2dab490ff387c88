package import HAPModel
import Texts

extension CharacteristicType {
    /// A Boolean value that indicates whether characteristics of this type hold state.
    ///
    /// A state is a readable, changing value that accessories report according to the catalog (HAP 9), or that Eve's
    /// accessories report.
    package var isState: Bool { Self.stateTypes.contains(self) || EveReading(self) != nil }

    /// The type of the current value that eventually equals this target; `nil` for other types.
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
    /// A Boolean value that indicates whether the characteristic holds state that apps may read.
    package var isReadableState: Bool { type.isState && metadata.permissions.contains(.pairedRead) }

    /// A Boolean value that indicates whether the accessory reports changes.
    package var canNotify: Bool { metadata.permissions.contains(.notify) }
}

extension Service {
    /// A Boolean value that indicates whether the service may still be moving toward a target.
    ///
    /// That's the case if a target differs from the current value, or if either is unknown.
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
    /// A Boolean value that indicates whether the accessory has a battery, which frequent reads would drain.
    package var hasBattery: Bool { services.contains { $0.type == .battery } }

    /// Returns the time of a service's oldest displayed value that the accessory doesn't report or failed to return;
    /// `nil` if there is none.
    public func lastRead(of service: Service) -> Timestamp? {
        service.characteristics.filter {
            $0.isReadableState && $0.isForPeople && (!$0.canNotify || $0.isOutdated) && $0.value != nil
        }.compactMap(\.valueTime).min()
    }
}

extension Timestamp {
    /// Returns the time since this timestamp in English: `just now`, `5 min ago`, `3 h ago`, `2 days ago`.
    public func age(at now: Timestamp = .now) -> String {
        let minutes = duration(to: now).components.seconds / 60
        return switch minutes {
        case ..<1: localized("just now")
        case ..<60: localized("\(minutes) min ago")
        case ..<2880: localized("\(minutes / 60) h ago")
        default: localized("\(minutes / 1440) days ago")
        }
    }
}
