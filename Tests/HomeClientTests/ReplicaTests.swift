import HAPModel
import HAPTesting
import HomeModel
import HomeTesting
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

    @Test("ignores transactions before it is loaded")
    func beforeLoad() throws {
        var scene = Scene()
        #expect(scene.replica.received(try scene.write(.addHome(name: "My Home"))) == Replica.Update())
        #expect(scene.replica.graph.homes.isEmpty && !scene.replica.isCurrent)
        #expect(scene.load().events == [.manager(.homesUpdated)])
        #expect(scene.replica.graph == scene.graph && scene.replica.isCurrent)
    }

    @Test("applies each transaction that arrives during a load once")
    func duringLoad() throws {
        var scene = Scene()
        _ = try scene.write(.addHome(name: "My Home"))
        scene.replica.loadBegan()
        let early = scene.graph
        let contained = try scene.write(.addHome(name: "Cabin"))
        #expect(scene.replica.received(contained) == Replica.Update())
        let update = scene.replica.loaded(early)
        #expect(update.events == [.manager(.homesUpdated)] && scene.replica.graph == scene.graph)
        #expect(scene.replica.received(contained).events.isEmpty, "known")
    }

    @Test("reports a gap and ignores transactions until it is loaded again")
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

    @Test("keeps a bounded number of transactions during a load")
    func bound() throws {
        var scene = Scene()
        let transaction = try scene.write(.addHome(name: "My Home"))
        scene.replica.loadBegan()
        for _ in 0..<Replica.keptChanges { #expect(scene.replica.received(transaction) == Replica.Update()) }
        #expect(scene.replica.received(transaction).isGap)
        #expect(scene.replica.loaded(scene.graph).isGap, "the loaded homes may lack it")
    }

    @Test("applies cached values without events, even during a load")
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

    @Test("sends the initiator's own listeners only the marked changes")
    func own() throws {
        var scene = Scene()
        let transaction = try scene.write(.addHome(name: "My Home"))
        scene.replica.loadBegan()
        _ = scene.replica.loaded(HomeGraph())
        #expect(scene.replica.received(transaction, isOwn: true).events.isEmpty)
        #expect(scene.replica.graph == scene.graph)
    }

    @Test("reports a removed home together with its accessories")
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

    @Test("sends an event for every change", arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func equality(seed: UInt64) throws {
        var (homes, replica) = (RandomHomes(seed: seed), Replica())
        replica.loadBegan()
        _ = replica.loaded(homes.graph)
        for _ in 0..<100 {
            let transaction = try homes.next()
            let update = replica.received(transaction)
            #expect(!update.isGap && update.events.map(\.name) == transaction.changes.map(\.event.name))
            #expect(replica.graph == homes.graph)
        }
    }
}
