import AsyncKit

/// The state of the driver's connection, such as the unconfirmed subscriptions and the time of the next attempt.
struct MQTTSession {
    /// The topic of our online status.
    ///
    /// The broker publishes our will on the same topic if the connection is lost.
    let statusTopic: String
    /// The topic of the birth message to producers, or `nil` to send none.
    var birthTopic: String?
    var reconnectAt: Duration?

    private var unconfirmed: Set<String> = []
    private var refused: Set<String> = []
    /// The time at which the broker will be reported as unresponsive; `nil` unless a connection attempt is running.
    private(set) var slowAt: Duration?
    private var connectedAt: Duration?
    private var hasSaidReady = false
    private var backoff = Backoff()
    private var refusedLogin = Backoff.refusedLogin
    /// A Boolean value that indicates whether the broker has rejected the user name or the password.
    private(set) var isLoginRefused = false
    private var lastReason: String?

    init(statusTopic: String) { self.statusTopic = statusTopic }

    /// The duration of a connection attempt after which the operator is notified.
    private static let timeout = Duration.seconds(10)
    /// The minimum duration of a connection that resets the retry delay.
    ///
    /// Without it, a broker that accepts each connection and then closes it, perhaps because another client has the
    /// same client id, would receive constant retries.
    private static let firm = Duration.seconds(10)

    mutating func connecting(now: Duration) {
        isLoginRefused = false
        reconnectAt = nil
        slowAt = now + Self.timeout
    }

    /// Returns `true` once per attempt, when the broker must be reported as unresponsive.
    mutating func takeSlow(now: Duration) -> Bool {
        guard let at = slowAt, at <= now else { return false }
        slowAt = nil
        return true
    }

    mutating func connected(now: Duration) {
        slowAt = nil
        connectedAt = now
        refusedLogin.succeeded()
        hasSaidReady = false
        unconfirmed = []
        lastReason = nil
    }

    mutating func subscribing(_ topic: String) {
        // Once the driver has reported that it is ready, it doesn't wait for the confirmation of further subscriptions.
        if !hasSaidReady { unconfirmed.insert(topic) }
    }

    /// Returns `true` once per connection, when all subscriptions are confirmed.
    mutating func takeReady() -> Bool {
        guard connectedAt != nil, !hasSaidReady, unconfirmed.isEmpty else { return false }
        hasSaidReady = true
        return true
    }

    /// Processes the broker's answer to a subscription.
    ///
    /// Returns whether the subscription is refused, or `nil` if that hasn't changed.
    mutating func subscribed(_ topic: String, granted: Bool) -> Bool? {
        unconfirmed.remove(topic)
        if granted { return refused.remove(topic) == nil ? nil : false }
        // Limit the number of refused topics: an operator won't read more warnings.
        guard refused.count < 20 else { return nil }
        return refused.insert(topic).inserted ? true : nil
    }

    /// Processes the end of a connection or of a connection attempt.
    ///
    /// Returns the delay before the next attempt.
    mutating func closed(now: Duration, share: Double) -> Duration {
        if let connectedAt, now - connectedAt >= Self.firm { backoff.succeeded() }
        slowAt = nil
        connectedAt = nil
        let shared = backoff.failed(share: share)
        let delay = isLoginRefused ? refusedLogin.failed() : shared
        reconnectAt = now + delay
        return delay
    }

    mutating func loginRefused() { isLoginRefused = true }

    /// Schedules an immediate attempt, because the password file has changed.
    mutating func passwordChanged(now: Duration) {
        refusedLogin.succeeded()
        reconnectAt = now
    }

    /// Returns whether a reason differs from the previous reason.
    ///
    /// Repeated reasons aren't logged as warnings.
    mutating func isNew(_ reason: String) -> Bool {
        defer { lastReason = reason }
        return reason != lastReason
    }
}
