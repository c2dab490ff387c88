extension HomeManager {
    /// Adds a service group, without services as yet, to a home.
    ///
    /// - Parameters:
    ///   - name: its name, which nothing else in the home has.
    ///   - home: the home.
    /// - Returns: the group.
    /// - Throws: as ``addRoom(named:to:)``; `maximumObjectLimitReached` for too many groups.
    public func addServiceGroup(named name: String, to home: Home.ID) async throws(HomeError) -> ServiceGroup {
        try await write(.addServiceGroup(home, name: name)) { graph, commit throws(HomeError) in
            try graph.serviceGroup(commit)
        }
    }

    /// Renames a service group.
    ///
    /// - Throws: as ``addServiceGroup(named:to:)``, and `renameWithSimilarName` if that is its name.
    @discardableResult
    public func renameServiceGroup(_ group: ServiceGroup.ID, to name: String) async throws(HomeError) -> ServiceGroup {
        try await write(.renameServiceGroup(group, name: name)) { graph, _ throws(HomeError) in
            try graph.existing(group)
        }
    }

    /// Removes a service group; its services stay.
    ///
    /// - Throws: `notFound` if it is not there.
    public func removeServiceGroup(_ group: ServiceGroup.ID) async throws(HomeError) {
        try await write(.removeServiceGroup(group)) { _, _ throws(HomeError) in }
    }

    /// Makes a service part of a group; it may be part of several.
    ///
    /// - Throws: `alreadyExists` if it is part of it, `objectAssociatedToAnotherHome` if it is another home's.
    @discardableResult
    public func addService(
        _ service: Service.ID, toServiceGroup group: ServiceGroup.ID
    ) async throws(HomeError) -> ServiceGroup {
        try await write(.addServiceToServiceGroup(group, service)) { graph, _ throws(HomeError) in
            try graph.existing(group)
        }
    }

    /// Takes a service out of a group.
    ///
    /// - Throws: `notFound` if it is not part of it.
    @discardableResult
    public func removeService(
        _ service: Service.ID, fromServiceGroup group: ServiceGroup.ID
    ) async throws(HomeError) -> ServiceGroup {
        try await write(.removeServiceFromServiceGroup(group, service)) { graph, _ throws(HomeError) in
            try graph.existing(group)
        }
    }
}
