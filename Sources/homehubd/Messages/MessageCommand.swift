import AsyncKit
import HomeHub
import HomeModel
import Logging
import ServiceLifecycle

/// Passes the messages of automations to the operator's command, in order.
///
/// The command is started without a shell and killed after 10 seconds. A slow command can't delay the hub.
final class MessageCommand: MessageReceiver, ServiceLifecycle.Service {
    private let arguments: [String]
    private let timeout: Duration
    private let logger: Logger
    private let messages = Mailbox(WaitingMessages())

    /// Creates a receiver that runs a command for each message.
    ///
    /// - Parameters:
    ///   - arguments: The path of the program, and its arguments, in which placeholders are replaced.
    ///   - timeout: The longest time that the program may take.
    ///   - logger: The logger.
    init(_ arguments: [String], timeout: Duration = .seconds(10), logger: Logger) {
        self.arguments = arguments
        self.timeout = timeout
        self.logger = logger
    }

    func receive(_ message: TriggerMessage, home: String, automation: String) {
        messages.post(OutgoingMessage(message, home: home, automation: automation))
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            for await element in messages {
                switch element {
                case .dropped(let count):
                    logger.warning(
                        "notifications dropped", metadata: ["count": "\(count)", "reason": "the command is too slow"])
                case .message(let message):
                    let command = arguments.prefix(1) + arguments.dropFirst().map(message.fill)
                    guard let failure = await CommandRun.failure(of: Array(command), timeout: timeout) else { continue }
                    logger.warning(
                        "notify command failed", metadata: ["command": "\(arguments[0])", "reason": "\(failure)"])
                }
            }
        }
    }
}
