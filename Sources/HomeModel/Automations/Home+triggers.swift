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

    /// Returns the automations that lose a part because of the events, in their new, disabled state.
    ///
    /// They stay disabled even if a part with the same name is added later.
    func brokenTriggers(by events: [HomeEvent]) -> [Trigger] {
        guard !triggers.isEmpty, events.contains(where: \.removesParts) else { return [] }
        var after = self
        for event in events { after.apply(event) }
        return triggers.compactMap { trigger in
            guard var broken = after.trigger(trigger.id) else { return nil }
            for name in lostParts(of: broken.definition, in: after) { broken.losePart(named: name) }
            return broken == after.trigger(trigger.id) ? nil : broken
        }
    }

    /// Returns the names of the parts of a definition that are present here, but not in a later state of the home.
    private func lostParts(of definition: TriggerDefinition, in after: Home) -> [String] {
        let parts = definition.parts
        let accessories = self.accessories.filter { accessory in
            if parts.accessories.contains(accessory.id), after.accessory(accessory.id) == nil { return true }
            return parts.characteristics.contains { accessory.has($0) && after.characteristic($0) == nil }
        }
        return accessories.map(\.name)
            + actionSets.filter { parts.actionSets.contains($0.id) && after.actionSet($0.id) == nil }.map(\.name)
            + people.filter { parts.people.contains($0.id) && after.person($0.id) == nil }.map(\.name)
    }

    /// Returns the automations that refer to an accessory.
    package func triggers(using accessory: Accessory) -> [Trigger] {
        triggers.filter { trigger in
            let parts = trigger.definition.parts
            return parts.accessories.contains(accessory.id)
                || parts.characteristics.contains { accessory.has($0) }
        }
    }

    /// Returns the automations that use the presence of a person.
    package func triggers(using person: Resident.ID) -> [Trigger] {
        triggers.filter { $0.definition.parts.people.contains(person) }
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

extension HomeEvent {
    /// A Boolean value that indicates whether the event can remove an object that an automation refers to.
    fileprivate var removesParts: Bool {
        switch self {
        case .accessoryRemoved, .accessoryReplaced, .servicesUpdated, .actionSetRemoved, .personRemoved: true
        default: false
        }
    }
}
