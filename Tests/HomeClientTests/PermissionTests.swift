import HAPModel
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

@testable import HomeClient

@Suite("The user's permission", .timeout)
struct PermissionTests {
    @Test("loads the homes once it is granted")
    func granted() async throws {
        let daemon = FakeDaemon()
        _ = try await daemon.addHomeAndLamp()
        await daemon.configure { $0.status = [] }
        try await withManager(of: daemon) { manager in
            let events = manager.allEvents()
            async let loaded: Void = manager.waitUntilLoaded()
            try await eventually { await daemon.asked.contains(.homes) }
            #expect(await manager.homes.isEmpty)
            #expect(await manager.authorizationStatus == [])
            await daemon.decide([.determined, .authorized])
            try await loaded
            #expect(await manager.homes == daemon.graph.homes)
            try await daemon.write(.addHome(name: "Cabin"))
            #expect(
                await events.take(3).map(\.name) == [
                    "authorizationStatusUpdated", "homesUpdated", "homeAdded",
                ])
        }
    }

    @Test("fails pending and later calls once permission is denied")
    func denied() async throws {
        let daemon = FakeDaemon()
        await daemon.configure { $0.status = [] }
        try await withManager(of: daemon) { manager in
            let loading = Task {
                await refusal { () throws(HomeError) in try await manager.waitUntilLoaded() }
            }
            try await eventually { await daemon.asked.contains(.homes) }
            await daemon.decide([.determined])
            #expect(await loading.value == .homeAccessNotAuthorized)
            #expect(
                await refusal { () throws(HomeError) in
                    try await manager.addHome(named: "My Home")
                } == .homeAccessNotAuthorized)
        }
    }

    @Test("empties the homes and ends streams when it is withdrawn, and loads them when it is granted again")
    func withdrawn() async throws {
        try await withHome { daemon in
            _ = try await daemon.addHomeAndLamp()
            await daemon.configure { $0.devices = [bulb] }
        } _: { daemon, manager in
            let lamp = try #require(await manager.homes.first?.accessories.first)
            let power = try lamp.power
            let events = manager.allEvents()
            let inHome = manager.events(in: lamp.home)
            let values = Task { () async throws in
                for try await _ in manager.values(of: power) {}
            }
            let browser = manager.makeAccessoryBrowser()
            try await browser.start()
            try await eventually { await daemon.observed == [power] }
            await daemon.decide([.determined])
            #expect(await events.take(1) == [.manager(.authorizationStatusUpdated([.determined]))])
            #expect(await manager.homes.isEmpty)
            #expect(await !manager.isLoaded)
            #expect(await browser.events.take(1).isEmpty)
            let denial = await #expect(throws: HomeError.self) { try await values.value }
            #expect(
                denial?.description == "the app \(lights.id) isn't allowed to access the home; allow it with "
                    + "homehub privacy allow \(lights.id) (47 homeAccessNotAuthorized)")
            #expect(
                await refusal { () throws(HomeError) in
                    try await manager.readValue(of: power)
                } == .homeAccessNotAuthorized)
            try await daemon.write(.addHome(name: "Cabin"))
            await daemon.decide([.determined, .authorized])
            #expect(await events.take(2).map(\.name) == ["authorizationStatusUpdated", "homesUpdated"])
            #expect(await inHome.take(1).map(\.change) == [.homesUpdated])
            #expect(await manager.homes == daemon.graph.homes)
            #expect(await daemon.observed.isEmpty)
            #expect(await browser.events.take(1).isEmpty)
            try await browser.start()
            #expect(await browser.events.take(1) == [.found(bulb)])
        }
    }

    @Test("drops undelivered events when it is withdrawn")
    func untaken() async throws {
        try await withLamp { daemon, manager, lamp, _ in
            let streams = (
                all: manager.allEvents(), homes: manager.events(), home: manager.events(in: lamp.home),
                lamp: manager.events(of: lamp.id)
            )
            try await daemon.write(.renameAccessory(lamp.id, name: "Reading Lamp"))
            try await daemon.write(.addRoom(lamp.home, name: "Kitchen"))
            try await daemon.write(.addHome(name: "Cabin"))
            try await eventually { await manager.homes.count == 2 }
            await daemon.decide([.determined])
            try await eventually { await manager.authorizationStatus == [.determined] }
            #expect(await streams.all.take(1) == [.manager(.authorizationStatusUpdated([.determined]))])
            #expect(await streams.homes.take(1) == [.authorizationStatusUpdated([.determined])])
            await daemon.decide([.determined, .authorized])
            #expect(await streams.home.take(1).map(\.change) == [.homesUpdated])
            #expect(await streams.lamp.take(1).map(\.change) == [.homesUpdated])
        }
    }

    @Test("delivers pending questions again after a lost connection")
    func questions() async throws {
        let question = AppPermission(
            app: AppIdentity(app: "org.example.a", uid: 1000, executable: "/usr/bin/a"), status: [],
            usageDescription: "To dim.", isPending: true)
        try await withHome { daemon in
            await daemon.configure { $0.questions = [question] }
        } _: { daemon, manager in
            try await manager.withQuestions { questions in
                #expect(await questions.take(1) == [.permission(question)])
                await daemon.hangUp()
                #expect(await questions.take(1) == [.permission(question)])
            }
        }
    }

    @Test("takes effect if it is withdrawn while the connection is lost")
    func withdrawnMeanwhile() async throws {
        let daemon = FakeDaemon()
        _ = try await daemon.addHomeAndLamp()
        try await withSocketPath { path in
            try await running(at: path) { manager in
                try await serving(daemon, at: path) { try await manager.waitUntilLoaded() }
                let events = manager.allEvents()
                await daemon.configure { $0.status = [.determined] }
                try await serving(daemon, at: path) {
                    #expect(await events.take(1).map(\.name) == ["authorizationStatusUpdated"])
                    #expect(await manager.homes.isEmpty)
                }
            }
        }
    }
}

let bulb = DiscoveredAccessory(id: TestDevices.id(7), name: "Bulb", category: .lightbulb, model: "B1")
