import BoundedJSON

// People, and the location of a home, for automations.
extension HomeManager {
    /// Adds a person to a home.
    ///
    /// The person is away until a program reports their presence with ``setPresence(of:isHome:)``.
    ///
    /// - Throws: The errors of ``addActionSet(named:to:kind:)`` for an invalid name;
    ///   `objectWithSimilarNameExistsInHome` if another person has the name; `maximumObjectLimitReached` if there are
    ///   too many people.
    public func addPerson(named name: String, to home: Home.ID) async throws(HomeError) -> Resident {
        try await write(.addPerson(home, name: name)) { graph, commit throws(HomeError) in
            try graph.person(commit)
        }
    }

    /// Renames a person.
    ///
    /// - Throws: The errors of ``addPerson(named:to:)`` for the name, `renameWithSimilarName` if the person already has
    ///   the name.
    @discardableResult
    public func renamePerson(_ person: Resident.ID, to name: String) async throws(HomeError) -> Resident {
        try await write(.renamePerson(person, name: name)) { graph, _ throws(HomeError) in try graph.existing(person) }
    }

    /// Removes a person, and disables the automations that refer to the person.
    public func removePerson(_ person: Resident.ID) async throws(HomeError) {
        try await write(.removePerson(person)) { _, _ throws(HomeError) in }
    }

    /// Reports that a person is at home or away.
    ///
    /// A program on the router can do that, for example. A repeated report has no effect.
    @discardableResult
    public func setPresence(of person: Resident.ID, isHome: Bool) async throws(HomeError) -> Resident {
        try await write(.setPresence(person, isHome: isHome)) { graph, _ throws(HomeError) in
            try graph.existing(person)
        }
    }

    /// Sets the location and the time zone of a home; `nil` removes them.
    ///
    /// Without a location, automations use the system's time zone, and automations that need the position of the sun
    /// don't run.
    @discardableResult
    public func setLocation(_ location: HomeLocation?, of home: Home.ID) async throws(HomeError) -> Home {
        try await write(.setLocation(home, location)) { graph, _ throws(HomeError) in try graph.existing(home) }
    }

    /// Returns today's sun events at the location of a home.
    ///
    /// - Throws: `locationForHomeDisabled` if the home has no location.
    public func daylight(of home: Home.ID) async throws(HomeError) -> Daylight {
        try await call(.daylight(home), deadline: timeouts.call) { json throws(HomeError) in
            try Self.understood { () throws(HomeError) in try Daylight(json: json) }
        }
    }
}
