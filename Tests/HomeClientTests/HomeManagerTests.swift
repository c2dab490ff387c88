import HAPModel
import HAPTesting
import HomeModel
import LineRPC
import TestTimeouts
import Testing

@testable import HomeClient

@Suite("An app's homes", .timeout)
struct HomeManagerTests {
    @Test("are empty until they are loaded, and then one homesUpdated says so")
    func loading() async throws {
        let daemon = FakeDaemon()
        _ = try await daemon.addHomeAndLamp()
        try await withSocketPath { path in
            try await serving(daemon, at: path) {
                try await running(at: path) { manager in
                    let events = manager.allEvents()
                    try await manager.waitUntilLoaded()
                    #expect(await manager.homes == daemon.graph.homes)
                    #expect(await manager.primaryHome?.name == "My Home")
                    #expect(await manager.authorizationStatus == [.determined, .authorized])
                    try await daemon.write(.addHome(name: "Cabin"))
                    #expect(await events.take(2).map(\.name) == ["homesUpdated", "homeAdded"])
                }
            }
        }
    }

    @Test("come page by page")
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

    @Test("hold what this app wrote when the call returns, and its listeners receive nothing of it")
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

    @Test("change with what others write, each event once and in order, with the homes as they are then")
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
            #expect(received.first?.home.accessories.first?.name == lamp.name, "a snapshot does not change any more")
            #expect(received.last?.home == (await manager.homes.first))
            let renamed = await ofLamp.take(1)
            #expect(renamed.map(\.change) == [.nameUpdated])
            #expect(renamed.first?.accessory.name == "Reading Lamp" && renamed.first?.revision == 5)
            #expect(await ofAll.take(1).map(\.name) == ["homeAdded"])
            #expect(home.rooms.isEmpty && lamp.name != "Reading Lamp")
        }
    }

    @Test("tell who added or removed a bridge of what is behind it, and others of the bridge, too")
    func bridges() async throws {
        let device = DiscoveredAccessory(id: TestDevices.id(9), name: "Bridge", category: .bridge, model: "B")
        try await withHome { daemon in
            try await daemon.write(.addHome(name: "My Home"))
            await daemon.configure {
                $0.devices = [device]
                $0.additions = TestDevices.bridge([2, 3, 4].map { TestDevices.lamp(aid: $0) })
            }
        } _: { daemon, manager in
            try await running(at: manager.socket) { other in
                try await other.waitUntilLoaded()
                let home = try #require(await manager.homes.first)
                let own = manager.allEvents()
                let others = other.allEvents()
                let code = try #require(SetupCode(typed: "518-08-582"))
                guard case .added(let added) = try await manager.addAccessory(device, code: code, to: home.id) else {
                    throw TestFailure("not added")
                }
                #expect(added.count == 4 && added[0].bridgedAccessories == added.dropFirst().map(\.id))
                #expect(await own.take(3).map(\.name) == Array(repeating: "accessoryAdded", count: 3))
                #expect(await others.take(4).map(\.name) == Array(repeating: "accessoryAdded", count: 4))
                #expect(
                    await refusal { () throws(HomeError) in
                        try await manager.removeAccessory(added[1].id, from: home.id)
                    } == .cannotRemoveNonBridgeAccessory)
                let removal = try await manager.removeAccessory(added[0].id, from: home.id)
                #expect(Set(removal.removed) == Set(added.map(\.id)))
                #expect(await own.take(3).map(\.name) == Array(repeating: "accessoryRemoved", count: 3))
                #expect(await others.take(4).map(\.name) == Array(repeating: "accessoryRemoved", count: 4))
                #expect(await manager.homes == other.homes)
            }
        }
    }

    @Test("that others change are notified of to those who listen to them, and not to those who listen to others")
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

    @Test("that are removed are named with the accessories that went with them")
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

    @Test("streams of what is gone end")
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

    @Test("errors of the daemon come as they are")
    func errors() async throws {
        try await withHome { daemon in
            _ = try await daemon.addHomeAndLamp()
        } _: { _, manager in
            do throws(HomeError) {
                _ = try await manager.addHome(named: "my home")
                Issue.record("the name is taken")
            } catch {
                #expect(error.code == .homeWithSimilarNameExists && !error.suggestions.isEmpty)
            }
        }
    }

    @Test("a daemon that does not know a request speaks another version, and one that refuses it says why")
    func refusals() {
        #expect(HomeError(RPCFailure.methodNotFound("homes.dance")).code == .protocolMismatch)
        #expect(HomeError(RPCFailure(code: 47, message: "no")).code == .homeAccessNotAuthorized)
        #expect(HomeError(RPCFailure.tooManyRequests).message.contains("too many requests"))
        #expect(HomeError(LineRPCError.closed) == .connectionLost)
        #expect(HomeError(LineRPCError.timedOut).code == .operationTimedOut)
        #expect(HomeError(CancellationError()).code == .operationCancelled)
    }

    @Test("an app without a purpose does not start")
    func purpose() async {
        await #expect(processExitsWith: .failure) {
            _ = AppDeclaration(id: "org.example.silent", usageDescription: " \n")
        }
    }
}
