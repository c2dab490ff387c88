import HAPModel
import HomeModel
import Texts

/// Undoes a change, and collects the parts that can't be restored.
struct Restoration<Target: ReversalTarget> {
    let target: Target
    let home: Home.ID
    /// Whether the visitor may restore scenes and automations that unlock, open or disarm something.
    let mayOpen: Bool
    /// The reasons for the parts that weren't restored, as sentences.
    private(set) var losses: [String] = []

    init(_ target: Target, _ home: Home.ID, mayOpen: Bool) {
        (self.target, self.home, self.mayOpen) = (target, home, mayOpen)
    }

    /// Performs the steps of a reversal, and returns the reasons for the parts that weren't restored.
    static func run(_ reversal: Reversal, on target: Target, mayOpen: Bool) async -> [String] {
        var restoration = Restoration(target, reversal.home, mayOpen: mayOpen)
        for step in reversal.steps {
            guard let home = await target.home(reversal.home) else { return [localized("The home no longer exists.")] }
            await restoration.perform(step, in: home)
        }
        return restoration.losses
    }

    private mutating func perform(_ step: Reversal.Step, in home: Home) async {
        switch step {
        case .addRoom(let room, let accessories, let zones): await add(room, accessories, zones, in: home)
        case .addZone(let zone):
            guard case .zone(let new)? = await perform(.addZone(self.home, name: zone.name), named: zone.name) else {
                return
            }
            for room in zone.rooms where home.room(room) != nil {
                await perform(.addRoomToZone(new, room), named: zone.name)
            }
        case .addScene(let scene, let automations): await add(scene, automations, in: home)
        case .addAutomation(let trigger):
            guard mayOpen || home.openings(of: trigger.definition).isEmpty else { return forbid(trigger.name) }
            await perform(
                .addTrigger(self.home, name: trigger.name, trigger.definition, isEnabled: trigger.isEnabled),
                named: trigger.name)
        case .addPerson(let person, let automations):
            guard case .person(let new)? = await perform(.addPerson(self.home, name: person.name), named: person.name)
            else { return }
            if person.isHome { await perform(.setPresence(new, isHome: true), named: person.name) }
            for trigger in automations {
                await reconnect(trigger) { $0.replacing(person.id, with: new) }
            }
        case .setActions(let scene, let actions, let present):
            guard let now = home.actionSet(scene) else {
                return lose(localized("A scene was removed in the meantime."))
            }
            guard now.actions == present else { return lose(localized("\(now.name) was changed in the meantime.")) }
            guard mayOpen || !actions.contains(where: { home.isOpening($0) == true && !present.contains($0) }) else {
                return forbid(now.name)
            }
            await set(actions, of: scene, named: now.name, in: home)
        case .removeRoom(let name):
            guard let room = home.rooms.named(name).first, home.accessories(in: room.id).isEmpty,
                !home.zones.contains(where: { $0.rooms.contains(room.id) })
            else { return }
            await perform(.removeRoom(self.home, room.id), named: name)
        case .rename(let id, let former, let present):
            guard let accessory = accessory(id, in: home) else { return }
            guard accessory.name == present else {
                return lose(localized("\(accessory.name) was renamed in the meantime."))
            }
            await perform(.renameAccessory(id, name: former), named: present)
        case .move(let id, let former, let present):
            guard let accessory = accessory(id, in: home) else { return }
            guard NameKey(home.nameOfRoom(accessory)) == NameKey(present) else {
                return lose(localized("\(accessory.name) was moved in the meantime."))
            }
            guard home.room(former) != nil else {
                return lose(localized("The former room of \(accessory.name) was removed in the meantime."))
            }
            await perform(.assignAccessory(self.home, id, former), named: accessory.name)
        case .setFavorite(let id, let isFavorite):
            guard let service = home.service(id) else {
                return lose(localized("A favorite was removed in the meantime."))
            }
            if service.isFavorite != isFavorite {
                await perform(.setFavorite(id, isFavorite), named: home.accessory(of: id)?.name ?? service.name)
            }
        case .setHidden(let services, let isHidden):
            do throws(WebError) { try await target.setHidden(isHidden, services, of: home) } catch {
                lose(error.message)
            }
        case .setInZone(let room, let zone, let isIn): await set(room, zone, isIn, in: home)
        case .setDefinition(let id, let former, let present):
            guard let now = trigger(id, in: home, where: { $0.definition == present }) else { return }
            guard mayOpen || home.openings(of: former).isEmpty else { return forbid(now.name) }
            await perform(.updateTrigger(id, former), named: now.name)
        case .renameAutomation(let id, let former, let present):
            guard let now = trigger(id, in: home, where: { $0.name == present }) else { return }
            await perform(.renameTrigger(id, name: former), named: now.name)
        case .write(let values): await write(values, in: home)
        }
    }

    // MARK: Rooms

    private mutating func add(_ room: Room, _ accessories: [Accessory.ID], _ zones: [Zone.ID], in home: Home) async {
        guard case .room(let new)? = await perform(.addRoom(self.home, name: room.name), named: room.name) else {
            return
        }
        for id in accessories {
            guard let accessory = accessory(id, in: home) else { continue }
            // The removal of the room moved the accessory to the default room.
            if accessory.room == home.defaultRoomID {
                await perform(.assignAccessory(self.home, id, new), named: accessory.name)
            } else {
                lose(localized("\(accessory.name) was moved in the meantime."))
            }
        }
        for id in zones {
            if let zone = home.zone(id) {
                await perform(.addRoomToZone(id, new), named: zone.name)
            } else {
                lose(localized("A zone of \(room.name) was removed in the meantime."))
            }
        }
    }

