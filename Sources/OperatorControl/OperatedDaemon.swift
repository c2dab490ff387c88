/// A daemon with a control socket, and the words with which messages refer to it.
package struct OperatedDaemon: Sendable, Equatable {
    /// The daemon's program.
    package let program: String
    /// The operator's command.
    package let command: String
    /// The noun for the daemon.
    package let subject: String
    /// The user and the group of the packaged service.
    package let group: String
    /// The option with which the command accepts a socket.
    package let socketOption: String
    /// The command that runs the daemon in a clone.
    package let makeTarget: String

    package static let bridge = OperatedDaemon(
        program: "lamplighterd", command: "lamplighter", subject: "bridge", group: "lamplighter",
        socketOption: "--control", makeTarget: "make run")
    package static let hub = OperatedDaemon(
        program: "homehubd", command: "homehub", subject: "hub", group: "homehub", socketOption: "--socket",
        makeTarget: "make run-home")
}
