import BoundedJSON
import HAPModel
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

@testable import HomeClient

@Suite("Snapshots", .timeout)
struct SnapshotTests {
    @Test("begin with the current homes and follow each change, including the app's own")
    func stateFirst() async throws {
        try await withLamp { daemon, manager, lamp, power in
            var snapshots = manager.snapshots().makeAsyncIterator()
            let first = try #require(await snapshots.next())
            let homes = await daemon.graph.homes
            #expect(first.isCurrent && first.homes == homes && first.primaryHome?.name == "My Home")
            #expect(first.authorizationStatus.contains(.authorized))
            try await daemon.write(.renameAccessory(lamp.id, name: "Reading Lamp"))
            #expect(await snapshots.next()?.accessory(lamp.id)?.name == "Reading Lamp")
            _ = try await manager.renameAccessory(lamp.id, to: "Night Lamp")
            #expect(await snapshots.next()?.accessory(lamp.id)?.name == "Night Lamp")
            try await manager.writeValue(.bool(true), to: power)
            #expect(await snapshots.next()?.characteristic(power)?.value == .bool(true))
            await daemon.reach(lamp.id, false)
            #expect(await snapshots.next()?.accessory(lamp.id)?.isReachable == false)
        }
    }

    @Test("can update a model on the caller's actor in the body of withHomeManager")
    @MainActor
    func callersActor() async throws {
        final class Model { var names: [String] = [] }
        let daemon = FakeDaemon()
        try await daemon.write(.addHome(name: "My Home"))
        try await withSocketPath { path in
            try await serving(daemon, at: path) { @MainActor in
                let model = Model()
                let result = await withHomeManager(lights, socket: path) { manager in
                    for await snapshot in manager.snapshots() where snapshot.isCurrent {
                        model.names = snapshot.homes.map(\.name)
                        break
                    }
                    return model
                }
                #expect(result.names == ["My Home"])
            }
        }
    }

    @Test("skip states for a slow reader, but never the latest state")
    func behind() async throws {
        try await withLamp { daemon, manager, lamp, _ in
            var snapshots = manager.snapshots().makeAsyncIterator()
            _ = await snapshots.next()
            let events = manager.events(of: lamp.id)
            for number in 0..<2000 { try await daemon.write(.renameAccessory(lamp.id, name: "Lamp \(number)")) }
            for await event in events where event.accessory.name == "Lamp 1999" { break }
            #expect(await snapshots.next()?.accessory(lamp.id)?.name == "Lamp 1999")
        }
    }

    @Test("contain unobserved values, which don't cause snapshots")
    func unobserved() async throws {
        try await withLamp { daemon, manager, lamp, power in
            var snapshots = manager.snapshots().makeAsyncIterator()
            _ = await snapshots.next()
            let number = await manager.snapshotNumber
            await daemon.receive(power, .bool(true))
            try await eventually { await manager.homes.first?.characteristic(power)?.value == .bool(true) }
            #expect(await manager.snapshotNumber == number)
            try await daemon.write(.renameAccessory(lamp.id, name: "Reading Lamp"))
            let next = try #require(await snapshots.next())
            #expect(next.accessory(lamp.id)?.name == "Reading Lamp")
            #expect(next.characteristic(power)?.value == .bool(true))
        }
    }

