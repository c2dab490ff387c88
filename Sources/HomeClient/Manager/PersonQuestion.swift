/// A question for the user, which the system app shows.
@nonexhaustive
public enum PersonQuestion: Sendable, Hashable {
    /// A request for access to the homes.
    case permission(AppPermission)
    /// A request for another permission, such as adding one accessory.
    case consent(ConsentQuestion)
}
