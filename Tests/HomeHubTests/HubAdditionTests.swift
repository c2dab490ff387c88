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

@Suite("The hub during searches and additions", .timeout)
struct HubAdditionTests {
    // MARK: Searching

    @Test("finds an unpaired accessory once per search and reports it as lost when it is added")
    func browsing() async throws {
        try await withHouse { house, a, b in
            let home = try await a.addHome()
            let bridge = try await house.bridge()
            house.show(TestDevices.id(9), at: .test(9), isPaired: true)
            #expect(a.found == [])
            try await a.call(.startBrowsing)
            try await eventually("the bridge is found") { a.found == [bridge.id] }
            try await b.add(bridge, to: home)
            try await eventually("the bridge is lost") { a.lost == [bridge.id] }
            #expect(a.found == [bridge.id] && b.found == [] && b.lost == [])
            try await b.write(.removeHome(home))
            try await eventually("the bridge is found again") { a.found == [bridge.id, bridge.id] }
            try await a.call(.startBrowsing)
            try await eventually("the bridge is found in the new search") { a.found.count == 3 }
            #expect(a.lost == [bridge.id])
            try await a.call(.stopBrowsing)
            house.hide(bridge.id)
            house.show(TestDevices.id(8), at: .test(8), isPaired: false)
            try await b.call(.startBrowsing)
            // The network's snapshot may be slightly older than the test's.
            try await eventually("the other search") { b.found.contains(TestDevices.id(8)) }
            #expect(a.found.count == 3 && a.lost.count == 1)
        }
    }

    @Test("continues a search after a discovery error, and starts none during one")
    func discoveryError() async throws {
        try await withHouse { house, a, b in
            house.show(TestDevices.id(8), at: .test(8), isPaired: false)
            try await a.call(.startBrowsing)
            try await eventually("the first accessory is found") { a.found == [TestDevices.id(8)] }
            house.obstruct("the Avahi daemon isn't running")
            await expect(.accessoryDiscoveryFailed) { try await b.call(.startBrowsing) }
            house.obstruct(nil)
            house.show(TestDevices.id(9), at: .test(9), isPaired: false)
            try await eventually("the next accessory is found") { a.found == [TestDevices.id(8), TestDevices.id(9)] }
            #expect(a.lost == [] && b.found == [])
        }
    }

    // MARK: Adding

