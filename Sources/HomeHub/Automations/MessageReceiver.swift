package import HomeModel

/// A receiver of the messages that automations send to apps.
///
/// The daemon's receiver passes them to the operator's command or webhook.
package protocol MessageReceiver: Sendable {
    /// Receives a message, with the names of its home and its automation.
    ///
    /// The method returns immediately. The receiver drops messages if too many are waiting.
    func receive(_ message: TriggerMessage, home: String, automation: String)
}
