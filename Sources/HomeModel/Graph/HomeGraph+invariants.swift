import HAPModel

extension HomeGraph {
    /// The violated invariants of the homes, one sentence for each; empty if all hold.
    ///
    /// Most sentences begin with the number of their invariant, such as `I16`. Some invariants need no check, because
    /// the types rule out their violation.
    package var breaches: [String] {
        var breaches: [String] = []
        func check(_ holds: Bool, _ sentence: @autoclosure () -> String) {
            if !holds { breaches.append(sentence()) }
        }
        check(areDistinct(homes.map(\.name)), "I1: two homes have the same name")
        check(homes.isEmpty || homes.count(where: \.isPrimary) == 1, "I15: there isn't exactly one primary home")
        check(Set(identities).count == identities.count, "I16: an identity is used twice")
        for home in homes { breaches += home.breaches }
        return breaches
    }

    /// All IDs in use, as text.
    package var identities: [String] {
        var identities: [String] = []
        for home in homes {
            identities += [home.id.description, home.defaultRoomID.description]
            identities += home.rooms.map(\.id.description)
            identities += home.zones.map(\.id.description)
            identities += home.actionSets.map(\.id.description)
            identities += home.serviceGroups.map(\.id.description)
            identities += home.triggers.map(\.id.description)
            identities += home.people.map(\.id.description)
            for accessory in home.accessories {
                identities.append(accessory.id.description)
                for service in accessory.services {
                    identities.append(service.id.description)
                    identities += service.characteristics.map(\.id.description)
                }
            }
        }
        return identities
    }
}

extension Home {
    fileprivate var breaches: [String] {
        var breaches: [String] = []
        func check(_ holds: Bool, _ sentence: @autoclosure () -> String) {
            if !holds { breaches.append("\(sentence()) in home \(name)") }
        }
        let names =
            [name] + rooms.map(\.name) + zones.map(\.name) + accessories.map(\.name) + actionSets.map(\.name)
            + serviceGroups.map(\.name)
        check(areDistinct(names), "I2: two objects have the same name")
        check(names.allSatisfy { NameRules.isValid($0) && $0.isComposed }, "I17: a name violates the rules")
        check(rooms.allSatisfy { $0.home == id && $0.id != defaultRoomID }, "I5: the default room is in the list")
        for zone in zones {
            let known = zone.rooms.allSatisfy { member in rooms.contains { $0.id == member } }
            check(known && zone.home == id, "I9: zone \(zone.name) has a room of another home")
            check(Set(zone.rooms).count == zone.rooms.count, "I9: zone \(zone.name) has a room twice")
        }
        for accessory in accessories {
            check(accessory.home == id, "I10: \(accessory.name) refers to another home")
            check(room(accessory.room) != nil, "I7: \(accessory.name) isn't in a room of the home")
            check(
                !accessory.isBridged || accessory.bridgedAccessories == nil,
                "I11: \(accessory.name) is a bridge connected through a bridge")
            let bridge = accessory.bridge.flatMap { self.accessory($0) }
            check(
                !accessory.isBridged || bridge?.bridgedAccessories?.contains(accessory.id) == true,
                "I12, I13: \(accessory.name) isn't in its bridge's list")
            for bridged in accessory.bridgedAccessories ?? [] {
                check(
                    self.accessory(bridged)?.bridge == accessory.id, "I12: \(accessory.name) lists an unknown accessory"
                )
            }
            breaches += accessory.breaches
        }
        let characteristics = Set(accessories.flatMap { $0.services.flatMap { $0.characteristics.map(\.id) } })
        for actionSet in actionSets {
            let targets = actionSet.actions.map(\.characteristic)
            check(actionSet.home == id, "scene \(actionSet.name) refers to another home")
            check(targets.allSatisfy(characteristics.contains), "scene \(actionSet.name) sets a missing characteristic")
            check(Set(targets).count == targets.count, "scene \(actionSet.name) sets a characteristic twice")
        }
        let services = Set(accessories.flatMap { $0.services.map(\.id) })
        for group in serviceGroups {
            check(group.home == id, "service group \(group.name) refers to another home")
            check(
                group.services.allSatisfy(services.contains), "service group \(group.name) refers to a missing service")
            check(Set(group.services).count == group.services.count, "service group \(group.name) has a service twice")
        }
        check(triggers.allSatisfy { $0.home == id }, "an automation refers to another home")
        check(people.allSatisfy { $0.home == id }, "a person refers to another home")
        for names in [triggers.map(\.name), people.map(\.name)] {
            check(areDistinct(names), "I2: two automations or people have the same name")
            check(names.allSatisfy { NameRules.isValid($0) && $0.isComposed }, "I17: a name violates the rules")
        }
        return breaches
    }
}

extension Accessory {
    fileprivate var breaches: [String] {
        var breaches: [String] = []
        let services = services.filter(\.isUserInteractive)
        if !areDistinct(services.map(\.name)) { breaches.append("two services of \(name) have the same name") }
        if !self.services.allSatisfy({ NameRules.isValid($0.name) && $0.name.isComposed }) {
            breaches.append("I17: the name of a service of \(name) violates the rules")
        }
        for service in self.services {
            if service.accessory != id || service.characteristics.contains(where: { $0.service != service.id }) {
                breaches.append("a service of \(name) refers to another accessory")
            }
            for characteristic in service.characteristics where characteristic.isNotificationEnabled {
                if !isReachable || !characteristic.metadata.permissions.contains(.notify) {
                    breaches.append("I19: \(name) is marked as reporting a value that it doesn't report")
                }
            }
        }
        return breaches
    }
}

extension String {
    fileprivate var isComposed: Bool { nfc.utf8.elementsEqual(utf8) }
}

private func areDistinct(_ names: [String]) -> Bool { Set(names.map { NameKey($0) }).count == names.count }
