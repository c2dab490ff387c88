extension HomeGraph {
    // MARK: Automations

    func addTrigger(
        _ name: String, _ definition: TriggerDefinition, isEnabled: Bool, to home: Home, at now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) throws(HomeError) -> Plan {
        let name = try home.validatedTriggerName(name)
        let definition = try home.validated(definition, isEnabled: isEnabled, at: now)
        let trigger = Trigger(
            id: Trigger.ID(using: &generator), home: home.id, name: name, isEnabled: isEnabled, definition: definition)
        return Plan(home.id, .trigger(trigger.id), [.triggerAdded(trigger)])
    }

    func existing(_ id: Trigger.ID) throws(HomeError) -> (Home, Trigger) {
        guard let home = home(of: id), let trigger = home.trigger(id) else {
            throw HomeError(.notFound, detail: "there is no such automation")
        }
        return (home, trigger)
    }

    func renameTrigger(_ id: Trigger.ID, _ newName: String) throws(HomeError) -> Plan {
        let (home, trigger) = try existing(id)
        return Plan(
            home.id, [.triggerNameUpdated(id, try home.validatedTriggerName(newName, current: trigger.name))])
    }

    /// Replaces the definition.
    ///
    /// An automation that was disabled because of a missing part stays disabled.
    func updateTrigger(
        _ id: Trigger.ID, _ definition: TriggerDefinition, at now: Timestamp
    ) throws(HomeError) -> Plan {
        let (home, trigger) = try existing(id)
        var updated = trigger
        updated.definition = try home.validated(definition, isEnabled: trigger.isEnabled, at: now)
        updated.missingParts = []
        return Plan(home.id, updated == trigger ? [] : [.triggerUpdated(updated)])
    }

    /// Enables or disables an automation.
    ///
    /// An automation can be enabled only if it's still valid. For example, its time may have passed.
    func enableTrigger(_ id: Trigger.ID, _ isEnabled: Bool, at now: Timestamp) throws(HomeError) -> Plan {
        let (home, trigger) = try existing(id)
        guard trigger.isEnabled != isEnabled else { return Plan(home.id, []) }
        if isEnabled {
            if case .missingParts(let names) = home.activationState(of: trigger) {
                let parts = names.isEmpty ? "one of its parts" : names.joined(separator: ", ")
                throw HomeError(
                    .unconfiguredParameter,
                    detail: "the automation is incomplete, because the home no longer has \(parts)",
                    remedy: "change the automation")
            }
            _ = try home.validated(trigger.definition, at: now)
        }
        var updated = trigger
        updated.isEnabled = isEnabled
        return Plan(home.id, [.triggerUpdated(updated)])
    }

    // MARK: People

    func addPerson(
        _ name: String, to home: Home, using generator: inout some RandomNumberGenerator
    ) throws(HomeError) -> Plan {
        let name = try home.peopleNamespace.checked(name, context: NameContext(noun: "Person", taken: []))
        try limit(home.people.count, below: HomeLimits.peopleInHome, "people")
        let person = Resident(id: Resident.ID(using: &generator), home: home.id, name: name)
        return Plan(home.id, .person(person.id), [.personAdded(person)])
    }

    func existing(_ id: Resident.ID) throws(HomeError) -> (Home, Resident) {
        guard let home = home(of: id), let person = home.person(id) else {
            throw HomeError(.notFound, detail: "there is no such person")
        }
        return (home, person)
    }

    func renamePerson(_ id: Resident.ID, _ newName: String) throws(HomeError) -> Plan {
        let (home, person) = try existing(id)
        let name = try home.peopleNamespace.checked(
            newName, current: person.name, context: NameContext(noun: "Person", taken: []))
        return Plan(home.id, [.personNameUpdated(id, name)])
    }

    /// Sets a person's presence.
    ///
    /// Scripts report it repeatedly, so the same presence changes nothing.
    func setPresence(_ id: Resident.ID, isHome: Bool) throws(HomeError) -> Plan {
        let (home, person) = try existing(id)
        return Plan(home.id, person.isHome == isHome ? [] : [.presenceUpdated(id, isHome: isHome)])
    }

    func setLocation(_ location: HomeLocation?, of home: Home) throws(HomeError) -> Plan {
        Plan(home.id, home.location == location ? [] : [.locationUpdated(location)])
    }
}

extension Home {
    /// The names of the people, which can equal the names of other objects.
    fileprivate var peopleNamespace: Namespace {
        var namespace = Namespace(.objectWithSimilarNameExistsInHome, place: "in this home")
        for person in people { namespace.insert(person.name, of: "a person") }
        return namespace
    }
}
