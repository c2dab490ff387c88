import HomeModel

/// The hub's status for the daemon.
extension HomeHub {
    package var status: HubStatus {
        let accessories = graph.homes.flatMap(\.accessories)
        return HubStatus(
            homes: graph.homes.count, accessories: accessories.count,
            reachable: accessories.count(where: \.isReachable), sessions: sessions.count)
    }
}

/// The numbers of objects and sessions in a hub.
package struct HubStatus: Sendable, Equatable {
    package var homes: Int
    package var accessories: Int
    /// The number of reachable accessories.
    package var reachable: Int
    package var sessions: Int

    package init(homes: Int, accessories: Int, reachable: Int, sessions: Int) {
        self.homes = homes
        self.accessories = accessories
        self.reachable = reachable
        self.sessions = sessions
    }
}
