/// How long the manager waits for what.
struct Patience: Sendable {
    /// For a connection, before a call fails.
    var connection = Duration.seconds(5)
    /// For the answer to a call.
    var call = Duration.seconds(60)
    /// For a device that is paired, or told to forget us.
    var setup = Duration.seconds(180)
    /// For the answer to a call that was cancelled.
    var cancelled = Duration.seconds(3)
    /// Before the second attempt to connect, and at most before any other.
    var reconnect = (first: Duration.milliseconds(100), longest: Duration.seconds(5))
    /// Before homes are loaded again that could not be loaded.
    var reload = Duration.seconds(1)
}
