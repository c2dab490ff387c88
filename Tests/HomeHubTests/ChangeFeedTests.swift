import BoundedJSON
import HAPModel
import HAPTesting
import HomeHub
import HomeModel
import Testing

@Suite("The change feed") struct ChangeFeedTests {
    // MARK: Transactions

    @Test("sends a write to every other authorized session, and to its initiator only in the answer")
    func transactions() throws {
        let hub = FeedDesk(authorized: [1, 2, 3], others: [4])
        let commit = try hub.write(.addHome(name: "Home"), by: 1)
        let transaction = try #require(commit.transaction)
        #expect(hub.actions == [.deliver(SessionID(2)), .deliver(SessionID(3)), .deliver(SessionID(1))])
        #expect(hub.take(1) == [.answer(Call(SessionID(1), 1), .success(commit.json))])
        #expect(hub.take(2) == [.notification(.transaction(transaction))])
        #expect(hub.take(3) == [.notification(.transaction(transaction))])
        #expect(hub.take(4) == [])
    }

    @Test("notifies the initiator of bridged accessories but not of their bridge")
    func bridge() throws {
        let hub = FeedDesk(authorized: [1, 2])
        let home = try hub.home()
        let added = try hub.add(
            TestDevices.bridge([TestDevices.lamp(aid: 2), TestDevices.lamp(aid: 3)]), to: home, by: 1)
        guard case .accessories(let ids) = added.result else { return }
        #expect(try hub.notified(1) == Array(ids.dropFirst()))
        #expect(try hub.notified(2) == ids)
        _ = try hub.write(.removeAccessory(home, ids[0]), by: 1)
        #expect(try hub.notified(1) == Array(ids.dropFirst()))
        #expect(try hub.notified(2) == ids.dropFirst() + [ids[0]])
    }

    @Test("sends changes without an initiator to every session")
    func devices() throws {
        let hub = FeedDesk(authorized: [1, 2])
        let home = try hub.home()
        _ = try hub.add([TestDevices.lamp()], to: home, by: 1)
        hub.drain()
        let id = try #require(hub.graph.homes[0].accessories.first?.id)
        let blocking = hub.graph.block(id)
        let transaction = try #require(blocking)
        hub.actions = hub.feed.committed(transaction)
        for session: UInt64 in 1...2 { #expect(hub.take(session) == [.notification(.transaction(transaction))]) }
        hub.receive(.reachabilityUpdated(id, false))
        for session: UInt64 in 1...2 {
            #expect(hub.take(session) == [.notification(.live(.reachabilityUpdated(id, false)))])
        }
    }

    @Test("wakes a session once, regardless of the number of pending deliveries")
    func waking() throws {
        let hub = FeedDesk(authorized: [1, 2])
        _ = try hub.write(.addHome(name: "Home"), by: 1)
        #expect(hub.actions.contains(.deliver(SessionID(2))))
        _ = try hub.write(.addHome(name: "Other"), by: 1)
        #expect(hub.actions == [])
        #expect(hub.take(2).count == 2)
        _ = try hub.write(.addHome(name: "Third"), by: 1)
        #expect(hub.actions == [.deliver(SessionID(2))])
    }

    // MARK: Sessions that don't read

    @Test("replaces too many notifications with one homesUpdated, and keeps the answers")
    func overflow() throws {
        let hub = FeedDesk(authorized: [1, 2, 3], limit: 4)
        let home = try hub.home()
        hub.drain()
        for number in 1...4 { _ = try hub.write(.addRoom(home, name: "Room \(number)"), by: 1) }
        #expect(hub.take(2).count == 4)
        let own = try hub.write(.addZone(home, name: "Zone"), by: 3)
        for number in 5...20 { _ = try hub.write(.addRoom(home, name: "Room \(number)"), by: 1) }
        #expect(
            hub.take(3) == [
                .answer(Call(SessionID(3), 1), .success(own.json)), .notification(.homesUpdated),
            ])
        let next = try #require(try hub.write(.addRoom(home, name: "Hall"), by: 1).transaction)
        #expect(hub.take(3) == [.notification(.transaction(next))])
    }

