extension HomeManager {
    /// Puts an accessory into a room of its home.
    ///
    /// - Throws: `objectNotAssociatedToAnyHome` or `objectAssociatedToAnotherHome` if the accessory is not in the home,
    ///   `objectAssociatedToAnotherHome` for a room of another home, `alreadyExists` if it is there already.
    @discardableResult
    public func assignAccessory(
        _ accessory: Accessory.ID, to room: Room.ID, in home: Home.ID
    ) async throws(HomeError) -> Accessory {
        try await write(.assignAccessory(home, accessory, room)) { graph, _ throws(HomeError) in
            try graph.existing(accessory)
        }
    }

    /// Renames an accessory in the home; the device keeps the name it gives itself.
    ///
    /// - Throws: `nameContainsProhibitedCharacters`, `nameDoesNotStartWithValidCharacters`, `stringLongerThanMaximum`,
    ///   `stringShorterThanMinimum` or `nameDoesNotEndWithValidCharacters` for a name that breaks the rules,
    ///   `objectWithSimilarNameExistsInHome` if it is taken, `renameWithSimilarName` if that is its name.
    @discardableResult
    public func renameAccessory(_ accessory: Accessory.ID, to name: String) async throws(HomeError) -> Accessory {
        try await write(.renameAccessory(accessory, name: name)) { graph, _ throws(HomeError) in
            try graph.existing(accessory)
        }
    }

    /// Removes an accessory from its home, a bridge with all its accessories.
    ///
    /// That succeeds even if the device does not answer; ``AccessoryRemoval/stale`` says so.
    ///
    /// - Returns: what was removed, and which devices could not be told.
    /// - Throws: `cannotRemoveNonBridgeAccessory` for one behind a bridge, `objectNotAssociatedToAnyHome` if it is not
    ///   in the home.
    @discardableResult
    public func removeAccessory(
        _ accessory: Accessory.ID, from home: Home.ID
    ) async throws(HomeError) -> AccessoryRemoval {
        try await remove(.removeAccessory(home, accessory))
    }

    /// Has an accessory make itself noticed, by a blink or a sound.
    ///
    /// - Throws: `operationNotSupported` if it cannot, `accessoryNotReachable` or `bridgedAccessoryNotReachable` if it
    ///   cannot be reached.
    public func identify(_ accessory: Accessory.ID) async throws(HomeError) {
        try await call(.identify(accessory), deadline: timeouts.call) { _ throws(HomeError) in }
    }

    /// Tries again with an accessory that misbehaved; one that was not blocked stays as it is.
    ///
    /// - Throws: `cannotUnblockNonBridgeAccessory` for one behind a bridge.
    @discardableResult
    public func unblockAccessory(_ accessory: Accessory.ID, in home: Home.ID) async throws(HomeError) -> Accessory {
        try await write(.unblockAccessory(home, accessory)) { graph, _ throws(HomeError) in
            try graph.existing(accessory)
        }
    }

    /// Renames a service in the home.
    ///
    /// - Throws: `nameContainsProhibitedCharacters`, `nameDoesNotStartWithValidCharacters`, `stringLongerThanMaximum`,
    ///   `stringShorterThanMinimum` or `nameDoesNotEndWithValidCharacters` for a name that breaks the rules,
    ///   `objectWithSimilarNameExists` if it is taken in its accessory, `renameWithSimilarName` if that is its name.
    @discardableResult
    public func renameService(_ service: Service.ID, to name: String) async throws(HomeError) -> Service {
        try await write(.renameService(service, name: name)) { graph, _ throws(HomeError) in try graph.existing(service)
        }
    }

    /// Says what an outlet, a switch or a contact sensor is shown as.
    ///
    /// - Parameters:
    ///   - type: what it is shown as; `nil` for what it is.
    ///   - service: the service.
    /// - Returns: the service as it is then.
    /// - Throws: `invalidAssociatedServiceType` if it cannot be shown as that.
    @discardableResult
    public func setAssociatedServiceType(
        _ type: ServiceType?, for service: Service.ID
    ) async throws(HomeError) -> Service {
        try await write(.setAssociatedServiceType(service, type)) { graph, _ throws(HomeError) in
            try graph.existing(service)
        }
    }

    /// Says whether a service is among the things that people use most.
    ///
    /// - Throws: `notFound` if it is not there.
    @discardableResult
    public func setFavorite(_ isFavorite: Bool, for service: Service.ID) async throws(HomeError) -> Service {
        try await write(.setFavorite(service, isFavorite)) { graph, _ throws(HomeError) in try graph.existing(service) }
    }
}
