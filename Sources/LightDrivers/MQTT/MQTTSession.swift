import AsyncKit

/// The state of the driver's connection: unconfirmed subscriptions and the time of the next attempt.
struct MQTTSession {
    /// The topic of our online status, and of the will that the broker publishes if we disappear.
    let statusTopic: String
    /// The topic of the birth message to producers, or `nil` to send none.
    var birthTopic: String?
    var reconnectAt: Duration?

    private var unconfirmed: Set<String> = []
    private var refused: Set<String> = []
    /// The time to report an unresponsive broker, while connecting.
    private(set) var slowAt: Duration?
    private var connectedAt: Duration?
    private var hasSaidReady = false
    private var backoff = Backoff()
    private var refusedLogin = Backoff.refusedLogin
    /// A Boolean value that indicates whether the broker rejects the user name or the password.
    private(set) var isLoginRefused = false
    private var lastReason: String?

    init(statusTopic: String) { self.statusTopic = statusTopic }

    /// The time for a connection attempt after which the operator is notified.
    private static let timeout = Duration.seconds(10)
    /// The duration of a connection after which the retry delay is reset.
    ///
    /// It protects a broker that accepts and then closes connections, perhaps because another client has our client id,
    /// from constant retries.
    private static let firm = Duration.seconds(10)

    mutating func connecting(now: Duration) {
        isLoginRefused = false
        reconnectAt = nil
        slowAt = now + Self.timeout
    }

    /// Returns `true` once per attempt, when it is time to report an unresponsive broker.
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
        // After the first round is confirmed, later subscriptions delay nothing.
        if !hasSaidReady { unconfirmed.insert(topic) }
    }

    /// Returns `true` once per connection, when all subscriptions are confirmed.
    mutating func takeReady() -> Bool {
        guard connectedAt != nil, !hasSaidReady, unconfirmed.isEmpty else { return false }
        hasSaidReady = true
        return true
    }

    /// Processes the broker's answer to a subscription; returns whether it is refused, or `nil` if that is unchanged.
    mutating func subscribed(_ topic: String, granted: Bool) -> Bool? {
        unconfirmed.remove(topic)
        if granted { return refused.remove(topic) == nil ? nil : false }
        // Store no more than an operator will read.
        guard refused.count < 20 else { return nil }
        return refused.insert(topic).inserted ? true : nil
    }

    /// Processes the end of a connection or attempt; returns the delay before the next.
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

    /// Schedules an immediate attempt with the changed password file.
    mutating func passwordChanged(now: Duration) {
        refusedLogin.succeeded()
        reconnectAt = now
    }

    /// Returns whether a reason differs from the last one, so that it is logged once.
    mutating func isNew(_ reason: String) -> Bool {
        defer { lastReason = reason }
        return reason != lastReason
    }
}
