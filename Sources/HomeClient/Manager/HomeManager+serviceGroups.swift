extension HomeManager {
    /// Adds a service group without services to a home.
    ///
    /// - Parameters:
    ///   - name: The group's name, which must be unique in the home.
    ///   - home: The home.
    /// - Returns: The added group.
    /// - Throws: The errors of ``addRoom(named:to:)`` for the name, `maximumObjectLimitReached` if there are too many
    ///   groups.
    public func addServiceGroup(named name: String, to home: Home.ID) async throws(HomeError) -> ServiceGroup {
        try await write(.addServiceGroup(home, name: name)) { graph, commit throws(HomeError) in
            try graph.serviceGroup(commit)
        }
    }

    /// Renames a service group.
    ///
    /// - Throws: The errors of ``addServiceGroup(named:to:)`` for the name, `renameWithSimilarName` if the group
    ///   already has the name.
    @discardableResult
    public func renameServiceGroup(_ group: ServiceGroup.ID, to name: String) async throws(HomeError) -> ServiceGroup {
        try await write(.renameServiceGroup(group, name: name)) { graph, _ throws(HomeError) in
            try graph.existing(group)
        }
    }

    /// Removes a service group, but not its services.
    ///
    /// - Throws: `notFound` if there is no such group.
    public func removeServiceGroup(_ group: ServiceGroup.ID) async throws(HomeError) {
        try await write(.removeServiceGroup(group)) { _, _ throws(HomeError) in }
    }

    /// Adds a service to a group.
    ///
    /// A service can be in several groups.
    ///
    /// - Throws: `alreadyExists` if the service is already in the group, `objectAssociatedToAnotherHome` if it's in
    ///   another home, `maximumObjectLimitReached` if there are too many services in the group.
    @discardableResult
    public func addService(
        _ service: Service.ID, toServiceGroup group: ServiceGroup.ID
    ) async throws(HomeError) -> ServiceGroup {
        try await write(.addServiceToServiceGroup(group, service)) { graph, _ throws(HomeError) in
            try graph.existing(group)
        }
    }

    /// Removes a service from a group.
    ///
    /// - Throws: `notFound` if the service isn't in the group.
    @discardableResult
    public func removeService(
        _ service: Service.ID, fromServiceGroup group: ServiceGroup.ID
    ) async throws(HomeError) -> ServiceGroup {
        try await write(.removeServiceFromServiceGroup(group, service)) { graph, _ throws(HomeError) in
            try graph.existing(group)
        }
    }
}
