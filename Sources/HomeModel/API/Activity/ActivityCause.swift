/// The cause of changes in the activity of a home.
///
/// If all properties are `nil`, the accessory itself caused the changes, for example by a press of its button.
public struct ActivityCause: Codable, Sendable, Hashable {
    /// The ID of the app, such as `org.example.lights`; `nil` if no app requested the changes.
    public package(set) var app: String?
    /// The name of the app's user, according to the app; `nil` if the app didn't name one.
    public package(set) var person: String?
    /// The scene that ran; `nil` if none.
    public package(set) var actionSet: ActionSet.ID?
    /// The automation that ran; `nil` if none.
    public package(set) var trigger: Trigger.ID?
    /// The name of the scene or the automation when it ran.
    public package(set) var name: String?

    package init(
        app: String? = nil, person: String? = nil, actionSet: ActionSet.ID? = nil, trigger: Trigger.ID? = nil,
        name: String? = nil
    ) {
        self.app = app
        self.person = person
        self.actionSet = actionSet
        self.trigger = trigger
        self.name = name
    }

    /// A Boolean value that indicates whether a scene or an automation ran.
    public var isRun: Bool { actionSet != nil || trigger != nil }
}

extension ActivityCause: HomeMessage {
    /// The name of the member of a request's parameters that contains the name of the app's user.
    package static let personKey = "onBehalfOf"
}
