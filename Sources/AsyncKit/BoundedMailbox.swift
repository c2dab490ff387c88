/// A mailbox of at most so many events; one more, and a summary takes the place of all.
package typealias BoundedMailbox<Event: Sendable> = Mailbox<SummarizingBuffer<Event>>

/// Events in their order, until they are too many.
package struct SummarizingBuffer<Event: Sendable>: MailboxBuffer {
    private let limit: Int
    private var events: [Event] = []
    /// Whether the only event stands for many.
    private var isSummary = false

    package init(limit: Int) { self.limit = limit }

    package mutating func add(_ message: (event: Event, summary: Event)) {
        if isSummary || events.count >= limit {
            events = [message.summary]
            isSummary = true
        } else {
            events.append(message.event)
        }
    }

    package mutating func take() -> Event? {
        guard !events.isEmpty else { return nil }
        isSummary = false
        return events.removeFirst()
    }
}

extension Mailbox {
    package convenience init<Event>(limit: Int) where Buffer == SummarizingBuffer<Event> {
        self.init(SummarizingBuffer(limit: limit))
    }

    /// Adds an event; too many events are replaced by the summary.
    package func post<Event>(_ event: Event, summary: Event) where Buffer == SummarizingBuffer<Event> {
        post((event, summary))
    }
}
