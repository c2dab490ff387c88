import HomeModel

import struct HAPModel.CharacteristicPermissions

/// The sessions that observe each value, and the values that the devices report as a result.
struct ObservationDemand: Sendable, Equatable {
    private struct Observation: Equatable {
        let home: Home.ID
        let accessory: Accessory.ID
        /// The observing sessions; never empty.
        var sessions: Set<SessionID>
        /// A Boolean value that indicates whether the device was asked to report the value; `false` while the device is
        /// unreachable.
        var isActive: Bool
    }

    private var observations: [Characteristic.ID: Observation] = [:]

    /// Returns the sessions that observe a value; empty if the device doesn't currently report it.
    func observers(of id: Characteristic.ID) -> Set<SessionID> {
        guard let observation = observations[id], observation.isActive else { return [] }
        return observation.sessions
    }

    /// Returns the values that a session observes and that devices currently report.
    func observed(by session: SessionID) -> Set<Characteristic.ID> {
        Set(observations.filter { $1.isActive && $1.sessions.contains(session) }.keys)
    }

    /// The observed values that devices currently report.
    var active: Set<Characteristic.ID> { Set(observations.filter(\.value.isActive).keys) }

    /// Adds a session's observation of a reachable accessory's value; returns whether the device must start to report
    /// it.
    mutating func start(_ id: Characteristic.ID, of accessory: Accessory, by session: SessionID) -> Bool {
        let wasActive = observations[id]?.isActive ?? false
        observations[
            id, default: Observation(home: accessory.home, accessory: accessory.id, sessions: [], isActive: true)
        ].sessions.insert(session)
        observations[id]?.isActive = true
        return !wasActive
    }

    /// Removes a session's observation; returns whether the device can stop reporting the value.
    mutating func stop(_ id: Characteristic.ID, by session: SessionID) -> Bool {
        guard var observation = observations[id] else { return false }
        observation.sessions.remove(session)
        observations[id] = observation.sessions.isEmpty ? nil : observation
        return observation.sessions.isEmpty && observation.isActive
    }

    /// Removes all observations of a session; returns the values that devices can stop reporting.
    mutating func stopAll(by session: SessionID) -> [Characteristic.ID] {
        observations.keys.sorted().filter { stop($0, by: session) }
    }

    /// Handles a change of an accessory's reachability; returns the values to which the hub must subscribe again.
    mutating func reachabilityChanged(of accessory: Accessory.ID, to isReachable: Bool) -> [Characteristic.ID] {
        var due: [Characteristic.ID] = []
        for (id, observation) in observations where observation.accessory == accessory {
            if isReachable, !observation.isActive { due.append(id) }
            observations[id]?.isActive = isReachable
        }
        return due.sorted()
    }

    /// Removes all observations of values that devices refuse to report.
    mutating func refused(_ ids: [Characteristic.ID]) {
        for id in ids { observations[id] = nil }
    }

    /// Removes the observations of values that a change of a home removed or that are no longer reported.
    ///
    /// The devices don't have these subscriptions any longer, so there is nothing to send.
    mutating func apply(_ event: HomeEvent, to home: Home.ID) {
        switch event {
        case .homeRemoved: observations = observations.filter { $1.home != home }
        case .accessoryRemoved(let id): observations = observations.filter { $1.accessory != id }
        case .accessoryReplaced(let accessory):
            apply(.servicesUpdated(accessory.id, accessory.services), to: home)
        case .servicesUpdated(let id, let services):
            let reporting = Set(
                services.flatMap(\.characteristics).filter { $0.metadata.permissions.contains(.notify) }.map(\.id))
            observations = observations.filter { $1.accessory != id || reporting.contains($0) }
        default: break
        }
    }

    /// Removes the observations of values that aren't in the new homes.
    mutating func homesReplaced(by graph: HomeGraph) {
        observations = observations.filter { graph.characteristic($0.key) != nil }
    }
}
