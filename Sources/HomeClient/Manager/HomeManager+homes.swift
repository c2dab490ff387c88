extension HomeManager {
    /// Adds a home; the first home becomes the primary home.
    ///
    /// - Parameter name: The home's name, which must be unique among the homes.
    /// - Returns: The added home.
    /// - Throws: `nameContainsProhibitedCharacters`, `nameDoesNotStartWithValidCharacters`, `stringLongerThanMaximum`,
    ///   `stringShorterThanMinimum` or `nameDoesNotEndWithValidCharacters` for an invalid name,
    ///   `homeWithSimilarNameExists` if the name is taken, `maximumObjectLimitReached` if there are too many homes.
    public func addHome(named name: String) async throws(HomeError) -> Home {
        try await write(.addHome(name: name)) { graph, commit throws(HomeError) in try graph.home(commit) }
    }

    /// Renames a home and its default room.
    ///
    /// - Throws: The errors of ``addHome(named:)`` for the name, `renameWithSimilarName` if the home already has the
    ///   name, `objectWithSimilarNameExistsInHome` if an object in the home has the name.
    @discardableResult
    public func renameHome(_ home: Home.ID, to name: String) async throws(HomeError) -> Home {
        try await write(.renameHome(home, name: name)) { graph, _ throws(HomeError) in try graph.existing(home) }
    }

    /// Removes a home and everything in it.
    ///
    /// Its accessories can then be added to another home.
    ///
    /// - Returns: The removed accessories, and the accessories whose devices are still paired.
    /// - Throws: `notFound` if there is no such home.
    @discardableResult
    public func removeHome(_ home: Home.ID) async throws(HomeError) -> AccessoryRemoval {
        try await remove(.removeHome(home))
    }

    /// Makes a home the primary home, which apps show first.
    ///
    /// - Throws: `alreadyExists` if it's already the primary home.
    @discardableResult
    public func setPrimaryHome(_ home: Home.ID) async throws(HomeError) -> Home {
        try await write(.setPrimaryHome(home)) { graph, _ throws(HomeError) in try graph.existing(home) }
    }
}
