/// The state of an automation, with the reason if it can't run.
@nonexhaustive
public enum TriggerActivationState: Sendable, Hashable {
    /// The user has disabled the automation.
    case disabled
    /// The automation runs when its events fire.
    case enabled
    /// The automation needs the position of the sun, but the home has no location.
    case noLocation
    /// Accessories, scenes or people were removed; contains the known names.
    case missingParts([String])
}
