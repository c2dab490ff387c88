internal import Synchronization

/// What waits in a ``Mailbox``, and what becomes of it when it is too much.
package protocol MailboxBuffer: Sendable {
    /// What is put in.
    associatedtype Message: Sendable
    /// What is taken out, one at a time.
    associatedtype Element: Sendable

    /// Puts a message in; the buffer stays within its bounds.
    mutating func add(_ message: Message)
    /// Takes out what is next; `nil` if nothing waits.
    mutating func take() -> Element?
}

extension MailboxBuffer {
    fileprivate mutating func removeAll() { while take() != nil {} }
}

/// What waits for one reader, from any number of senders that never wait.
///
/// How much that may be its buffer decides. A reader gets an element, or `nil` once the mailbox is finished and empty, or
/// its task is cancelled.
package final class Mailbox<Buffer: MailboxBuffer>: AsyncSequence, Sendable {
    package typealias Element = Buffer.Element
    package typealias Failure = Never

    private struct State {
        var buffer: Buffer
        var isFinished = false
        var hasReader = false
    }

    private let state: Mutex<State>
    private let signal = AsyncSignal()

    package init(_ buffer: Buffer) { state = Mutex(State(buffer: buffer)) }

    /// Puts a message in, unless the mailbox is finished.
    package func post(_ message: Buffer.Message) {
        state.withLock { if !$0.isFinished { $0.buffer.add(message) } }
        signal.send()
    }

    package func clear() { state.withLock { $0.buffer.removeAll() } }

    /// Nothing follows; what waits can still be taken.
    package func finish() {
        state.withLock { $0.isFinished = true }
        signal.send()
    }

    package func reopen() { state.withLock { $0.isFinished = false } }

    /// Takes what is next without waiting; `nil` if there is nothing now.
    ///
    /// On the actor of the reader this comes before or behind each of its steps, never in between.
    package func take() -> Element? { state.withLock { $0.buffer.take() } }

    /// Takes what is next, and waits for it; on the caller's actor, so that what was taken has been dealt with before the
    /// next wait.
    ///
    /// A second reader at the same time gets `nil`.
    package func next(isolation actor: isolated (any Actor)? = #isolation) async -> Element? {
        if let element = take() { return element }
        let isFirst = state.withLock { state in
            defer { state.hasReader = true }
            return !state.hasReader
        }
        guard isFirst else { return nil }
        defer { state.withLock { $0.hasReader = false } }
        while true {
            let (element, isFinished) = state.withLock { ($0.buffer.take(), $0.isFinished) }
            if let element { return element }
            if isFinished || Task.isCancelled { return nil }
            await signal.wait()
        }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(mailbox: self) }

    package struct Iterator: AsyncIteratorProtocol {
        package typealias Failure = Never

        fileprivate let mailbox: Mailbox

        package mutating func next() async -> Element? { await mailbox.next() }

        package mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await mailbox.next(isolation: actor)
        }
    }
}
