/// How long a controller waits for an accessory, and how often it looks; tests shorten it.
package struct ControllerTiming: Equatable, Sendable {
    /// For a TCP connection to one address.
    package var connect = Duration.seconds(10)
    /// Until the next address is tried beside one that has not answered yet (RFC 8305).
    package var stagger = Duration.milliseconds(250)
    /// For one step of pair setup: a small device computes for long.
    var pairSetupStep = Duration.seconds(30)
    /// For the answer to any other request; without it the connection counts as dead (HAP 15).
    package var request = Duration.seconds(10)
    /// For the attribute database of a large bridge.
    package var database = Duration.seconds(30)
    /// How long the write may take that a prepared write announces.
    package var preparedWrite = Duration.seconds(5)
    /// Nothing has come for so long: whatever can change is read once, which finds dead connections and lost events.
    package var quiet = Duration.seconds(60)
    /// How often it is read while the accessory is known to lose events.
    package var poll = Duration.seconds(10)
    /// The pauses between two connections.
    package var reconnect = ReconnectPolicy.Limits()

    package init() {}
}
