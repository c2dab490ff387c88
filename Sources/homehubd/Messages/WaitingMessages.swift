import AsyncKit

/// A queue of up to 20 messages for a receiver.
///
/// Further messages are dropped and counted.
struct WaitingMessages: MailboxBuffer {
    enum Element: Equatable, Sendable {
        case message(OutgoingMessage)
        /// The number of messages that were dropped since the last element.
        case dropped(count: Int)
    }

    /// The maximum number of waiting messages.
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