    @Test("leaves no trace of a wrong setup code and accepts the right one afterwards")
    func wrongCode() async throws {
        try await withHouse { house, a, b in
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

    @Test("waits for an accessory that isn't visible yet, up to a timeout")
    func waiting() async throws {
        try await withHouse({ $0.searchTimeout = .seconds(20) }) { house, a in
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
            house.obstruct("the Avahi daemon isn't running")
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

    @Test("rejects invalid additions before it connects to an accessory")
    func refusals() async throws {
        try await withHouse { house, a in
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

    @Test("unpairs an accessory if the home can't be stored")
    func storeFailure() async throws {
        try await withHouse { house, a in
            let home = try await a.addHome()
            let bridge = try await house.bridge()
            house.store.breakDown()
            await expect(.storageFailed) { try await a.add(bridge, to: home) }
            #expect(await !bridge.isPaired)
            #expect(try await house.paired.isEmpty)
            house.store.breakDown(false)
            try await eventually("the bridge advertises that it is unpaired") {
                AccessoryServerBrowser(house.network).snapshot[bridge.id]?.isPaired == false
            }
            #expect(try await a.add(bridge, to: home).count == 2)
        }
    }

    @Test("unpairs an accessory if its addition is canceled during pairing")
    func cancelled() async throws {
        try await withHouse { house, a in
            let home = try await a.addHome()
            let bridge = try await house.bridge()
            bridge.store.hold([.pairings])
            let call = await a.begin(.addAccessory(bridge.addition(to: home)))
            try await eventually("the accessory keeps the pairing") { bridge.store.waitingCount == 1 }
            await expect(.operationInProgress) { try await a.add(bridge, to: home) }
            await house.hub.cancel(call)
            await expect(.operationCancelled) { try await a.result(call) }
            bridge.store.release()
            try await eventually("the bridge is unpaired") {
                let isPaired = await bridge.isPaired
                let isKept = try await !house.paired.isEmpty
                return !isPaired && !isKept
            }
            #expect(try await house.home(a).accessories.isEmpty)
            try await eventually("the bridge advertises that it is unpaired") {
                AccessoryServerBrowser(house.network).snapshot[bridge.id]?.isPaired == false
            }
            // A stored addition can't be canceled.
            let request = HomeRequest.addAccessory(bridge.addition(to: home))
            var late = await a.begin(request)
            try await eventually("the first addition is undone") {
                do {
                    _ = try await a.result(late)
                    return true
                } catch let error as HomeError
                    where [.operationInProgress, .objectAssociatedToAnotherHome, .notFound].contains(error.code)
                {
                    // The first addition is in progress, or the hub's browser hasn't seen that the accessory is
                    // unpaired.
                    late = await a.begin(request)
                    return false
                }
            }
            await house.hub.cancel(late)
            #expect(try await house.home(a).accessories.count == 2)
        }
    }

    @Test("doesn't pair for an app that loses permission during the search")
    func withdrawnWhileSearching() async throws {
        try await withHouse({ $0.searchTimeout = .seconds(3600) }) { house, system in
            let app = try await house.app("org.other")
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
            try await eventually("the bridge is found") { system.found == [bridge.id] }
            for _ in 1...10 { try await house.drain(system) }
            #expect(house.dialer.dialed.isEmpty)
            #expect(await !bridge.isPaired)
        }
    }

    // MARK: Proofs of ownership

    @Test("asks only the vendor's app for a proof of ownership, and notifies the initiator")
    func vendor() async throws {
        try await withHouse { house, a in
            let maker = try await house.maker("org.kilgo", of: "kilgo")
            let other = try await house.maker("org.other", of: "other")
            let home = try await a.addHome()
            let bridge = try await house.bridge(vendor: "kilgo")
            let reply = try AdditionReply(
                json: try await a.call(.addAccessory(bridge.addition(to: home, name: "Attic"))))
            #expect(reply == .handedOver(app: "org.kilgo"))
            try await eventually("the request") { maker.questions.count == 1 }
            #expect(a.questions == [] && other.questions == [])
            let question = try #require(maker.questions.first)
            #expect(question.home == home && !question.requiresSetupPayloadURL)
            let token = try #require(AccessoryOwnershipToken(data: Array(repeating: 7, count: 16)))
            let payload = try #require(question.makePayload(ownershipToken: token))
            await expect(.notFound) { try await other.added(AdditionRequest(home: home, payload: payload)) }
            // A request is valid only for one home.
            let elsewhere = try await a.addHome("Cabin")
            await expect(.invalidParameter) {
                try await maker.added(AdditionRequest(home: elsewhere, payload: payload))
            }
            let ids = try await maker.added(AdditionRequest(home: home, payload: payload))
            await expect(.notFound) { try await maker.added(AdditionRequest(home: home, payload: payload)) }
            #expect(try await house.home(a).accessory(ids[0])?.name == "Attic", "the name that the initiator chose")
            try await eventually("the event") {
                a.events.contains { if case .accessoryAdded(let new) = $0 { new.id == ids[0] } else { false } }
            }
        }
    }

    @Test("asks another app of the vendor if the first one closes or loses permission", arguments: [false, true])
    func vendorGoes(isClosed: Bool) async throws {
        try await withHouse { house, a in
            let (first, second) = (
                try await house.maker("org.kilgo.one", of: "kilgo"), try await house.maker("org.kilgo.two", of: "kilgo")
            )
            let undecided = try await house.app("org.kilgo.three", capabilities: [.home, .vendor], vendor: "kilgo")
            let home = try await a.addHome()
            let bridge = try await house.bridge(vendor: "kilgo")
            let request = HomeRequest.addAccessory(bridge.addition(to: home))
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

    @Test("doesn't ask a vendor's app that was denied access to the homes")
    func deniedMaker() async throws {
        try await withHouse({ $0.vendorTimeout = .seconds(600) }) { house, a in
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

    @Test("sends a proof of ownership to the accessory and reports a wrong one")
    func proof() async throws {
        try await withHouse { house, a in
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

    @Test("asks a vendor's app again after homesUpdated, because it may have missed the question")
    func vendorReadsSlowly() async throws {
        try await withHouse({ $0.feedLimit = 2 }) { house, a in
            let opening = SessionOpening(
                app: "org.kilgo", usageDescription: "For the test.", capabilities: [.home, .vendor], vendor: "kilgo")
            let peer = AppPeer(uid: 1, executable: "/org.kilgo", mayDecide: false)
            let session = try await house.hub.open(opening, by: peer).session
            let identity = AppIdentity(app: "org.kilgo", uid: 1, executable: "/org.kilgo")
            try await a.call(.setPermission(identity, .allow))
            try await a.call(.setVendor(identity, vendor: "kilgo", .allow))
            for _ in 1...2 { _ = await house.hub.nextDelivery(for: session) }
            let home = try await a.addHome()
            let bridge = try await house.bridge(vendor: "kilgo")
            try await a.call(.addAccessory(bridge.addition(to: home)))
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

    @Test("asks a vendor's app that opens later, and not again after it declined")
    func vendorComesLater() async throws {
        try await withHouse({ $0.vendorTimeout = .seconds(600) }) { house, a in
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
    /// Opens a session of a vendor's app that may see the homes and answer for the vendor.
    func maker(_ name: String, of vendor: String) async throws -> TestApp {
        let system = try await app()
        let maker = try await app(name, capabilities: [.home, .vendor], vendor: vendor)
        let identity = AppIdentity(app: name, uid: 1, executable: "/\(name)")
        try await system.call(.setPermission(identity, .allow))
        try await system.call(.setVendor(identity, vendor: vendor, .allow))
        return maker
    }
}
