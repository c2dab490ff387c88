/// The times at which a text is sent to a webhook again.
struct WebhookRetries {
    /// The time after its arrival in which a text is sent again.
    static let period = Duration.seconds(60)

    private var pause = Duration.seconds(1)

    /// Returns the pause before the next attempt.
    ///
    /// - Parameters:
    ///   - failure: The failure of the previous attempt.
    ///   - age: The time since the arrival of the text.
    /// - Returns: The pause; `nil` if there is no other attempt.
    mutating func pause(after failure: WebhookFailure, age: Duration) -> Duration? {
        guard failure.isTemporary else { return nil }
        let next = max(pause, failure.requestedDelay ?? .zero)
        guard age + next <= Self.period else { return nil }
        pause = min(pause * 2, .seconds(16))
        return next
    }
}
