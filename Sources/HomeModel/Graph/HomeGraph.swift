package import HAPModel

/// All homes, in the daemon's database or in an app's copy of it.
///
/// The graph changes only through transactions. The daemon creates them from requests, applies them and sends them to
/// apps. ``perform(_:using:)`` and related methods check all preconditions first and change nothing on an error. An app
/// applies the transactions it receives. Therefore, an app's copy always equals the daemon's graph at the same
/// revision.
package struct HomeGraph: Sendable, Equatable {
    /// The homes, oldest first.
    package private(set) var homes: [Home]

    /// Creates a graph of stored or received homes, oldest first.
    package init(homes: [Home] = []) { self.homes = homes }

    /// The home that apps show first; `nil` only if there are no homes.
    package var primaryHome: Home? { homes.first(where: \.isPrimary) }

    // MARK: Lookup

    package func home(_ id: Home.ID) -> Home? { homes.first { $0.id == id } }

    /// Returns the home of a room, including default rooms.
    package func home(of room: Room.ID) -> Home? { homes.first { $0.room(room) != nil } }

    package func home(of zone: Zone.ID) -> Home? { homes.first { $0.zone(zone) != nil } }

    package func home(of accessory: Accessory.ID) -> Home? { homes.first { $0.accessory(accessory) != nil } }

    package func home(of actionSet: ActionSet.ID) -> Home? { homes.first { $0.actionSet(actionSet) != nil } }

    package func home(of group: ServiceGroup.ID) -> Home? { homes.first { $0.serviceGroup(group) != nil } }

    package func home(of trigger: Trigger.ID) -> Home? { homes.first { $0.trigger(trigger) != nil } }

    package func home(of person: Resident.ID) -> Home? { homes.first { $0.person(person) != nil } }

    package func accessory(of service: Service.ID) -> Accessory? {
        for home in homes {
            if let accessory = home.accessories.first(where: { $0.service(service) != nil }) { return accessory }
        }
        return nil
    }

    package func accessory(of characteristic: Characteristic.ID) -> Accessory? {
        for home in homes {
            for index in home.accessories.indices where home.accessories[index].has(characteristic) {
                return home.accessories[index]
            }
        }
        return nil
    }

    package func accessory(_ id: Accessory.ID) -> Accessory? {
        for home in homes {
            if let accessory = home.accessory(id) { return accessory }
        }
        return nil
    }

    package func characteristic(_ id: Characteristic.ID) -> Characteristic? {
        accessory(of: id)?.characteristic(id)
    }

    /// Returns the accessories of a server, the main accessory first.
    package func accessories(at deviceID: DeviceID) -> [Accessory] {
        homes.flatMap { home in home.accessories.filter { $0.deviceID == deviceID } }
    }

    // MARK: Transactions

    /// The result of applying a transaction.
    package enum Application: Sendable, Equatable {
        case applied
        /// The graph already contains the changes.
        case known
        /// Earlier transactions are missing. The homes must be loaded again.
        case missed
    }

    /// Applies all changes of a transaction, or no change if it isn't the next transaction of its home.
    package mutating func apply(_ transaction: HomeTransaction) -> Application {
        let present = home(transaction.home)?.revision ?? 0
        guard transaction.revision > present else { return .known }
        guard transaction.revision == present + 1 else { return .missed }
        for change in transaction.changes { apply(change.event, to: transaction.home) }
        update(transaction.home) { $0.revision = transaction.revision }
        return .applied
    }

    /// Applies an event that has no revision.
    ///
    /// - Parameter event: A received event. It has no effect if its object is missing.
    /// - Returns: A Boolean value that indicates whether to notify listeners: the state changed, or the event reports a
    ///   momentary value such as a button press.
    @discardableResult package mutating func apply(_ event: LiveEvent) -> Bool {
        switch event {
        case .reachabilityUpdated(let id, let isReachable):
            guard let accessory = accessory(id), accessory.isReachable != isReachable else { return false }
            update(accessory.home) { home in
                home.update(id) { accessory in
                    accessory.isReachable = isReachable
                    accessory.fault = nil
                    guard !isReachable else { return }
                    // An unreachable accessory reports nothing.
                    accessory.updateCharacteristics { $0.isNotificationEnabled = false }
                }
            }
            return true
        case .faultUpdated(let id, let fault):
            // A reachable accessory has no fault.
            guard let accessory = accessory(id), !accessory.isReachable, accessory.fault != fault else { return false }
            update(accessory.home) { $0.update(id) { $0.fault = fault } }
            return true
        case .valueUpdated(let id, let value, let time):
            guard let accessory = accessory(of: id), let present = accessory.characteristic(id) else { return false }
            update(accessory.home) { home in
                home.update(id, of: accessory.id) { characteristic in
                    characteristic.value = value
                    characteristic.valueTime = time
                    characteristic.isOutdated = false
                }
            }
            return present.value != value || present.type.isMomentary || present.isOutdated
        case .readFailed(let id):
            guard let accessory = accessory(of: id), let present = accessory.characteristic(id), present.value != nil,
                !present.isOutdated
            else { return false }
            update(accessory.home) { $0.update(id, of: accessory.id) { $0.isOutdated = true } }
            return true
        case .actionSetExecutionUpdated(let id, let isExecuting, let last):
            guard let home = home(of: id), let present = home.actionSet(id),
                present.isExecuting != isExecuting || present.lastExecutionTime != last
            else { return false }
            update(home.id) { home in
                home.update(id) { actionSet in
                    actionSet.isExecuting = isExecuting
                    actionSet.lastExecutionTime = last
                }
            }
            return true
        case .triggerFired(let record): return home(of: record.trigger) != nil
        }
    }

    /// Sets whether the app observes a characteristic, in the app's copy of the homes.
    ///
    /// The daemon stores this setting with each session, not in its graph.
    package mutating func setNotification(_ isEnabled: Bool, for id: Characteristic.ID) {
        guard let accessory = accessory(of: id) else { return }
        update(accessory.home) { $0.update(id, of: accessory.id) { $0.isNotificationEnabled = isEnabled } }
    }

    private mutating func update(_ id: Home.ID, _ change: (inout Home) -> Void) {
        guard let index = homes.firstIndex(where: { $0.id == id }) else { return }
        change(&homes[index])
    }

    private mutating func apply(_ event: HomeEvent, to id: Home.ID) {
        switch event {
        case .homeAdded(let home): homes.append(home)
        case .homeRemoved: homes.removeAll { $0.id == id }
        case .primaryHomeUpdated(let primary):
            for index in homes.indices { homes[index].isPrimary = homes[index].id == primary }
        default: update(id) { $0.apply(event) }
        }
    }
}
