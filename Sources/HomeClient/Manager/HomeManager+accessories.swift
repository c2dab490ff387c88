extension HomeManager {
    /// Assigns an accessory to a room of its home.
    ///
    /// - Throws: `objectNotAssociatedToAnyHome` or `objectAssociatedToAnotherHome` if the accessory isn't in the home,
    ///   `objectAssociatedToAnotherHome` for a room of another home, `alreadyExists` if the accessory is already in the
    ///   room.
    @discardableResult
    public func assignAccessory(
        _ accessory: Accessory.ID, to room: Room.ID, in home: Home.ID
    ) async throws(HomeError) -> Accessory {
        try await write(.assignAccessory(home, accessory, room)) { graph, _ throws(HomeError) in
            try graph.existing(accessory)
        }
    }

    /// Renames an accessory in the home.
    ///
    /// The name that the device advertises doesn't change.
    ///
    /// - Throws: `nameContainsProhibitedCharacters`, `nameDoesNotStartWithValidCharacters`, `stringLongerThanMaximum`,
    ///   `stringShorterThanMinimum` or `nameDoesNotEndWithValidCharacters` for an invalid name,
    ///   `objectWithSimilarNameExistsInHome` if the name is taken, `renameWithSimilarName` if the accessory already has
    ///   the name.
    @discardableResult
    public func renameAccessory(_ accessory: Accessory.ID, to name: String) async throws(HomeError) -> Accessory {
        try await write(.renameAccessory(accessory, name: name)) { graph, _ throws(HomeError) in
            try graph.existing(accessory)
        }
    }

    /// Removes an accessory from its home, or a bridge with all its bridged accessories.
    ///
    /// The removal succeeds even if the device doesn't respond; ``AccessoryRemoval/stale`` then contains the accessory.
    ///
    /// - Returns: The removed accessories, and the accessories whose devices are still paired.
    /// - Throws: `cannotRemoveNonBridgeAccessory` for a bridged accessory, `objectNotAssociatedToAnyHome` if the
    ///   accessory isn't in the home.
    @discardableResult
    public func removeAccessory(
        _ accessory: Accessory.ID, from home: Home.ID
    ) async throws(HomeError) -> AccessoryRemoval {
        try await remove(.removeAccessory(home, accessory))
    }

    /// Makes an accessory identify itself, for instance by blinking or playing a sound.
    ///
    /// - Throws: `operationNotSupported` if the accessory doesn't support this, `accessoryNotReachable` or
    ///   `bridgedAccessoryNotReachable` if it's unreachable.
    public func identify(_ accessory: Accessory.ID) async throws(HomeError) {
        try await call(.identify(accessory), deadline: timeouts.call) { _ throws(HomeError) in }
    }

    /// Unblocks an accessory that was blocked because it misbehaved.
    ///
    /// The call has no effect on an accessory that isn't blocked.
    ///
    /// - Throws: `cannotUnblockNonBridgeAccessory` for a bridged accessory.
    @discardableResult
    public func unblockAccessory(_ accessory: Accessory.ID, in home: Home.ID) async throws(HomeError) -> Accessory {
        try await write(.unblockAccessory(home, accessory)) { graph, _ throws(HomeError) in
            try graph.existing(accessory)
        }
    }

    /// Renames a service in the home.
    ///
    /// - Throws: `nameContainsProhibitedCharacters`, `nameDoesNotStartWithValidCharacters`, `stringLongerThanMaximum`,
    ///   `stringShorterThanMinimum` or `nameDoesNotEndWithValidCharacters` for an invalid name,
    ///   `objectWithSimilarNameExists` if the name is taken in the accessory, `renameWithSimilarName` if the service
    ///   already has the name.
    @discardableResult
    public func renameService(_ service: Service.ID, to name: String) async throws(HomeError) -> Service {
        try await write(.renameService(service, name: name)) { graph, _ throws(HomeError) in try graph.existing(service)
        }
    }

    /// Sets the type that apps use to display an outlet, a switch or a contact sensor.
    ///
    /// - Parameters:
    ///   - type: The type to show; `nil` for the service's own type.
    ///   - service: The service.
    /// - Returns: The changed service.
    /// - Throws: `invalidAssociatedServiceType` if the service can't be shown as that type.
    @discardableResult
    public func setAssociatedServiceType(
        _ type: ServiceType?, for service: Service.ID
    ) async throws(HomeError) -> Service {
        try await write(.setAssociatedServiceType(service, type)) { graph, _ throws(HomeError) in
            try graph.existing(service)
        }
    }

    /// Sets whether a service is a favorite, one of the services that the user uses most.
    ///
    /// - Throws: `notFound` if there is no such service.
    @discardableResult
    public func setFavorite(_ isFavorite: Bool, for service: Service.ID) async throws(HomeError) -> Service {
        try await write(.setFavorite(service, isFavorite)) { graph, _ throws(HomeError) in try graph.existing(service) }
    }
}
