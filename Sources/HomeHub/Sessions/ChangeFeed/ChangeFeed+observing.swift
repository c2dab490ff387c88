package import HomeModel

import struct HAPModel.CharacteristicPermissions

extension ChangeFeed {
    /// A session wants to be notified of values from now on, or no more.
    ///
    /// What is so already succeeds, too. Switching off needs no device; switching on needs one that can be reached.
    ///
    /// - Returns: the result for each, in the same order, and what to do. Of one that is unknown 2, of one that does not
    ///   report changes 7, while its accessory is blocked 61, while it cannot be reached 4 or 88.
    package mutating func setNotification(
        _ isEnabled: Bool, for ids: [Characteristic.ID], by session: SessionID, in graph: HomeGraph
    ) -> (results: [ValueResult], actions: [Action]) {
        var results: [ValueResult] = []
        var due: [Characteristic.ID] = []
        for id in ids {
            do throws(HomeError) {
                if isEnabled {
                    let accessory = try observable(id, by: session, in: graph)
                    if observations.start(id, of: accessory, by: session) { due.append(id) }
                } else {
                    guard graph.characteristic(id) != nil else { throw HomeError(.notFound) }
                    if observations.stop(id, by: session) { due.append(id) }
                }
                results.append(ValueResult(characteristic: id))
            } catch {
                results.append(ValueResult(characteristic: id, error: error))
            }
        }
        guard !due.isEmpty else { return (results, []) }
        return (results, [isEnabled ? .subscribe(due) : .unsubscribe(due)])
    }

    private func observable(
        _ id: Characteristic.ID, by session: SessionID, in graph: HomeGraph
    ) throws(HomeError) -> Accessory {
        guard isAuthorized(session) else { throw HomeError(.homeAccessNotAuthorized) }
        guard let accessory = graph.accessory(of: id), let characteristic = accessory.characteristic(id) else {
            throw HomeError(.notFound)
        }
        guard characteristic.metadata.permissions.contains(.notify) else {
            throw HomeError(.notificationNotSupported, accessory: accessory.id)
        }
        guard !accessory.isBlocked else { throw HomeError(.accessoryIsBlocked, accessory: accessory.id) }
        guard accessory.isReachable else {
            throw HomeError(
                accessory.isBridged ? .bridgedAccessoryNotReachable : .accessoryNotReachable, accessory: accessory.id)
        }
        return accessory
    }

    /// Devices would not report these values: no session observes them any more.
    ///
    /// Sessions are not told; it is said before the call that enabled them is answered, with what the device said.
    package mutating func refused(_ ids: [Characteristic.ID]) { observations.refused(ids) }

    /// What a session is notified of now: what its copy of the homes shows as enabled.
    package func observed(by session: SessionID) -> Set<Characteristic.ID> { observations.observed(by: session) }

    /// What the devices are to report now, all subscriptions and ends of subscriptions together.
    package var subscriptions: Set<Characteristic.ID> { observations.active }
}
