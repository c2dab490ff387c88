/// An automation: actions that the hub performs when an event fires and a condition is true.
public struct Trigger: Codable, Sendable, Hashable, Identifiable {
    /// The type of a trigger's ID.
    public typealias ID = Identifier<Trigger>

    /// The trigger's ID.
    public let id: ID
    /// The ID of the trigger's home.
    public let home: Home.ID
    /// The trigger's name, which is unique among the triggers of its home.
    public package(set) var name: String
    /// A Boolean value that indicates whether the user wants the trigger to run.
    ///
    /// Even then, it can be inactive: see ``Home/activationState(of:)``.
    public package(set) var isEnabled: Bool
    /// The events, the condition and the actions.
    public package(set) var definition: TriggerDefinition
    /// The names of removed accessories and scenes that the definition still refers to.
    ///
    /// The list is empty again after the next change of the definition.
    public package(set) var missingParts: [String]

    /// The app that added the trigger or last changed its definition; `nil` for the system app.
    ///
    /// The trigger doesn't run while the app has no permission. Apps don't receive this value.
    package var creator: AppIdentity?
    /// The apps that have let the trigger unlock or open something, for example by changing one of its scenes, since the
    /// system app last did so.
    ///
    /// The trigger doesn't unlock or open anything while one of them has no permission. Apps don't receive this value.
    package var openers: [AppIdentity] = []

    package init(
        id: ID, home: Home.ID, name: String, isEnabled: Bool = true, definition: TriggerDefinition,
        missingParts: [String] = [], creator: AppIdentity? = nil, openers: [AppIdentity] = []
    ) {
        self.id = id
        self.home = home
        self.name = name
        self.isEnabled = isEnabled
        self.definition = definition
        self.missingParts = missingParts
        self.creator = creator
        self.openers = openers
    }

    /// Disables the trigger because a part was removed from the home.
    ///
    /// Adding a part with the same name doesn't enable it again.
    package mutating func losePart(named name: String) {
        isEnabled = false
        if !missingParts.contains(name) { missingParts.append(name) }
    }
}
