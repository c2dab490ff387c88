import HAPModel
import HAPTesting
import HomeModel
import Testing

@testable import HomeClient

@Suite("An app's copy of the homes")
struct ReplicaTests {
    /// A daemon's homes, and a copy that was loaded from them.
    private struct Scene {
        var graph = HomeGraph()
        var replica = Replica()
        var random = SystemRandomNumberGenerator()

        mutating func write(_ write: HomeWrite) throws -> HomeTransaction {
            try #require(try graph.perform(write, using: &random).transaction)
        }

        mutating func load() -> Replica.Update {
            replica.loadBegan()
            return replica.loaded(graph)
        }
    }

    @Test("is nothing before it was loaded, whatever is told")
    func beforeLoad() throws {
        var scene = Scene()
        #expect(scene.replica.received(try scene.write(.addHome(name: "My Home"))) == Replica.Update())
        #expect(scene.replica.graph.homes.isEmpty && !scene.replica.isCurrent)
        #expect(scene.load().events == [.manager(.homesUpdated)])
        #expect(scene.replica.graph == scene.graph && scene.replica.isCurrent)
    }

    @Test("takes what was told during a load, once")
    func duringLoad() throws {
        var scene = Scene()
        _ = try scene.write(.addHome(name: "My Home"))
        scene.replica.loadBegan()
        let early = scene.graph
        let contained = try scene.write(.addHome(name: "Cabin"))
        #expect(scene.replica.received(contained) == Replica.Update())
        let update = scene.replica.loaded(early)
        #expect(update.events == [.manager(.homesUpdated)] && scene.replica.graph == scene.graph)
        #expect(scene.replica.received(contained).events.isEmpty, "it is known already")
    }

    @Test("says so when something is missing, and takes nothing until it was loaded anew")
    func gap() throws {
        var scene = Scene()
        _ = try scene.write(.addHome(name: "My Home"))
        _ = scene.load()
        let home = try #require(scene.graph.homes.first?.id)
        _ = try scene.write(.addRoom(home, name: "Kitchen"))
        #expect(scene.replica.received(try scene.write(.addRoom(home, name: "Hall"))) == Replica.Update(isGap: true))
        #expect(!scene.replica.isCurrent)
        #expect(scene.replica.received(try scene.write(.addRoom(home, name: "Attic"))) == Replica.Update())
        #expect(scene.load().events == [.manager(.homesUpdated)])
    }

