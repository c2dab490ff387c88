import HAPModel
public import HomeModel

extension Service {
    /// The actions that restore the service's current state, for a scene.
    ///
    /// They contain only values that users can set and that are known. A service that is off has no other actions. A
    /// light with colors has no action for the color temperature, because hue and saturation contain it.
    public var sceneActions: [CharacteristicWriteAction] {
        if let toggle, toggle.isOn == false {
            return [CharacteristicWriteAction(characteristic: toggle.characteristic, targetValue: toggle.off)]
        }
        let ineffective = ineffectiveTargets
        let hasColor = characteristic(.hue) != nil && characteristic(.saturation) != nil
        return controlledCharacteristics(isOwner: false).compactMap { characteristic in
            guard characteristic.isReadableState, !ineffective.contains(characteristic.type),
                let value = characteristic.value,
                !(hasColor && characteristic.type == .colorTemperature)
            else { return nil }
            if case .text = control(for: characteristic) { return nil }
            return CharacteristicWriteAction(characteristic: characteristic.id, targetValue: value)
        }
    }
}
