extension HomeGraph {
    /// Returns the home that a write created.
    ///
    /// - Throws: `notFound` if it was already removed, or if the daemon didn't return its ID.
    func home(_ commit: HomeCommit) throws(HomeError) -> Home {
        guard case .home(let id) = commit.result else { throw Self.lost }
        return try existing(id)
    }

    func room(_ commit: HomeCommit) throws(HomeError) -> Room {
        guard case .room(let id) = commit.result else { throw Self.lost }
        return try existing(id)
    }

    func zone(_ commit: HomeCommit) throws(HomeError) -> Zone {
        guard case .zone(let id) = commit.result else { throw Self.lost }
        return try existing(id)
    }

    func actionSet(_ commit: HomeCommit) throws(HomeError) -> ActionSet {
        guard case .actionSet(let id) = commit.result else { throw Self.lost }
        return try existing(id)
    }

    func serviceGroup(_ commit: HomeCommit) throws(HomeError) -> ServiceGroup {
        guard case .serviceGroup(let id) = commit.result else { throw Self.lost }
        return try existing(id)
    }

    func trigger(_ commit: HomeCommit) throws(HomeError) -> Trigger {
        guard case .trigger(let id) = commit.result else { throw Self.lost }
        return try existing(id)
    }

    func person(_ commit: HomeCommit) throws(HomeError) -> Resident {
        guard case .person(let id) = commit.result else { throw Self.lost }
        return try existing(id)
    }

    func accessories(_ commit: HomeCommit) -> [Accessory] {
        guard case .accessories(let ids) = commit.result else { return [] }
        return ids.compactMap { accessory($0) }
    }

    // MARK: Required objects

    func existing(_ id: Home.ID) throws(HomeError) -> Home { try found(home(id)) }
    func existing(_ id: Room.ID) throws(HomeError) -> Room { try found(home(of: id)?.room(id)) }
    func existing(_ id: Zone.ID) throws(HomeError) -> Zone { try found(home(of: id)?.zone(id)) }
    func existing(_ id: ActionSet.ID) throws(HomeError) -> ActionSet { try found(home(of: id)?.actionSet(id)) }
    func existing(_ id: ServiceGroup.ID) throws(HomeError) -> ServiceGroup {
        try found(home(of: id)?.serviceGroup(id))
    }
    func existing(_ id: Trigger.ID) throws(HomeError) -> Trigger { try found(home(of: id)?.trigger(id)) }
    func existing(_ id: Resident.ID) throws(HomeError) -> Resident { try found(home(of: id)?.person(id)) }
    func existing(_ id: Accessory.ID) throws(HomeError) -> Accessory { try found(accessory(id)) }
    func existing(_ id: Service.ID) throws(HomeError) -> Service { try found(accessory(of: id)?.service(id)) }

    private func found<Entity>(_ entity: Entity?) throws(HomeError) -> Entity {
        guard let entity else { throw Self.lost }
        return entity
    }

    private static let lost = HomeError(.notFound)
}
