import AsyncKit

/// What the driver keeps in mind about its connection: what is not confirmed yet, and when to try again.
struct MQTTSession {
    /// Where we say that we are here, and the broker says that we are gone.
    let statusTopic: String
    /// Where producers are notified that someone listens, if that is wanted.
    var birthTopic: String?
    var reconnectAt: Duration?

    private var unconfirmed: Set<String> = []
    private var refused: Set<String> = []
    /// When to say that the broker gives no answer, while a connection is being made.
    private(set) var slowAt: Duration?
    private var connectedAt: Duration?
    private var hasSaidReady = false
    private var backoff = Backoff()
    private var refusedLogin = Backoff.refusedLogin
    /// Whether the broker refuses the user name or the password.
    private(set) var isLoginRefused = false
    private var lastReason: String?

    init(statusTopic: String) { self.statusTopic = statusTopic }

    /// How long a connection may be in the making before the operator is told.
    private static let timeout = Duration.seconds(10)
    /// How long a connection must have stood for the next try to come soon: a broker that takes us in only to throw us
    /// out, perhaps because another has our client id, is not besieged.
    private static let firm = Duration.seconds(10)

    mutating func connecting(now: Duration) {
        isLoginRefused = false
        reconnectAt = nil
        slowAt = now + Self.timeout
    }

    /// Whether it is time to say that the broker gives no answer; once a try.
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

    /// Whether, for the first time in this connection, everything is confirmed.
    mutating func takeReady() -> Bool {
        guard connectedAt != nil, !hasSaidReady, unconfirmed.isEmpty else { return false }
        hasSaidReady = true
        return true
    }

    /// The broker has answered a subscription; returns whether it is refused, if that has changed.
    mutating func subscribed(_ topic: String, granted: Bool) -> Bool? {
        unconfirmed.remove(topic)
        if granted { return refused.remove(topic) == nil ? nil : false }
        // As many as anyone will read; the rest is not remembered.
        guard refused.count < 20 else { return nil }
        return refused.insert(topic).inserted ? true : nil
    }

    /// The connection ended or failed; returns the pause before the next.
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

    /// The file with the password has changed: it is tried at once.
    mutating func passwordChanged(now: Duration) {
        refusedLogin.succeeded()
        reconnectAt = now
    }

    /// Whether a reason differs from the last one, so that the log says it once.
    mutating func isNew(_ reason: String) -> Bool {
        defer { lastReason = reason }
        return reason != lastReason
    }
}
