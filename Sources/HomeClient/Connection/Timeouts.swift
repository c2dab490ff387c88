/// The timeouts of the manager.
package struct Timeouts: Sendable {
    /// The longest wait for a connection before a call fails.
    var connection = Duration.seconds(10)
    /// The longest wait for an absent daemon, which may be restarting.
    var absence = Duration.seconds(5)
    /// The longest wait for the answer to a call.
    var call = Duration.seconds(60)
    /// The longest wait for a device that is being paired or unpaired.
    var setup = Duration.seconds(180)
    /// The longest wait for the answer to a canceled call.
    var cancelled = Duration.seconds(3)
    /// The pause before the second connection attempt, and the longest pause before later attempts.
    var reconnect = (first: Duration.milliseconds(100), longest: Duration.seconds(5))
    /// The pause before a failed load of the homes is retried.
    var reload = Duration.seconds(1)

    /// The timeouts for commands in a terminal, which must report a missing daemon immediately.
    package static let ofPerson = Timeouts(absence: .zero)

    package init(absence: Duration = .seconds(5)) { self.absence = absence }
}
