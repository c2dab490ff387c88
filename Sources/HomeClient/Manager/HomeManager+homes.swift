extension HomeManager {
    /// Adds a home; the first one is the primary home.
    ///
    /// - Parameter name: its name, which no other home has.
    /// - Returns: the home.
    /// - Throws: `nameContainsProhibitedCharacters`, `nameDoesNotStartWithValidCharacters`, `stringLongerThanMaximum`,
    ///   `stringShorterThanMinimum` or `nameDoesNotEndWithValidCharacters` for a name that breaks the rules,
    ///   `homeWithSimilarNameExists` if it is taken, `maximumObjectLimitReached` for too many homes.
    public func addHome(named name: String) async throws(HomeError) -> Home {
        try await write(.addHome(name: name)) { graph, commit throws(HomeError) in try graph.home(commit) }
    }

    /// Renames a home, and with it its default room.
    ///
    /// - Throws: what ``addHome(named:)`` throws for its name, `renameWithSimilarName` if that is its name,
    ///   `objectWithSimilarNameExistsInHome` if something in it has that name.
    @discardableResult
    public func renameHome(_ home: Home.ID, to name: String) async throws(HomeError) -> Home {
        try await write(.renameHome(home, name: name)) { graph, _ throws(HomeError) in try graph.existing(home) }
    }

    /// Removes a home with everything in it; its accessories can be added to another home then.
    ///
    /// - Returns: what was removed with it, and which devices could not be told.
    /// - Throws: `notFound` if it is not there.
    @discardableResult
    public func removeHome(_ home: Home.ID) async throws(HomeError) -> AccessoryRemoval {
        try await remove(.removeHome(home))
    }

    /// Makes a home the one that apps show first.
    ///
    /// - Throws: `alreadyExists` if it is that already.
    @discardableResult
    public func setPrimaryHome(_ home: Home.ID) async throws(HomeError) -> Home {
        try await write(.setPrimaryHome(home)) { graph, _ throws(HomeError) in try graph.existing(home) }
    }
}
