extension HomeManager {
    /// Adds a room to a home.
    ///
    /// - Parameters:
    ///   - name: The room's name, which must be unique in the home.
    ///   - home: The home.
    /// - Returns: The added room.
    /// - Throws: `nameContainsProhibitedCharacters`, `nameDoesNotStartWithValidCharacters`, `stringLongerThanMaximum`,
    ///   `stringShorterThanMinimum` or `nameDoesNotEndWithValidCharacters` for an invalid name,
    ///   `objectWithSimilarNameExistsInHome` if the name is taken, `maximumObjectLimitReached` if there are too many
    ///   rooms.
    public func addRoom(named name: String, to home: Home.ID) async throws(HomeError) -> Room {
        try await write(.addRoom(home, name: name)) { graph, commit throws(HomeError) in try graph.room(commit) }
    }

    /// Renames a room.
    ///
    /// - Throws: The errors of ``addRoom(named:to:)`` for the name, `renameWithSimilarName` if the room already has the
    ///   name, `roomForHomeCannotBeUpdated` for the default room.
    @discardableResult
    public func renameRoom(_ room: Room.ID, to name: String) async throws(HomeError) -> Room {
        try await write(.renameRoom(room, name: name)) { graph, _ throws(HomeError) in try graph.existing(room) }
    }

    /// Removes a room from its home and from all zones, and moves its accessories to the default room.
    ///
    /// - Returns: The moved accessories.
    /// - Throws: `roomForHomeCannotBeUpdated` for the default room, `objectAssociatedToAnotherHome` if the room is in
    ///   another home.
    @discardableResult
    public func removeRoom(_ room: Room.ID, from home: Home.ID) async throws(HomeError) -> [Accessory] {
        try await write(.removeRoom(home, room)) { graph, commit throws(HomeError) in graph.accessories(commit) }
    }

    /// Adds a zone without rooms to a home.
    ///
    /// - Throws: The errors of ``addRoom(named:to:)``.
    public func addZone(named name: String, to home: Home.ID) async throws(HomeError) -> Zone {
        try await write(.addZone(home, name: name)) { graph, commit throws(HomeError) in try graph.zone(commit) }
    }

    /// Renames a zone.
    ///
    /// - Throws: The errors of ``addRoom(named:to:)`` for the name, `renameWithSimilarName` if the zone already has the
    ///   name.
    @discardableResult
    public func renameZone(_ zone: Zone.ID, to name: String) async throws(HomeError) -> Zone {
        try await write(.renameZone(zone, name: name)) { graph, _ throws(HomeError) in try graph.existing(zone) }
    }

    /// Removes a zone, but not its rooms.
    ///
    /// - Throws: `notFound` if there is no such zone, `objectAssociatedToAnotherHome` if it's in another home.
    public func removeZone(_ zone: Zone.ID, from home: Home.ID) async throws(HomeError) {
        try await write(.removeZone(home, zone)) { _, _ throws(HomeError) in }
    }

    /// Adds a room to a zone.
    ///
    /// - Throws: `roomForHomeCannotBeInZone` for the default room, `alreadyExists` if the room is already in the zone,
    ///   `objectAssociatedToAnotherHome` if it's in another home.
    @discardableResult
    public func addRoom(_ room: Room.ID, toZone zone: Zone.ID) async throws(HomeError) -> Zone {
        try await write(.addRoomToZone(zone, room)) { graph, _ throws(HomeError) in try graph.existing(zone) }
    }

    /// Removes a room from a zone.
    ///
    /// - Throws: `notFound` if the room isn't in the zone.
    @discardableResult
    public func removeRoom(_ room: Room.ID, fromZone zone: Zone.ID) async throws(HomeError) -> Zone {
        try await write(.removeRoomFromZone(zone, room)) { graph, _ throws(HomeError) in try graph.existing(zone) }
    }
}