    @Test("keeps a bounded number of changes during a load, and begins anew above that")
    func bound() throws {
        var scene = Scene()
        let transaction = try scene.write(.addHome(name: "My Home"))
        scene.replica.loadBegan()
        for _ in 0..<Replica.keptChanges { #expect(scene.replica.received(transaction) == Replica.Update()) }
        #expect(scene.replica.received(transaction).isGap)
        #expect(scene.replica.loaded(scene.graph).isGap, "what was loaded may be without it")
    }

    @Test("has a value of which no app here wants to be notified, also one that came during a load, and tells no app")
    func cached() throws {
        var scene = Scene()
        let commit = try scene.write(.addHome(name: "My Home"))
        _ = try scene.graph.add(
            AccessoryAddition(
                home: commit.home, deviceID: TestDevices.id(1), category: .lightbulb, accessories: [TestDevices.lamp()]),
            using: &scene.random)
        let on = try #require(
            scene.graph.homes[0].accessories[0].services.flatMap(\.characteristics).first { $0.type == .on })
        _ = scene.load()
        #expect(
            scene.replica.cached(.valueUpdated(on.id, .bool(true), time: .init(millisecondsSince1970: 1)))
                == Replica.Update())
        #expect(scene.replica.graph.characteristic(on.id)?.value == .bool(true))
        scene.replica.loadBegan()
        #expect(
            scene.replica.cached(.valueUpdated(on.id, .bool(false), time: .init(millisecondsSince1970: 2)))
                == Replica.Update())
        #expect(scene.replica.loaded(scene.graph).events == [.manager(.homesUpdated)])
        #expect(scene.replica.graph.characteristic(on.id)?.value == .bool(false))
    }

    @Test("is empty without permission")
    func emptied() throws {
        var scene = Scene()
        _ = try scene.write(.addHome(name: "My Home"))
        _ = scene.load()
        scene.replica.emptied()
        #expect(scene.replica.graph == HomeGraph() && !scene.replica.isCurrent)
    }

    @Test("tells listeners of its own app only what is marked for them")
    func own() throws {
        var scene = Scene()
        let transaction = try scene.write(.addHome(name: "My Home"))
        scene.replica.loadBegan()
        _ = scene.replica.loaded(HomeGraph())
        #expect(scene.replica.received(transaction, isOwn: true).events.isEmpty)
        #expect(scene.replica.graph == scene.graph)
    }

    @Test("says what is gone with a home")
    func gone() throws {
        var scene = Scene()
        _ = try scene.write(.addHome(name: "My Home"))
        let home = try #require(scene.graph.homes.first)
        let addition = AccessoryAddition(
            home: home.id, deviceID: TestDevices.id(1), category: .lightbulb, accessories: [TestDevices.lamp()])
        _ = try scene.graph.add(addition, using: &scene.random)
        _ = scene.load()
        let lamp = try #require(scene.graph.homes.first?.accessories.first)
        let before = try #require(scene.graph.homes.first)
        let update = scene.replica.received(try scene.write(.removeHome(home.id)))
        #expect(update.gone == Replica.Gone(homes: [home.id], accessories: [lamp.id]))
        #expect(
            update.events.first == .manager(.homeRemoved(before))
                || update.events.last == .manager(.homeRemoved(before)))
    }

    @Test("has every event of the database for listeners", arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func equality(seed: UInt64) throws {
        var scene = Scene()
        var numbers = SeededNumbers(seed: seed)
        scene.replica.loadBegan()
        _ = scene.replica.loaded(scene.graph)
        var notified = 0
        for step in 0..<300 {
            guard let commit = try? scene.graph.perform(random(step, scene.graph, &numbers), using: &scene.random),
                let transaction = commit.transaction
            else { continue }
            let update = scene.replica.received(transaction)
            #expect(!update.isGap && update.events.count == transaction.changes.count)
            #expect(update.events.map(\.name) == transaction.changes.map(\.event.name))
            notified += update.events.count
            #expect(scene.replica.graph == scene.graph)
        }
        #expect(notified > 50)
    }

    private func random(_ step: Int, _ graph: HomeGraph, _ numbers: inout SeededNumbers) -> HomeWrite {
        guard let home = graph.homes.randomElement(using: &numbers) else { return .addHome(name: "Home \(step)") }
        let room = home.rooms.randomElement(using: &numbers)?.id ?? home.defaultRoomID
        let zone = home.zones.randomElement(using: &numbers)?.id
        let scene = home.actionSets.randomElement(using: &numbers)?.id
        let writes: [HomeWrite?] = [
            .addHome(name: "Home \(step)"), .renameHome(home.id, name: "House \(step)"), .setPrimaryHome(home.id),
            .removeHome(home.id), .addRoom(home.id, name: "Room \(step)"), .addRoom(home.id, name: "Chamber \(step)"),
            .renameRoom(room, name: "Hall \(step)"), .removeRoom(home.id, room),
            .addZone(home.id, name: "Zone \(step)"), zone.map { .renameZone($0, name: "Floor \(step)") },
            zone.map { .removeZone(home.id, $0) }, zone.map { .addRoomToZone($0, room) },
            zone.map { .addRoomToZone($0, room) }, zone.map { .removeRoomFromZone($0, room) },
            .addActionSet(home.id, name: "Scene \(step)", kind: .userDefined),
            scene.map { .renameActionSet($0, name: "Mood \(step)") }, scene.map { .removeActionSet($0) },
        ]
        return writes.compactMap { $0 }.randomElement(using: &numbers) ?? .addHome(name: "Home \(step)")
    }
}
