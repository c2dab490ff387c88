/// The results of an execution of a scene.
public struct ActionSetExecution: Sendable {
    /// The written value or an error for each action.
    public let results: [Characteristic.ID: Result<CharacteristicValue, HomeError>]
    /// The error `actionSetExecutionPartialSuccess` if some actions failed; `nil` if all succeeded.
    ///
    /// Its message names the accessories and the reasons.
    public let error: HomeError?
}
