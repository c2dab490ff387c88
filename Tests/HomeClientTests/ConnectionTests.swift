import BoundedJSON
import HAPModel
import HAPTesting
import HomeModel
import TestTimeouts
import Testing

@testable import HomeClient

@Suite("The connection to the daemon", .timeout)
struct ConnectionTests {
    @Test("fails a call after the timeout if there is no daemon, and explains how to start it")
    func noPeer() async throws {
        var timeouts = hasty
        timeouts.connection = .milliseconds(50)
        try await withSocketPath { path in
            try await running(at: path, timeouts: timeouts) { [path] manager in
                do throws(HomeError) {
                    _ = try await manager.addHome(named: "My Home")
                    Issue.record("there is no daemon")
                } catch {
                    #expect(error.code == .daemonUnavailable)
                    #expect(error.message.contains(path) && error.message.contains("systemctl start homehubd"))
                }
                #expect(
                    await refusal { () throws(HomeError) in try await manager.waitUntilLoaded() } == .daemonUnavailable)
                #expect(await !manager.isConnected)
            }
        }
    }

    @Test("checks a condition on the manager's actor, before and during the wait")
    func waiting() async throws {
        let manager = HomeManager(lights, socket: "/nowhere")
        async let looked = manager.looksTwice()
        try await eventually { await !manager.waiters.isEmpty }
        await manager.notifyWaiters()
        #expect(await looked == true)
    }

    @Test("fails a call at the first connection error if the app doesn't wait for an absent daemon")
    func noDaemonAndNoTimeout() async throws {
        var timeouts = hasty
        timeouts.connection = .seconds(3600)
        timeouts.absence = .zero
        try await withSocketPath { path in
            try await running(at: path, timeouts: timeouts) { manager in
                let error = await refusal { () throws(HomeError) in try await manager.waitUntilLoaded() }
                #expect(error == .daemonUnavailable)
            }
        }
    }

    @Test("isn't blocked by a manager or a daemon that ends before the session is open")
    func beforeOpening() async throws {
        let daemon = FakeDaemon()
        await daemon.configure { $0.held = ["session.open"] }
        try await withSocketPath { path in
            try await running(at: path) { manager in
                try await serving(daemon, at: path) { try await eventually { await daemon.asked.count == 1 } }
                await daemon.configure { $0.held = [] }
                try await serving(daemon, at: path) { try await manager.waitUntilLoaded() }
            }
            await daemon.configure { $0.held = ["session.open"] }
            try await serving(daemon, at: path) {
                let asked = await daemon.asked.count
                try await running(at: path) { _ in try await eventually { await daemon.asked.count > asked } }
            }
        }
    }

    @Test("runs a manager only once")
    func runsOnce() async throws {
        try await withSocketPath { path in
            try await serving(FakeDaemon(), at: path) {
                let manager = try await running(at: path) { manager in
                    try await manager.waitUntilLoaded()
                    #expect(await refusal { () throws(HomeError) in try await manager.run() } == .operationInProgress)
                    return manager
                }
                #expect(await refusal { () throws(HomeError) in try await manager.run() } == .operationInProgress)
            }
        }
    }

    @Test("doesn't send a call whose task is already canceled")
    func cancelledBefore() async throws {
        try await withHome { daemon, manager in
            let asked = await daemon.asked.count
            let call = Task {
                while !Task.isCancelled { await Task.yield() }
                return await refusal { () throws(HomeError) in try await manager.addHome(named: "My Home") }
            }
            call.cancel()
            #expect(await call.value == .operationCancelled)
            _ = try await manager.addHome(named: "Cabin")
            #expect(await daemon.asked.count == asked + 1)
            #expect(await manager.homes.map(\.name) == ["Cabin"])
        }
    }

    @Test("lets a call wait for a daemon that starts a little later")
    func later() async throws {
        try await withSocketPath { path in
            try await running(at: path) { [path] manager in
                let call = Task { try await manager.addHome(named: "My Home") }
                try await serving(FakeDaemon(), at: path) {
                    let home = try await call.value
                    #expect(await manager.homes == [home])
                }
            }
        }
    }

    @Test("retries after the daemon has refused the app, and fails calls with the reason")
    func refused() async throws {
        let daemon = FakeDaemon()
        await daemon.configure { $0.refusal = HomeError(.protocolMismatch) }
        try await withSocketPath { path in
            try await serving(daemon, at: path) {
                try await running(at: path) { manager in
                    #expect(
                        await refusal { () throws(HomeError) in
                            try await manager.waitUntilLoaded()
                        } == .protocolMismatch)
                    await daemon.configure { $0.refusal = nil }
                    try await eventually { await manager.isConnected }
                    try await manager.waitUntilLoaded()
                }
            }
        }
    }

    @Test("loads the homes again after a reconnection and sends one homesUpdated")
    func reconnect() async throws {
        let daemon = FakeDaemon()
        let (home, lamp) = try await daemon.addHomeAndLamp()
        try await withSocketPath { path in
            try await running(at: path) { manager in
                try await serving(daemon, at: path) { try await manager.waitUntilLoaded() }
                try await eventually { await !manager.isConnected }
                #expect(await manager.homes == [home], "the known homes stay")
                let all = manager.allEvents()
                let inHome = manager.events(in: home.id)
                let ofLamp = manager.events(of: lamp.id)
                try await daemon.writeSilently(.addRoom(home.id, name: "Kitchen"))
                try await serving(daemon, at: path) {
                    try await manager.waitUntilLoaded()
                    #expect(await manager.homes == daemon.graph.homes)
                    try await daemon.write(.addRoom(home.id, name: "Hall"))
                    #expect(await all.take(2).map(\.name) == ["homesUpdated", "roomAdded"])
                    #expect(await inHome.take(2).map(\.change.name) == ["homesUpdated", "roomAdded"])
                    #expect(await ofLamp.take(1).map(\.change) == [.homesUpdated])
                }
            }
        }
    }

    @Test("fails a pending call if the connection is lost")
    func broken() async throws {
        try await withHome { daemon in
            await daemon.configure { $0.held = ["homes.add"] }
        } _: { daemon, manager in
            async let code = refusal { () throws(HomeError) in try await manager.addHome(named: "My Home") }
            try await eventually { await daemon.heldCount == 1 }
            await daemon.hangUp()
            #expect(await code == .daemonUnavailable)
        }
    }

    @Test("loads the homes again if a transaction is missing")
    func gap() async throws {
        try await withHome { daemon in
            _ = try await daemon.addHomeAndLamp()
        } _: { daemon, manager in
            let home = try #require(await manager.homes.first)
            let events = manager.allEvents()
            try await daemon.writeSilently(.addRoom(home.id, name: "Kitchen"))
            try await daemon.write(.addRoom(home.id, name: "Hall"))
            #expect(await events.take(1).map(\.name) == ["homesUpdated"])
            #expect(await manager.homes == daemon.graph.homes)
        }
    }

    @Test("includes changes that arrive during a load")
    func changesDuringLoad() async throws {
        let daemon = FakeDaemon()
        let (home, lamp) = try await daemon.addHomeAndLamp()
        await daemon.configure { $0.held = ["accessories.list"] }
        try await withSocketPath { path in
            try await serving(daemon, at: path) {
                try await running(at: path) { manager in
                    let events = manager.allEvents()
                    try await eventually { await daemon.heldCount == 1 }
                    await daemon.reach(lamp.id, false)
                    try await daemon.write(.addHome(name: "Cabin"))
                    try await daemon.write(.renameAccessory(lamp.id, name: "Reading Lamp"))
                    await daemon.release()
                    try await manager.waitUntilLoaded()
                    #expect(await manager.homes == daemon.graph.homes)
                    try await daemon.write(.addRoom(home.id, name: "Kitchen"))
                    #expect(await events.take(2).map(\.name) == ["homesUpdated", "roomAdded"])
                }
            }
        }
    }

    @Test("returns the result of a write during a load")
    func writeDuringLoad() async throws {
        let daemon = FakeDaemon()
        let (home, _) = try await daemon.addHomeAndLamp()
        await daemon.configure { $0.held = ["accessories.list"] }
        try await withSocketPath { path in
            try await serving(daemon, at: path) {
                try await running(at: path) { manager in
                    try await eventually { await daemon.heldCount == 1 }
                    async let room = manager.addRoom(named: "Kitchen", to: home.id)
                    try await eventually { await daemon.graph.homes.first?.rooms.count == 1 }
                    await daemon.release()
                    let made = try await room
                    #expect(await manager.homes.first?.rooms == [made])
                    #expect(await manager.homes == daemon.graph.homes)
                }
            }
        }
    }

    @Test("loads the homes again when all of them are replaced")
    func replaced() async throws {
        try await withHome { daemon in
            _ = try await daemon.addHomeAndLamp()
        } _: { daemon, manager in
            let lamp = try #require(await manager.homes.first?.accessories.first)
            let events = manager.allEvents()
            let ofLamp = manager.events(of: lamp.id)
            await daemon.replaceHomes(by: HomeGraph())
            #expect(await events.take(1).map(\.name) == ["homesUpdated"])
            #expect(await manager.homes.isEmpty)
            #expect(await manager.isLoaded)
            #expect(await ofLamp.take(1).isEmpty)
        }
    }

    @Test("ignores unknown notifications, and loads the homes again after an invalid transaction")
    func nonsense() async throws {
        try await withHome { daemon in
            _ = try await daemon.addHomeAndLamp()
        } _: { daemon, manager in
            let events = manager.allEvents()
            await daemon.tell("weatherChanged", ["sun": true])
            await daemon.tell("live", ["event": "moodUpdated"])
            await daemon.tell("authorizationStatusUpdated", [])
            await daemon.tell("browser.found", [:])
            await daemon.tell("transaction", ["home": "?"])
            #expect(await events.take(1).map(\.name) == ["homesUpdated"], "a transaction may have been missed")
            #expect(await manager.homes == daemon.graph.homes)
        }
    }

    // MARK: Calls without a waiting app

    @Test("sends the cancellation of a call to the daemon, and fails the call with error 23 if nothing was done")
    func cancellation() async throws {
        try await withHome { daemon in
            await daemon.configure { $0.held = ["homes.add"] }
        } _: { daemon, manager in
            let call = Task { await refusal { () throws(HomeError) in try await manager.addHome(named: "My Home") } }
            try await eventually { await daemon.heldCount == 1 }
            call.cancel()
            #expect(await call.value == .operationCancelled)
            #expect(await daemon.cancelled == 1)
            #expect(await daemon.graph.homes.isEmpty)
        }
    }

    @Test("doesn't apply a late cancellation to a call with the same number on the next connection")
    func oldCancellation() async throws {
        try await withHome { daemon in
            await daemon.configure { $0.held = ["homes.add"] }
        } _: { daemon, manager in
            let call = Task { try await manager.addHome(named: "My Home") }
            try await eventually { await daemon.heldCount == 1 }
            let number = try #require(await manager.anyCall)
            let before = await manager.connectionNumber - 1
            await manager.giveUp(number, of: before, because: HomeError(.operationCancelled))
            await manager.expire(number, of: before)
            // If the call had been sent, the daemon would have it now.
            _ = try await manager.permissions()
            await daemon.release()
            let home = try await call.value
            #expect(await manager.homes == [home])
            #expect(await daemon.cancelled == 0)
        }
    }

    @Test("returns the result of a canceled call that was performed anyway")
    func tooLate() async throws {
        try await withHome { daemon in
            await daemon.configure {
                $0.held = ["homes.add"]
                $0.heedsCancellation = false
            }
        } _: { daemon, manager in
            let call = Task { try await manager.addHome(named: "My Home") }
            try await eventually { await daemon.heldCount == 1 }
            call.cancel()
            try await eventually { await daemon.cancelled == 1 }
            await daemon.release()
            let home = try await call.value
            #expect(await manager.homes == [home])
        }
    }

    @Test("stops waiting for a daemon that doesn't answer a cancellation, and applies its late answer")
    func silence() async throws {
        var timeouts = hasty
        timeouts.call = .milliseconds(20)
        timeouts.cancelled = .milliseconds(20)
        let daemon = FakeDaemon()
        await daemon.configure {
            $0.held = ["homes.add"]
            $0.heedsCancellation = false
        }
        try await withSocketPath { path in
            try await serving(daemon, at: path) { [timeouts] in
                try await running(at: path, timeouts: timeouts) { manager in
                    try await manager.waitUntilLoaded()
                    #expect(
                        await refusal { () throws(HomeError) in
                            try await manager.addHome(named: "My Home")
                        } == .operationTimedOut)
                    await daemon.release()
                    try await eventually { await manager.homes.count == 1 }
                    #expect(await manager.homes == daemon.graph.homes)
                }
            }
        }
    }

    @Test("performs more calls than the daemon accepts at once")
    func manyCalls() async throws {
        try await withHome { _, manager in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<60 { group.addTask { _ = try await manager.addHome(named: "Home \(number)") } }
                try await group.waitForAll()
            }
            #expect(await manager.homes.count == 60)
        }
    }

    @Test("ends the streams when the manager ends")
    func end() async throws {
        let daemon = FakeDaemon()
        try await withSocketPath { path in
            try await serving(daemon, at: path) {
                let events = try await running(at: path) { manager in
                    try await manager.waitUntilLoaded()
                    return manager.events()
                }
                #expect(await events.take(1).isEmpty)
            }
        }
    }

    @Test("doesn't report found accessories as lost when the manager ends")
    func endOfSearch() async throws {
        let bulb = DiscoveredAccessory(id: TestDevices.id(1), name: "Bulb", category: .lightbulb, model: "B")
        let daemon = FakeDaemon()
        await daemon.configure { $0.devices = [bulb] }
        try await withSocketPath { path in
            try await serving(daemon, at: path) {
                let reader = try await running(at: path) { manager in
                    let browser = manager.makeAccessoryBrowser()
                    try await browser.start()
                    #expect(await browser.events.take(1) == [.found(bulb)])
                    let reader = Task { await browser.events.take(1) }
                    // A waiting reader is notified immediately, but a late one finds nothing, so let the reader start.
                    for _ in 0..<100 { await Task.yield() }
                    return reader
                }
                #expect(await reader.value.isEmpty)
            }
        }
    }
}

extension HomeManager {
    /// The number of a call that waits for its answer.
    fileprivate var anyCall: Int64? { calls.keys.first }

    /// Waits until the second check, and traps if a check runs outside the actor.
    fileprivate func looksTwice() async -> Bool? {
        var looks = 0
        return await wait(atMost: .seconds(120)) {
            preconditionIsolated()
            looks += 1
            return looks == 2 ? true : nil
        }
    }
}
