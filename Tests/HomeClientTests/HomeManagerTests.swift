import HAPModel
import HAPTesting
import HomeModel
import LineRPC
import TestTimeouts
import Testing

@testable import HomeClient

@Suite("An app's homes", .timeout)
struct HomeManagerTests {
    @Test("are empty until they are loaded, which sends one event")
    func loading() async throws {
        let daemon = FakeDaemon()
        _ = try await daemon.addHomeAndLamp()
        try await withManager(of: daemon) { manager in
            let events = manager.allEvents()
            try await manager.waitUntilLoaded()
            #expect(await manager.homes == daemon.graph.homes)
            #expect(await manager.primaryHome?.name == "My Home")
            #expect(await manager.authorizationStatus == [.determined, .authorized])
            try await daemon.write(.addHome(name: "Cabin"))
            #expect(await events.take(2).map(\.name) == ["homesUpdated", "homeAdded"])
        }
    }

    @Test("are loaded in pages")
    func pages() async throws {
        try await withHome { daemon in
            let (home, _) = try await daemon.addHomeAndLamp()
            let lamps = (2..<80).map { TestDevices.lamp(aid: UInt64($0)) }
            try await daemon.add(TestDevices.id(2), TestDevices.bridge(lamps), to: home.id)
        } _: { daemon, manager in
            #expect(await manager.homes == daemon.graph.homes)
            #expect(await manager.homes.first?.accessories.count == 80)
        }
    }

    @Test("contain the app's own writes when the call returns, without events")
    func ownWrites() async throws {
        try await withHome { daemon, manager in
            let events = manager.allEvents()
            let home = try await manager.addHome(named: "My Home")
            #expect(await manager.homes == [home])
            let room = try await manager.addRoom(named: "Kitchen", to: home.id)
            #expect(await manager.homes.first?.rooms == [room])
            let zone = try await manager.addZone(named: "Downstairs", to: home.id)
            #expect(try await manager.addRoom(room.id, toZone: zone.id).rooms == [room.id])
            #expect(try await manager.renameRoom(room.id, to: "Hall").name == "Hall")
            let scene = try await manager.addActionSet(named: "Good Night", to: home.id)
            #expect(try await manager.renameActionSet(scene.id, to: "Sleep").name == "Sleep")
            try await manager.removeActionSet(scene.id)
            let group = try await manager.addServiceGroup(named: "Reading", to: home.id)
            #expect(try await manager.renameServiceGroup(group.id, to: "Night").name == "Night")
            try await manager.removeServiceGroup(group.id)
            #expect(try await manager.removeRoom(room.id, fromZone: zone.id).rooms == [])
            try await manager.removeZone(zone.id, from: home.id)
            #expect(try await manager.removeRoom(room.id, from: home.id) == [])
            let cabin = try await manager.addHome(named: "Cabin")
            #expect(try await manager.setPrimaryHome(cabin.id).isPrimary)
            #expect(try await manager.removeHome(home.id) == AccessoryRemoval(removed: [], stale: []))
            #expect(try await manager.renameHome(cabin.id, to: "Hut").name == "Hut")
            #expect(await manager.homes == daemon.graph.homes)
            try await daemon.write(.addHome(name: "Marker"))
            #expect(await events.take(1).map(\.name) == ["homeAdded"])
        }
    }

