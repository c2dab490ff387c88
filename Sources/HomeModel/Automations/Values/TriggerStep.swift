/// A step of an automation's own actions.
@nonexhaustive
public enum TriggerStep: Codable, Sendable, Hashable {
    /// Writes values.
    case write([CharacteristicWriteAction])
    /// Waits before the next step.
    case wait(Duration)
    /// Sends a message to the apps.
    case notify(String)

    /// The values that the step writes.
    package var writes: [CharacteristicWriteAction] { if case .write(let actions) = self { actions } else { [] } }
}
