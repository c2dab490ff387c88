extension HomeManager {
    /// Adds a scene, without actions as yet, to a home.
    ///
    /// - Parameters:
    ///   - name: its name, which nothing else in the home has.
    ///   - home: the home.
    ///   - kind: what kind of scene it is.
    /// - Returns: the scene.
    /// - Throws: `nameContainsProhibitedCharacters`, `nameDoesNotStartWithValidCharacters`, `stringLongerThanMaximum`,
    ///   `stringShorterThanMinimum` or `nameDoesNotEndWithValidCharacters` for a name that breaks the rules,
    ///   `objectWithSimilarNameExistsInHome` if it is taken, `alreadyExists` if there is one of that kind already and
    ///   it is not `ActionSet.Kind.userDefined`.
    public func addActionSet(
        named name: String, to home: Home.ID, kind: ActionSet.Kind = .userDefined
    ) async throws(HomeError) -> ActionSet {
        try await write(.addActionSet(home, name: name, kind: kind)) { graph, commit throws(HomeError) in
            try graph.actionSet(commit)
        }
    }

    /// Renames a scene.
    ///
    /// - Throws: as ``addActionSet(named:to:kind:)``, and `renameWithSimilarName` if that is its name.
    @discardableResult
    public func renameActionSet(_ actionSet: ActionSet.ID, to name: String) async throws(HomeError) -> ActionSet {
        try await write(.renameActionSet(actionSet, name: name)) { graph, _ throws(HomeError) in
            try graph.existing(actionSet)
        }
    }

    /// Removes a scene.
    ///
    /// - Throws: `cannotRemoveBuiltinActionSet` for a built-in one.
    public func removeActionSet(_ actionSet: ActionSet.ID) async throws(HomeError) {
        try await write(.removeActionSet(actionSet)) { _, _ throws(HomeError) in }
    }

    /// Says what a scene sets, in place of what it set before.
    ///
    /// - Throws: `invalidParameter`, `readOnlyCharacteristic`, `invalidValueType`, `valueLowerThanMinimum`,
    ///   `valueHigherThanMaximum`, `stringLongerThanMaximum` or `invalidMessageSize` if a characteristic does not take
    ///   its value, `objectAssociatedToAnotherHome` for one of another home.
    @discardableResult
    public func setActions(
        _ actions: [CharacteristicWriteAction], of actionSet: ActionSet.ID
    ) async throws(HomeError) -> ActionSet {
        try await write(.setActions(actionSet, actions)) { graph, _ throws(HomeError) in try graph.existing(actionSet) }
    }
}
