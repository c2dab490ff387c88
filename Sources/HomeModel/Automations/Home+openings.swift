package import HAPModel

// Automations that unlock or open something need the user's consent.
extension Home {
    /// Returns the automations that unlock a lock, open a door or disarm an alarm, and that a change has added, changed
    /// or enabled.
    package func triggersThatOpen(changedSince former: Home?) -> [Trigger] {
        triggers.filter { trigger in
            let openings = openings(of: trigger)
            guard !openings.isEmpty else { return false }
            guard let former, let before = former.trigger(trigger.id) else { return true }
            return trigger.definition != before.definition || trigger.isEnabled && !before.isEnabled
                || !openings.isSubset(of: former.openings(of: before))
        }
    }

    /// Returns the actions of an automation that unlock or open something, including values that its end can restore.
    package func openings(of trigger: Trigger) -> Set<CharacteristicWriteAction> { openings(of: trigger.definition) }

    /// Returns the actions of a definition that unlock or open something.
    package func openings(of definition: TriggerDefinition) -> Set<CharacteristicWriteAction> {
        let actions = definition.actionSets.flatMap { actionSet($0)?.actions ?? [] } + definition.ownWrites
        return Set(
            actions.filter { action in
                guard let isOpening = isOpening(action) else { return false }
                return isOpening || !definition.endEvents.isEmpty
            })
    }

    /// Returns whether an action unlocks a lock, opens a door or disarms an alarm; `nil` if its characteristic can't.
    package func isOpening(_ action: CharacteristicWriteAction) -> Bool? {
        guard let accessory = accessories.first(where: { $0.has(action.characteristic) }),
            let characteristic = accessory.characteristic(action.characteristic)
        else { return nil }
        return characteristic.type.isOpening(action.targetValue, of: accessory.service(characteristic.service)?.type)
    }
}

extension CharacteristicType {
    /// Returns whether writing the value unlocks a lock, opens a door, or disarms an alarm; `nil` if no value of this
    /// type does.
    package func isOpening(_ value: CharacteristicValue, of service: ServiceType?) -> Bool? {
        guard let number = value.comparableNumber else { return nil }
        return switch self {
        case .lockTargetState, .targetDoorState: number == 0
        case .securitySystemTargetState: number == 3
        case .targetPosition where service == .door || service == .window: number > 0
        default: nil
        }
    }
}
