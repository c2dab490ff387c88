/// The time limits and intervals of a controller; tests shorten them.
package struct ControllerTiming: Equatable, Sendable {
    /// The time limit for connecting to one address over TCP.
    package var connect = Duration.seconds(10)
    /// How long an address may take to answer before the next one is tried in parallel (RFC 8305).
    package var stagger = Duration.milliseconds(250)
    /// The time limit for one step of pair setup; small devices need many seconds.
    var pairSetupStep = Duration.seconds(30)
    /// The time limit for the response to other requests, after which the connection counts as dead (HAP 15).
    package var request = Duration.seconds(10)
    /// The time limit for reading the attribute database, which is large on a bridge with many accessories.
    package var database = Duration.seconds(30)
    /// The time within which a prepared write must arrive, as announced by its prepare request.
    package var preparedWrite = Duration.seconds(5)
    /// The time without events after which the controller reads values, to detect dead connections and lost events.
    package var quiet = Duration.seconds(60)
    /// The interval between such reads while the accessory is known to lose events.
    package var poll = Duration.seconds(10)
    /// The pauses between attempts to connect.
    package var reconnect = ReconnectPolicy.Limits()

    package init() {}
}
