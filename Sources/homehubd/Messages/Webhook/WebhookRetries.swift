/// Determines when a failed delivery to a webhook is retried.
struct WebhookRetries {
    /// The maximum age of a message at a retry.
    static let period = Duration.seconds(60)

    private var pause = Duration.seconds(1)

    /// Returns the pause before the next attempt.
    ///
    /// - Parameters:
    ///   - failure: The failure of the previous attempt.
    ///   - age: The time since the arrival of the message.
    /// - Returns: The pause, or `nil` if the delivery must not be retried.
    mutating func pause(after failure: WebhookFailure, age: Duration) -> Duration? {
        guard failure.isTemporary else { return nil }
        let next = max(pause, failure.requestedDelay ?? .zero)
        guard age + next <= Self.period else { return nil }
        pause = min(pause * 2, .seconds(16))
        return next
    }
}
