import AsyncKit

/// The texts that wait for a receiver: up to 20.
///
/// Further ones are dropped and counted.
struct WaitingMessages: MailboxBuffer {
    enum Element: Equatable, Sendable {
        case message(OutgoingMessage)
        /// Texts were dropped.
        case dropped(count: Int)
    }

    /// The maximum number of texts that wait.
    static let limit = 20

    private var messages: [OutgoingMessage] = []
    private var dropped = 0

    mutating func add(_ message: OutgoingMessage) {
        if messages.count < Self.limit { messages.append(message) } else { dropped += 1 }
    }

    mutating func take() -> Element? {
        if dropped > 0 {
            defer { dropped = 0 }
            return .dropped(count: dropped)
        }
        return messages.isEmpty ? nil : .message(messages.removeFirst())
    }
}
