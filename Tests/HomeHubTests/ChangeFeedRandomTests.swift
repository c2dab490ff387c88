import BoundedJSON
import HAPModel
import HAPTesting
import HomeHub
import HomeModel
import Testing

@Suite("Any sequence of inputs to the change feed") struct ChangeFeedRandomTests {
    @Test(
        "leaves every session with the current homes, and sends no app its own or secret changes",
        arguments: 1...6)
    func sequences(seed: UInt64) throws {
        let town = Town(seed: seed)
        for _ in 0..<8 {
            for _ in 0..<500 { try town.step() }
            try town.drain()
        }
        // With only a few changes, the test would prove nothing.
        #expect(town.commits > 100)
        #expect(town.values > 100)
        #expect(town.overflows > 3)
        #expect(town.revocations > 3)
        #expect(!town.apps.isEmpty)
    }
}

/// A daemon with its feed and apps, and the expected recipients of notifications.
private final class Town {
    let granted: AuthorizationStatus = [.determined, .authorized]
    var feed = ChangeFeed(limit: 5)
    var graph = HomeGraph()
    var random: SeededNumbers
    var apps: [SessionID: App] = [:]
    var commits = 0
    var values = 0
    var overflows = 0
    var revocations = 0

    private var lastSession: UInt64 = 0
    private var lastCall: UInt64 = 0
    private var time: Int64 = 0
    /// The sessions with a reported delivery.
    private var ready: Set<SessionID> = []
    /// The values that devices report.
    private var subscribed: Set<Characteristic.ID> = []
    /// The sessions that must not be notified of a transaction or of a value.
    private var initiators: [Revision: SessionID] = [:]
    private var audiences: [Int64: Set<SessionID>] = [:]
    private var snapshots: [Call: HomeGraph] = [:]

    init(seed: UInt64) { random = SeededNumbers(seed: seed) }

    struct Revision: Hashable {
        var home: Home.ID
        var number: UInt64

        init(_ transaction: HomeTransaction) {
            home = transaction.home
            number = transaction.revision
        }
    }

    /// An app with its copy of the homes.
    final class App {
        let id: SessionID
        /// The user's decision.
        var isAuthorized: Bool
        /// The enabled values that the daemon should know.
        var wanted: Set<Characteristic.ID> = []
        var isStalled = false

        /// The app's copy of the homes.
        var copy = HomeGraph()
        var enabled: Set<Characteristic.ID> = []
        var seemsAuthorized: Bool
        /// The call that loads the homes.
        var loading: Call?
        /// Whether a notification was missed, so that `homesUpdated` must follow.
        var isBehind = false

        init(_ id: SessionID, isAuthorized: Bool) {
            self.id = id
            self.isAuthorized = isAuthorized
            seemsAuthorized = isAuthorized
        }
    }

    // MARK: Events

