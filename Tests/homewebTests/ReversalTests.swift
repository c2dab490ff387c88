import HAPModel
import HomeModel
import HomeTesting
import Testing
import WebAccess

@testable import homeweb

@Suite("Undo")
struct ReversalTests {
    /// A home with two lamps in a room, which belongs to a zone, and a scene and a person that an automation uses.
    actor House: ReversalTarget {
        var hub = TestHub()
        var display = HomeDisplay()
        var values: [Characteristic.ID: CharacteristicValue] = [:]
        let id: Home.ID

        init() throws {
            id = try hub.home("Villa")
            try hub.add(Devices.bridge(lamps: ["Lamp", "Spot"]), to: id)
            let room = try hub.room("Hall", in: id)
            let zone = try hub.zone("Upstairs", in: id)
            try hub.perform(.addRoomToZone(zone, room))
            let home = try #require(hub.graph.home(id))
            for accessory in home.accessories { try hub.perform(.assignAccessory(id, accessory.id, room)) }
            let on = try #require(home.accessories.last?.services.compactMap { $0.characteristic(.on) }.first)
            let scene = try hub.scene("Evening", in: id)
            try hub.perform(
                .setActions(scene, [CharacteristicWriteAction(characteristic: on.id, targetValue: .bool(true))]))
            guard case .person(let person) = try hub.perform(.addPerson(id, name: "Anna")).result else { return }
            try hub.perform(.setPresence(person, isHome: true))
            let definition = TriggerDefinition(
                events: [.presence(.everyEntry, people: [person])], condition: .not(.presence(.home(person))),
                actionSets: [scene])
            try hub.perform(.addTrigger(id, name: "Welcome", definition, isEnabled: true))
        }

        var home: Home {
            get throws { try #require(hub.graph.home(id)) }
        }

        func home(_ id: Home.ID) -> Home? { hub.graph.home(id) }

        @discardableResult func perform(_ write: HomeWrite) throws(HomeError) -> HomeCommit.Result {
            try hub.perform(write).result
        }

        func set(_ value: CharacteristicValue?, _ id: Characteristic.ID) { values[id] = value }

        func readValues(of ids: [Characteristic.ID]) -> [Characteristic.ID: Result<CharacteristicValue, HomeError>] {
            Dictionary(
                uniqueKeysWithValues: ids.map {
                    ($0, values[$0].map { .success($0) } ?? .failure(HomeError(.accessoryNotReachable)))
                })
        }

        func writeValues(
            _ new: [Characteristic.ID: CharacteristicValue]
        ) -> [Characteristic.ID: Result<CharacteristicValue, HomeError>] {
            values.merge(new) { $1 }
            return new.mapValues { .success($0) }
        }

        func setHidden(_ isHidden: Bool, _ services: Set<HomeModel.Service.ID>, of home: Home) {
            display.setHidden(isHidden, services, of: home)
        }
    }

    private let house: House

    init() throws { house = try House() }

    private func undo(_ reversal: Reversal, mayOpen: Bool = true) async -> [String] {
        await Restoration.run(reversal, on: house, mayOpen: mayOpen)
    }

    private func accessory(_ name: String) async throws -> Accessory {
        try #require(try await house.home.accessories.named(name).first)
    }

    @Test("restores a room with its accessories and zones")
    func room() async throws {
        let home = try await house.home
        let room = try #require(home.rooms.first)
        try await house.perform(.removeRoom(home.id, room.id))
        #expect(await undo(Reversal(ofRemoving: room, from: home)).isEmpty)
        let now = try await house.home
        let restored = try #require(now.rooms.named("Hall").first)
        #expect(now.accessories(in: restored.id).count == home.accessories(in: room.id).count)
        #expect(now.zones.first?.rooms == [restored.id])
    }

    @Test("leaves an accessory in the room to which another person moved it, and reports that")
    func movedMeanwhile() async throws {
        let home = try await house.home
        let room = try #require(home.rooms.first)
        try await house.perform(.removeRoom(home.id, room.id))
        guard case .room(let attic) = try await house.perform(.addRoom(home.id, name: "Attic")) else { return }
        try await house.perform(.assignAccessory(home.id, accessory("Lamp").id, attic))
        #expect(await undo(Reversal(ofRemoving: room, from: home)) == ["Lamp was moved in the meantime."])
        #expect(try await accessory("Lamp").room == attic)
    }

    @Test("doesn't restore a room whose name is used by now")
    func takenName() async throws {
        let home = try await house.home
        let room = try #require(home.rooms.first)
        try await house.perform(.removeRoom(home.id, room.id))
        try await house.perform(.addZone(home.id, name: "Hall"))
        let losses = await undo(Reversal(ofRemoving: room, from: home))
        #expect(losses.count == 1 && losses[0].hasPrefix("Hall: "))
        #expect(try await house.home.rooms.isEmpty)
    }

    @Test("restores a scene, and the automation that ran it", arguments: [false, true])
    func scene(isChanged: Bool) async throws {
        let home = try await house.home
        let scene = try #require(home.actionSets.first)
        let trigger = try #require(home.triggers.first)
        try await house.perform(.removeActionSet(scene.id))
        #expect(try await house.home.triggers.first?.isEnabled == false)
        if isChanged { try await house.perform(.renameTrigger(trigger.id, name: "Mine")) }
        let losses = await undo(Reversal(ofRemoving: scene, from: home))
        let now = try await house.home
        #expect(now.actionSets.first?.actions == scene.actions)
        #expect(losses == (isChanged ? ["The automation Mine was changed in the meantime."] : []))
        #expect(now.triggers.first?.isEnabled == !isChanged)
        #expect((now.triggers.first?.definition.actionSets == now.actionSets.map(\.id)) == !isChanged)
    }

    @Test("restores a person with presence, and the automation that uses it")
    func person() async throws {
        let home = try await house.home
        let person = try #require(home.people.first)
        try await house.perform(.removePerson(person.id))
        #expect(await undo(Reversal(ofRemoving: person, from: home)).isEmpty)
        let now = try await house.home
        let restored = try #require(now.people.first)
        let definition = try #require(now.triggers.first?.definition)
        #expect(restored.name == "Anna" && restored.isHome && now.triggers.first?.isEnabled == true)
        #expect(definition.events == [.presence(.everyEntry, people: [restored.id])])
        #expect(definition.condition == .not(.presence(.home(restored.id))))
    }

    @Test("restores an automation and a zone")
    func automationAndZone() async throws {
        let home = try await house.home
        let (trigger, zone) = (try #require(home.triggers.first), try #require(home.zones.first))
        try await house.perform(.removeTrigger(trigger.id))
        try await house.perform(.removeZone(home.id, zone.id))
        #expect(await undo(Reversal(home.id, [.addAutomation(trigger), .addZone(zone)])).isEmpty)
        let now = try await house.home
        #expect(now.triggers.first?.definition == trigger.definition && now.triggers.first?.isEnabled == true)
        #expect(now.zones.first?.name == "Upstairs" && now.zones.first?.rooms == zone.rooms)
    }

    @Test(
        "restores the definition of an automation, unless someone has changed it since",
        arguments: [false, true])
    func definition(isChanged: Bool) async throws {
        let home = try await house.home
        let trigger = try #require(home.triggers.first)
        var edited = trigger.definition
        edited.condition = nil
        try await house.perform(.updateTrigger(trigger.id, edited))
        let present = try #require(try await house.home.triggers.first?.definition)
        if isChanged { try await house.perform(.updateTrigger(trigger.id, trigger.definition)) }
        let reversal = Reversal(
            home.id, [.setDefinition(trigger.id, trigger.definition, insteadOf: present)])
        #expect(
            await undo(reversal) == (isChanged ? ["The automation Welcome was changed in the meantime."] : []))
        #expect(try await house.home.triggers.first?.definition == trigger.definition)
        try await house.perform(.removeTrigger(trigger.id))
        #expect(await undo(reversal) == ["An automation was removed in the meantime."])
    }

    @Test("restores the name of an automation together with its definition")
    func automation() async throws {
        let home = try await house.home
        let trigger = try #require(home.triggers.first)
        var edited = trigger.definition
        edited.condition = nil
        try await house.perform(.updateTrigger(trigger.id, edited))
        try await house.perform(.renameTrigger(trigger.id, name: "Mine"))
        let reversal = Reversal(ofChanging: trigger, to: try #require(try await house.home.triggers.first), in: home)
        #expect(reversal.steps.count == 2)
        #expect(await undo(reversal).isEmpty)
        #expect(try await house.home.triggers.first == trigger)
        #expect(await undo(reversal) == ["The automation Welcome was changed in the meantime."])
    }

    @Test("puts a room back into a zone, and shows hidden tiles again")
    func zoneAndHiddenTiles() async throws {
        let home = try await house.home
        let (room, zone) = (try #require(home.rooms.first), try #require(home.zones.first))
        let tiles = Set(home.accessories.flatMap(\.services).map(\.id))
        try await house.perform(.removeRoomFromZone(zone.id, room.id))
        await house.setHidden(true, tiles, of: home)
        #expect(await house.display.hidden == tiles)
        let reversal = Reversal(home.id, [.setInZone(room.id, zone.id, true), .setHidden(tiles, false)])
        #expect(await undo(reversal).isEmpty)
        #expect(try await house.home.zones.first?.rooms == [room.id])
        #expect(await house.display.hidden.isEmpty)
        try await house.perform(.removeZone(home.id, zone.id))
        #expect(await undo(reversal) == ["The room or the zone was removed in the meantime."])
    }

    @Test("restores names, rooms and favorites that nobody else has changed, and removes an unused new room")
    func bulk() async throws {
        let home = try await house.home
        let (lamp, spot) = (try await accessory("Lamp"), try await accessory("Spot"))
        let service = try #require(lamp.primaryService)
        guard case .room(let attic) = try await house.perform(.addRoom(home.id, name: "Attic")) else { return }
        try await house.perform(.renameAccessory(lamp.id, name: "L 1"))
        try await house.perform(.renameAccessory(spot.id, name: "L 2"))
        try await house.perform(.assignAccessory(home.id, lamp.id, attic))
        try await house.perform(.setFavorite(service.id, true))
        try await house.perform(.renameAccessory(spot.id, name: "Theirs"))
        let reversal = Reversal(
            home.id,
            [
                .setFavorite(service.id, false), .move(lamp.id, lamp.room, insteadOfRoom: "Attic"),
                .rename(spot.id, "Spot", insteadOf: "L 2"), .rename(lamp.id, "Lamp", insteadOf: "L 1"),
                .removeRoom(named: "Attic"),
            ])
        #expect(await undo(reversal) == ["Theirs was renamed in the meantime."])
        let now = try await house.home
        #expect(now.accessories.named("Lamp").first?.room == lamp.room && now.accessories.named("Theirs").count == 1)
        #expect(now.service(service.id)?.isFavorite == false && now.rooms.named("Attic").isEmpty)
    }

    @Test("writes former values only where the new value is still present")
    func values() async throws {
        let ids = try await house.home.accessories.flatMap(\.services).compactMap { $0.characteristic(.on)?.id }
        let former = CharacteristicValue.bool(true)
        let steps = ids.map { Reversal.ValueStep(characteristic: $0, former: former, new: .bool(false)) }
        await house.set(.integer(0), ids[0])
        let losses = await undo(Reversal(try await house.home.id, [.write(steps)]))
        #expect(await house.values[ids[0]] == former && losses.count == ids.count - 1)
    }

    @Test("belongs to the visitor who made the change, works once, and expires")
    func log() throws {
        let (anna, ben) = (AccessToken(), AccessToken())
        func visitor(_ token: AccessToken, _ role: Person.Role = .member) -> Visitor {
            Visitor(name: "x", access: Visitor.Access(role: role), token: token)
        }
        let start = ContinuousClock.now
        func entry(_ id: String, _ token: AccessToken, after seconds: Int = 0) -> UndoLog.Entry {
            UndoLog.Entry(
                id: id, visitor: visitor(token), time: start + .seconds(seconds), text: "",
                reversal: Reversal(AutomationHome.home.id, [.removeRoom(named: "x")]))
        }
        var log = UndoLog()
        log.add(entry("a", anna))
        log.add(entry("b", ben))
        #expect(log.take("a", of: visitor(ben), at: start) == nil && log.take("a", of: .local, at: start) == nil)
        #expect(log.take("a", of: visitor(anna, .guest), at: start) == nil)
        #expect(log.take("b", of: visitor(ben), at: start + UndoLog.lifetime) == nil)
        #expect(
            log.take("a", of: visitor(anna), at: start) != nil && log.take("a", of: visitor(anna), at: start) == nil)
        for number in 0..<100 { log.add(entry("c\(number)", anna)) }
        #expect(log.entry("b", of: visitor(ben), at: start) != nil)
        #expect((0..<100).count { log.entry("c\($0)", of: visitor(anna), at: start) != nil } == UndoLog.limitPerVisitor)
    }
}
