extension HomeManager {
    /// Adds a scene, without actions as yet, to a home.
    ///
    /// - Parameters:
    ///   - name: its name, which nothing else in the home has.
    ///   - home: the home.
    ///   - kind: what kind of scene it is.
    /// - Returns: the scene.
    /// - Throws: 35, 36, 46, 51 or 60 for a name that breaks the rules, 31 if it is taken, 1 if there is one of that kind
    ///   already and it is not ``ActionSet/Kind/userDefined``.
    public func addActionSet(
        named name: String, to home: Home.ID, kind: ActionSet.Kind = .userDefined
    ) async throws(HomeError) -> ActionSet {
        try await write(.addActionSet(home, name: name, kind: kind)) { graph, commit throws(HomeError) in
            try graph.actionSet(commit)
        }
    }

    /// Renames a scene.
    ///
    /// - Throws: as ``addActionSet(named:to:kind:)``, and 33 if that is its name.
    @discardableResult
    public func renameActionSet(_ actionSet: ActionSet.ID, to name: String) async throws(HomeError) -> ActionSet {
        try await write(.renameActionSet(actionSet, name: name)) { graph, _ throws(HomeError) in
            try graph.existing(actionSet)
        }
    }

    /// Removes a scene.
    ///
    /// - Throws: 83 for a built-in one.
    public func removeActionSet(_ actionSet: ActionSet.ID) async throws(HomeError) {
        try await write(.removeActionSet(actionSet)) { _, _ throws(HomeError) in }
    }

    /// Says what a scene sets, in place of what it set before.
    ///
    /// - Throws: 3, 5, 43 to 46 or 56 if a characteristic does not take its value, 11 for one of another home.
    @discardableResult
    public func setActions(
        _ actions: [CharacteristicWriteAction], of actionSet: ActionSet.ID
    ) async throws(HomeError) -> ActionSet {
        try await write(.setActions(actionSet, actions)) { graph, _ throws(HomeError) in try graph.existing(actionSet) }
    }
}
