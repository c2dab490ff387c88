import HAPModel
import HAPTesting
import HomeModel
import Synchronization
import TestTimeouts
import Testing

@testable import HomeClient

@Suite("Searching and adding", .timeout)
struct SetupTests {
    private let plug = DiscoveredAccessory(id: TestDevices.id(8), name: "Plug", category: .outlet, model: "P1")

    // MARK: Searching

    @Test("a search tells what is there, what comes and what goes, between start and stop")
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
            #expect(await browser.events.take(2) == [.found(bulb), .found(plug)], "what went meanwhile is forgotten")
        }
    }

    @Test("a search that begins while the last one ends finds each device once, however late the end is answered")
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
            // Whatever the manager makes of that answer, it has done when this one came.
            _ = try await manager.permissions()
            await daemon.find(plug)
            #expect(await browser.events.take(1) == [.found(plug)])
            #expect(await daemon.asked.filter { $0 == .startBrowsing }.count == 2)
        }
    }

    @Test("the end of a search that comes late ends no other")
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

    @Test("who searches already receives nothing of it when somebody else begins, too")
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

    @Test("a search that could not be begun takes nothing from the next attempt")
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

    @Test("a search begins anew when the daemon may have forgotten it")
    func forgottenSearch() async throws {
        try await withHome { daemon in
            await daemon.configure { $0.devices = [bulb] }
        } _: { daemon, manager in
            try await manager.withAccessoryBrowser { found in
                #expect(await found.take(1) == [.found(bulb)])
                await daemon.tell(.homesUpdated)
                #expect(await found.take(2) == [.removed(bulb), .found(bulb)])
            }
        }
    }

    @Test("a search ends with its scope, also when that throws; and with the last of several")
    func scope() async throws {
        try await withHome { daemon in
            await daemon.configure { $0.devices = [bulb] }
        } _: { daemon, manager in
            await #expect(throws: TestFailure.self) {
                try await manager.withAccessoryBrowser { found in
                    #expect(await found.take(1) == [.found(bulb)])
                    try await manager.withAccessoryBrowser { found in
                        #expect(await found.take(1) == [.found(bulb)], "what the other found is found here, too")
                    }
                    _ = try? await manager.permissions()
                    #expect(await daemon.isBrowsing)
                    throw TestFailure("enough")
                }
            }
            try await eventually { await !daemon.isBrowsing }
        }
    }

    @Test("a search goes on after the connection was lost")
    func searchAgain() async throws {
        try await withHome { daemon in
            await daemon.configure { $0.devices = [bulb] }
        } _: { daemon, manager in
            try await manager.withAccessoryBrowser { found in
                #expect(await found.take(1) == [.found(bulb)])
                await daemon.hangUp()
                #expect(await found.take(2) == [.removed(bulb), .found(bulb)])
            }
        }
    }

    // MARK: Adding

    @Test("a device of a maker's app is handed over")
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

    @Test("a maker's app is notified of requests, and answers or declines")
    func vendor() async throws {
        try await withHome { daemon in
            try await daemon.write(.addHome(name: "My Home"))
            await daemon.configure { $0.devices = [bulb] }
        } _: { daemon, manager in
            let home = try #require(await manager.homes.first)
            let events = manager.events()
            let id = try #require(AddAccessoryRequest.ID("00000000-0000-4000-8000-000000000000"))
            let request = AddAccessoryRequest(
                id: id, home: home.id, accessoryName: "Bulb", category: .lightbulb, requiresSetupPayloadURL: false)
            await daemon.tell(.addAccessoryRequest(request))
            #expect(await events.take(1) == [.addAccessoryRequest(request)])
            try await manager.decline(request)
            #expect(await daemon.asked.last == .declineAddition(id))
            let token = try #require(AccessoryOwnershipToken(data: Array(repeating: 7, count: 16)))
            let payload = try #require(request.makePayload(ownershipToken: token))
            guard case .added(let added) = try await manager.addAndSetupAccessories(with: payload, to: home.id) else {
                throw TestFailure("not added")
            }
            #expect(await manager.homes.first?.accessories == added)
        }
    }

    @Test("a payload that cannot be added is refused before anybody is asked")
    func payloads() async throws {
        try await withHome { daemon in
            try await daemon.write(.addHome(name: "My Home"))
        } _: { daemon, manager in
            let home = try #require(await manager.homes.first)
            let bluetooth = try #require(AccessorySetupPayload(url: "X-HM://0076CDMX27OSX"))
            #expect(
                await refusal { () throws(HomeError) in
                    try await manager.addAndSetupAccessories(with: bluetooth, to: home.id)
                } == .incompatibleAccessory)
        }
    }

    // MARK: The standard setup

    @Test("the standard setup asks for everything, and again for a name that is refused")
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

    @Test("a name that cannot be had is refused before the device is spoken to")
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

    @Test("what could not be done after the accessory came is in the result")
    func failures() async throws {
        try await withHome { daemon in
            try await daemon.write(.addHome(name: "My Home"))
            await daemon.configure { $0.devices = [bulb] }
        } _: { daemon, manager in
            let person = Person(code: try #require(SetupCode(typed: "518-08-582")))
            let outcome = try await AccessorySetupManager(manager).perform(
                AccessorySetupRequest(suggestedRoom: Room.ID("00000000-0000-4000-8000-000000000009")),
                interaction: person)
            guard case .added(let result) = outcome else { throw TestFailure("not added") }
            #expect(result.failures.map(\.code) == [.notFound])
            #expect(result.failures.map(\.accessory) == result.accessories)
        }
    }

    @Test(
        "an app that may not see the homes sets up with the code alone",
        arguments: [.determined, []] as [AuthorizationStatus])
    func unseen(_ status: AuthorizationStatus) async throws {
        let daemon = FakeDaemon()
        try await daemon.write(.addHome(name: "My Home"))
        await daemon.configure {
            $0.devices = [bulb]
            $0.status = status
        }
        let code = try #require(SetupCode(typed: "518-08-582"))
        try await withSocketPath { path in
            try await serving(daemon, at: path) {
                try await running(at: path) { manager in
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
        }
    }

    @Test("for a QR code without a setup code the person is asked for it")
    func codelessPayload() async throws {
        try await withHome { daemon in
            try await daemon.write(.addHome(name: "My Home"))
            await daemon.configure { $0.devices = [bulb] }
        } _: { daemon, manager in
            let code = try #require(SetupCode(typed: "518-08-582"))
            let payload = try #require(AccessorySetupPayload(url: "X-HM://00711PP1C0000"))
            #expect(payload.needsSetupCode)
            _ = try await AccessorySetupManager(manager).perform(
                AccessorySetupRequest(payload: payload), interaction: Person(code: code))
            #expect(await daemon.additionsAsked.map(\.code) == [code])
        }
    }

    @Test("if no device says that the QR code is its own, the person chooses, and the code goes to that device")
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

    @Test("a person who goes away before the end leaves the accessory in the home")
    func leaving() async throws {
        try await withHome { daemon in
            try await daemon.write(.addHome(name: "My Home"))
            await daemon.configure { $0.devices = [bulb] }
        } _: { _, manager in
            let person = Person(code: try #require(SetupCode(typed: "518-08-582")), leaves: true)
            let outcome = try await AccessorySetupManager(manager).perform(
                AccessorySetupRequest(), interaction: person)
            guard case .added(let result) = outcome else { throw TestFailure("not added") }
            #expect(await manager.homes.first?.accessories.map(\.id) == result.accessories)
        }
    }
}

/// Says what a person would say.
private final class Person: AccessorySetupInteraction {
    private let code: SetupCode
    private let leaves: Bool
    private let words = Mutex<[String]>([])

    init(code: SetupCode, leaves: Bool = false) {
        self.code = code
        self.leaves = leaves
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
