import HAPModel
import HAPTesting
import HomeModel
import HomeTesting
import Synchronization
import TestTimeouts
import Testing

@testable import HomeClient

@Suite("Searching and adding", .timeout)
struct SetupTests {
    private let plug = DiscoveredAccessory(id: TestDevices.id(8), name: "Plug", category: .outlet, model: "P1")

    private func withBulb(
        _ body: @Sendable (FakeDaemon, HomeManager, SetupCode) async throws -> Void
    ) async throws {
        try await withHome { daemon in
            try await daemon.write(.addHome(name: "My Home"))
            await daemon.configure { $0.devices = [bulb] }
        } _: { daemon, manager in
            try await body(daemon, manager, try #require(SetupCode(typed: "518-08-582")))
        }
    }

    // MARK: Searching

    @Test("reports found and removed accessories between start and stop")
    func browser() async throws {
        try await withHome { daemon in
            await daemon.configure { $0.devices = [bulb] }
        } _: { daemon, manager in
            let browser = manager.makeAccessoryBrowser()
            try await browser.start()
            try await browser.start()
            #expect(await browser.events.take(1) == [.found(bulb)])
            await daemon.find(plug)
            await daemon.lose(bulb.id)
            #expect(await browser.events.take(2) == [.found(plug), .removed(bulb)])
            await browser.stop()
            try await eventually { await !daemon.isBrowsing }
            #expect(await browser.discoveredAccessories == [plug])
            await daemon.lose(plug.id)
            await daemon.find(bulb)
            try await browser.start()
            await daemon.find(plug)
            #expect(await browser.events.take(2) == [.found(bulb), .found(plug)], "previous accessories are forgotten")
        }
    }

    @Test("finds each accessory once in a search that starts before the last one has ended")
    func searchBehindEnd() async throws {
        try await withHome { daemon in
            await daemon.configure {
                $0.devices = [bulb]
                $0.late = ["browser.stop"]
            }
        } _: { daemon, manager in
            let browser = manager.makeAccessoryBrowser()
            try await browser.start()
            #expect(await browser.events.take(1) == [.found(bulb)])
            await browser.stop()
            try await eventually("the search ends") { await !daemon.isBrowsing }
            try await browser.start()
            #expect(await browser.events.take(1) == [.found(bulb)])
            await daemon.answerLate()
            // The manager has handled the late answer before this one.
            _ = try await manager.permissions()
            await daemon.find(plug)
            #expect(await browser.events.take(1) == [.found(plug)])
            #expect(await daemon.asked.filter { $0 == .startBrowsing }.count == 2)
        }
    }

    @Test("ignores the late end of an earlier search")
    func lateEnd() async throws {
        try await withHome { daemon, manager in
            try await manager.withAccessoryBrowser { found in
                await manager.stopBrowsing()
                _ = try await manager.permissions()
                await daemon.find(bulb)
                #expect(await found.take(1) == [.found(bulb)])
            }
        }
    }

    @Test("doesn't repeat accessories when a second search starts")
    func secondSearch() async throws {
        try await withHome { daemon in
            await daemon.configure { $0.devices = [bulb] }
        } _: { daemon, manager in
            try await manager.withAccessoryBrowser { first in
                #expect(await first.take(1) == [.found(bulb)])
                try await manager.withAccessoryBrowser { second in
                    await daemon.find(plug)
                    #expect(await second.take(2) == [.found(bulb), .found(plug)])
                    #expect(await first.take(1) == [.found(plug)])
                }
            }
        }
    }

    @Test("starts a search after a failed start")
    func secondAttempt() async throws {
        try await withHome { daemon in
            await daemon.configure { $0.devices = [bulb] }
        } _: { daemon, manager in
            try await manager.withAccessoryBrowser { found in
                #expect(await found.take(1) == [.found(bulb)])
                for _ in 0..<20 {
                    let browser = manager.makeAccessoryBrowser()
                    await daemon.configure { $0.refusedMethods["browser.start"] = HomeError(.accessoryDiscoveryFailed) }
                    let error = await refusal { () throws(HomeError) in try await browser.start() }
                    #expect(error == .accessoryDiscoveryFailed)
                    await daemon.configure { $0.refusedMethods = [:] }
                    try await browser.start()
                    _ = try await manager.permissions()
                    #expect(await browser.events.take(1) == [.found(bulb)])
                    await browser.stop()
                }
            }
        }
    }

    @Test("restarts a search after a lost connection or homesUpdated", arguments: [false, true])
    func forgottenSearch(isLost: Bool) async throws {
        try await withHome { daemon in
            await daemon.configure { $0.devices = [bulb] }
        } _: { daemon, manager in
            try await manager.withAccessoryBrowser { found in
                #expect(await found.take(1) == [.found(bulb)])
                if isLost { await daemon.hangUp() } else { await daemon.tell(.homesUpdated) }
                #expect(await found.take(2) == [.removed(bulb), .found(bulb)])
            }
        }
    }

    @Test("ends a search when its scope ends")
    func scope() async throws {
        try await withHome { daemon in
            await daemon.configure { $0.devices = [bulb] }
        } _: { daemon, manager in
            await #expect(throws: TestFailure.self) {
                try await manager.withAccessoryBrowser { found in
                    #expect(await found.take(1) == [.found(bulb)])
                    try await manager.withAccessoryBrowser { found in
                        #expect(await found.take(1) == [.found(bulb)], "found by both searches")
                    }
                    _ = try? await manager.permissions()
                    #expect(await daemon.isBrowsing)
                    throw TestFailure("enough")
                }
            }
            try await eventually { await !daemon.isBrowsing }
        }
    }

