internal import Synchronization

/// The one stream of news of a link, for one listener; what it does not take in time is folded together.
package final class LinkUpdates: AsyncSequence, Sendable {
    package typealias Element = LinkUpdate
    package typealias Failure = Never

    private struct Contents {
        var pending = PendingUpdates()
        var isFinished = false
    }

    private let contents = Mutex(Contents())
    private let bell = Bell()

    init() {}

    func send(_ update: LinkUpdate) {
        contents.withLock { if !$0.isFinished { $0.pending.add(update) } }
        bell.ring()
    }

    /// What has been sent is still delivered, then the stream ends.
    func finish() {
        contents.withLock { $0.isFinished = true }
        bell.ring()
    }

    /// What waits now: for a listener that has to know it before it goes on with something else.
    ///
    /// An iteration on the same actor comes before it or behind it with each of its updates, never in between.
    package func takeAll() -> [LinkUpdate] { contents.withLock { $0.pending.take() } }

    package func makeAsyncIterator() -> Iterator { Iterator(updates: self) }

    package struct Iterator: AsyncIteratorProtocol {
        package typealias Failure = Never

        fileprivate let updates: LinkUpdates
        private var taken: ArraySlice<LinkUpdate> = []

        fileprivate init(updates: LinkUpdates) { self.updates = updates }

        package mutating func next() async -> LinkUpdate? { await next(isolation: nil) }

        /// Stays on the actor of the listener, so that it has dealt with all that was taken before it is waited again.
        package mutating func next(isolation actor: isolated (any Actor)?) async -> LinkUpdate? {
            while true {
                if let update = taken.popFirst() { return update }
                let (news, isFinished) = updates.contents.withLock { ($0.pending.take(), $0.isFinished) }
                taken = news[...]
                guard taken.isEmpty else { continue }
                if isFinished || Task.isCancelled { return nil }
                await updates.bell.wait()
            }
        }
    }
}
