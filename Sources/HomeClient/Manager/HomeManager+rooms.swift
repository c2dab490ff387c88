extension HomeManager {
    /// Adds a room to a home.
    ///
    /// - Parameters:
    ///   - name: its name, which nothing else in the home has.
    ///   - home: the home.
    /// - Returns: the room.
    /// - Throws: `nameContainsProhibitedCharacters`, `nameDoesNotStartWithValidCharacters`, `stringLongerThanMaximum`,
    ///   `stringShorterThanMinimum` or `nameDoesNotEndWithValidCharacters` for a name that breaks the rules,
    ///   `objectWithSimilarNameExistsInHome` if it is taken, `maximumObjectLimitReached` for too many rooms.
    public func addRoom(named name: String, to home: Home.ID) async throws(HomeError) -> Room {
        try await write(.addRoom(home, name: name)) { graph, commit throws(HomeError) in try graph.room(commit) }
    }

    /// Renames a room.
    ///
    /// - Throws: what ``addRoom(named:to:)`` throws for its name, `renameWithSimilarName` if that is its name,
    ///   `roomForHomeCannotBeUpdated` for the default room.
    @discardableResult
    public func renameRoom(_ room: Room.ID, to name: String) async throws(HomeError) -> Room {
        try await write(.renameRoom(room, name: name)) { graph, _ throws(HomeError) in try graph.existing(room) }
    }

    /// Removes a room from its home and from all zones; what is in it moves to the default room.
    ///
    /// - Returns: the accessories that moved.
    /// - Throws: `roomForHomeCannotBeUpdated` for the default room, `objectAssociatedToAnotherHome` if it is another
    ///   home's.
    @discardableResult
    public func removeRoom(_ room: Room.ID, from home: Home.ID) async throws(HomeError) -> [Accessory] {
        try await write(.removeRoom(home, room)) { graph, commit throws(HomeError) in graph.accessories(commit) }
    }

    /// Adds a zone, without rooms as yet, to a home.
    ///
    /// - Throws: as ``addRoom(named:to:)``.
    public func addZone(named name: String, to home: Home.ID) async throws(HomeError) -> Zone {
        try await write(.addZone(home, name: name)) { graph, commit throws(HomeError) in try graph.zone(commit) }
    }

    /// Renames a zone.
    ///
    /// - Throws: as ``addRoom(named:to:)``, and `renameWithSimilarName` if that is its name.
    @discardableResult
    public func renameZone(_ zone: Zone.ID, to name: String) async throws(HomeError) -> Zone {
        try await write(.renameZone(zone, name: name)) { graph, _ throws(HomeError) in try graph.existing(zone) }
    }

    /// Removes a zone; its rooms stay.
    ///
    /// - Throws: `notFound` if it is not there, `objectAssociatedToAnotherHome` if it is another home's.
    public func removeZone(_ zone: Zone.ID, from home: Home.ID) async throws(HomeError) {
        try await write(.removeZone(home, zone)) { _, _ throws(HomeError) in }
    }

    /// Makes a room part of a zone.
    ///
    /// - Throws: `roomForHomeCannotBeInZone` for the default room, `alreadyExists` if it is part of it,
    ///   `objectAssociatedToAnotherHome` if it is another home's.
    @discardableResult
    public func addRoom(_ room: Room.ID, toZone zone: Zone.ID) async throws(HomeError) -> Zone {
        try await write(.addRoomToZone(zone, room)) { graph, _ throws(HomeError) in try graph.existing(zone) }
    }

    /// Takes a room out of a zone.
    ///
    /// - Throws: `notFound` if it is not part of it.
    @discardableResult
    public func removeRoom(_ room: Room.ID, fromZone zone: Zone.ID) async throws(HomeError) -> Zone {
        try await write(.removeRoomFromZone(zone, room)) { graph, _ throws(HomeError) in try graph.existing(zone) }
    }
}
