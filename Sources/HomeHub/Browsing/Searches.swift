import HomeModel

import struct HAPModel.DeviceID

/// Which sessions search for accessories that could be added, and what each has been told.
///
/// A session hears of each accessory once in a search, and of its going once; before the start and after the end it
/// hears nothing. Each start begins anew.
struct Searches: Sendable, Equatable {
    /// Something to be told to one session.
    struct News: Sendable, Equatable {
        var session: SessionID
        var notification: HomeNotification
    }

    private var told: [SessionID: Set<DeviceID>] = [:]
    private var visible: [DiscoveredAccessory] = []

    /// A session begins to search, or begins anew.
    mutating func start(_ session: SessionID) -> [News] {
        told[session] = []
        return news(for: session)
    }

    /// A session does not search any more.
    mutating func stop(_ session: SessionID) { told[session] = nil }

    /// These could be added now, and no others.
    mutating func see(_ accessories: [DiscoveredAccessory]) -> [News] {
        visible = accessories
        return told.keys.sorted().flatMap { news(for: $0) }
    }

    private mutating func news(for session: SessionID) -> [News] {
        let present = Set(visible.map(\.id))
        let known = told[session] ?? []
        told[session] = present
        let lost = known.subtracting(present).sorted { $0.description < $1.description }
        return lost.map { News(session: session, notification: .accessoryLost($0)) }
            + visible.filter { !known.contains($0.id) }
            .map { News(session: session, notification: .accessoryFound($0)) }
    }
}
