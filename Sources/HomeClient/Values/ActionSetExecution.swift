/// The results of an execution of a scene.
public struct ActionSetExecution: Sendable {
    /// The written value or an error for each action.
    public let results: [Characteristic.ID: Result<CharacteristicValue, HomeError>]
    /// `actionSetExecutionPartialSuccess` if some actions failed, with their accessories and reasons in its message;
    /// `nil` if all succeeded.
    public let error: HomeError?
}
