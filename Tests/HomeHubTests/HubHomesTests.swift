import HomeHub
import HomeModel
import TestTimeouts
import Testing

@Suite("The hub and its homes", .timeout)
struct HubHomesTests {
    @Test("A write is sent to the others once and in order, and to its app as an answer only")
    func writes() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let home = try await a.addHome()
            try await a.write(.addRoom(home, name: "Kitchen"))
            try await a.write(.addZone(home, name: "Upstairs"))
            try await eventually("events at b") { b.events.count == 4 }
            let named = b.events.map { event -> String in
                switch event {
                case .homeAdded: "home"
                case .primaryHomeUpdated: "primary"
                case .roomAdded(let room): room.name
                case .zoneAdded(let zone): zone.name
                default: "other"
                }
            }
            #expect(named == ["home", "primary", "Kitchen", "Upstairs"])
            #expect(a.notifications.isEmpty)
            #expect(try await house.home(a) == house.home(b))
            #expect(try await house.home(a) == house.store.stored.graph.homes.first)
        }
    }

    @Test("A bridge comes to its app with what is behind it, to others with the bridge first, and leaves the other way")
    func bridge() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let home = try await a.addHome()
            let bridge = try await house.bridge(lamps: ["one", "two", "three"])
            let ids = try await a.add(bridge, to: home)
            #expect(ids.count == 4)
            try await eventually("the accessories at b") { b.events.count == 6 }
            let added = b.events.compactMap { if case .accessoryAdded(let accessory) = $0 { accessory } else { nil } }
            #expect(added.map(\.id) == ids)
            #expect(added.allSatisfy { $0.room == added[0].room && $0.isReachable })
            let commit = try #require(house.store.stored.graph.homes.first)
            #expect(commit.accessories.map(\.id) == ids)

            await #expect(throws: HomeError(.cannotRemoveNonBridgeAccessory)) {
                try await b.write(.removeAccessory(home, ids[1]))
            }
            let removed = try await b.write(.removeAccessory(home, ids[0]))
            #expect(removed.result == .accessories(ids) && removed.stale == [])
            #expect(await !bridge.isPaired)
            #expect(try await house.paired.isEmpty)
            try await eventually("the end at a") {
                a.events.contains(.accessoryRemoved(ids[0])) && a.events.contains(.accessoryRemoved(ids[3]))
            }
            #expect(try await house.home(a).accessories.isEmpty)
        }
    }

    @Test("An accessory that cannot be reached is removed all the same, and let go when it is seen again")
    func staleRemoval() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let home = try await a.addHome()
            let bridge = try await house.bridge()
            let ids = try await a.add(bridge, to: home)
            bridge.unplug(house.dialer)
            try await eventually("it is away") { b.live.contains(.reachabilityUpdated(ids[0], false)) }
            let commit = try await a.write(.removeHome(home))
            #expect(commit.stale == [ids[0]])
            #expect(try await house.paired == [bridge.id])
            #expect(house.store.stored.graph.homes.isEmpty)
            try await a.call(.startBrowsing)
            bridge.plugIn(house.dialer)
            try await eventually("it is let go") { try await house.paired.isEmpty }
            #expect(await !bridge.isPaired)
            try await eventually("it can be added again") { a.found == [bridge.id] }
        }
    }

    @Test("The default room is neither renamed nor removed nor part of a zone; a room leaves its zones when it goes")
    func rooms() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let home = try await a.addHome()
            let room = try await house.home(a).defaultRoomID
            guard case .zone(let zone) = try await a.write(.addZone(home, name: "Upstairs")).result,
                case .room(let kitchen) = try await a.write(.addRoom(home, name: "Kids Room")).result
            else { return #expect(Bool(false)) }
            await expect(.roomForHomeCannotBeUpdated) { try await a.write(.renameRoom(room, name: "Other")) }
            await expect(.roomForHomeCannotBeUpdated) { try await a.write(.removeRoom(home, room)) }
            await expect(.roomForHomeCannotBeInZone) { try await a.write(.addRoomToZone(zone, room)) }
            await expect(.objectWithSimilarNameExistsInHome) {
                try await a.write(.addZone(home, name: "kid's room"))
            }
            let other = try await a.addHome("Other")
            try await a.write(.addZone(other, name: "kid's room"))
            try await a.write(.addRoomToZone(zone, kitchen))
            try await house.drain(b)
            b.forget()
            try await a.write(.removeRoom(home, kitchen))
            try await eventually("the removal") { b.events.count == 2 }
            #expect(b.events == [.roomRemovedFromZone(kitchen, zone), .roomRemoved(kitchen)])
        }
    }

    @Test("What fails is stored nowhere and told to no app, and the next write is as if nothing had been")
    func storeFailure() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            house.store.breakDown()
            await expect(.storageFailed) { try await a.write(.addHome(name: "Home")) }
            #expect(b.notifications.isEmpty)
            #expect(try HomesReply(json: try await b.call(.homes)).homes.isEmpty)
            house.store.breakDown(false)
            _ = try await a.addHome()
            try await eventually("the event") { b.events.count == 2 }
        }
    }

    @Test(
        "A change that can't be stored is refused with the reason",
        arguments: [
            (true, "nothing was changed: the disk is full; make room in /var/lib/homehub"),
            (false, "nothing was changed: the home database can't be written; see the log of homehubd"),
        ])
    func storeFailure(isFull: Bool, message: String) async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let app = try await house.app()
            if isFull { house.store.fillUp() } else { house.store.breakDown() }
            let error = await #expect(throws: HomeError.self) { try await app.write(.addHome(name: "Home")) }
            #expect(error?.message == message)
        }
    }

    @Test("A session's pages show what it observes itself, and no other")
    func pages() async throws {
        let house = try HouseUnderTest()
        try await house.run { house in
            let (a, b) = (try await house.app(), try await house.app())
            let lamp = try await house.lamp(a)
            #expect(try await a.observe(lamp.on) == nil)
            let characteristics = try await house.home(a).accessories.flatMap(\.services).flatMap(\.characteristics)
            #expect(characteristics.filter(\.isNotificationEnabled).map(\.id) == [lamp.on])
            #expect(try await house.home(b).characteristic(lamp.on)?.isNotificationEnabled == false)
        }
    }
}

/// Expects an error of a code.
func expect(
    _ code: HomeError.Code, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> some Any
) async {
    do {
        _ = try await body()
        Issue.record("no error \(code)", sourceLocation: sourceLocation)
    } catch {
        #expect((error as? HomeError)?.code == code, "\(error)", sourceLocation: sourceLocation)
    }
}