    @Test("follow the writes of others with one event each, in order")
    func others() async throws {
        try await withHome { daemon in
            _ = try await daemon.addHomeAndLamp()
        } _: { daemon, manager in
            let home = try #require(await manager.homes.first)
            let lamp = try #require(home.accessories.first)
            let all = manager.allEvents()
            let inHome = manager.events(in: home.id)
            let ofLamp = manager.events(of: lamp.id)
            let ofAll = manager.events()
            try await daemon.write(.addRoom(home.id, name: "Kitchen"))
            let room = try #require(await daemon.graph.homes.first?.rooms.first)
            try await daemon.write(.assignAccessory(home.id, lamp.id, room.id))
            try await daemon.write(.renameAccessory(lamp.id, name: "Reading Lamp"))
            try await daemon.write(.removeRoom(home.id, room.id))
            try await daemon.write(.addHome(name: "Cabin"))
            #expect(
                await all.take(7).map(\.name) == [
                    "roomAdded", "accessoryRoomUpdated", "accessory.nameUpdated", "serviceNameUpdated",
                    "accessoryRoomUpdated", "roomRemoved", "homeAdded",
                ])
            let received = await inHome.take(4)
            #expect(
                received.map(\.change.name) == [
                    "roomAdded", "accessoryRoomUpdated", "accessoryRoomUpdated", "roomRemoved",
                ])
            #expect(received.map(\.home.revision) == [3, 4, 6, 6])
            #expect(received.first?.change == .roomAdded(room))
            #expect(received.last?.change == .roomRemoved(room))
            #expect(received.first?.home.accessories.first?.name == lamp.name, "a snapshot doesn't change")
            #expect(received.last?.home == (await manager.homes.first))
            let renamed = await ofLamp.take(1)
            #expect(renamed.map(\.change) == [.nameUpdated])
            #expect(renamed.first?.accessory.name == "Reading Lamp" && renamed.first?.revision == 5)
            #expect(await ofAll.take(1).map(\.name) == ["homeAdded"])
            #expect(home.rooms.isEmpty && lamp.name != "Reading Lamp")
        }
    }

    @Test("send events only to the listeners of the changed home or accessory")
    func otherHomes() async throws {
        try await withHome { daemon in
            let (home, _) = try await daemon.addHomeAndLamp()
            try await daemon.add(TestDevices.id(2), [TestDevices.lamp()], to: home.id)
            try await daemon.write(.addHome(name: "Cabin"))
        } _: { daemon, manager in
            let (home, cabin) = (await manager.homes[0], await manager.homes[1])
            let (first, second) = (home.accessories[0], home.accessories[1])
            let inHome = manager.events(in: home.id)
            let ofFirst = manager.events(of: first.id)
            try await daemon.write(.addRoom(cabin.id, name: "Hall"))
            try await daemon.write(.addRoom(home.id, name: "Kitchen"))
            try await daemon.write(.renameAccessory(second.id, name: "Desk Lamp"))
            try await daemon.write(.renameAccessory(first.id, name: "Reading Lamp"))
            #expect(await inHome.take(1).map(\.home.id) == [home.id])
            #expect(await ofFirst.take(1).map(\.accessory.id) == [first.id])
        }
    }

    @Test("return the accessories of a removed home")
    func removedHome() async throws {
        try await withHome { daemon in
            _ = try await daemon.addHomeAndLamp()
        } _: { _, manager in
            let home = try #require(await manager.homes.first)
            let removal = try await manager.removeHome(home.id)
            #expect(removal == AccessoryRemoval(removed: home.accessories.map(\.id), stale: []))
            #expect(await manager.homes.isEmpty)
        }
    }

    @Test("end the streams of removed objects")
    func gone() async throws {
        try await withHome { daemon in
            _ = try await daemon.addHomeAndLamp()
        } _: { daemon, manager in
            let home = try #require(await manager.homes.first)
            let lamp = try #require(home.accessories.first)
            let ofLamp = manager.events(of: lamp.id)
            let inHome = manager.events(in: home.id)
            try await daemon.write(.removeAccessory(home.id, lamp.id))
            #expect(await ofLamp.take(1).isEmpty)
            try await manager.removeHome(home.id)
            #expect(await inHome.take(2).map(\.change.name) == ["accessoryRemoved"])
        }
    }

    @Test("map connection failures to errors")
    func refusals() {
        #expect(HomeError(RPCFailure.methodNotFound("homes.dance")).code == .protocolMismatch)
        #expect(HomeError(RPCFailure(code: 47, message: "no")).code == .homeAccessNotAuthorized)
        #expect(HomeError(RPCFailure.tooManyRequests).message.contains("too many requests"))
        #expect(HomeError(LineRPCError.closed) == .connectionLost)
        #expect(HomeError(LineRPCError.timedOut).code == .operationTimedOut)
        #expect(HomeError(CancellationError()).code == .operationCancelled)
    }

    @Test("require a usage description")
    func purpose() async {
        await #expect(processExitsWith: .failure) {
            _ = AppDeclaration(id: "org.example.silent", usageDescription: " \n")
        }
    }
}
