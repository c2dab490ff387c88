/// An app's copy of the homes: takes in what the daemon tells, and says what that means to listeners.
///
/// A load asks for the homes and then for their accessories, page by page. What is told after the homes came
/// (``loadBegan()``) is kept and applied to what was loaded; transactions that it contains already are passed over by
/// their revision. What is told before is in the homes. Until the first load is done nothing is known, and while later
/// ones go on what was known before stays.
///
/// Answers must be put in at their place among the notifications, or transactions seem to be missing.
struct Replica: Sendable, Equatable {
    /// What came of an input.
    package struct Update: Sendable, Equatable {
        /// What to tell listeners, in this order.
        package var events: [HomeClientEvent] = []
        /// The homes and accessories that are gone, so that no more events come of them.
        package var gone = Gone()
        /// Whether there may be characteristics that are gone, with an accessory or without it.
        var mayLackValues = false
        /// Whether there is more to see than an event of an accessory: the homes were loaded, or somebody changed one.
        var hasOtherHomes = false
        /// Whether something was missed, so that all must be loaded anew.
        var isGap = false
    }

    /// Objects that are there no more.
    package struct Gone: Sendable, Equatable {
        package var homes: Set<Home.ID> = []
        package var accessories: Set<Accessory.ID> = []

        package var isEmpty: Bool { homes.isEmpty && accessories.isEmpty }
    }

    private enum Change: Equatable {
        case transaction(HomeTransaction)
        case live(LiveEvent)
    }

    /// How many changes are kept during a load; more, and it is begun anew.
    static let keptChanges = 4096

    /// The homes as they are known.
    package private(set) var graph = HomeGraph()
    /// Whether they are what the daemon has, as far as it told.
    private(set) var isCurrent = false
    /// What was told during a load.
    private var kept: [Change]?

    /// Begins empty.
    package init() {}

    // MARK: Loading

    /// The connection broke, or a load is due: what follows is not applied to what is known.
    mutating func becameStale() {
        isCurrent = false
        kept = nil
    }

    /// The homes came, without their accessories: what is told from now on is not in them.
    mutating func loadBegan() {
        isCurrent = false
        kept = []
    }

    /// All accessories came.
    ///
    /// - Returns: what to tell, which is one `homesUpdated`, and the desired values that have changed since they were known
    ///   last; or a gap.
    package mutating func loaded(
        _ loaded: HomeGraph, isDesired: (Characteristic.ID) -> Bool = { _ in false }
    ) -> Update {
        var graph = loaded
        guard let kept else { return Update(isGap: true) }
        for change in kept {
            switch change {
            case .transaction(let transaction):
                guard graph.apply(transaction) != .missed else {
                    becameStale()
                    return Update(isGap: true)
                }
            case .live(let event): graph.apply(event)
            }
        }
        let before = self.graph
        self.graph = graph
        self.kept = nil
        isCurrent = true
        return Update(
            events: [.manager(.homesUpdated)] + changedValues(since: before, where: isDesired),
            gone: Self.gone(from: before, to: graph), mayLackValues: true, hasOtherHomes: true)
    }

    /// What changed while nothing was notified; a press is over by then.
    private func changedValues(
        since before: HomeGraph, where isDesired: (Characteristic.ID) -> Bool
    ) -> [HomeClientEvent] {
        var events: [HomeClientEvent] = []
        for characteristic in graph.homes.lazy.flatMap(\.accessories).flatMap(\.services).flatMap(\.characteristics)
        where characteristic.value != nil && !characteristic.type.isMomentary && isDesired(characteristic.id) {
            guard let former = before.characteristic(characteristic.id), former.value != characteristic.value else {
                continue
            }
            if let event = valueEvent(characteristic.id) { events.append(event) }
        }
        return events
    }

    private func valueEvent(_ id: Characteristic.ID) -> HomeClientEvent? {
        guard let accessory = graph.accessory(of: id), let home = graph.home(accessory.home),
            let characteristic = accessory.characteristic(id), let service = accessory.service(characteristic.service)
        else { return nil }
        return .accessory(
            Accessory.Event(.valueUpdated(service, characteristic), to: accessory, revision: home.revision))
    }

