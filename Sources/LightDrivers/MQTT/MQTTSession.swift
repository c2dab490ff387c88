/// What the driver keeps in mind about its connection: what is not confirmed yet, and when to try again.
struct MQTTSession {
    /// Where we say that we are here, and the broker says that we are gone.
    let statusTopic: String
    /// Where producers hear that someone listens, if that is wanted.
    var birthTopic: String?
    /// When the next connection is due.
    var reconnectAt: Duration?

    private var unconfirmed: Set<String> = []
    private var refused: Set<String> = []
    private var isConnected = false
    private var hasSaidReady = false
    private var backoff = ReconnectBackoff()
    private var lastReason: String?

    init(statusTopic: String) { self.statusTopic = statusTopic }

    mutating func connected() {
        isConnected = true
        hasSaidReady = false
        unconfirmed = []
        lastReason = nil
        backoff.succeeded()
    }

    mutating func subscribing(_ topic: String) {
        // After the first round is confirmed, later subscriptions keep nobody waiting.
        if !hasSaidReady { unconfirmed.insert(topic) }
    }

    /// Whether, for the first time in this connection, everything is confirmed.
    mutating func takeReady() -> Bool {
        guard isConnected, !hasSaidReady, unconfirmed.isEmpty else { return false }
        hasSaidReady = true
        return true
    }

    /// The broker has answered a subscription.
    ///
    /// - Returns: whether it is refused, if that is news.
    mutating func subscribed(_ topic: String, granted: Bool) -> Bool? {
        unconfirmed.remove(topic)
        if granted { return refused.remove(topic) == nil ? nil : false }
        // As many as anyone will read; the rest is not remembered.
        guard refused.count < 20 else { return nil }
        return refused.insert(topic).inserted ? true : nil
    }

    /// The connection ended, or did not come to be.
    ///
    /// - Returns: how long to wait for the next.
    mutating func closed(now: Duration, share: Double) -> Duration {
        isConnected = false
        let delay = backoff.failed(share: share)
        reconnectAt = now + delay
        return delay
    }

    /// Whether a reason differs from the last one, so that the log says it once.
    mutating func isNews(_ reason: String) -> Bool {
        defer { lastReason = reason }
        return reason != lastReason
    }
}
