import BoundedJSON
import HAPModel
import HAPTesting
import HomeModel
import HomeTesting
import Testing

@Suite("An app's copy") struct ReplicaTests {
    @Test("ignores known transactions and rejects those after a gap")
    func gaps() throws {
        var hub = TestHub()
        let first = try #require(try hub.perform(.addHome(name: "Home")).transaction)
        let home = first.home
        let second = try #require(try hub.perform(.addRoom(home, name: "Hall")).transaction)
        let third = try #require(try hub.perform(.addRoom(home, name: "Bath")).transaction)
        var copy = HomeGraph()
        func apply(_ transaction: HomeTransaction) -> HomeGraph.Application { copy.apply(transaction) }
        #expect(apply(second) == .missed)
        #expect(copy == HomeGraph())
        #expect(apply(first) == .applied)
        #expect(apply(third) == .missed)
        #expect(apply(second) == .applied)
        #expect(apply(second) == .known)
        #expect(apply(third) == .applied)
        #expect(copy == hub.graph)
    }

    @Test("combines pages of one revision")
    func pages() throws {
        var hub = TestHub()
        let home = try hub.home()
        try hub.add(Devices.bridge(lamps: (1...99).map { "Lamp \($0)" }), to: home, category: .bridge)
        let reply = try HomesReply(json: HomesReply(homes: hub.graph.homes).json)
        let revision = try #require(reply.homes.first?.revision)
        var received: [Accessory] = []
        var offset: Int? = 0
        while let next = offset {
            let page = try hub.graph.page(AccessoryBatchRequest(home: home, revision: revision, offset: next))
            #expect(page.json.encoded.count < 1 << 20)
            received += try AccessoryBatch(json: page.json).accessories
            offset = page.next
        }
        #expect(HomeGraph(reply, accessories: [home: received]) == hub.graph)
        try hub.perform(.addRoom(home, name: "Hall"))
        #expect(throws: HomeError(.operationInProgress)) {
            try hub.graph.page(AccessoryBatchRequest(home: home, revision: revision, offset: 32))
        }
        let current = try #require(hub.graph.home(home)?.revision)
        for offset in [100, Int.max] {
            let page = try hub.graph.page(AccessoryBatchRequest(home: home, revision: current, offset: offset))
            #expect(page == AccessoryBatch(accessories: [], next: nil))
        }
        #expect(throws: HomeError(.invalidParameter)) {
            try hub.graph.page(AccessoryBatchRequest(home: home, revision: current, offset: -1))
        }
    }

    @Test("keeps observing remaining services")
    func observing() throws {
        var hub = TestHub()
        let home = try hub.home()
        let id = try hub.add([Devices.lamp("Lamp")], to: home)[0]
        let power = try #require(hub.graph.accessory(id)?.services[1].characteristic(.on)?.id)
        var copy = hub.graph
        copy.setNotification(true, for: power)
        var device = Devices.lamp("Lamp")
        device.services.append(Devices.service(.fan, iid: 80))
        let transaction = try #require(try hub.graph.update(Devices.id(1), with: [device], using: &hub.random))
        let application = copy.apply(transaction)
        #expect(application == .applied)
        #expect(copy.characteristic(power)?.isNotificationEnabled == true)
        copy.setNotification(false, for: power)
        #expect(copy == hub.graph)
    }

    @Test("detects violated invariants")
    func breaches() throws {
        var random = SeededNumbers(seed: 3)
        let room = Room.ID(using: &random)
        let homes = ["Home", "home"].map { name in
            Home(
                id: Home.ID(using: &random), name: name, defaultRoomID: room,
                zones: [Zone(id: Zone.ID(using: &random), home: Home.ID(using: &random), name: " z", rooms: [room])],
                accessories: [
                    Accessory(
                        id: Accessory.ID(using: &random), home: Home.ID(using: &random), name: " z", configuredName: "",
                        room: Room.ID(using: &random), category: .other, bridge: Accessory.ID(using: &random),
                        bridgedAccessories: [Accessory.ID(using: &random)], deviceID: Devices.id(1), aid: .bridge)
                ])
        }
        let breaches = HomeGraph(homes: homes).breaches.joined(separator: "\n")
        for number in ["I1:", "I2:", "I7:", "I9:", "I10:", "I11:", "I12:", "I12, I13:", "I15:", "I16:", "I17:"] {
            #expect(breaches.contains(number), "\(number)")
        }
    }
}