    func step() throws {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: open()
        case 1: if apps.count > 3, Int.random(in: 0..<4, using: &random) == 0 { close() }
        case 2: try reauthorize()
        case 3: if let app = anyApp() { app.isStalled.toggle() }
        case 4...15: try write()
        case 16, 17: setReachability()
        case 18...22: observe()
        case 23...32: receive()
        default: try deliver(once: true)
        }
        if Int.random(in: 0..<3, using: &random) == 0 { try deliver(once: false) }
        checkObservations()
    }

    /// Lets all apps read all their deliveries and checks that they then have the current homes.
    func drain() throws {
        for app in apps.values { app.isStalled = false }
        while !ready.isEmpty { try deliver(once: false) }
        for app in apps.values.sorted(by: { $0.id < $1.id }) {
            #expect(feed.next(for: app.id) == nil)
            #expect(app.seemsAuthorized == app.isAuthorized)
            #expect(!app.isBehind)
            guard app.isAuthorized else { continue }
            #expect(app.loading == nil)
            let mine = graph.flagged(app.wanted.filter(isReachable))
            #expect(app.copy.comparable == mine.comparable)
        }
    }

    private func open() {
        guard apps.count < 8 else { return }
        lastSession += 1
        let app = App(SessionID(lastSession), isAuthorized: Int.random(in: 0..<5, using: &random) > 0)
        apps[app.id] = app
        feed.opened(app.id, status: app.isAuthorized ? granted : [])
        if app.isAuthorized { load(app) }
    }

    private func close() {
        guard let app = anyApp() else { return }
        apps[app.id] = nil
        ready.remove(app.id)
        carryOut(feed.closed(app.id))
        #expect(feed.next(for: app.id) == nil)
    }

    private func reauthorize() throws {
        guard let app = anyApp() else { return }
        app.isAuthorized.toggle()
        if !app.isAuthorized {
            revocations += 1
            app.wanted = []
        }
        carryOut(feed.authorizationChanged(of: [app.id], to: app.isAuthorized ? granted : .determined))
    }

    private func write() throws {
        guard let app = anyApp(), app.isAuthorized else { return }
        let commit: HomeCommit?
        do { commit = try change() } catch is HomeError { commit = nil }
        guard let commit else { return }
        // Devices also change homes.
        let initiator = Int.random(in: 0..<8, using: &random) == 0 ? nil : app.id
        if let transaction = commit.transaction {
            commits += 1
            initiators[Revision(transaction)] = initiator
            forgetTheGone()
            carryOut(feed.committed(transaction, by: initiator))
        }
        if let initiator { carryOut(feed.answered(nextCall(initiator), with: .success(commit.json))) }
    }

    private func change() throws -> HomeCommit? {
        let home = graph.homes.randomElement(using: &random)
        let name = "Name \(Int.random(in: 0..<400, using: &random))"
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return graph.homes.count < 3 ? try graph.perform(.addHome(name: name), using: &random) : nil
        case 1:
            guard let home, Int.random(in: 0..<6, using: &random) == 0 else { return nil }
            return try graph.perform(.removeHome(home.id), using: &random)
        case 2: return try home.map { try graph.perform(.setPrimaryHome($0.id), using: &random) }
        case 3, 4: return try home.map { try graph.perform(.addRoom($0.id, name: name), using: &random) }
        case 5:
            guard let home, let room = home.rooms.randomElement(using: &random) else { return nil }
            return try graph.perform(.removeRoom(home.id, room.id), using: &random)
        case 6: return try home.map { try graph.perform(.renameHome($0.id, name: name), using: &random) }
        case 7:
            guard let home, let accessory = home.accessories.randomElement(using: &random) else { return nil }
            return Int.random(in: 0..<4, using: &random) == 0
                ? try graph.perform(.removeAccessory(home.id, accessory.id), using: &random) : nil
        case 8, 9:
            guard let home else { return nil }
            let number = Int.random(in: 0..<6, using: &random)
            return try graph.add(
                AccessoryAddition(
                    home: home.id, deviceID: TestDevices.id(number), category: number < 3 ? .lightbulb : .bridge,
                    accessories: devices(number)), using: &random)
        default:
            let number = Int.random(in: 0..<6, using: &random)
            let transaction = try graph.update(TestDevices.id(number), with: devices(number), using: &random)
            return transaction.map { HomeCommit(transaction: $0) }
        }
    }

    private func devices(_ number: Int) -> [AccessoryObject] {
        guard number >= 3 else { return [device(1)] }
        return TestDevices.bridge((2...4).filter { _ in Bool.random(using: &random) }.map { device($0) })
    }

    private func device(_ aid: UInt64) -> AccessoryObject {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: TestDevices.button(aid: aid)
        case 1: TestDevices.lamp(aid: aid, type: .outlet)
        default: TestDevices.lamp(aid: aid)
        }
    }

    private func setReachability() {
        guard let accessory = graph.homes.flatMap(\.accessories).randomElement(using: &random) else { return }
        let event = LiveEvent.reachabilityUpdated(accessory.id, Bool.random(using: &random))
        guard graph.apply(event) else { return }
        // An unreachable device has no subscriptions.
        if case .reachabilityUpdated(_, false) = event {
            subscribed.subtract(
                accessory.services.flatMap(\.characteristics).map(\.id))
        }
        carryOut(feed.received(event))
    }

    private func observe() {
        guard let app = anyApp(), app.isAuthorized else { return }
        let isEnabled = Int.random(in: 0..<3, using: &random) > 0
        let ids = (0..<2).compactMap { _ in graph.observable.randomElement(using: &random)?.id }
        let (results, actions) = feed.setNotification(isEnabled, for: ids, by: app.id, in: graph)
        for result in results {
            #expect((result.error == nil) == (!isEnabled || isReachable(result.characteristic)))
            guard result.error == nil else { continue }
            if isEnabled { app.wanted.insert(result.characteristic) } else { app.wanted.remove(result.characteristic) }
        }
        carryOut(actions)
        let done: JSONValue = ["results": results.json, "isEnabled": .bool(isEnabled)]
        carryOut(feed.answered(nextCall(app.id), with: .success(done)))
    }

    /// Reports a value from a device, or writes one for an app.
    private func receive() {
        guard let characteristic = graph.observable.randomElement(using: &random), isReachable(characteristic.id)
        else { return }
        let writer = Bool.random(using: &random) ? anyApp().flatMap { $0.isAuthorized ? $0.id : nil } : nil
        time += 1
        let value: CharacteristicValue =
            characteristic.type == .on
            ? .bool(Bool.random(using: &random)) : .integer(Int64.random(in: 0...2, using: &random))
        let event = LiveEvent.valueUpdated(characteristic.id, value, time: .init(millisecondsSince1970: time))
        if graph.apply(event) {
            values += 1
            audiences[time] = Set(
                apps.values.filter { $0.isAuthorized && $0.id != writer && $0.wanted.contains(characteristic.id) }
                    .map(\.id))
            carryOut(feed.received(event, writer: writer))
        }
        guard let writer else { return }
        let result = ValueResult(
            characteristic: characteristic.id, value: value, time: .init(millisecondsSince1970: time))
        carryOut(feed.answered(nextCall(writer), with: .success(["written": result.json])))
    }

    // MARK: Apps

    private func load(_ app: App) {
        let call = nextCall(app.id)
        app.loading = call
        snapshots[call] = graph.flagged(feed.observed(by: app.id))
        carryOut(feed.answered(call, with: .success([:])))
    }

    private func deliver(once: Bool) throws {
        for id in ready.sorted() {
            guard let app = apps[id], !app.isStalled else { continue }
            repeat {
                guard let delivery = feed.next(for: id) else {
                    ready.remove(id)
                    break
                }
                try take(delivery, app)
            } while !once
        }
    }

    private func take(_ delivery: Delivery, _ app: App) throws {
        switch delivery {
        case .answer(let call, .failure(let error)):
            #expect(error.code == .homeAccessNotAuthorized)
            if app.loading == call { app.loading = nil }
        case .answer(let call, .success(let json)):
            #expect(app.isAuthorized)
            try takeAnswer(call, json, app)
        case .notification(.authorizationStatusUpdated(let status)):
            #expect(status.contains(.authorized) == app.isAuthorized)
            app.seemsAuthorized = status.contains(.authorized)
            app.copy = HomeGraph()
            app.enabled = []
            app.loading = nil
            app.isBehind = app.seemsAuthorized
        case .notification(.homesUpdated):
            #expect(app.isAuthorized)
            if !app.isBehind || !app.copy.homes.isEmpty { overflows += 1 }
            app.isBehind = false
            load(app)
        case .notification(.transaction(let transaction)):
            #expect(app.isAuthorized && app.seemsAuthorized)
            #expect(initiators[Revision(transaction)] != app.id)
            apply(transaction, app)
        case .notification(.live(let event)):
            #expect(app.isAuthorized && app.seemsAuthorized)
            if case .valueUpdated(_, _, let time) = event {
                #expect(audiences[time.millisecondsSince1970]?.contains(app.id) == true)
            }
            app.copy.apply(event)
            if case .reachabilityUpdated(let id, let isReachable) = event { reachability(id, isReachable, app) }
        case .notification(.cached(let event)):
            #expect(app.isAuthorized && app.seemsAuthorized)
            if case .valueUpdated(_, _, let time) = event {
                #expect(audiences[time.millisecondsSince1970]?.contains(app.id) == false)
            }
            app.copy.apply(event)
        case .notification(let other): Issue.record("no app said \(other)")
        }
    }

    private func takeAnswer(_ call: Call, _ json: JSONValue, _ app: App) throws {
        if let snapshot = snapshots.removeValue(forKey: call) {
            guard app.loading == call else { return }
            app.loading = nil
            app.copy = snapshot
            app.enabled = Set(snapshot.observable.filter(\.isNotificationEnabled).map(\.id)).union(app.enabled)
        } else if let written = json["written"] {
            let result = try ValueResult(json: written)
            guard let value = result.value, let time = result.time else { return }
            app.copy.apply(.valueUpdated(result.characteristic, value, time: time))
        } else if let results = json["results"] {
            let isEnabled = json["isEnabled"] == .bool(true)
            for result in try [ValueResult](json: results) where result.error == nil {
                app.copy.setNotification(isEnabled, for: result.characteristic)
                if isEnabled {
                    app.enabled.insert(result.characteristic)
                } else {
                    app.enabled.remove(result.characteristic)
                }
            }
        } else if let transaction = try HomeCommit(json: json).transaction {
            #expect(initiators[Revision(transaction)] == app.id)
            apply(transaction, app)
        }
    }

    private func apply(_ transaction: HomeTransaction, _ app: App) {
        let application = app.copy.apply(transaction)
        if application == .missed, app.loading == nil { app.isBehind = true }
        // Transactions must arrive in order, and each only once.
        if app.loading == nil, application == .known { Issue.record("the app received a transaction twice") }
    }

    /// Clears the flags of an unreachable accessory, and restores them when it returns.
    private func reachability(_ id: Accessory.ID, _ isReachable: Bool, _ app: App) {
        let there = Set((app.copy.accessory(id)?.services ?? []).flatMap(\.characteristics).map(\.id))
        if isReachable {
            for id in there.intersection(app.enabled) { app.copy.setNotification(true, for: id) }
        } else {
        }
    }

    // MARK: Actions

    private func carryOut(_ actions: [ChangeFeed.Action]) {
        for action in actions {
            switch action {
            case .deliver(let id): ready.insert(id)
            case .subscribe(let ids):
                #expect(subscribed.isDisjoint(with: ids))
                subscribed.formUnion(ids)
            case .unsubscribe(let ids):
                #expect(subscribed.isSuperset(of: ids))
                subscribed.subtract(ids)
            }
        }
    }

    private func checkObservations() {
        let due = Set(apps.values.flatMap(\.wanted).filter(isReachable))
        if feed.subscriptions != due { Issue.record("the wrong values are observed") }
        if subscribed != due { Issue.record("the devices report the wrong values") }
    }

    private func forgetTheGone() {
        let there = Set(graph.observable.map(\.id))
        subscribed.formIntersection(there)
        for app in apps.values { app.wanted.formIntersection(there) }
    }

    private func isReachable(_ id: Characteristic.ID) -> Bool { graph.accessory(of: id)?.isReachable ?? false }

    private func anyApp() -> App? { apps.keys.sorted().randomElement(using: &random).flatMap { apps[$0] } }

    private func nextCall(_ session: SessionID) -> Call {
        lastCall += 1
        return Call(session, lastCall)
    }
}

extension HomeGraph {
    /// Returns the homes as a session with these observations sees them.
    fileprivate func flagged(_ ids: Set<Characteristic.ID>) -> HomeGraph {
        var graph = self
        for id in ids { graph.setNotification(true, for: id) }
        return graph
    }

    /// The homes without the times of values, which apps don't receive.
    fileprivate var comparable: HomeGraph {
        var homes = homes
        for home in homes.indices {
            for accessory in homes[home].accessories.indices {
                for service in homes[home].accessories[accessory].services.indices {
                    for index in homes[home].accessories[accessory].services[service].characteristics.indices {
                        homes[home].accessories[accessory].services[service].characteristics[index].valueTime = nil
                    }
                }
            }
        }
        return HomeGraph(homes: homes)
    }
}
