import AsyncKit
import HomeHub
import HomeModel
import Logging
import ServiceLifecycle

/// Sends the messages of automations to the operator's webhook, in order.
///
/// A slow or failing receiver can't delay the hub. If a delivery fails temporarily, it is retried until the message is
/// one minute old.
final class MessageWebhook: MessageReceiver, ServiceLifecycle.Service {
    private let client: WebhookClient
    private let logger: Logger
    private let messages = Mailbox(WaitingMessages())

    init(_ client: WebhookClient, logger: Logger) {
        self.client = client
        self.logger = logger
    }

    func receive(_ message: TriggerMessage, home: String, automation: String) {
        messages.post(OutgoingMessage(message, home: home, automation: automation))
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            // Report unreadable secrets at startup, and not only when the first message is sent.
            do throws(WebhookFailure) {
                _ = try (client.section.readURL(), client.section.readAuthorization())
            } catch {
                report(error)
            }
            for await element in messages {
                switch element {
                case .dropped(let count):
                    logger.warning(
                        "notifications dropped", metadata: ["count": "\(count)", "reason": "the webhook is too slow"])
                case .message(let message): await deliver(message)
                }
            }
        }
    }

    private func deliver(_ message: OutgoingMessage) async {
        var retries = WebhookRetries()
        while true {
            do throws(WebhookFailure) {
                return try await client.send(message)
            } catch {
                guard !Task.isCancelled else { return }
                guard let pause = retries.pause(after: error, age: .now - message.received) else {
                    return report(error)
                }
                try? await Task.sleep(for: pause)
            }
        }
    }

    private func report(_ failure: WebhookFailure) {
        // Log only the host, because the path and the query may contain secrets.
        let host = (try? client.section.readURL().host) ?? "unknown"
        logger.warning("notify webhook failed", metadata: ["host": "\(host)", "reason": "\(failure.reason)"])
    }
}
