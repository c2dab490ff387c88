import HomeModel

import struct HAPModel.DeviceID

/// Which sessions search for accessories that could be added, and what each has been told.
///
/// A session is notified of each accessory once in a search, and of its going once; before the start and after the end it is
/// notified of nothing. Each start begins anew.
struct Searches: Sendable, Equatable {
    /// Something to be told to one session.
    struct Event: Sendable, Equatable {
        var session: SessionID
        var notification: HomeNotification
    }

    private var known: [SessionID: Set<DeviceID>] = [:]
    private var visible: [DiscoveredAccessory] = []

    /// A session begins to search, or begins anew.
    mutating func start(_ session: SessionID) -> [Event] {
        known[session] = []
        return events(for: session)
    }

    mutating func stop(_ session: SessionID) { known[session] = nil }

    /// These could be added now, and no others.
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
