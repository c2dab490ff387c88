import AsyncKit
import Synchronization

/// The events of one listener, in the order in which they happened.
///
/// Each stream is independent of all others and supports one reader. A slow listener doesn't delay others: if more than
/// ``limit`` events wait for it, a summary such as `homesUpdated` replaces them. The stream ends when its home or
/// accessory is removed, and when the manager's ``HomeManager/run()`` ends.
public struct EventStream<Event: Sendable>: AsyncSequence, Sendable {
    /// The maximum number of events that wait for a listener.
    public static var limit: Int { 1024 }

    /// The stream doesn't throw.
    public typealias Failure = Never

    let mailbox: BoundedMailbox<Event>
    /// Unsubscribes when the last copy of the stream and of its iterators is released.
    private let subscription: Subscription

    init(_ mailbox: BoundedMailbox<Event>, onEnd: @escaping @Sendable () -> Void) {
        self.mailbox = mailbox
        subscription = Subscription(onEnd)
    }

    /// Creates an iterator over the events.
    public func makeAsyncIterator() -> Iterator { Iterator(mailbox: mailbox, subscription: subscription) }

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol {
        let mailbox: BoundedMailbox<Event>
        let subscription: Subscription

        /// Returns the next event; `nil` at the end, or if the task is canceled.
        public mutating func next() async -> Event? { await mailbox.next() }

        /// Returns the next event; `nil` at the end, or if the task is canceled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? { await mailbox.next() }
    }
}

/// Runs a closure when its last reference is released.
final class Subscription: Sendable {
    private let onEnd: @Sendable () -> Void

    init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }
}
