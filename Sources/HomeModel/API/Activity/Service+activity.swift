package import HAPModel

extension Service {
    /// Returns a Boolean value that indicates whether a change of a characteristic's value is part of the activity.
    ///
    /// - Measurements aren't, because they change all the time. Their history shows them.
    /// - A current value that follows its target isn't, because the target's change is. An unexpected current value,
    ///   such as a jammed lock, is.
    /// - Strings and bytes aren't, because they may be secrets, such as the codes of a lock.
    package func isActivity(_ characteristic: Characteristic, _ value: CharacteristicValue) -> Bool {
        guard characteristic.isForPeople, !isHidden, type != .accessoryInformation,
            characteristic.metadata.format != .string
        else { return false }
        if characteristic.type.isMomentary { return characteristic.metadata.permissions.contains(.notify) }
        guard characteristic.hasHistory else { return false }
        if characteristic.isMeasurement, !characteristic.metadata.permissions.contains(.pairedWrite) { return false }
        return !isTransition(characteristic, value)
    }

    /// Returns a Boolean value that indicates whether the value is an expected state on the way to a target.
    private func isTransition(_ characteristic: Characteristic, _ value: CharacteristicValue) -> Bool {
        let targets = characteristics.contains { $0.type.currentValueType == characteristic.type }
        switch characteristic.type {
        case .positionState, .currentHeatingCoolingState, .currentHeaterCoolerState, .currentFanState,
            .currentAirPurifierState, .currentHumidifierDehumidifierState:
            return true
        case .currentDoorState: return targets && value.number.map { $0 < 4 } ?? false
        case .lockCurrentState: return targets && value.number.map { $0 < 2 } ?? false
        case .securitySystemCurrentState: return targets && value.number.map { $0 < 4 } ?? false
        default: return targets
        }
    }
}

extension Characteristic {
    /// A Boolean value that indicates whether people change the value gradually, for example with a slider.
    package var isGradual: Bool {
        if isMeasurement { return true }
        guard let minimum = metadata.minimum, let maximum = metadata.maximum else { return false }
        return maximum - minimum >= 20
    }
}
