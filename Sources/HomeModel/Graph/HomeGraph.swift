package import HAPModel

/// All homes: what the daemon's database holds, and what an app's copy of it holds.
///
/// The graph changes by transactions only. The daemon makes them out of what it is asked to do (``perform(_:using:)``
/// and its kin check every precondition first and change nothing on an error), applies them and sends them on; an app
/// applies what it receives. So both are equal by construction.
package struct HomeGraph: Sendable, Equatable {
    /// The homes in order of age.
    package private(set) var homes: [Home]

    /// Takes homes as they were stored or received, oldest first.
    package init(homes: [Home] = []) { self.homes = homes }

    /// The home that apps show first; there is one if there are homes.
    package var primaryHome: Home? { homes.first(where: \.isPrimary) }

    // MARK: Looking up

    package func home(_ id: Home.ID) -> Home? { homes.first { $0.id == id } }

    /// The home that a room is in, be it the default room.
    package func home(of room: Room.ID) -> Home? { homes.first { $0.room(room) != nil } }

    package func home(of zone: Zone.ID) -> Home? { homes.first { $0.zone(zone) != nil } }

    package func home(of accessory: Accessory.ID) -> Home? { homes.first { $0.accessory(accessory) != nil } }

    package func home(of actionSet: ActionSet.ID) -> Home? { homes.first { $0.actionSet(actionSet) != nil } }

    package func home(of group: ServiceGroup.ID) -> Home? { homes.first { $0.serviceGroup(group) != nil } }

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

    /// The accessories that are reached at a server, the bridge itself first.
    package func accessories(at deviceID: DeviceID) -> [Accessory] {
        homes.flatMap { home in home.accessories.filter { $0.deviceID == deviceID } }
    }

    // MARK: Applying

    /// What became of a transaction.
    package enum Application: Sendable, Equatable {
        case applied
        /// Its changes are contained already.
        case known
        /// Transactions before it are missing; the homes must be loaded anew.
        case missed
    }

    /// Applies a transaction, or nothing of it.
    package mutating func apply(_ transaction: HomeTransaction) -> Application {
        let present = home(transaction.home)?.revision ?? 0
        guard transaction.revision > present else { return .known }
        guard transaction.revision == present + 1 else { return .missed }
        for change in transaction.changes { apply(change.event, to: transaction.home) }
        update(transaction.home) { $0.revision = transaction.revision }
        return .applied
    }

    /// Applies what needs no revision.
    ///
    /// - Parameter event: what was received; of objects that are not there it is ignored.
    /// - Returns: whether there is something to tell: what is told is another than before, or a button was pressed.
    @discardableResult package mutating func apply(_ event: LiveEvent) -> Bool {
        switch event {
        case .reachabilityUpdated(let id, let isReachable):
            guard let accessory = accessory(id), accessory.isReachable != isReachable else { return false }
            update(accessory.home) { home in
                home.update(id) { accessory in
                    accessory.isReachable = isReachable
                    accessory.fault = nil
                    guard !isReachable else { return }
                    // What cannot be reached reports nothing.
                    accessory.updateCharacteristics { $0.isNotificationEnabled = false }
                }
            }
            return true
        case .faultUpdated(let id, let fault):
            // What can be reached has none.
            guard let accessory = accessory(id), !accessory.isReachable, accessory.fault != fault else { return false }
            update(accessory.home) { $0.update(id) { $0.fault = fault } }
            return true
        case .valueUpdated(let id, let value, let time):
            guard let accessory = accessory(of: id), let present = accessory.characteristic(id) else { return false }
            update(accessory.home) { home in
                home.update(id, of: accessory.id) { characteristic in
                    characteristic.value = value
                    characteristic.valueTime = time
                }
            }
            return present.value != value || present.type.isMomentary
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
        }
    }

    /// Notes whether an app's characteristic reports changes; in the daemon that is a matter of sessions.
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