    /// The app may not see homes any more.
    package mutating func emptied() {
        graph = HomeGraph()
        becameStale()
    }

    // MARK: Changes

    /// Another app, or a device, changed a home; after a call of this app, listeners get only the changes that are
    /// marked for them.
    package mutating func received(_ transaction: HomeTransaction, isOwn: Bool = false) -> Update {
        guard isCurrent else { return keep(.transaction(transaction)) }
        let before = graph
        switch graph.apply(transaction) {
        case .known: return Update()
        case .missed:
            becameStale()
            return Update(isGap: true)
        case .applied: break
        }
        let visible = transaction.changes.filter { !isOwn || $0.reachesInitiator }.map(\.event)
        let events = visible.compactMap { HomeClientEvent($0, in: transaction.home, from: before, to: graph) }
        return Update(
            events: events, gone: Self.gone(by: transaction, from: before, to: graph),
            mayLackValues: Self.takesValues(transaction), hasOtherHomes: true)
    }

    /// A device reported an event, or a scene is carried out.
    package mutating func received(_ event: LiveEvent) -> Update {
        guard isCurrent else { return keep(.live(event)) }
        guard graph.apply(event) else { return Update() }
        switch event {
        case .reachabilityUpdated(let id, _), .faultUpdated(let id, _):
            guard let accessory = graph.accessory(id), let home = graph.home(accessory.home) else { return Update() }
            return Update(events: [
                .accessory(Accessory.Event(.reachabilityUpdated, to: accessory, revision: home.revision))
            ])
        case .actionSetExecutionUpdated(let id, _, _):
            guard let home = graph.home(of: id), let actionSet = home.actionSet(id) else { return Update() }
            return Update(events: [.home(Home.Event(.actionSetExecutionUpdated(actionSet), in: home))])
        case .valueUpdated(let id, _, _): return Update(events: valueEvent(id).map { [$0] } ?? [])
        }
    }

    /// Something for the copy of the homes only: a value that no listener here observes, or this app's own scene.
    package mutating func cached(_ event: LiveEvent) -> Update {
        guard isCurrent else { return keep(.live(event)) }
        graph.apply(event)
        return Update()
    }

    /// A call of this app read or set a value.
    package mutating func found(_ value: CharacteristicValue, of id: Characteristic.ID, at time: Timestamp) {
        _ = graph.apply(.valueUpdated(id, value, time: time))
        if kept != nil { _ = keep(.live(.valueUpdated(id, value, time: time))) }
    }

    /// The daemon reports changes of a value to this app, or does not any more.
    package mutating func setNotification(_ isEnabled: Bool, for id: Characteristic.ID) {
        graph.setNotification(isEnabled, for: id)
    }

    private mutating func keep(_ change: Change) -> Update {
        guard kept != nil else { return Update() }
        guard kept?.count ?? 0 < Self.keptChanges else {
            becameStale()
            return Update(isGap: true)
        }
        kept?.append(change)
        return Update()
    }

    // MARK: What is gone

    private static func gone(by transaction: HomeTransaction, from before: HomeGraph, to after: HomeGraph) -> Gone {
        takesValues(transaction) ? gone(from: before, to: after) : Gone()
    }

    private static func takesValues(_ transaction: HomeTransaction) -> Bool {
        transaction.changes.contains {
            switch $0.event {
            case .homeRemoved, .accessoryRemoved, .accessoryReplaced, .servicesUpdated: true
            default: false
            }
        }
    }

    private static func gone(from before: HomeGraph, to after: HomeGraph) -> Gone {
        let homes = { (graph: HomeGraph) in Set(graph.homes.map(\.id)) }
        let accessories = { (graph: HomeGraph) in Set(graph.homes.flatMap { $0.accessories.map(\.id) }) }
        return Gone(
            homes: homes(before).subtracting(homes(after)),
            accessories: accessories(before).subtracting(accessories(after)))
    }
}
