/// An event of a connection to a broker.
package enum MQTTEvent: Equatable, Sendable {
    case connected
    case subscribed(topic: String, granted: Bool)
    case message(topic: String, payload: [UInt8], isRetained: Bool = false)
    case tooLong(topic: String)
    /// The number of messages that were dropped because the inbox was full or their topics are too long.
    case dropped(Int)
    /// The broker rejected the user name or the password. The connection is about to end.
    case loginRefused
    /// The connection ended or failed, for the given reason, which is shown to users. This is the last event.
    case closed(String)
}

/// A queue of unread events.
///
/// The messages among them are limited in number and total size.
///
/// When the queue is full, only the newest message of each topic is kept, because only the newest value of a state
/// counts. Until the queue is emptied, each new message replaces the waiting message with the same topic, so that the
/// time per message stays constant during a flood. Messages that still don't fit are dropped. All replaced and dropped
/// messages are counted.
struct MQTTInbox {
    private let maximumMessages: Int
    private let maximumBytes: Int
    private var events: [MQTTEvent] = []
    private var messages = 0
    private var bytes = 0
    private var dropped = 0
    /// The index of the only message of each topic; `nil` before the queue is full.
    private var places: [String: Int]?

    init(maximumMessages: Int = 4096, maximumBytes: Int = 8 << 20) {
        self.maximumMessages = maximumMessages
        self.maximumBytes = maximumBytes
    }

    mutating func add(_ event: MQTTEvent) {
        guard let (topic, size) = Self.measure(event) else {
            events.append(event)
            return
        }
        if places == nil, messages >= maximumMessages || bytes + size > maximumBytes { keepNewest() }
        if let place = places?[topic] {
            let freed = Self.measure(events[place])?.size ?? 0
            dropped += 1
            guard bytes - freed + size <= maximumBytes else { return }
            bytes += size - freed
            events[place] = event
            return
        }
        guard messages < maximumMessages, bytes + size <= maximumBytes else {
            dropped += 1
            return
        }
        if places != nil { places?[topic] = events.count }
        events.append(event)
        messages += 1
        bytes += size
    }

    /// Counts a message that was dropped before it could be added.
    mutating func drop() { dropped += 1 }

    mutating func takeAll() -> [MQTTEvent] {
        defer { self = MQTTInbox(maximumMessages: maximumMessages, maximumBytes: maximumBytes) }
        return dropped > 0 ? events + [.dropped(dropped)] : events
    }

    private mutating func keepNewest() {
        var seen: Set<String> = []
        var kept: [MQTTEvent] = []
        messages = 0
        bytes = 0
        for event in events.reversed() {
            if let (topic, size) = Self.measure(event) {
                guard seen.insert(topic).inserted else {
                    dropped += 1
                    continue
                }
                messages += 1
                bytes += size
            }
            kept.append(event)
        }
        kept.reverse()
        events = kept
        var places: [String: Int] = [:]
        for (place, event) in events.enumerated() {
            if let topic = Self.measure(event)?.topic { places[topic] = place }
        }
        self.places = places
    }

    private static func measure(_ event: MQTTEvent) -> (topic: String, size: Int)? {
        switch event {
        case .message(let topic, let payload, _): (topic, topic.utf8.count + payload.count)
        case .tooLong(let topic): (topic, topic.utf8.count)
        case .connected, .subscribed, .dropped, .loginRefused, .closed: nil
        }
    }
}
