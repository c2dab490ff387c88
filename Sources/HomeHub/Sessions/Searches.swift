import HomeModel

import struct HAPModel.DeviceID

/// The sessions that search for accessories to add, and the accessories that each was notified of.
///
/// During a search, a session is notified once of each accessory that appears or disappears. A restarted search
/// reports all accessories again.
struct Searches: Sendable, Equatable {
    /// A notification for one session.
    struct Event: Sendable, Equatable {
        var session: SessionID
        var notification: HomeNotification
    }

    private var known: [SessionID: Set<DeviceID>] = [:]
    private var visible: [DiscoveredAccessory] = []

    /// Starts or restarts a session's search.
    mutating func start(_ session: SessionID) -> [Event] {
        known[session] = []
        return events(for: session)
    }

    mutating func stop(_ session: SessionID) { known[session] = nil }

    /// Replaces the accessories that can be added now.
    mutating func see(_ accessories: [DiscoveredAccessory]) -> [Event] {
        visible = accessories
        return known.keys.sorted().flatMap { events(for: $0) }
    }

    private mutating func events(for session: SessionID) -> [Event] {
        let present = Set(visible.map(\.id))
        let last = known[session] ?? []
        known[session] = present
        let lost = last.subtracting(present).sorted { $0.description < $1.description }
        return lost.map { Event(session: session, notification: .accessoryLost($0)) }
            + visible.filter { !last.contains($0.id) }
            .map { Event(session: session, notification: .accessoryFound($0)) }
    }
}
