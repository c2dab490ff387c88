package import HomeModel

/// A receiver of the texts that automations send, in addition to the apps.
///
/// The daemon passes them to the operator's command.
package protocol MessageReceiver: Sendable {
    /// Receives a text, with the names of its home and its automation.
    ///
    /// The method returns immediately. If too many texts wait, the receiver drops some.
    func receive(_ message: TriggerMessage, home: String, automation: String)
}