    private mutating func set(_ room: Room.ID, _ zone: Zone.ID, _ isIn: Bool, in home: Home) async {
        guard let room = home.room(room), let zone = home.zone(zone) else {
            return lose(localized("The room or the zone was removed in the meantime."))
        }
        guard zone.rooms.contains(room.id) != isIn else { return }
        await perform(
            isIn ? .addRoomToZone(zone.id, room.id) : .removeRoomFromZone(zone.id, room.id), named: zone.name)
    }

    private mutating func accessory(_ id: Accessory.ID, in home: Home) -> Accessory? {
        if let accessory = home.accessory(id) { return accessory }
        lose(localized("An accessory was removed in the meantime."))
        return nil
    }

    // MARK: Scenes and automations

    private mutating func add(_ scene: ActionSet, _ automations: [Trigger], in home: Home) async {
        guard mayOpen || !scene.actions.contains(where: { home.isOpening($0) == true }) else {
            return forbid(scene.name)
        }
        let write = HomeWrite.addActionSet(self.home, name: scene.name, kind: scene.kind)
        guard case .actionSet(let new)? = await perform(write, named: scene.name) else { return }
        await set(scene.actions, of: new, named: scene.name, in: home)
        for trigger in automations {
            await reconnect(trigger) { $0.replacing(scene.id, with: new) }
        }
    }

    private mutating func set(
        _ actions: [CharacteristicWriteAction], of scene: ActionSet.ID, named name: String, in home: Home
    ) async {
        let possible = actions.filter { home.characteristic($0.characteristic) != nil }
        if possible.count < actions.count {
            lose(localized("Some accessories of \(name) were removed in the meantime."))
        }
        if !possible.isEmpty { await perform(.setActions(scene, possible), named: name) }
    }

    /// Returns an automation, or `nil` with the reason among the losses if it was removed or changed.
    private mutating func trigger(
        _ id: Trigger.ID, in home: Home, where isUnchanged: (Trigger) -> Bool
    ) -> Trigger? {
        guard let trigger = home.trigger(id) else {
            lose(localized("An automation was removed in the meantime."))
            return nil
        }
        guard isUnchanged(trigger) else {
            lose(localized("The automation \(trigger.name) was changed in the meantime."))
            return nil
        }
        return trigger
    }

    /// Lets an automation use a restored object again, unless the automation was changed in the meantime.
    private mutating func reconnect(
        _ trigger: Trigger, _ replace: (TriggerDefinition) -> TriggerDefinition
    ) async {
        guard let home = await target.home(self.home), let now = home.trigger(trigger.id) else {
            return lose(localized("The automation \(trigger.name) was removed in the meantime."))
        }
        guard now.definition == trigger.definition, now.name == trigger.name, !now.isEnabled else {
            return lose(localized("The automation \(now.name) was changed in the meantime."))
        }
        let definition = replace(trigger.definition)
        guard mayOpen || home.openings(of: definition).isEmpty else { return forbid(trigger.name) }
        let isUpdated = await perform(.updateTrigger(trigger.id, definition), named: trigger.name) != nil
        if isUpdated, trigger.isEnabled { await perform(.enableTrigger(trigger.id, true), named: trigger.name) }
    }

    // MARK: Values

    private mutating func write(_ steps: [Reversal.ValueStep], in home: Home) async {
        func name(_ step: Reversal.ValueStep) -> String {
            home.characteristic(step.characteristic).flatMap { home.accessory(of: $0.service) }?.name
                ?? localized("An accessory")
        }
        do throws(HomeError) {
            let present = try await target.readValues(of: steps.map(\.characteristic))
            var values: [Characteristic.ID: CharacteristicValue] = [:]
            for step in steps {
                switch present[step.characteristic] {
                case .success(let value) where value.equals(step.new): values[step.characteristic] = step.former
                case .success(let value) where value.equals(step.former): break
                case .success: lose(localized("\(name(step)) was changed in the meantime."))
                case .failure(let error): lose(name(step), error)
                case nil: lose(localized("\(name(step)) was removed in the meantime."))
                }
            }
            let results = try await target.writeValues(values)
            for step in steps {
                if case .failure(let error) = results[step.characteristic] { lose(name(step), error) }
            }
        } catch {
            lose(localized("The former states"), error)
        }
    }

    // MARK: Losses

    @discardableResult
    private mutating func perform(_ write: HomeWrite, named name: String) async -> HomeCommit.Result? {
        do throws(HomeError) { return try await target.perform(write) } catch {
            lose(name, error)
            return nil
        }
    }

    private mutating func lose(_ name: String, _ error: HomeError) {
        lose("\(name): \(WebError(error).message)")
    }

    private mutating func forbid(_ name: String) {
        lose(localized("\(name) unlocks or opens something, and you can't do that."))
    }

    private mutating func lose(_ sentence: String) {
        if !losses.contains(sentence) { losses.append(sentence) }
    }
}