    @Test("sends homesUpdated and drops observations when all homes are replaced")
    func replacement() throws {
        let hub = FeedDesk(authorized: [1], others: [2])
        let id = try hub.lamp()
        hub.enable(id, 1)
        hub.drain()
        #expect(hub.feed.homesReplaced(by: HomeGraph()) == [.deliver(SessionID(1))])
        #expect(hub.take(1) == [.notification(.homesUpdated)])
        #expect(hub.take(2) == [])
        #expect(hub.feed.subscriptions == [])
    }

    // MARK: Permission

    @Test("sends one status and nothing else after permission is withdrawn")
    func revocation() throws {
        let hub = FeedDesk(authorized: [1, 2])
        let id = try hub.lamp()
        hub.enable(id, 2)
        hub.drain()
        _ = try hub.write(.renameHome(hub.graph.homes[0].id, name: "Secret"), by: 2)
        _ = try hub.write(.renameHome(hub.graph.homes[0].id, name: "Secret too"), by: 1)
        hub.actions = hub.feed.authorizationChanged(of: [SessionID(2)], to: .determined)
        #expect(hub.actions == [.unsubscribe([id])])
        hub.receive(.valueUpdated(id, .bool(true), time: .init(millisecondsSince1970: 1)))
        _ = try hub.write(.addHome(name: "Other"), by: 1)
        _ = hub.feed.notify(.accessoryLost(TestDevices.id(1)), [SessionID(2)])
        let refusal = HomeError(.homeAccessNotAuthorized)
        #expect(
            hub.take(2) == [
                .answer(Call(SessionID(2), 1), .failure(refusal)),
                .notification(.authorizationStatusUpdated(.determined)),
            ])
        // For a call that ends after the withdrawal, a refusal replaces the result of a success; an error is passed on.
        _ = hub.feed.answered(Call(SessionID(2), 7), with: .success("secret"))
        _ = hub.feed.answered(Call(SessionID(2), 8), with: .failure(HomeError(.notFound)))
        #expect(
            hub.take(2) == [
                .answer(Call(SessionID(2), 7), .failure(refusal)),
                .answer(Call(SessionID(2), 8), .failure(HomeError(.notFound))),
            ])
    }

    @Test("replaces undelivered failures, which may contain names, after permission is withdrawn")
    func failuresBeforeRevocation() {
        let hub = FeedDesk(authorized: [1])
        let (call, status) = (Call(SessionID(1), 1), AuthorizationStatus.determined)
        let named = HomeError(.actionSetExecutionPartialSuccess, detail: "\"Secret lamp\" cannot be reached")
        _ = hub.feed.answered(call, with: .failure(named))
        _ = hub.feed.authorizationChanged(of: [SessionID(1)], to: status)
        #expect(
            hub.take(1) == [
                .answer(call, .failure(HomeError(.homeAccessNotAuthorized))),
                .notification(.authorizationStatusUpdated(status)),
            ])
    }

    @Test("sends status and homesUpdated when permission is granted again, and drops old observations")
    func regrant() throws {
        let hub = FeedDesk(authorized: [1, 2])
        let id = try hub.lamp()
        hub.enable(id, 2)
        hub.drain()
        let granted: AuthorizationStatus = [.determined, .authorized]
        for status in [.determined, granted, .determined, granted] {
            _ = hub.feed.authorizationChanged(of: [SessionID(2)], to: status)
        }
        _ = try hub.write(.addHome(name: "Other"), by: 1)
        #expect(
            hub.take(2) == [.notification(.authorizationStatusUpdated(granted)), .notification(.homesUpdated)])
        let transaction = try #require(try hub.write(.addHome(name: "Third"), by: 1).transaction)
        hub.receive(.valueUpdated(id, .bool(true), time: .init(millisecondsSince1970: 1)))
        #expect(
            hub.take(2) == [
                .notification(.transaction(transaction)),
                .notification(.cached(.valueUpdated(id, .bool(true), time: .init(millisecondsSince1970: 1)))),
            ])
    }

    // MARK: Values

    @Test("sends a value as an event to observers, only for the cache to others, and not to its writer")
    func values() throws {
        let hub = FeedDesk(authorized: [1, 2, 3])
        let id = try hub.lamp()
        for session: UInt64 in 1...2 { hub.enable(id, session) }
        hub.drain()
        hub.receive(.valueUpdated(id, .bool(true), time: .init(millisecondsSince1970: 1)), writer: 1)
        #expect(hub.take(1) == [])
        #expect(
            hub.take(2) == [.notification(.live(.valueUpdated(id, .bool(true), time: .init(millisecondsSince1970: 1))))]
        )
        #expect(
            hub.take(3) == [
                .notification(.cached(.valueUpdated(id, .bool(true), time: .init(millisecondsSince1970: 1))))
            ])
        hub.receive(.valueUpdated(id, .bool(false), time: .init(millisecondsSince1970: 2)))
        #expect(hub.take(1).count == 1)
        #expect(hub.take(2).count == 1)
        #expect(hub.take(3).count == 1)
    }

    @Test("keeps only the latest value for a session that observes nothing and doesn't read")
    func chatter() throws {
        let hub = FeedDesk(authorized: [1, 2], limit: 4)
        let id = try hub.lamp()
        hub.enable(id, 1)
        hub.drain()
        for time: Int64 in 1...4 {
            hub.receive(.valueUpdated(id, .bool(time % 2 == 1), time: .init(millisecondsSince1970: time)))
        }
        let own = try hub.write(.addRoom(hub.graph.homes[0].id, name: "Hall"), by: 2)
        for time: Int64 in 5...10_001 {
            hub.receive(.valueUpdated(id, .bool(time % 2 == 1), time: .init(millisecondsSince1970: time)))
        }
        let last = Delivery.notification(
            .cached(.valueUpdated(id, .bool(true), time: .init(millisecondsSince1970: 10_001))))
        #expect(hub.take(2) == [.answer(Call(SessionID(2), 1), .success(own.json)), last])
        #expect(hub.take(2) == [])
        // An observer would get each value.
        #expect(hub.take(1) == [.notification(.homesUpdated)])
    }

    @Test("keeps the latest values up to the limit and sends homesUpdated beyond it")
    func manyValues() throws {
        let hub = FeedDesk(authorized: [1, 2], limit: 4)
        let lamps = (2...6).map { TestDevices.lamp(aid: $0) }
        _ = try hub.add(TestDevices.bridge(lamps), to: try hub.home(), by: 1)
        hub.drain()
        let ids = hub.graph.observable.map(\.id)
        func receive(_ count: Int, _ isOn: Bool) {
            for id in ids.prefix(count) {
                hub.receive(.valueUpdated(id, .bool(isOn), time: .init(millisecondsSince1970: 1)))
            }
        }
        for isOn in [true, false, true] { receive(4, isOn) }
        #expect(hub.take(2).count == 4)
        receive(5, false)
        hub.receive(.valueUpdated(ids[4], .bool(true), time: .init(millisecondsSince1970: 1)))
        #expect(hub.take(2) == [.notification(.homesUpdated)])
    }

    @Test("doesn't count delivered values toward the limit")
    func valuesTaken() throws {
        let hub = FeedDesk(authorized: [1, 2], limit: 2)
        let lamps = (2...5).map { TestDevices.lamp(aid: $0) }
        _ = try hub.add(TestDevices.bridge(lamps), to: try hub.home(), by: 1)
        hub.drain()
        for id in hub.graph.observable.map(\.id) {
            let event = LiveEvent.valueUpdated(id, .bool(true), time: .init(millisecondsSince1970: 1))
            hub.receive(event)
            #expect(hub.take(2) == [.notification(.cached(event))])
        }
    }

    @Test("keeps the latest value's place between earlier and later notifications of its accessory")
    func chatterInOrder() throws {
        let hub = FeedDesk(authorized: [1, 2])
        let id = try hub.lamp()
        func receive(_ isOn: Bool, _ time: Int64) -> LiveEvent {
            let event = LiveEvent.valueUpdated(id, .bool(isOn), time: .init(millisecondsSince1970: time))
            hub.receive(event)
            return event
        }
        _ = receive(true, 1)
        hub.enable(id, 2)
        let notified = receive(false, 2)
        _ = hub.disable(id, 2)
        _ = receive(true, 3)
        let kept = receive(false, 4)
        let home = hub.graph.homes[0]
        let removal = try #require(try hub.write(.removeAccessory(home.id, home.accessories[0].id), by: 1).transaction)
        #expect(
            hub.take(2) == [
                .notification(.live(notified)), .notification(.cached(kept)), .notification(.transaction(removal)),
            ])
    }

    @Test("subscribes for the first observer and unsubscribes after the last")
    func firstAndLast() throws {
        let hub = FeedDesk(authorized: [1, 2])
        let id = try hub.lamp()
        #expect(hub.enable(id, 1) == [.subscribe([id])])
        #expect(hub.enable(id, 1) == [])
        #expect(hub.enable(id, 2) == [])
        #expect(hub.feed.subscriptions == [id])
        #expect(hub.disable(id, 1) == [])
        #expect(hub.disable(id, 1) == [])
        #expect(hub.feed.observed(by: SessionID(1)) == [])
        #expect(hub.feed.observed(by: SessionID(2)) == [id])
        #expect(hub.feed.closed(SessionID(2)) == [.unsubscribe([id])])
        #expect(hub.feed.subscriptions == [])
        #expect(hub.enable(id, 1) == [.subscribe([id])])
        hub.feed.refused([id])
        #expect(hub.feed.observed(by: SessionID(1)) == [])
    }

    @Test("refuses to observe unsuitable values, with a different error for each reason")
    func refusals() throws {
        let hub = FeedDesk(authorized: [1], others: [2])
        let id = try hub.lamp()
        let accessory = try #require(hub.graph.accessory(of: id))
        let name = try #require(accessory.services[0].characteristics.first?.id)
        var random = SeededNumbers(seed: 7)
        let unknown = Characteristic.ID(using: &random)
        func codes(_ session: UInt64 = 1, _ isEnabled: Bool = true) -> [HomeError.Code?] {
            hub.feed.setNotification(isEnabled, for: [name, id, unknown], by: SessionID(session), in: hub.graph)
                .results.map(\.error?.code)
        }
        #expect(codes() == [.notificationNotSupported, nil, .notFound])
        #expect(codes(1, false) == [nil, nil, .notFound])
        #expect(codes(2) == [.homeAccessNotAuthorized, .homeAccessNotAuthorized, .homeAccessNotAuthorized])
        hub.receive(.reachabilityUpdated(accessory.id, false))
        #expect(codes() == [.notificationNotSupported, .accessoryNotReachable, .notFound])
        #expect(codes(1, false) == [nil, nil, .notFound])
        _ = hub.graph.block(accessory.id)
        #expect(codes() == [.notificationNotSupported, .accessoryIsBlocked, .notFound])
        #expect(hub.feed.subscriptions == [])
    }

    @Test("suspends observations while an accessory is unreachable and resumes them afterwards")
    func reachability() throws {
        let hub = FeedDesk(authorized: [1, 2])
        let id = try hub.lamp()
        let accessory = try #require(hub.graph.accessory(of: id)?.id)
        hub.enable(id, 1)
        hub.enable(id, 2)
        hub.receive(.reachabilityUpdated(accessory, false))
        #expect(!hub.actions.contains(.unsubscribe([id])))
        #expect(hub.feed.subscriptions == [])
        #expect(hub.feed.observed(by: SessionID(1)) == [])
        // An unreachable device has no subscription to end.
        #expect(hub.disable(id, 1) == [])
        hub.drain()
        hub.receive(.reachabilityUpdated(accessory, true))
        #expect(hub.actions.contains(.subscribe([id])))
        #expect(hub.feed.observed(by: SessionID(1)) == [])
        #expect(hub.feed.observed(by: SessionID(2)) == [id])
        #expect(hub.feed.closed(SessionID(2)) == [.unsubscribe([id])])
    }

    @Test("drops the observations of removed accessories and replaced services")
    func removal() throws {
        let hub = FeedDesk(authorized: [1])
        let id = try hub.lamp()
        let home = hub.graph.homes[0].id
        hub.enable(id, 1)
        let transaction = try #require(
            try hub.graph.update(TestDevices.id(1), with: [TestDevices.button()], using: &hub.random))
        hub.actions = hub.feed.committed(transaction)
        #expect(hub.feed.subscriptions == [])
        let button = try #require(hub.graph.observable.first?.id)
        hub.enable(button, 1)
        _ = try hub.write(.removeAccessory(home, hub.graph.homes[0].accessories[0].id), by: 1)
        #expect(hub.feed.subscriptions == [])
        _ = try hub.add([TestDevices.lamp()], to: home, by: 1)
        hub.enable(try #require(hub.graph.observable.first?.id), 1)
        #expect(hub.feed.subscriptions.count == 1)
        _ = try hub.write(.removeHome(home), by: 1)
        #expect(hub.feed.subscriptions == [])
    }

    @Test("ignores unknown sessions")
    func unknownPeers() {
        let hub = FeedDesk(authorized: [])
        #expect(hub.feed.answered(Call(SessionID(1), 1), with: .success([:])) == [])
        #expect(hub.feed.authorizationChanged(of: [SessionID(1)], to: .determined) == [])
        #expect(hub.feed.closed(SessionID(1)) == [])
        #expect(hub.feed.next(for: SessionID(1)) == nil)
    }
}