    @Test("aren't current while the daemon is unavailable")
    func reconnect() async throws {
        try await withLamp { daemon, manager, lamp, _ in
            var snapshots = manager.snapshots().makeAsyncIterator()
            _ = await snapshots.next()
            await daemon.configure { $0.held = [HomeRequest.homes.method] }
            await daemon.hangUp()
            var snapshot = try #require(await snapshots.next())
            #expect(!snapshot.isCurrent && snapshot.accessory(lamp.id) != nil)
            try await daemon.writeSilently(.renameAccessory(lamp.id, name: "Reading Lamp"))
            try await eventually { await daemon.heldCount == 1 }
            await daemon.release()
            while !snapshot.isCurrent { snapshot = try #require(await snapshots.next()) }
            #expect(snapshot.accessory(lamp.id)?.name == "Reading Lamp")
        }
    }

    @Test("are empty without permission, and complete again once it is granted")
    func permission() async throws {
        try await withLamp { daemon, manager, _, power in
            let observation = await manager.observe(.everything)
            #expect(await daemon.observed == [power])
            var snapshots = manager.snapshots().makeAsyncIterator()
            _ = await snapshots.next()
            await daemon.decide([.determined])
            let denied = try #require(await snapshots.next())
            #expect(denied.homes.isEmpty && denied.authorizationStatus == [.determined] && !denied.isCurrent)
            await daemon.decide([.determined, .authorized])
            var snapshot = denied
            while !snapshot.isCurrent { snapshot = try #require(await snapshots.next()) }
            let homes = await daemon.graph.homes
            #expect(snapshot.homes.map(\.id) == homes.map(\.id))
            // The app's observations are restored.
            try await eventually { await daemon.observed == [power] }
            withExtendedLifetime(observation) {}
        }
    }

    @Test("end when the manager ends or the reading task is canceled")
    func end() async throws {
        let daemon = FakeDaemon()
        try await withSocketPath { path in
            try await serving(daemon, at: path) {
                let reading = try await running(at: path) { manager in
                    let cancelled = Task { for await _ in manager.snapshots() {} }
                    cancelled.cancel()
                    await cancelled.value
                    try await manager.waitUntilLoaded()
                    return Task { for await _ in manager.snapshots() {} }
                }
                await reading.value
            }
        }
    }
}

@Suite("Observing a scope", .timeout)
struct ObservationTests {
    private struct House {
        let home: Home
        let kitchen: Room
        let lamps: [Accessory]
    }

    private func withLamps(_ body: @Sendable (FakeDaemon, HomeManager, House) async throws -> Void) async throws {
        try await withHome { daemon in
            let home = try await daemon.addHomeAndLamp().home
            _ = try await daemon.add(TestDevices.id(2), [TestDevices.lamp()], to: home.id)
            try await daemon.write(.addRoom(home.id, name: "Kitchen"))
        } _: { daemon, manager in
            let home = try #require(await manager.homes.first)
            let house = House(home: home, kitchen: try #require(home.rooms.first), lamps: home.accessories)
            try await daemon.write(.assignAccessory(house.home.id, house.lamps[0].id, house.kitchen.id))
            try await eventually { await manager.homes.first?.accessories(in: house.kitchen.id).count == 1 }
            try await body(daemon, manager, house)
        }
    }

    @Test("observes the accessories of a room as they enter and leave it")
    func room() async throws {
        try await withLamps { daemon, manager, house in
            let powers = try house.lamps.map { try $0.power }
            var observation: Observation? = await manager.observe(.room(house.kitchen.id))
            #expect(await daemon.observed == [powers[0]])
            try await daemon.write(.assignAccessory(house.home.id, house.lamps[1].id, house.kitchen.id))
            try await eventually { await daemon.observed == Set(powers) }
            _ = try await manager.assignAccessory(
                house.lamps[0].id, to: house.home.defaultRoomID, in: house.home.id)
            try await eventually { await daemon.observed == [powers[1]] }
            try await eventually {
                await manager.homes.first?.characteristic(powers[0])?.isNotificationEnabled == false
            }
            try await manager.enableNotification(true, for: powers[0])
            withExtendedLifetime(observation) {}
            observation = nil
            try await eventually { await daemon.observed == [powers[0]] }
        }
    }

    @Test(
        "observes a home, zone, accessory, service or values",
        arguments: ["everything", "home", "zone", "accessory", "service", "values"])
    func scopes(name: String) async throws {
        try await withLamps { daemon, manager, house in
            let powers = try house.lamps.map { try $0.power }
            try await daemon.write(.addZone(house.home.id, name: "Downstairs"))
            let zone = try #require(await daemon.graph.homes.first?.zones.first)
            try await daemon.write(.addRoomToZone(zone.id, house.kitchen.id))
            try await eventually { await manager.homes.first?.zones.first?.rooms.count == 1 }
            let service = try #require(house.lamps[0].primaryService).id
            let notifying = house.lamps[0].services.flatMap(\.characteristics).first {
                !$0.metadata.permissions.contains(.notify)
            }
            let (scope, expected): (ObservationScope, Set<Characteristic.ID>) =
                switch name {
                case "everything": (.everything, Set(powers))
                case "home": (.home(house.home.id), Set(powers))
                case "zone": (.zone(zone.id), [powers[0]])
                case "accessory": (.accessory(house.lamps[0].id), [powers[0]])
                case "service": (.service(service), [powers[0]])
                default: (.characteristics([powers[1], try #require(notifying).id]), [powers[1]])
                }
            let observation = await manager.observe(scope)
            #expect(await daemon.observed == expected)
            withExtendedLifetime(observation) {}
        }
    }

    @Test("survives lost connections, outages and refusals")
    func outages() async throws {
        try await withLamps { daemon, manager, house in
            let powers = try house.lamps.map { try $0.power }
            await daemon.reach(house.lamps[0].id, false)
            await daemon.configure { $0.silent = [powers[1]] }
            let observation = await manager.observe(.home(house.home.id))
            #expect(await daemon.observed.isEmpty)
            await daemon.reach(house.lamps[0].id, true)
            try await eventually { await daemon.observed == [powers[0]] }
            let asked = await daemon.asked.count
            try await daemon.write(.addRoom(house.home.id, name: "Hall"))
            try await eventually { await manager.homes.first?.rooms.count == 2 }
            // Refused values aren't requested again with every change.
            #expect(await daemon.asked.count == asked)
            await daemon.configure { $0.silent = [] }
            await daemon.hangUp()
            try await eventually { await daemon.observed == Set(powers) }
            withExtendedLifetime(observation) {}
        }
    }

    @Test("observes for as long as snapshots are read")
    func snapshots() async throws {
        try await withLamps { daemon, manager, house in
            let power = try house.lamps[0].power
            let shown = Task {
                for await snapshot in manager.snapshots(observing: .room(house.kitchen.id))
                where snapshot.characteristic(power)?.value == .bool(true) { return true }
                return false
            }
            try await eventually { await daemon.observed == [power] }
            await daemon.receive(power, .bool(true))
            #expect(await shown.value)
            try await eventually { await daemon.observed.isEmpty }
        }
    }
}
