import AsyncKit
import Synchronization

/// The events of one listener, in the order in which they happened.
///
/// Each stream is independent of all others and for one reader. A listener that does not keep up delays no other: when
/// more than ``limit`` events wait for it, one `homesUpdated` takes their place. The stream ends when what it is about is
/// gone, or the manager is.
public struct EventStream<Event: Sendable>: AsyncSequence, Sendable {
    /// How many events may wait for a listener.
    public static var limit: Int { 1024 }

    /// Streams do not fail.
    public typealias Failure = Never

    let mailbox: BoundedMailbox<Event>
    /// Unsubscribes when the last copy of the stream and of its iterators is gone.
    private let subscription: Subscription

    init(_ mailbox: BoundedMailbox<Event>, onEnd: @escaping @Sendable () -> Void) {
        self.mailbox = mailbox
        subscription = Subscription(onEnd)
    }

    /// Begins to take events.
    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox, subscription: subscription) }

    /// Takes the events one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let mailbox: BoundedMailbox<Event>
        let subscription: Subscription

        /// The next event; `nil` at the end, and when the task is cancelled.
        public mutating func next() async -> Event? { await mailbox.next() }

        /// The next event; `nil` at the end, and when the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? { await mailbox.next() }
    }
}

/// Ends something when its last reference is released.
final class Subscription: Sendable {
    private let onEnd: @Sendable () -> Void

    init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
}