    // MARK: Adding

    @Test("hands an accessory over to its vendor's app")
    func handedOver() async throws {
        let locked = DiscoveredAccessory(
            id: TestDevices.id(7), name: "Lock", category: .doorLock, model: "L", vendor: "maker")
        try await withHome { daemon in
            try await daemon.write(.addHome(name: "My Home"))
            await daemon.configure { $0.devices = [locked] }
        } _: { daemon, manager in
            let home = try #require(await manager.homes.first)
            let code = try #require(SetupCode(typed: "51808582"))
            #expect(
                try await manager.addAccessory(locked, code: code, to: home.id)
                    == .handedOver(appName: "org.example.maker"))
        }
    }

    // MARK: The standard setup

    @Test("asks for all settings, and asks again after a refused name")
    func standardSetup() async throws {
        try await withHome { daemon in
            try await daemon.write(.addHome(name: "My Home"))
            guard let home = await daemon.graph.homes.first else { return }
            try await daemon.write(.addRoom(home.id, name: "Kitchen"))
            await daemon.configure {
                $0.devices = [bulb]
                $0.additions = [TestDevices.lamp(type: .outlet)]
            }
        } _: { daemon, manager in
            let person = Person(code: try #require(SetupCode(typed: "518-08-582")))
            let room = try #require(await manager.homes.first?.rooms.first)
            let outcome = try await AccessorySetupManager(manager).perform(
                AccessorySetupRequest(suggestedRoom: room.id, suggestedName: "Toaster"), interaction: person)
            let home = try #require(await manager.homes.first)
            let plug = try #require(home.accessories.first)
            #expect(outcome == .added(AccessorySetupResult(home: home.id, accessories: [plug.id])))
            #expect(plug.name == "Toaster" && plug.room == room.id)
            #expect(plug.primaryService?.name == "Toaster")
            #expect(plug.primaryService?.associatedServiceType == .fan && plug.primaryService?.isFavorite == true)
            #expect(
                person.log == [
                    "code", "choose", "adding Bulb", "added", "name", "name again 31", "room Kitchen", "service name",
                    "type", "favorite",
                ])
            try await eventually { await !daemon.isBrowsing }
        }
    }

    @Test("keeps names and assigns the suggested room if no details are asked for")
    func noDetails() async throws {
        try await withHome { daemon in
            try await daemon.write(.addHome(name: "My Home"))
            guard let home = await daemon.graph.homes.first else { return }
            try await daemon.write(.addRoom(home.id, name: "Kitchen"))
            await daemon.configure {
                $0.devices = [bulb]
                $0.additions = Devices.bridge(lamps: ["Lamp", "Spot"])
            }
        } _: { daemon, manager in
            let person = Person(code: try #require(SetupCode(typed: "518-08-582")), wantsDetails: false)
            let room = try #require(await manager.homes.first?.rooms.first)
            _ = try await AccessorySetupManager(manager).perform(
                AccessorySetupRequest(suggestedRoom: room.id), interaction: person)
            let added = try #require(await manager.homes.first).accessories
            #expect(added.count == 3 && added.allSatisfy { $0.room == room.id })
            #expect(person.log == ["code", "choose", "adding Bulb", "added"])
        }
    }

    @Test("refuses a taken name before pairing")
    func takenName() async throws {
        try await withHome { daemon in
            try await daemon.write(.addHome(name: "My Home"))
            guard let home = await daemon.graph.homes.first else { return }
            try await daemon.write(.addRoom(home.id, name: "Kitchen"))
            await daemon.configure { $0.devices = [bulb] }
        } _: { daemon, manager in
            let person = Person(code: try #require(SetupCode(typed: "518-08-582")))
            #expect(
                await refusal { () throws(HomeError) in
                    try await AccessorySetupManager(manager).perform(
                        AccessorySetupRequest(suggestedName: "kitchen"), interaction: person)
                } == .objectWithSimilarNameExistsInHome)
            #expect(person.log == ["code", "choose", "adding Bulb"])
            #expect(await manager.homes.first?.accessories.isEmpty == true)
        }
    }

    @Test("returns the steps that failed after the accessory was added")
    func failures() async throws {
        try await withBulb { daemon, manager, code in
            let person = Person(code: code)
            let outcome = try await AccessorySetupManager(manager).perform(
                AccessorySetupRequest(suggestedRoom: Room.ID("00000000-0000-4000-8000-000000000009")),
                interaction: person)
            guard case .added(let result) = outcome else { throw TestFailure("not added") }
            #expect(result.failures.map(\.code) == [.notFound])
            #expect(result.failures.map(\.accessory) == result.accessories)
        }
    }

    @Test(
        "needs only the code if the app has no permission to see the homes",
        arguments: [.determined, []] as [AuthorizationStatus])
    func unseen(_ status: AuthorizationStatus) async throws {
        let daemon = FakeDaemon()
        try await daemon.write(.addHome(name: "My Home"))
        await daemon.configure {
            $0.devices = [bulb]
            $0.status = status
        }
        let code = try #require(SetupCode(typed: "518-08-582"))
        try await withManager(of: daemon) { manager in
            let person = Person(code: code)
            let outcome = try await AccessorySetupManager(manager).perform(
                AccessorySetupRequest(), interaction: person)
            let home = try #require(await daemon.graph.homes.first)
            let added = home.accessories.map(\.id)
            #expect(outcome == .added(AccessorySetupResult(home: home.id, accessories: added)))
            #expect(added.count == 1 && person.log == ["code", "adding "])
            #expect(await manager.homes == [])
        }
    }

    @Test("asks for the setup code that a payload lacks")
    func codelessPayload() async throws {
        try await withBulb { daemon, manager, code in
            let payload = try #require(AccessorySetupPayload(url: "X-HM://00711PP1C0000"))
            #expect(payload.needsSetupCode)
            _ = try await AccessorySetupManager(manager).perform(
                AccessorySetupRequest(payload: payload), interaction: Person(code: code))
            #expect(await daemon.additionsAsked.map(\.code) == [code])
        }
    }

    @Test("lets the user choose when no accessory matches the payload")
    func unmatchedPayload() async throws {
        try await withHome { daemon in
            try await daemon.write(.addHome(name: "My Home"))
            await daemon.configure {
                $0.devices = [bulb]
                $0.hidesSetupHashes = true
            }
        } _: { daemon, manager in
            let person = Person(code: try #require(SetupCode(typed: "518-08-582")))
            let payload = try #require(AccessorySetupPayload(url: "X-HM://00527813XAB12"))
            let outcome = try await AccessorySetupManager(manager).perform(
                AccessorySetupRequest(payload: payload), interaction: person)
            guard case .added = outcome else { throw TestFailure("not added") }
            #expect(person.log.prefix(4) == ["adding ", "choose", "adding Bulb", "added"])
            let asked = await daemon.additionsAsked
            #expect(asked.map(\.device) == [nil, bulb.id])
            #expect(asked.allSatisfy { $0.payload == payload })
        }
    }

    @Test("keeps the accessory if the user leaves early")
    func leaving() async throws {
        try await withBulb { _, manager, code in
            let person = Person(code: code, leaves: true)
            let outcome = try await AccessorySetupManager(manager).perform(
                AccessorySetupRequest(), interaction: person)
            guard case .added(let result) = outcome else { throw TestFailure("not added") }
            #expect(await manager.homes.first?.accessories.map(\.id) == result.accessories)
        }
    }
}

/// A scripted user.
private final class Person: AccessorySetupInteraction {
    private let code: SetupCode
    private let leaves: Bool
    private let wantsDetails: Bool
    private let words = Mutex<[String]>([])

    init(code: SetupCode, leaves: Bool = false, wantsDetails: Bool = true) {
        self.code = code
        self.leaves = leaves
        self.wantsDetails = wantsDetails
    }

    var log: [String] { words.withLock { $0 } }

    private func say(_ word: String) { words.withLock { $0.append(word) } }

    func setupCredentials() async throws(HomeError) -> AccessorySetupCredentials {
        say("code")
        return .code(code)
    }

    func setupCode(for accessory: DiscoveredAccessory?, attemptsLeft: Int, refusal: HomeError?)
        async throws(HomeError) -> SetupCode
    {
        if refusal != nil { say("code again, \(attemptsLeft) left") }
        return code
    }

    func chooseAccessory(from found: EventStream<BrowserEvent>) async throws(HomeError) -> DiscoveredAccessory {
        say("choose")
        for await case .found(let accessory) in found { return accessory }
        throw HomeError(.operationCancelled)
    }

    func adding(_ accessory: DiscoveredAccessory?) async { say("adding \(accessory?.name ?? "")") }

    func added(_ accessories: [Accessory]) async { say("added") }

    func asksForDetails(of accessories: [Accessory]) async throws(HomeError) -> Bool { wantsDetails }

    func name(for accessory: Accessory, in home: Home, suggestions: [String], refusal: HomeError?)
        async throws(HomeError) -> String?
    {
        if leaves { throw HomeError(.operationCancelled) }
        say(refusal.map { "name again \($0.code.rawValue)" } ?? "name")
        return refusal == nil ? "kitchen" : suggestions.first
    }

    func room(for accessory: Accessory, in home: Home, suggestion: Room?) async throws(HomeError) -> Room.ID? {
        say("room \(suggestion?.name ?? "")")
        return suggestion?.id
    }

    func name(for service: Service, of accessory: Accessory, suggestions: [String], refusal: HomeError?)
        async throws(HomeError) -> String?
    {
        say("service name")
        return "Toaster"
    }

    func serviceType(for service: Service, of accessory: Accessory, choices: [ServiceType])
        async throws(HomeError) -> ServiceType?
    {
        say("type")
        return choices.first { $0 == .fan }
    }

    func isFavorite(_ service: Service, of accessory: Accessory) async throws(HomeError) -> Bool {
        say("favorite")
        return true
    }
}
