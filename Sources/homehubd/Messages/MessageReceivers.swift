import HomeHub
import HomeModel

/// Passes each message of an automation to several receivers.
struct MessageReceivers: MessageReceiver {
    let all: [any MessageReceiver]

    func receive(_ message: TriggerMessage, home: String, automation: String) {
        for receiver in all { receiver.receive(message, home: home, automation: automation) }
    }
}
