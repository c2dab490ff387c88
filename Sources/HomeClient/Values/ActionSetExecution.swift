/// What came of carrying out a scene.
public struct ActionSetExecution: Sendable {
    /// What came of each action: the value that was set, or why not.
    public let results: [Characteristic.ID: Result<CharacteristicValue, HomeError>]
    /// `actionSetExecutionPartialSuccess` if some actions failed, with the accessories and reasons in its message; `nil`
    /// if all succeeded.
    public let error: HomeError?
}
