package import HomeModel

/// A receiver of the messages that automations send to the apps.
///
/// The daemon passes them to the operator's command.
package protocol MessageReceiver: Sendable {
    /// Receives a message, with the names of its home and its automation.
    ///
    /// The method returns immediately. If too many messages are waiting, the receiver drops some.
    func receive(_ message: TriggerMessage, home: String, automation: String)
}
