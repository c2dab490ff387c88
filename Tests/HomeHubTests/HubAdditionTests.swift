import AccessoryRole
import HAPController
import HAPProtocol
import HAPTesting
import HomeHub
import HomeModel
import TestTimeouts
import Testing

import struct HAPModel.DeviceID
import struct HAPModel.SetupCode
import struct HAPModel.SetupPayload

@Suite("The hub, searches and additions", .timeout)
struct HubAdditionTests {
    // MARK: Searching

    @Test("A search tells of what could be added, once, until it is added by anybody; another start begins anew")
    func browsing() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let home = try await a.addHome()
            let bridge = try await house.bridge()
            house.show(TestDevices.id(9), at: .test(9), isPaired: true)
            #expect(a.found == [])
            try await a.call(.startBrowsing)
            try await eventually("it is found") { a.found == [bridge.id] }
            // An address more is no other accessory.
            try await b.add(bridge, to: home)
            try await eventually("it is gone") { a.lost == [bridge.id] }
            #expect(a.found == [bridge.id] && b.found == [] && b.lost == [])
            try await b.write(.removeHome(home))
            try await eventually("it is found again") { a.found == [bridge.id, bridge.id] }
            try await a.call(.startBrowsing)
            try await eventually("it is found in the new search") { a.found.count == 3 }
            #expect(a.lost == [bridge.id])
            try await a.call(.stopBrowsing)
            house.hide(bridge.id)
            house.show(TestDevices.id(8), at: .test(8), isPaired: false)
            try await b.call(.startBrowsing)
            // The network's view may be a little older than the test's.
            try await eventually("the other search") { b.found.contains(TestDevices.id(8)) }
            #expect(a.found.count == 3 && a.lost.count == 1)
        }
    }

    @Test("What is ours is not new to a search, even if it says that it is unpaired")
    func own() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
            let bridge = try await house.bridge()
            try await a.add(bridge, to: try await a.addHome())
            try await eventually("it says so") { AccessoryBrowser(house.network).snapshot[bridge.id]?.isPaired == true }
            house.show(bridge.id, at: bridge.endpoint, isPaired: false)
            house.show(TestDevices.id(8), at: .test(8), isPaired: false)
            try await a.call(.startBrowsing)
            try await eventually("another is found") { a.found.contains(TestDevices.id(8)) }
            #expect(a.found == [TestDevices.id(8)])
        }
    }

    @Test("A search outlasts a time in which nothing can be found; none is begun then")
    func discoveryError() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            house.show(TestDevices.id(8), at: .test(8), isPaired: false)
            try await a.call(.startBrowsing)
            try await eventually("it is found") { a.found == [TestDevices.id(8)] }
            house.obstruct("the Avahi daemon is not running")
            await expect(.accessoryDiscoveryFailed) { try await b.call(.startBrowsing) }
            house.obstruct(nil)
            house.show(TestDevices.id(9), at: .test(9), isPaired: false)
            try await eventually("the next is found") { a.found == [TestDevices.id(8), TestDevices.id(9)] }
            #expect(a.lost == [] && b.found == [])
        }
    }

    // MARK: Adding

    @Test("A wrong code leaves no trace, and the right one works after it")
    func wrongCode() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let home = try await a.addHome()
            let bridge = try await house.bridge()
            let wrong = try #require(SetupCode(number: bridge.code.number == 1 ? 2 : 1))
            await expect(.accessoryPairingFailed) {
                try await a.added(AdditionRequest(home: home, device: bridge.id, code: wrong))
            }
            #expect(try await house.paired.isEmpty)
            #expect(await !bridge.isPaired)
            #expect(house.store.commits == 1)
            try await a.add(bridge, to: home)
            try await eventually("the events at b") { b.events.count == 4 }
            await expect(.objectAlreadyAssociatedToHome) { try await b.add(bridge, to: home) }
            let other = try await a.addHome("Other")
            await expect(.objectAssociatedToAnotherHome) { try await b.add(bridge, to: other) }
        }
    }

    @Test("A label finds its accessory among several, a code alone only the one that there is")
    func finding() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let (one, two) = (try await house.bridge(1), try await house.bridge(2))
            await expect(.invalidParameter) { try await a.added(AdditionRequest(home: home, code: two.code)) }
            let ids = try await a.added(AdditionRequest(home: home, payload: two.payload))
            #expect(try await house.home(a).accessory(ids[0])?.deviceID == two.id)
            let more = try await a.added(AdditionRequest(home: home, code: one.code, name: "Attic"))
            #expect(try await house.home(a).accessory(more[0])?.deviceID == one.id)
            #expect(try await house.home(a).accessory(more[0])?.name == "Attic")
            // The label of what is in a home already says that, at once.
            await expect(.objectAlreadyAssociatedToHome) {
                try await a.added(AdditionRequest(home: home, payload: two.payload))
            }
            let other = try await a.addHome("Other")
            await expect(.objectAssociatedToAnotherHome) {
                try await a.added(AdditionRequest(home: other, payload: two.payload))
            }
            await expect(.timedOutWaitingForAccessory) {
                try await a.added(AdditionRequest(home: home, code: one.code))
            }
        }
    }

    @Test("An accessory that is not there yet is waited for, not without end")
    func waiting() async throws {
        let house = try HouseUnderTest { $0.searchTimeout = .seconds(20) }
        try await house.run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let store = InMemoryAccessoryServerStore()
            let call = await a.begin(
                .addAccessory(
                    AdditionRequest(
                        home: home, device: store.stored.identity.deviceID, code: store.stored.setupCode)))
            try await house.drain(a)
            _ = try await house.bridge(store: store)
            _ = try await a.result(call)
        }
        let hasty = try HouseUnderTest()
        try await hasty.run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let code = try #require(SetupCode(number: 1))
            await expect(.notFound) {
                try await a.added(AdditionRequest(home: home, device: TestDevices.id(1), code: code))
            }
            house.obstruct("the Avahi daemon is not running")
            await expect(.accessoryDiscoveryFailed) {
                try await a.added(AdditionRequest(home: home, device: TestDevices.id(1), code: code))
            }
            house.obstruct(nil)
            house.show(TestDevices.id(1), at: .test(1), isPaired: true)
            await expect(.objectAssociatedToAnotherHome) {
                try await a.added(AdditionRequest(home: home, device: TestDevices.id(1), code: code))
            }
            house.show(TestDevices.id(1), at: .test(1), isPaired: false)
            await expect(.accessoryNotReachable) {
                try await a.added(AdditionRequest(home: home, device: TestDevices.id(1), code: code))
            }
        }
    }

    @Test("What is wrong with the wish itself is said before any accessory is asked")
    func refusals() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let bridge = try await house.bridge()
            let plain = try await house.app("system", capabilities: [.home])
            await expect(.missingEntitlement) {
                try await plain.added(AdditionRequest(home: home, payload: bridge.payload))
            }
            await expect(.nameContainsProhibitedCharacters) { try await a.add(bridge, to: home, name: "Lamp!") }
            await expect(.objectWithSimilarNameExistsInHome) { try await a.add(bridge, to: home, name: "home") }
            await expect(.missingParameter) { try await a.added(AdditionRequest(home: home, device: bridge.id)) }
            for (uri, code) in [
                ("X-HM://0076CDMX27OSX", HomeError.Code.incompatibleAccessory),
                ("X-HM://00739MG3K0000", .objectAssociatedToAnotherHome),
            ] {
                await expect(code) {
                    try await a.added(AdditionRequest(home: home, payload: AccessorySetupPayload(url: uri)))
                }
            }
            #expect(house.dialer.dialed.isEmpty)
        }
    }

    @Test("If the home cannot be stored, the accessory is let go and can be added later")
    func storeFailure() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let bridge = try await house.bridge()
            house.store.breakDown()
            await expect(.storageFailed) { try await a.add(bridge, to: home) }
            #expect(await !bridge.isPaired)
            #expect(try await house.paired.isEmpty)
            house.store.breakDown(false)
            try await eventually("it says so") {
                AccessoryBrowser(house.network).snapshot[bridge.id]?.isPaired == false
            }
            #expect(try await a.add(bridge, to: home).count == 2)
        }
    }

    @Test("Who gives up while an accessory is being paired with has it not, and the accessory is let go")
    func cancelled() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let bridge = try await house.bridge()
            bridge.store.hold([.pairings])
            let call = await a.begin(
                .addAccessory(AdditionRequest(home: home, device: bridge.id, code: bridge.code)))
            try await eventually("the accessory keeps the pairing") { bridge.store.waitingCount == 1 }
            await expect(.operationInProgress) { try await a.add(bridge, to: home) }
            await house.hub.cancel(call)
            await expect(.operationCancelled) { try await a.result(call) }
            bridge.store.release()
            try await eventually("it is let go") {
                let isPaired = await bridge.isPaired
                let isKept = try await !house.paired.isEmpty
                return !isPaired && !isKept
            }
            #expect(try await house.home(a).accessories.isEmpty)
            try await eventually("it says so") {
                AccessoryBrowser(house.network).snapshot[bridge.id]?.isPaired == false
            }
            // Once the home has it, it is too late.
            let request = HomeRequest.addAccessory(AdditionRequest(home: home, device: bridge.id, code: bridge.code))
            var late = await a.begin(request)
            try await eventually("nothing of the first is left") {
                do {
                    _ = try await a.result(late)
                    return true
                } catch let error as HomeError
                    where [.operationInProgress, .objectAssociatedToAnotherHome, .notFound].contains(error.code)
                {
                    // Under way still, or free already and not yet seen to be by the hub's own browser.
                    late = await a.begin(request)
                    return false
                }
            }
            await house.hub.cancel(late)
            #expect(try await house.home(a).accessories.count == 2)
        }
    }

    @Test("What an app wanted to add is not even tried once it has lost its permission while it was searched for")
    func withdrawnWhileSearching() async throws {
        let house = try HouseUnderTest { $0.searchTimeout = .seconds(3600) }
        try await house.run { house in
            let (system, app) = (try await house.app(), try await house.app("org.other"))
            let home = try await system.addHome()
            let identity = AppIdentity(app: "org.other", uid: 1, executable: "/org.other")
            try await system.call(.setPermission(identity, .allow))
            let store = InMemoryAccessoryServerStore()
            let call = await app.begin(
                .addAccessory(
                    AdditionRequest(
                        home: home, device: store.stored.identity.deviceID, code: store.stored.setupCode)))
            try await house.drain(system)
            try await system.call(.setPermission(identity, .deny))
            await expect(.homeAccessNotAuthorized) { try await app.result(call) }
            try await system.call(.startBrowsing)
            let bridge = try await house.bridge(store: store)
            try await eventually("it is found") { system.found == [bridge.id] }
            for _ in 1...10 { try await house.drain(system) }
            #expect(house.dialer.dialed.isEmpty)
            #expect(await !bridge.isPaired)
        }
    }

    // MARK: Proofs of ownership

    @Test("An accessory of a maker is its app's to add: it alone is asked, and who began sees it come")
    func vendor() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, maker) = (try await house.app(), try await house.maker("org.kilgo", of: "kilgo"))
            let other = try await house.maker("org.other", of: "other")
            let home = try await a.addHome()
            let bridge = try await house.bridge(vendor: "kilgo")
            let reply = try AdditionReply(
                json: try await a.call(
                    .addAccessory(
                        AdditionRequest(home: home, device: bridge.id, code: bridge.code, name: "Attic"))))
            #expect(reply == .handedOver(app: "org.kilgo"))
            try await eventually("the request") { maker.questions.count == 1 }
            #expect(a.questions == [] && other.questions == [])
            let question = try #require(maker.questions.first)
            #expect(question.home == home && !question.requiresSetupPayloadURL)
            let token = try #require(AccessoryOwnershipToken(data: Array(repeating: 7, count: 16)))
            let payload = try #require(question.makePayload(ownershipToken: token))
            await expect(.notFound) { try await other.added(AdditionRequest(home: home, payload: payload)) }
            // Another home was not asked about, which leaves the request as it is.
            let elsewhere = try await a.addHome("Cabin")
            await expect(.invalidParameter) {
                try await maker.added(AdditionRequest(home: elsewhere, payload: payload))
            }
            let ids = try await maker.added(AdditionRequest(home: home, payload: payload))
            await expect(.notFound) { try await maker.added(AdditionRequest(home: home, payload: payload)) }
            #expect(try await house.home(a).accessory(ids[0])?.name == "Attic", "what who began has called it")
            try await eventually("the event") {
                a.events.contains { if case .accessoryAdded(let new) = $0 { new.id == ids[0] } else { false } }
            }
        }
    }

    @Test(
        "If a maker's app goes, or loses its permission, another one is asked; one that was never allowed is not",
        arguments: [false, true])
    func vendorGoes(isClosed: Bool) async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
            let (first, second) = (
                try await house.maker("org.kilgo.one", of: "kilgo"), try await house.maker("org.kilgo.two", of: "kilgo")
            )
            let undecided = try await house.app("org.kilgo.three", capabilities: [.home, .vendor], vendor: "kilgo")
            let home = try await a.addHome()
            let bridge = try await house.bridge(vendor: "kilgo")
            let request = HomeRequest.addAccessory(AdditionRequest(home: home, device: bridge.id, code: bridge.code))
            #expect(try AdditionReply(json: try await a.call(request)) == .handedOver(app: "org.kilgo.two"))
            try await eventually("the request") { second.questions.count == 1 }
            if isClosed {
                await house.hub.close(second.session)
            } else {
                let identity = AppIdentity(app: "org.kilgo.two", uid: 1, executable: "/org.kilgo.two")
                try await a.call(.setPermission(identity, .deny))
            }
            try await eventually("the request") { first.questions == second.questions }
            #expect(undecided.notifications == [])
        }
    }

    @Test("A maker's app that was allowed before is asked when it comes")
    func vendorComesBack() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
            await house.hub.close(try await house.maker("org.kilgo", of: "kilgo").session)
            let home = try await a.addHome()
            let bridge = try await house.bridge(vendor: "kilgo")
            let request = HomeRequest.addAccessory(AdditionRequest(home: home, device: bridge.id, code: bridge.code))
            #expect(try AdditionReply(json: try await a.call(request)) == .handedOver(app: "kilgo"))
            let maker = try await house.app("org.kilgo", capabilities: [.home, .vendor], vendor: "kilgo")
            try await eventually("the request") { maker.questions.map(\.home) == [home] }
        }
    }

    @Test("A maker's app that was denied the homes learns of no addition, also if it may answer for its maker")
    func deniedMaker() async throws {
        let house = try HouseUnderTest { $0.vendorTimeout = .seconds(600) }
        try await house.run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let bridge = try await house.bridge(vendor: "kilgo")
            let maker = try await house.maker("org.kilgo", of: "kilgo")
            let identity = AppIdentity(app: "org.kilgo", uid: 1, executable: "/org.kilgo")
            try await a.call(.setPermission(identity, .deny))
            let request = HomeRequest.addAccessory(AdditionRequest(home: home, device: bridge.id))
            #expect(try AdditionReply(json: try await a.call(request)) == .handedOver(app: "kilgo"))
            try await house.drain(a)
            #expect(maker.questions.isEmpty)
        }
    }

    @Test("A maker's proof is shown to the accessory, and a wrong one is said to be wrong")
    func proof() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let right = Array<UInt8>(repeating: 7, count: 16)
            let bridge = try await house.bridge(
                vendor: "kilgo", ownership: OwnershipRequirement(vendor: "kilgo", token: right))
            func add(_ data: [UInt8]) async throws -> [Accessory.ID] {
                let payload = AccessorySetupPayload(
                    setup: nil, token: AccessoryOwnershipToken(data: data), request: nil)
                return try await a.added(
                    AdditionRequest(home: home, device: bridge.id, code: bridge.code, payload: payload))
            }
            await expect(.ownershipFailure) { try await add(Array(repeating: 8, count: 16)) }
            #expect(try await add(right).count == 2)
        }
    }

    @Test("A maker's app that has to load everything anew is asked anew, because it may have missed the question")
    func vendorReadsSlowly() async throws {
        let house = try HouseUnderTest { $0.feedLimit = 2 }
        try await house.run { house in
            let a = try await house.app()
            let opening = SessionOpening(
                app: "org.kilgo", usageDescription: "For the test.", capabilities: [.home, .vendor], vendor: "kilgo")
            let peer = AppPeer(uid: 1, executable: "/org.kilgo", mayDecide: false)
            let session = try await house.hub.open(opening, by: peer).session
            let identity = AppIdentity(app: "org.kilgo", uid: 1, executable: "/org.kilgo")
            try await a.call(.setPermission(identity, .allow))
            try await a.call(.setVendor(identity, vendor: "kilgo", .allow))
            // No app reads what the maker's app is told.
            for _ in 1...2 { _ = await house.hub.nextDelivery(for: session) }
            let home = try await a.addHome()
            let bridge = try await house.bridge(vendor: "kilgo")
            try await a.call(.addAccessory(AdditionRequest(home: home, device: bridge.id, code: bridge.code)))
            for name in ["Hall", "Kitchen"] { try await a.write(.addRoom(home, name: name)) }
            #expect(await house.hub.nextDelivery(for: session) == .notification(.homesUpdated))
            guard case .notification(.addAccessoryRequest(let question))? = await house.hub.nextDelivery(for: session)
            else {
                Issue.record("no question")
                return
            }
            #expect(question.home == home)
        }
    }

    @Test("A maker's app that comes in time is asked, one that declines is not asked again, and none lapses")
    func vendorComesLater() async throws {
        let house = try HouseUnderTest { $0.vendorTimeout = .seconds(600) }
        try await house.run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let bridge = try await house.bridge(vendor: "kilgo")
            let request = HomeRequest.addAccessory(AdditionRequest(home: home, device: bridge.id))
            #expect(try AdditionReply(json: try await a.call(request)) == .handedOver(app: "kilgo"))
            await expect(.operationInProgress) { try await a.call(request) }
            let maker = try await house.maker("org.kilgo", of: "kilgo")
            try await eventually("the request") { maker.questions.count == 1 }
            let question = try #require(maker.questions.first)
            #expect(question.requiresSetupPayloadURL)
            try await maker.call(.declineAddition(question.id))
            await expect(.notFound) { try await maker.call(.declineAddition(question.id)) }
            #expect(try AdditionReply(json: try await a.call(request)) == .handedOver(app: "org.kilgo"))
        }
        let hasty = try HouseUnderTest { $0.vendorTimeout = .milliseconds(50) }
        try await hasty.run { house in
            let a = try await house.app()
            let home = try await a.addHome()
            let bridge = try await house.bridge(vendor: "kilgo")
            let request = HomeRequest.addAccessory(AdditionRequest(home: home, device: bridge.id))
            try await a.call(request)
            // When it has lapsed the next one is not "in progress" any more.
            try await eventually("it lapses") { (try? await a.call(request)) != nil }
        }
    }
}

extension TestApp {
    var found: [DeviceID] {
        notifications.compactMap { if case .accessoryFound(let accessory) = $0 { accessory.id } else { nil } }
    }
    var lost: [DeviceID] { notifications.compactMap { if case .accessoryLost(let id) = $0 { id } else { nil } } }
    var questions: [AddAccessoryRequest] {
        notifications.compactMap { if case .addAccessoryRequest(let request) = $0 { request } else { nil } }
    }
}

extension HouseUnderTest {
    /// A maker's app that the user allows, also to answer for the maker.
    func maker(_ name: String, of vendor: String) async throws -> TestApp {
        let system = try await app()
        let maker = try await app(name, capabilities: [.home, .vendor], vendor: vendor)
        let identity = AppIdentity(app: name, uid: 1, executable: "/\(name)")
        try await system.call(.setPermission(identity, .allow))
        try await system.call(.setVendor(identity, vendor: vendor, .allow))
        return maker
    }
}
