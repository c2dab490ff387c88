import AsyncKit
import CProcess
import Glibc
import HomeHub
import HomeModel
import Logging
import ServiceLifecycle
import SystemKit

/// Passes the texts of automations to the operator's command, one after another.
///
/// The command is started without a shell. It has 10 seconds, and can't delay the hub: up to 20 texts wait, and further
/// ones are dropped.
final class MessageCommand: MessageReceiver, ServiceLifecycle.Service {
    /// The maximum number of texts that wait.
    private static let limit = 20

    private let arguments: [String]
    private let timeout: Duration
    private let logger: Logger
    private let messages = BoundedMailbox<[String]?>(limit: MessageCommand.limit)

    /// Creates a receiver.
    ///
    /// - Parameters:
    ///   - arguments: The path of the program, and its arguments, in which `{text}`, `{home}` and `{automation}` are
    ///     replaced.
    ///   - timeout: The longest time that the program may take.
    ///   - logger: The logger.
    init(_ arguments: [String], timeout: Duration = .seconds(10), logger: Logger) {
        self.arguments = arguments
        self.timeout = timeout
        self.logger = logger
    }

    func receive(_ message: TriggerMessage, home: String, automation: String) {
        let values = [("{text}", message.text), ("{home}", home), ("{automation}", automation)]
        messages.post(arguments.prefix(1) + arguments.dropFirst().map { $0.replacing(values) }, summary: nil)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            for await command in messages {
                guard let command else {
                    logger.warning("notifications dropped", metadata: ["reason": "the command is too slow"])
                    continue
                }
                if let failure = await CommandRun.failure(of: command, timeout: timeout) {
                    logger.warning(
                        "notify command failed", metadata: ["command": "\(arguments[0])", "reason": "\(failure)"])
                }
            }
        }
    }
}

extension String {
    /// Returns the text with placeholders replaced; placeholders in values stay.
    fileprivate func replacing(_ values: [(placeholder: String, value: String)]) -> String {
        var result = ""
        var rest = self[...]
        scan: while let brace = rest.firstIndex(of: "{") {
            result += rest[..<brace]
            rest = rest[brace...]
            for (placeholder, value) in values where rest.hasPrefix(placeholder) {
                result += value
                rest = rest.dropFirst(placeholder.count)
                continue scan
            }
            result.append(rest.removeFirst())
        }
        return result + rest
    }
}
