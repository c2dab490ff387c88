/// An action of a run.
@nonexhaustive
public enum TriggerAction: Codable, Sendable, Hashable {
    /// Runs a scene, which had the given name when it ran.
    case actionSet(ActionSet.ID, name: String)
    /// Writes a value.
    case write(CharacteristicWriteAction)
    /// Restores a value from before the run.
    case restore(CharacteristicWriteAction)
    /// Sends a message to the apps.
    case notify(String)
}
