/// How long the manager waits for what.
package struct Timeouts: Sendable {
    /// For a connection, before a call fails.
    var connection = Duration.seconds(10)
    /// For a daemon that is not there, which may be about to come back.
    var absence = Duration.seconds(5)
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

    /// That of a person who waits at a terminal: whether there is a daemon they want to know at once.
    package static let ofPerson = Timeouts(absence: .zero)

    package init(absence: Duration = .seconds(5)) { self.absence = absence }
}
