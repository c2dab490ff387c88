/// A mailbox with a limited number of events.
///
/// If it overflows, a summary replaces all events.
package typealias BoundedMailbox<Event: Sendable> = Mailbox<SummarizingBuffer<Event>>

/// A buffer of events, in order.
///
/// If there are too many, a summary replaces them.
package struct SummarizingBuffer<Event: Sendable>: MailboxBuffer {
    private let limit: Int
    private var events: [Event] = []
    /// A Boolean value that indicates whether the only event is a summary.
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

    /// Adds an event.
    ///
    /// If there are too many events, the summary replaces them.
    package func post<Event>(_ event: Event, summary: Event) where Buffer == SummarizingBuffer<Event> {
        post((event, summary))
    }
}
