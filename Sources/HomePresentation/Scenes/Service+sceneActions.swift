import HAPModel
public import HomeModel

extension Service {
    /// The actions that restore the service's current state, for a scene.
    ///
    /// They contain only known values that users can set. If the service is off, the only action turns it off. A light
    /// with colors has no action for the color temperature, because hue and saturation determine its color.
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