// MARK: -

/// A feed and its homes.
private final class FeedDesk {
    var feed: ChangeFeed
    var graph = HomeGraph()
    var random = SeededNumbers(seed: 1)
    /// The last actions.
    var actions: [ChangeFeed.Action] = []
    private let sessions: [UInt64]
    private var lastCall: [UInt64: UInt64] = [:]

    init(authorized: [UInt64], others: [UInt64] = [], limit: Int = ChangeFeed.defaultLimit) {
        feed = ChangeFeed(limit: limit)
        sessions = authorized + others
        for session in authorized { feed.opened(SessionID(session), status: [.determined, .authorized]) }
        for session in others { feed.opened(SessionID(session), status: .determined) }
    }

    func write(_ write: HomeWrite, by session: UInt64?) throws -> HomeCommit {
        finish(try graph.perform(write, using: &random), by: session)
    }

    func add(_ devices: [AccessoryObject], to home: Home.ID, by session: UInt64) throws -> HomeCommit {
        let addition = AccessoryAddition(
            home: home, deviceID: TestDevices.id(1), category: devices.count > 1 ? .bridge : .lightbulb,
            accessories: devices)
        return finish(try graph.add(addition, using: &random), by: session)
    }

    private func finish(_ commit: HomeCommit, by session: UInt64?) -> HomeCommit {
        actions = commit.transaction.map { feed.committed($0, by: session.map { SessionID($0) }) } ?? []
        if let session {
            let number = (lastCall[session] ?? 0) + 1
            lastCall[session] = number
            actions += feed.answered(Call(SessionID(session), number), with: .success(commit.json))
        }
        return commit
    }

