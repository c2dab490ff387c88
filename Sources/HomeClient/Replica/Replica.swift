/// An app's copy of the homes.
///
/// It applies the daemon's messages and derives the events for listeners.
///
/// A load requests the homes, and then their accessories in pages. Changes that arrive after the homes
/// (``loadBegan()``) are kept and applied to the loaded homes. Transactions that the loaded homes already contain are
/// recognized by their revision and skipped. Changes that arrive before the homes are already part of them. The copy is
/// empty until the first load has finished, and doesn't change during later loads.
///
/// Answers must be applied in order with the notifications. Otherwise, transactions would seem to be missing.
struct Replica: Sendable, Equatable {
    /// The result of an input.
    package struct Update: Sendable, Equatable {
        /// The events for listeners, in order.
        package var events: [HomeClientEvent] = []
        /// The removed homes and accessories, whose streams end.
        package var gone = Gone()
        /// A Boolean value that indicates whether characteristics may have been removed, with or without their
        /// accessory.
        var mayLackValues = false
        /// A Boolean value that indicates whether the homes were loaded or changed, not just the state of accessories.
        var hasOtherHomes = false
        /// A Boolean value that indicates whether changes were missed, so that the homes must be loaded again.
        var isGap = false
    }

    /// The removed objects.
    package struct Gone: Sendable, Equatable {
        package var homes: Set<Home.ID> = []
        package var accessories: Set<Accessory.ID> = []

        package var isEmpty: Bool { homes.isEmpty && accessories.isEmpty }
    }

    private enum Change: Equatable {
        case transaction(HomeTransaction)
        case live(LiveEvent)
    }

    /// The maximum number of changes kept during a load.
    ///
    /// When it's exceeded, the load restarts.
    static let keptChanges = 4096

    /// The known homes.
    package private(set) var graph = HomeGraph()
    /// A Boolean value that indicates whether the homes equal the daemon's, as far as it has reported.
    private(set) var isCurrent = false
    /// The changes that arrived during a load.
    private var kept: [Change]?

    /// Creates an empty copy.
    package init() {}

    // MARK: Loading

    /// Marks the copy as outdated after a lost connection or before a load.
    ///
    /// Later changes aren't applied to it.
    mutating func becameStale() {
        isCurrent = false
        kept = nil
    }

    /// Starts to keep changes, because the homes that have just arrived don't contain later changes.
    mutating func loadBegan() {
        isCurrent = false
        kept = []
    }

    /// Applies the loaded homes.
    ///
    /// - Returns: One `homesUpdated` and the events of desired values that have changed; or a gap if changes were
    ///   missed.
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

    /// Returns events for values that changed without a notification.
    ///
    /// Button presses are omitted because they have no lasting value.
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

    /// Empties the copy because the app lost its permission.
    package mutating func emptied() {
        graph = HomeGraph()
        becameStale()
    }

    // MARK: Changes

    /// Applies a transaction.
    ///
    /// For one of this app's own calls, listeners receive only the changes that are marked for them.
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

    /// Applies a device's event, a change of a scene's execution, or an evaluation of an automation.
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
        case .triggerFired(let record):
            guard let home = graph.home(of: record.trigger), let trigger = home.trigger(record.trigger) else {
                return Update()
            }
            return Update(events: [.home(Home.Event(.triggerFired(trigger, record), in: home))])
        case .valueUpdated(let id, _, _): return Update(events: valueEvent(id).map { [$0] } ?? [])
        case .readFailed: return Update()
        }
    }

    /// Applies an event without notifying listeners.
    ///
    /// The event is a value that this app doesn't observe, or the start or end of a scene that this app has executed.
    package mutating func cached(_ event: LiveEvent) -> Update {
        guard isCurrent else { return keep(.live(event)) }
        graph.apply(event)
        return Update()
    }

    /// Applies a value that a call of this app read or wrote.
    package mutating func found(_ value: CharacteristicValue, of id: Characteristic.ID, at time: Timestamp) {
        _ = graph.apply(.valueUpdated(id, value, time: time))
        if kept != nil { _ = keep(.live(.valueUpdated(id, value, time: time))) }
    }

    /// Sets whether the daemon reports changes of a value to this app.
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

    // MARK: Removed objects

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
