extension HomeManager {
    /// Adds a scene without actions to a home.
    ///
    /// - Parameters:
    ///   - name: The scene's name, which must be unique in the home.
    ///   - home: The home.
    ///   - kind: The kind of the scene.
    /// - Returns: The added scene.
    /// - Throws: `nameContainsProhibitedCharacters`, `nameDoesNotStartWithValidCharacters`, `stringLongerThanMaximum`,
    ///   `stringShorterThanMinimum` or `nameDoesNotEndWithValidCharacters` for an invalid name,
    ///   `objectWithSimilarNameExistsInHome` if the name is taken, `alreadyExists` if the home already has a scene of
    ///   that kind, unless the kind is `ActionSet.Kind.userDefined`, `maximumObjectLimitReached` if there are too many
    ///   scenes.
    public func addActionSet(
        named name: String, to home: Home.ID, kind: ActionSet.Kind = .userDefined
    ) async throws(HomeError) -> ActionSet {
        try await write(.addActionSet(home, name: name, kind: kind)) { graph, commit throws(HomeError) in
            try graph.actionSet(commit)
        }
    }

    /// Renames a scene.
    ///
    /// - Throws: The errors of ``addActionSet(named:to:kind:)`` for the name, `renameWithSimilarName` if the scene
    ///   already has the name.
    @discardableResult
    public func renameActionSet(_ actionSet: ActionSet.ID, to name: String) async throws(HomeError) -> ActionSet {
        try await write(.renameActionSet(actionSet, name: name)) { graph, _ throws(HomeError) in
            try graph.existing(actionSet)
        }
    }

    /// Removes a scene.
    ///
    /// - Throws: `cannotRemoveBuiltinActionSet` for a built-in scene.
    public func removeActionSet(_ actionSet: ActionSet.ID) async throws(HomeError) {
        try await write(.removeActionSet(actionSet)) { _, _ throws(HomeError) in }
    }

    /// Replaces the actions of a scene.
    ///
    /// - Throws: `invalidParameter`, `readOnlyCharacteristic`, `invalidValueType`, `valueLowerThanMinimum`,
    ///   `valueHigherThanMaximum`, `stringLongerThanMaximum` or `invalidMessageSize` if a characteristic doesn't accept
    ///   its value, `invalidParameter` for two actions with the same characteristic, `objectAssociatedToAnotherHome`
    ///   for a characteristic in another home, `maximumObjectLimitReached` for too many actions.
    @discardableResult
    public func setActions(
        _ actions: [CharacteristicWriteAction], of actionSet: ActionSet.ID
    ) async throws(HomeError) -> ActionSet {
        try await write(.setActions(actionSet, actions)) { graph, _ throws(HomeError) in try graph.existing(actionSet) }
    }
}