    func home() throws -> Home.ID {
        let commit = try write(.addHome(name: "Home"), by: nil)
        drain()
        return try #require(commit.transaction).home
    }

    /// Adds a home with a lamp; returns the characteristic that switches it.
    func lamp() throws -> Characteristic.ID {
        _ = finish(
            try graph.add(
                AccessoryAddition(
                    home: try home(), deviceID: TestDevices.id(1), category: .lightbulb,
                    accessories: [TestDevices.lamp()]), using: &random), by: nil)
        drain()
        return try #require(graph.observable.first).id
    }

    func receive(_ event: LiveEvent, writer: UInt64? = nil) {
        actions = graph.apply(event) ? feed.received(event, writer: writer.map { SessionID($0) }) : []
    }

    @discardableResult func enable(_ id: Characteristic.ID, _ session: UInt64) -> [ChangeFeed.Action] {
        feed.setNotification(true, for: [id], by: SessionID(session), in: graph).actions
    }

    func disable(_ id: Characteristic.ID, _ session: UInt64) -> [ChangeFeed.Action] {
        feed.setNotification(false, for: [id], by: SessionID(session), in: graph).actions
    }

    func take(_ session: UInt64) -> [Delivery] {
        var deliveries: [Delivery] = []
        while let delivery = feed.next(for: SessionID(session)) { deliveries.append(delivery) }
        return deliveries
    }

    func drain() { for session in sessions { _ = take(session) } }

    /// Returns the added and removed accessories in the notifications of a session.
    func notified(_ session: UInt64) throws -> [Accessory.ID] {
        try take(session).flatMap { delivery -> [HomeEvent] in
            switch delivery {
            case .notification(.transaction(let transaction)): transaction.changes.map(\.event)
            case .answer(_, .success(let json)):
                (try HomeCommit(json: json).transaction?.changes ?? []).filter(\.reachesInitiator).map(\.event)
            default: []
            }
        }.compactMap { event in
            switch event {
            case .accessoryAdded(let accessory): accessory.id
            case .accessoryRemoved(let id): id
            default: nil
            }
        }
    }
}
