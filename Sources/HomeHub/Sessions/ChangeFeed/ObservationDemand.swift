import HomeModel

import struct HAPModel.CharacteristicPermissions

/// Which sessions want to be notified of which values, and which values the devices report therefore.
struct ObservationDemand: Sendable, Equatable {
    private struct Observation: Equatable {
        let home: Home.ID
        let accessory: Accessory.ID
        /// Who wants it; never empty.
        var sessions: Set<SessionID>
        /// Whether the device was asked to report it; not while it cannot be reached.
        var isActive: Bool
    }

    private var observations: [Characteristic.ID: Observation] = [:]

    /// The sessions that are notified of a value now.
    func observers(of id: Characteristic.ID) -> Set<SessionID> {
        guard let observation = observations[id], observation.isActive else { return [] }
        return observation.sessions
    }

    /// What a session is notified of now.
    func observed(by session: SessionID) -> Set<Characteristic.ID> {
        Set(observations.filter { $1.isActive && $1.sessions.contains(session) }.keys)
    }

    /// What the devices report now.
    var active: Set<Characteristic.ID> { Set(observations.filter(\.value.isActive).keys) }

    /// A session wants a value of a reachable accessory; returns whether the device does not report it yet.
    mutating func start(_ id: Characteristic.ID, of accessory: Accessory, by session: SessionID) -> Bool {
        let wasActive = observations[id]?.isActive ?? false
        observations[
            id, default: Observation(home: accessory.home, accessory: accessory.id, sessions: [], isActive: true)
        ].sessions.insert(session)
        observations[id]?.isActive = true
        return !wasActive
    }

    /// A session no longer wants a value; returns whether the device still reports it and no session is left.
    mutating func stop(_ id: Characteristic.ID, by session: SessionID) -> Bool {
        guard var observation = observations[id] else { return false }
        observation.sessions.remove(session)
        observations[id] = observation.sessions.isEmpty ? nil : observation
        return observation.sessions.isEmpty && observation.isActive
    }

    /// A session no longer wants anything; returns the values that devices report and no session wants.
    mutating func stopAll(by session: SessionID) -> [Characteristic.ID] {
        observations.keys.sorted().filter { stop($0, by: session) }
    }

    /// An accessory can be reached again, or not any more; returns the values that it must report again now.
    mutating func reachabilityChanged(of accessory: Accessory.ID, to isReachable: Bool) -> [Characteristic.ID] {
        var due: [Characteristic.ID] = []
        for (id, observation) in observations where observation.accessory == accessory {
            if isReachable, !observation.isActive { due.append(id) }
            observations[id]?.isActive = isReachable
        }
        return due.sorted()
    }

    /// Devices do not report these: no session observes them.
    mutating func refused(_ ids: [Characteristic.ID]) {
        for id in ids { observations[id] = nil }
    }

    /// A home changed: what is gone, or does not report any more, is observed by no session.
    ///
    /// There is nothing to say to the devices; they know it no more.
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

    /// All homes were replaced: what is not in them is observed by no session.
    mutating func homesReplaced(by graph: HomeGraph) {
        observations = observations.filter { graph.characteristic($0.key) != nil }
    }
}
