import HAPModel

extension Home {
    /// Returns the state of an automation of this home.
    public func activationState(of trigger: Trigger) -> TriggerActivationState {
        let parts = missingParts(of: trigger)
        if let parts { return .missingParts(parts) }
        if location == nil, trigger.definition.needsLocation { return .noLocation }
        return trigger.isEnabled ? .enabled : .disabled
    }

    /// Returns the known names of the trigger's removed parts; `nil` if it's complete.
    private func missingParts(of trigger: Trigger) -> [String]? {
        guard trigger.missingParts.isEmpty else { return trigger.missingParts }
        return has(trigger.definition.parts) ? nil : []
    }

    private func has(_ parts: TriggerDefinition.Parts) -> Bool {
        parts.accessories.allSatisfy { accessory($0) != nil } && parts.actionSets.allSatisfy { actionSet($0) != nil }
            && parts.people.allSatisfy { person($0) != nil }
            && parts.characteristics.allSatisfy { id in accessories.contains { $0.has(id) } }
    }

    /// Returns the automations that refer to an accessory.
    package func triggers(using accessory: Accessory) -> [Trigger] {
        triggers.filter { trigger in
            let parts = trigger.definition.parts
            return parts.accessories.contains(accessory.id)
                || parts.characteristics.contains { accessory.has($0) }
        }
    }

    /// Returns the automations that run a scene.
    package func triggers(using actionSet: ActionSet.ID) -> [Trigger] {
        triggers.filter { $0.definition.actionSets.contains(actionSet) }
    }
}

extension TriggerDefinition {
    /// The objects of the home that a definition refers to.
    struct Parts {
        var characteristics: Set<Characteristic.ID>
        var accessories: Set<Accessory.ID>
        var actionSets: Set<ActionSet.ID>
        var people: Set<Resident.ID>
    }

    var parts: Parts {
        var parts = Parts(
            characteristics: observedCharacteristics.union(ownWrites.map(\.characteristic)), accessories: [],
            actionSets: Set(actionSets), people: [])
        for event in events + endEvents {
            switch event {
            case .unreachable(let accessory, _): parts.accessories.insert(accessory)
            case .presence(_, let people): parts.people.formUnion(people)
            case .calendar, .significant, .timer, .characteristic, .range, .held, .button, .duration: break
            }
        }
        for case .presence(.home(let person)) in condition?.flattened ?? [] { parts.people.insert(person) }
        return parts
    }
}
