package import HomeModel

import struct HAPModel.CharacteristicPermissions

extension ChangeFeed {
    /// Starts or stops a session's observation of values.
    ///
    /// It succeeds if nothing changes. Stopping doesn't require a reachable device, but starting does.
    ///
    /// - Returns: The results in the order of `ids`, and the actions. The error codes are 2 if the characteristic is
    ///   unknown, 7 if it doesn't support notifications, 47 if the session isn't authorized, 61 if the accessory is
    ///   blocked, and 4 or 88 if it's unreachable.
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

    /// Stops all observations of values that devices refused to report.
    ///
    /// Sessions aren't notified. The call that started an observation returns the device's error, because this method
    /// is called before its answer.
    package mutating func refused(_ ids: [Characteristic.ID]) { observations.refused(ids) }

    /// Returns the values that a session observes and that devices currently report.
    ///
    /// Notifications for these values are marked as enabled in the session's copy of the homes.
    package func observed(by session: SessionID) -> Set<Characteristic.ID> { observations.observed(by: session) }

    /// The values that devices must report to the hub, for all sessions combined.
    package var subscriptions: Set<Characteristic.ID> { observations.active }
}
