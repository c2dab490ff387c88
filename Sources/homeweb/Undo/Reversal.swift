import HAPModel
import HomeModel

/// The inverse of a change: the state that the change removed or replaced.
///
/// Restored objects have new IDs. Parts that others have changed since then aren't restored.
struct Reversal: Sendable, Equatable {
    /// The inverse of one part of a change.
    enum Step: Sendable, Equatable {
        case addRoom(Room, accessories: [Accessory.ID], zones: [Zone.ID])
        case addZone(Zone)
        /// Adds a scene, and lets the automations run it that ran it before.
        case addScene(ActionSet, automations: [Trigger])
        case addAutomation(Trigger)
        case setDefinition(Trigger.ID, TriggerDefinition, insteadOf: TriggerDefinition)
        case renameAutomation(Trigger.ID, String, insteadOf: String)
        /// Adds a person, and lets the automations use the presence again that used it before.
        case addPerson(Resident, automations: [Trigger])
        case setActions(ActionSet.ID, [CharacteristicWriteAction], insteadOf: [CharacteristicWriteAction])
        /// Removes a room that the change added, unless it's in use.
        case removeRoom(named: String)
        case rename(Accessory.ID, String, insteadOf: String)
        case move(Accessory.ID, Room.ID, insteadOfRoom: String)
        case setFavorite(Service.ID, Bool)
        /// Hides tiles on Home, or shows them again.
        case setHidden(Set<Service.ID>, Bool)
        case setInZone(Room.ID, Zone.ID, Bool)
        case write([ValueStep])
    }

    /// A value before and after a change.
    struct ValueStep: Sendable, Equatable {
        let characteristic: Characteristic.ID
        let former: CharacteristicValue
        let new: CharacteristicValue
    }

    let home: Home.ID
    /// The steps in the order in which they are performed.
    let steps: [Step]

    /// Whether only owners and members may perform the steps.
    var changesHome: Bool { steps.contains { if case .write = $0 { false } else { true } } }

    init(_ home: Home.ID, _ steps: [Step]) {
        self.home = home
        self.steps = steps
    }

    // MARK: Removals

    init(ofRemoving room: Room, from home: Home) {
        self.init(
            home.id,
            [
                .addRoom(
                    room, accessories: home.accessories(in: room.id).map(\.id),
                    zones: home.zones.filter { $0.rooms.contains(room.id) }.map(\.id))
            ])
    }

    init(ofRemoving scene: ActionSet, from home: Home) {
        self.init(home.id, [.addScene(scene, automations: home.triggers(using: scene.id))])
    }

    init(ofRemoving person: Resident, from home: Home) {
        self.init(home.id, [.addPerson(person, automations: home.triggers(using: person.id))])
    }

    // MARK: Changes

    init(ofChanging trigger: Trigger, to new: Trigger, in home: Home) {
        var steps: [Step] = []
        if new.definition != trigger.definition {
            steps.append(.setDefinition(trigger.id, trigger.definition, insteadOf: new.definition))
        }
        if new.name != trigger.name { steps.append(.renameAutomation(trigger.id, trigger.name, insteadOf: new.name)) }
        self.init(home.id, steps)
    }

    /// Creates the inverse of a write, for the values that are known and that it changes.
    init(ofWriting values: [Characteristic.ID: CharacteristicValue], in home: Home) {
        let steps = values.sorted { $0.key < $1.key }.compactMap { id, new -> ValueStep? in
            guard let former = home.characteristic(id)?.value, !former.equals(new) else { return nil }
            return ValueStep(characteristic: id, former: former, new: new)
        }
        self.init(home.id, steps.isEmpty ? [] : [.write(steps)])
    }
}

extension CharacteristicValue {
    /// Returns whether two values are the same.
    ///
    /// Some accessories report 1 where HAP has a Boolean.
    func equals(_ other: CharacteristicValue) -> Bool {
        guard let own = bool.map({ $0 ? 1 : 0 }) ?? number, let other = other.bool.map({ $0 ? 1 : 0 }) ?? other.number
        else { return self == other }
        return own == other
    }
}

extension TriggerDefinition {
    /// Returns the definition with another scene.
    func replacing(_ scene: ActionSet.ID, with new: ActionSet.ID) -> TriggerDefinition {
        var definition = self
        definition.actionSets = actionSets.map { $0 == scene ? new : $0 }
        return definition
    }

    /// Returns the definition with another person.
    func replacing(_ person: Resident.ID, with new: Resident.ID) -> TriggerDefinition {
        func replaced(_ event: TriggerEvent) -> TriggerEvent {
            guard case .presence(let change, let people) = event else { return event }
            return .presence(change, people: people.map { $0 == person ? new : $0 })
        }
        var definition = self
        definition.events = events.map(replaced)
        definition.endEvents = endEvents.map(replaced)
        definition.condition = condition?.replacing(person, with: new)
        return definition
    }
}

extension TriggerCondition {
    fileprivate func replacing(_ person: Resident.ID, with new: Resident.ID) -> TriggerCondition {
        switch self {
        case .all(let parts): .all(parts.map { $0.replacing(person, with: new) })
        case .any(let parts): .any(parts.map { $0.replacing(person, with: new) })
        case .not(let part): .not(part.replacing(person, with: new))
        case .presence(.home(person)): .presence(.home(new))
        default: self
        }
    }
}
